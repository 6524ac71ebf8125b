"""Surfacing: crawl a database that only answers queries (the algorithm of Section 4.2)."""

import math
from collections.abc import Callable, Hashable, Sized
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tres_webs import checks
from tres_webs.checks import generator
from tres_webs.forms.answers import Part, Record, ResultPage, Site

from ..store import Journal
from .policies import Policy, chao1, make_policy
from .state import State, split_words

COLUMNS = {"query": int, "term": str, "total": float, "returned": int, "new": int, "df": int}
COLUMNS |= {"pages": int, "acquired": int, "cost": float, "once": int, "twice": int}
COLUMNS |= {"estimate": float, "expected_size": float}


@dataclass(frozen=True)
class Costs:
    """The cost of a query, c_q + c_r |S_R(a)| (Section 3), and a part for each page.

    Examples
    --------
    >>> Costs(page=0.5).of(pages=2, records=30)
    2.0
    """

    query: float = 1.0  # of issuing a term, at least 1: a limit of cost limits the queries, too
    page: float = 0.0  # of fetching a page of results
    record: float = 0.0  # of handling a record

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            checks.numbers(name, value, zero=True)
        if self.query < 1:
            raise ValueError(f"query={self.query!r}: give a cost of at least 1")

    def of(self, pages: int, records: int) -> float:
        """Return the cost of a query with so many pages of results, and records on them."""
        return self.query + self.page * pages + self.record * records


@dataclass(frozen=True)
class SurfacingResult:
    """The result of a crawl of a database.

    The log has a row per query: ``query`` (1, 2, ...), ``term``, ``total`` (matches, as the site
    states), ``returned``, ``new``, ``df`` (acquired records with the word, at its issue),
    ``pages``. So far: ``acquired``, ``cost``, ``once`` and ``twice`` (records in one response, and
    in two), ``estimate`` (Chao1, of the size). By the policy: ``expected_size``, or NaN.
    """

    log: pd.DataFrame
    ids: tuple[Hashable, ...]  # of the acquired records, in their order
    stopped: str  # by "cost", or for want of "candidates"
    size: int | None  # records of the site, if it states them

    def coverage(self, queries: ArrayLike) -> np.ndarray | float:
        """Return the share of the site's records acquired after so many queries, of any shape.

        ValueError if the site does not state its size.
        """
        if self.size is None:
            raise ValueError("size=None: the site does not state it; see the log's estimate")
        number = checks.numbers("queries", queries, zero=True)
        acquired = np.concatenate([[0], self.log["acquired"].to_numpy()])
        share = acquired[np.minimum(number.astype(int), len(self.log))] / self.size
        return share if number.ndim else float(share)


class JournalledSite:
    """A site whose pages, the front page first, come from a journal, and else are added to it."""

    def __init__(self, site: Site, journal: Journal):
        self._site = site
        self._journal = journal
        self._pages: dict[tuple[str, int], ResultPage] = {}
        first = journal.read()
        if first is None:
            first = {"front": site.front_page()}
            journal.append(first)
        start = journal.tell()
        try:
            while (line := journal.read()) is not None:
                records = tuple(tuple(Part(*part) for part in record) for record in line["records"])
                page = ResultPage(line["total"], tuple(line["ids"]), records, line["more"])
                self._pages[line["term"], line["number"]] = page
                start = journal.tell()
            self._front = str(first["front"])
        except (KeyError, TypeError) as error:
            raise journal.damaged(start) from error

    def front_page(self) -> str:
        """See `Site.front_page`: the text as it was at the start."""
        return self._front

    def page(self, term: str, number: int) -> ResultPage:
        """See `Site.page`."""
        if (term, number) not in self._pages:
            page = self._site.page(term, number)
            self._journal.append({"term": term, "number": number, **vars(page)})
            self._pages[term, number] = page
        return self._pages[term, number]


