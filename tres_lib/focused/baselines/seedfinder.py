"""SeedFinder: ACHE whose seeds come from queries to a search engine (Vieira et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...topics import page_text
from ..policy import Context, Transition
from .ache import PAPER_BUDGET, Ache, AcheSettings
from .query_terms import QueryTerms

if TYPE_CHECKING:
    from ...topics import RelevanceClassifier


@dataclass(frozen=True)
class SeedFinderSettings:
    """Settings of `SeedFinder`.

    max_queries : queries at the start of a crawl of 20,000 fetches, in a shorter one
        proportionally fewer, at least one; and as many again for when no link is left.
    max_pages : pages of results of a query that are asked for at most.
    page_size : results on a page.
    min_precision : share of relevant pages among a query's results from which on it is
        good, and share of new results among them from which on it is fresh.
    """

    max_queries: int = 100
    max_pages: int = 2
    page_size: int = 10
    min_precision: float = 0.5

    def __post_init__(self) -> None:
        for name in ("max_queries", "max_pages", "page_size"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)}: must be at least 1")
        if not 0 <= self.min_precision <= 1:
            raise ValueError(f"min_precision={self.min_precision}: must be in [0, 1]")

    def queries(self, budget: int) -> int:
        """Queries at the start of a crawl of that budget."""
        return max(1, round(self.max_queries * budget / PAPER_BUDGET))


@dataclass
class Query:
    """A query under way, and what came of it.

    terms : words of the query.
    pages : pages of results asked for.
    hits, new : results on them, and those that no query had found before.
    judged, relevant : results fetched, and those that the page classifier found relevant.
    """

    terms: tuple[str, ...]
    pages: int = 0
    hits: int = 0
    new: int = 0
    judged: int = 0
    relevant: int = 0

    @property
    def precision(self) -> float:
        """Share of relevant pages among the results fetched, 0 without any."""
        return self.relevant / self.judged if self.judged else 0.0

    def goes_on(self, settings: SeedFinderSettings) -> bool:
        """Whether another page of results is asked for."""
        good = not self.pages or self.precision >= settings.min_precision
        return good and self.pages < settings.max_pages

    def next_size(self, settings: SeedFinderSettings) -> int:
        """Number of terms of the next query."""
        if self.precision < settings.min_precision:
            return len(self.terms) + 1
        repeats = self.new < settings.min_precision * self.hits
        return max(1, len(self.terms) - 1) if repeats else len(self.terms)


class SeedFinder(Ache):
    """`Ache` from seeds that queries find.

    From the source: results are fetched and judged by the page classifier, the relevant ones
    are seeds. A query has up to two pages of ten results, the second if half of the new
    results on the first are relevant. Terms are scored by relevance feedback (`QueryTerms`).
    The next query has the best terms and one never used: a term more than the last query if
    that had a precision below 0.5, a term less if under half of its results were new.

    Ours: each result costs a step, as any fetch does, and goes before all links. The first
    query is the best word of the crawl's seed pages; a person typed the source's. The
    source's 100 queries are those of a crawl of 20,000 fetches. Its queries end when the crawl
    begins; here the same number may be asked once more, one at a time, when no link is left.

    `n_queries` counts queries; a further page of results is none. Settings are the source's,
    fixed before the first crawl; nothing was tuned.

    Raises
    ------
    ValueError
        If the context has no search engine.
    """

    def __init__(
        self,
        context: Context,
        settings: SeedFinderSettings | None = None,
        judge: RelevanceClassifier | None = None,
        ache: AcheSettings | None = None,
    ):
        if context.search is None:
            raise ValueError(
                "search=None: 'seedfinder' asks a search engine; give "
                "crawl(..., search=search_engine(web)), or search=SearchEngine(pages)"
            )
        super().__init__(context, ache, judge)
        self.query_settings = settings or SeedFinderSettings()
        self.n_queries = 0
        self._limit = self.query_settings.queries(context.budget)
        self._terms = QueryTerms()
        self._query: Query | None = None
        self._seen: set[str] = set()  # URLs that queries found
        self._invited = False  # whether the next actions are results
        self._results: dict[int, None] = {}  # waiting to be fetched, in order
        self._fetching: int | None = None  # the result that is being fetched

    @property
    def exhausted(self) -> bool:
        return not self._results and super().exhausted

    def suggest(self, step: int) -> list[str]:
        """URLs of new results; none while results wait, or while the crawl should go on."""
        urls: list[str] = []
        while not (urls or self._results) and (self._goes_on() or self._start_query()):
            urls = self._ask()
        self._invited = bool(urls)
        return urls

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if self._invited:
            self._results.update(dict.fromkeys(ids.tolist()))
            self._words.add(ids, [()] * len(ids))
        else:
            super().add(ids, x)

    def choose(self, step: int) -> int:
        self._invited = False
        self._fetching = next(iter(self._results), None)
        if self._fetching is None:
            return super().choose(step)
        self.q = float("nan")
        return self._fetching

    def learn(self, transition: Transition) -> None:
        is_seed = transition.id not in self._words
        super().learn(transition)
        relevant = self._probability >= 0.5
        if transition.id == self._fetching:
            self._query.judged += 1
            self._query.relevant += relevant
        elif not is_seed:
            return
        if transition.page is not None:
            self._terms.learn(page_text(transition.page), relevant)

    def drop(self, ids: list[int]) -> None:
        super().drop([action for action in ids if action not in self._results])
        for action in ids:
            self._results.pop(action, None)

    def _goes_on(self) -> bool:
        return self._query is not None and self._query.goes_on(self.query_settings)

    def _start_query(self) -> bool:
        """Make the next query, if one may be asked now and there is a new term for it."""
        if self.n_queries >= self._limit * (2 if super().exhausted else 1):
            return False
        size, last = 1, self._query
        if last is not None:
            self._terms.weigh(last.terms, last.precision)
            size = last.next_size(self.query_settings)
        terms = self._terms.choose(size)
        if not terms:
            self._limit = 0  # new terms come from results only: there will be none
            return False
        self._query = Query(terms)
        self.n_queries += 1
        return True

    def _ask(self) -> list[str]:
        """New URLs on the query's next page of results."""
        query, n = self._query, self.query_settings.page_size
        urls = self._context.search.query(query.terms, n, skip=query.pages * n)
        new = [url for url in urls if url not in self._seen]
        self._seen.update(new)
        query.pages += 1
        query.hits += len(urls)
        query.new += len(new)
        return new
