"""Surfacing: crawl a database that only answers queries (the algorithm of Section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from .costs import Costs
from .journal import JournalledSite
from .policies import Policy, make_policy
from .records import Record, Site, split_words
from .result import SurfacingResult, make_log
from .state import Answer, State
from .stopping import chao1


def surface(
    site: Site,
    policy: str | Policy | Callable[[], Policy] = "rl",
    max_cost: float = 300,
    rng: np.random.Generator | int = 0,
    first_term: str | None = None,
    *,
    costs: Costs | None = None,
    enough: float | None = None,
    patience: int | None = None,
    checkpoint: str | Path | None = None,
) -> SurfacingResult:
    """Acquire a database's records by queries that a policy chooses.

    Parameters
    ----------
    site : Site
        A `SearchSite`, a `FormSite`, or an object with their ``page`` and ``front_page``.
    policy : str, Policy or callable
        "rl", "rl-printed", "ridge", "random", "random-pool", "words", "frequency", "harvest",
        "tfidf", "oracle"; an object with ``choose(state) -> term or None``; or what builds one.
    max_cost : float
        Limit c_max of the summed cost. A query is issued, and a page turned, only if the cost of a
        full page stays within it. How long that is, a site tells or its pages show.
    rng : numpy.random.Generator or int
    first_term : str, optional
        Issued first; by default a random word of the front page. Its words are candidates.
    costs : Costs, optional
        By default a query costs 1 and the rest nothing.
    enough : float, optional
        Stop when this share of the Chao1 estimate of the database's size has been acquired.
    patience : int, optional
        Turn no further page of a response after so many in a row without a new record.
    checkpoint : path, optional
        A journal, made if need be. The same call, which needs an int as `rng`, goes on where a
        killed one ended and returns what that would have; only `max_cost` may differ.

    Raises
    ------
    ValueError
        If an argument is not as described, the checkpoint is of another crawl, or the policy
        repeats a term.
    """
    costs = costs or Costs()
    _check(site, max_cost, rng, first_term, enough, patience, checkpoint, costs)
    chooser, size = make_policy(policy), len(site) if hasattr(site, "__len__") else None
    source = site
    if checkpoint is not None:
        named = _arguments(policy, rng, first_term, costs, enough, patience)
        source = JournalledSite(site, checkpoint, named)
    state = State(site, np.random.default_rng(rng))
    state.note(source.front_page())
    crawl = _Crawl(source, state, chooser, costs, float(max_cost), patience)
    stopped = crawl.run(first_term, enough)
    return SurfacingResult(make_log(crawl.rows), tuple(state.captures), stopped, size)


class _Crawl:
    """The loop: choose, issue, turn the pages, learn."""

    def __init__(
        self,
        source: Site,
        state: State,
        policy: Policy,
        costs: Costs,
        max_cost: float,
        patience: int | None,
    ):
        self._source, self._state, self._policy = source, state, policy
        self._costs, self._max_cost, self._patience = costs, max_cost, patience
        self._spent = 0.0
        self._page_size = getattr(
            state.site, "page_size", 0
        )  # if not told, the longest page so far
        self.rows: list[dict[str, Any]] = []  # of the log

    def run(self, first_term: str | None, enough: float | None) -> str:
        """Surface until one of the rules says to stop, and tell which."""
        issued: set[str] = set()
        while True:
            if self._too_dear(pages=1):
                return "cost"
            if enough is not None and self._reached(enough):
                return "estimate"
            term = self._next(first_term)
            if term is None:
                return "candidates"
            if not isinstance(term, str) or term in issued:
                raise ValueError(f"policy: chose {term!r}, which is no term, or was issued before")
            issued.add(term)
            self._ask(term)

    def _next(self, first_term: str | None) -> str | None:
        if self.rows:
            return self._policy.choose(self._state)
        if first_term is not None:
            return first_term
        shown = sorted(set(split_words(self._source.front_page())))
        return str(self._state.rng.choice(shown)) if shown else None

    def _ask(self, term: str) -> None:
        """Issue a term, take in what it brings, and write a row of the log."""
        expected = {
            name: getattr(self._policy, name, math.nan) if self.rows else math.nan
            for name in ("expected_size", "expected_new")
        }
        answer = self._turn_pages(term)
        self._spent += self._costs.of(answer.pages, len(answer.ids))
        issued, state = self._state.learn(answer), self._state
        row = {
            "query": len(self.rows) + 1,
            "term": term,
            "total": math.nan if issued.total is None else issued.total,
            "returned": issued.returned,
            "new": issued.new,
            "df": issued.df,
            "pages": answer.pages,
            "acquired": state.n,
            "cost": self._spent,
            "once": state.once,
            "twice": state.twice,
            "estimate": chao1(state.n, state.once, state.twice),
        }
        self.rows.append(row | expected)

    def _turn_pages(self, term: str) -> Answer:
        """The pages of results for a term, until they end, cost too much or bring nothing new."""
        found: dict[Hashable, Record] = {}
        pages = stale = 0
        while True:
            page = self._source.page(term, pages + 1)
            pages, known = pages + 1, len(found)
            new = any(i not in self._state.captures and i not in found for i in page.ids)
            found.update(zip(page.ids, page.records, strict=True))
            stale = 0 if new else stale + 1
            self._page_size = max(self._page_size, len(page.ids))
            impatient = self._patience is not None and stale >= self._patience
            goes_round = len(found) == known  # a page that repeats what this response had
            if not page.more or goes_round or impatient or self._too_dear(pages + 1, len(found)):
                return Answer(term, page.total, tuple(found), tuple(found.values()), pages)

    def _too_dear(self, pages: int, records: int = 0) -> bool:
        """Whether so many pages, the last of them full, would go beyond the limit."""
        cost = self._costs.of(pages, records + self._page_size)
        return self._spent + cost > self._max_cost * (1 + 1e-12)

    def _reached(self, enough: float) -> bool:
        state = self._state
        estimate = chao1(state.n, state.once, state.twice)
        return bool(state.n) and state.n >= enough * estimate


def _arguments(
    policy: object,
    rng: object,
    first_term: str | None,
    costs: Costs,
    enough: float | None,
    patience: int | None,
) -> dict[str, Any]:
    """The arguments in JSON's types, by name."""
    name = policy if isinstance(policy, str) else type(policy).__name__
    return {
        "policy": name,
        "rng": int(rng),
        "first_term": first_term,
        "costs": asdict(costs),
        "enough": enough,
        "patience": patience,
    }


def _check(
    site: object,
    max_cost: float,
    rng: object,
    first_term: object,
    enough: float | None,
    patience: int | None,
    checkpoint: object,
    costs: Costs,
) -> None:
    if not (hasattr(site, "page") and hasattr(site, "front_page")):
        raise ValueError(f"site={site!r}: give an object with page and front_page, as SearchSite")
    if not isinstance(max_cost, (int, float)) or not costs.query <= max_cost < math.inf:
        raise ValueError(f"max_cost={max_cost!r}: give a finite cost of at least a query's")
    is_seed = isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0
    if not is_seed and not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng={rng!r}: give an int from 0 on or a numpy.random.Generator")
    if checkpoint is not None and not is_seed:
        raise ValueError(f"rng={rng!r}: a crawl with a checkpoint needs an int as its seed")
    if first_term is not None and not isinstance(first_term, str):
        raise ValueError(f"first_term={first_term!r}: give a string, or None")
    if enough is not None and not 0 < enough <= 1:
        raise ValueError(f"enough={enough!r}: give a share above 0 and at most 1")
    if patience is not None and not patience >= 1:
        raise ValueError(f"patience={patience!r}: give a number of pages, at least 1")