def surface(
    site: Site,
    policy: str | Policy | Callable[[], Policy] = "rl",
    max_cost: float = 300,
    rng: np.random.Generator | int = 0,
    first_term: str | None = None,
    *,
    costs: Costs | None = None,
    patience: int | None = None,
    checkpoint: str | Path | None = None,
) -> SurfacingResult:
    """Acquire a database's records by queries that a policy chooses.

    ValueError if the checkpoint is of another crawl, or the policy repeats a term.

    Parameters
    ----------
    site : Site
        A `SearchSite`, a `FormSite`, or an object with their ``page`` and ``front_page``.
    policy : str, Policy or callable
        A name of `POLICIES`; an object with ``choose(state) -> term or None``; or what builds one.
    max_cost : float
        Limit c_max of the summed cost. A query is issued, and a page turned, only if the cost of a
        full page stays within it.
    first_term : str, optional
        Issued first; by default a random word of the front page. Its words are candidates.
    costs : Costs, optional
        By default a query costs 1 and the rest nothing.
    patience : int, optional
        Turn no further page of a response after so many in a row without a new record.
    checkpoint : path, optional
        A journal, made if need be. The same call, which needs an int as `rng`, resumes a killed
        crawl and returns what that would have; only `max_cost` may differ.

    Examples
    --------
    >>> from tres_lib.deepweb import SearchSite
    >>> site = SearchSite([{"title": title} for title in ("Red wine", "Red tea", "White tea")])
    >>> result = surface(site, "frequency", max_cost=3, first_term="wine")
    >>> result.log["term"].tolist()
    ['wine', 'red', 'tea']
    >>> result.coverage([1, 2, 3]).round(2).tolist()
    [0.33, 0.67, 1.0]
    """
    costs = costs or Costs()
    if not (hasattr(site, "page") and hasattr(site, "front_page")):
        raise ValueError(f"site={site!r}: give an object with page and front_page, as SearchSite")
    if checks.positive("max_cost", max_cost) < costs.query:
        raise ValueError(f"max_cost={max_cost!r}: give at least the cost of a query")
    if checkpoint is not None or not isinstance(rng, np.random.Generator):
        rng = checks.count("rng", rng, 0)
    if first_term is not None and not (isinstance(first_term, str) and first_term.strip()):
        raise ValueError(f"first_term={first_term!r}: give a string, or None")
    most_stale = math.inf if patience is None else checks.count("patience", patience)
    chooser = make_policy(policy)
    name = policy if isinstance(policy, str) else type(policy).__name__
    arguments: dict[str, Any] = {"policy": name, "rng": rng, "first_term": first_term}
    arguments |= {"costs": asdict(costs), "patience": patience}
    state = State(site, generator("rng", rng))
    page_size = getattr(site, "page_size", 0)
    with Journal(checkpoint, arguments) if checkpoint else nullcontext() as journal:
        source = JournalledSite(site, journal) if journal else site
        state.note(source.front_page())
        crawl = _Crawl(source, state, chooser, costs, float(max_cost), most_stale, page_size)
        stopped = crawl.run(first_term)
    size = len(site) if isinstance(site, Sized) else None
    log = pd.DataFrame(crawl.rows, columns=list(COLUMNS)).astype(COLUMNS)
    return SurfacingResult(log, tuple(state.captures), stopped, size)


@dataclass
class _Crawl:
    """The loop: choose, issue, turn the pages, learn."""

    source: Site
    state: State
    policy: Policy
    costs: Costs
    max_cost: float
    patience: float
    page_size: int
    spent: float = 0.0
    rows: list[dict[str, Any]] = field(default_factory=list)  # of the log

    def run(self, first_term: str | None) -> str:
        """Surface until a rule says to stop, and return which."""
        issued: set[str] = set()
        while self._affordable(pages=1):
            term = self.policy.choose(self.state) if self.rows else self._first(first_term)
            if term is None:
                return "candidates"
            if not isinstance(term, str) or term in issued:
                raise ValueError(f"policy: chose {term!r}, which is no term, or was issued before")
            issued.add(term)
            self._ask(term)
        return "cost"

    def _first(self, first_term: str | None) -> str | None:
        """Return the given term, or a random word of the front page."""
        if first_term is not None:
            return first_term
        words = sorted(set(split_words(self.source.front_page())))
        return str(self.state.rng.choice(words)) if words else None

    def _ask(self, term: str) -> None:
        """Issue a term, learn from the response, and write a row of the log."""
        # Not of the first term, which no policy chose.
        expected = getattr(self.policy, "expected_size", math.nan) if self.rows else math.nan
        total, response, pages = self._turn_pages(term)
        self.spent += self.costs.of(pages, len(response))
        state = self.state
        row = state.learn(term, total, response)._asdict()
        row |= {"query": len(self.rows) + 1, "pages": pages, "cost": self.spent}
        row |= {"acquired": state.n, "once": state.once, "twice": state.twice}
        row |= {"estimate": chao1(state.n, state.once, state.twice), "expected_size": expected}
        self.rows.append(row)

    def _turn_pages(self, term: str) -> tuple[int | None, dict[Hashable, Record], int]:
        """Fetch pages until they end, cost too much or bring nothing new: total, records, pages."""
        response: dict[Hashable, Record] = {}
        stale = 0
        for pages in count(1):
            page = self.source.page(term, pages)
            before = len(response)
            new = any(i not in self.state.captures and i not in response for i in page.ids)
            response.update(zip(page.ids, page.records, strict=True))
            stale = 0 if new else stale + 1
            self.page_size = max(self.page_size, len(page.ids))
            repeats = len(response) == before  # a page of what this response had already
            more = page.more and not repeats and stale < self.patience
            if not (more and self._affordable(pages + 1, len(response))):
                break
        return page.total, response, pages

    def _affordable(self, pages: int, records: int = 0) -> bool:
        """Return whether so many pages, the last of them full, stay within the limit."""
        cost = self.costs.of(pages, records + self.page_size)
        return self.spent + cost <= self.max_cost * (1 + 1e-12)
