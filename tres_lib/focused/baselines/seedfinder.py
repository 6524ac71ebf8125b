"""SeedFinder: ACHE whose seeds come from queries to a search engine (Vieira et al. 2016)."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice

import numpy as np

from tres_webs.checks import count, members
from tres_webs.page import FetchError, Page, Web, as_web

from ...topics import Scorer, page_text
from ...topics.vectors import tokenize
from ..policy import Context, Transition
from .ache import Ache, scaled


class SearchEngine:
    """Find pages by words of title, URL and body, the best match by BM25 first.

    References
    ----------
    S. Robertson et al., Okapi at TREC-3, 1994; here with k1 = 1.2 and b = 0.75.

    Examples
    --------
    >>> from tres_webs import Page
    >>> pages = [Page(f"http://{t}.org/", 200, "", f"all about {t}", ()) for t in ("tea", "rye")]
    >>> SearchEngine(pages).query(["tea", "milk"])
    ['http://tea.org/']
    """

    def __init__(self, pages: Iterable[Page] = ()):
        self._base = sqlite3.connect(":memory:")
        self._base.execute("CREATE VIRTUAL TABLE pages USING fts5(url UNINDEXED, text)")
        distinct = {page.url: page_text(page) for page in pages}
        self._base.executemany("INSERT INTO pages VALUES (?, ?)", distinct.items())

    def __len__(self) -> int:
        return self._base.execute("SELECT count(*) FROM pages").fetchone()[0]

    def query(self, terms: Sequence[str], n: int = 10, skip: int = 0) -> list[str]:
        """Return URLs of up to n pages with any of the terms, best first, after the `skip` best.

        Pages with more of them rank higher. Terms are words or phrases, never operators.
        """
        quoted = ['"{}"'.format(term.replace('"', '""')) for term in terms]
        if not quoted:
            return []
        rows = self._base.execute(
            "SELECT url FROM pages WHERE pages MATCH ? ORDER BY rank, rowid LIMIT ? OFFSET ?",
            (" OR ".join(quoted), n, skip),
        )
        return [url for (url,) in rows]


@lru_cache(maxsize=4)
def search_engine(web: Web, n_pages: int = 5_000, seed: int = 0) -> SearchEngine:
    """Return a search engine over a random part of a web that lists its pages, else ValueError.

    So many pages are drawn by the seed: of VitalWeb's article pages, or of a recording's, there at
    most one in ten. Crawls of one web share the engine.
    """
    members("web", web, "fetch(url)")
    rng = np.random.default_rng(seed)
    urls = list(dict.fromkeys(as_web(web).random_article_pages(count("n_pages", n_pages), rng)))
    if not urls:
        raise ValueError(f"web={web!r} lists no pages: give search=SearchEngine(your_pages)")
    return SearchEngine(_fetched(web, urls))


def _fetched(web: Web, urls: Iterable[str]) -> Iterator[Page]:
    for url in urls:
        with suppress(FetchError):
            yield web.fetch(url)


SHORTEST = 3  # letters of a term
FIRST_SCORE = 0.01  # of a term of a query that occurs on no page
MAX_PAGES = 2  # of results asked of a query, at most
MIN_PRECISION = 0.5  # least share of relevant results, and of new ones, of a good query


@dataclass
class Query:
    """A query under way, and its results so far."""

    terms: tuple[str, ...]
    pages: int = 0  # of results, asked for
    hits: int = 0  # results on them
    new: int = 0  # hits that no query had found before
    fetched: int = 0  # new ones
    relevant: int = 0  # fetched ones, by the page classifier

    @property
    def precision(self) -> float:
        return self.relevant / self.fetched if self.fetched else 0.0

    def goes_on(self) -> bool:
        """Return whether another page of results is asked for: if half of the first are good."""
        good = not self.pages or self.precision >= MIN_PRECISION
        return good and self.pages < MAX_PAGES

    def next_size(self) -> int:
        """Return the number of terms of the next query."""
        if self.precision < MIN_PRECISION:
            return len(self.terms) + 1
        repeats = self.new < MIN_PRECISION * self.hits
        return max(1, len(self.terms) - repeats)


class QueryTerms:
    """Scores of words by relevance feedback."""

    def __init__(self) -> None:
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        self._stop_words = ENGLISH_STOP_WORDS
        self.scores: defaultdict[str, float] = defaultdict(float)
        self._used: set[str] = set()

    def learn(self, text: str, relevant: bool) -> None:
        long = [w for w in tokenize(text) if len(w) >= SHORTEST and not w.isdigit()]
        # A relevant page adds to each word its share of the page, an irrelevant one takes it away.
        words = [w for w in long if w not in self._stop_words]
        for word, n in Counter(words).items():
            self.scores[word] += (1 if relevant else -1) * n / len(words)

    def weigh(self, terms: tuple[str, ...], precision: float) -> None:
        for term in terms:
            self.scores[term] = (self.scores[term] or FIRST_SCORE) * precision

    def choose(self, size: int) -> tuple[str, ...]:
        """Return the next query: the best `size` - 1 terms, then the best unused one; or none."""
        ranked = [word for _, word in sorted((-s, w) for w, s in self.scores.items() if s > 0)]
        fresh = (word for word in ranked[size - 1 :] if word not in self._used)
        terms = (*ranked[: size - 1], *islice(fresh, 1))
        if self._used.issuperset(terms):
            return ()
        self._used.update(terms)
        return terms


class SeedFinder(Ache):
    """Crawl as `Ache` does, from seeds that queries to a search engine find.

    Results are fetched and classified as pages are; the relevant ones are seeds. Terms are scored
    by relevance feedback, and the next query has the best of them and one never used. Settings are
    the source's, fixed before the first crawl. `crawl(policy="seedfinder")` makes a search engine
    over a random part of the web; ValueError without one.
    """

    max_queries = 100  # at the start of 20,000 fetches; as many again when no link is left
    page_size = 10  # results

    def __init__(
        self,
        context: Context,
        classifier: Scorer | None = None,
        scheduler: str = "turns",
        search: SearchEngine | None = None,
    ):
        if search is None or not hasattr(search, "query"):
            remedy = "policy=partial(SeedFinder, search=search_engine(web)), or SearchEngine(pages)"
            raise ValueError(f"search={search!r}: give {remedy}")
        super().__init__(context, classifier, scheduler)
        self.n_queries = 0
        self._limit = scaled(self.max_queries, context.budget)
        self.terms = QueryTerms()
        self._engine = search
        # So the first query is the best word of the seed pages; a person typed the source's.
        self.query = Query((), pages=MAX_PAGES)  # as if one were over
        self._seen: set[str] = set()  # URLs that queries found
        self._invited = False  # whether the next actions are results
        self._results: dict[int, None] = {}  # waiting to be fetched, in order
        self._fetching: dict[int, Query] = {}  # results in flight, with the query of each
        self._resting: set[int] = set()

    def suggest(self, step: int) -> list[str]:
        """Return URLs of new results, a page at most, best first; none while results wait."""
        new: list[str] = []
        n = self.page_size
        while not (new or self._results):
            if not (self.query.goes_on() or self._start_query()):
                break
            query = self.query
            urls = self._engine.query(query.terms, n, skip=query.pages * n)
            new = [url for url in urls if url not in self._seen]
            self._seen.update(new)
            query.pages += 1
            query.hits += len(urls)
            query.new += len(new)
        self._invited = bool(new)
        return new

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if self._invited:
            self._results.update(dict.fromkeys(ids.tolist()))
            self._words.update(dict.fromkeys(ids.tolist(), ()))
        else:
            super().add(ids, x)

    def choose(self, step: int) -> int | None:
        # Ours: a result costs a step and goes before all links; MAX counts it when it is fetched.
        result = next((r for r in self._results if r not in self._resting), None)
        if result is None:
            return super().choose(step)
        self._picked, self.q = result, float("nan")
        return result

    def take(self, action: int, step: int) -> None:
        super().take(action, step)
        if action in self._results:
            self._fetching[action] = self.query

    def rest(self, ids: list[int]) -> None:
        super().rest(ids)
        self._resting.update(ids)

    def wake(self, ids: list[int]) -> None:
        super().wake(ids)
        self._resting.difference_update(ids)

    def learn(self, transition: Transition) -> None:
        self._invited = False  # the actions added next are links of this page
        is_seed = transition.id not in self._words
        super().learn(transition)
        relevant = self._probability >= 0.5
        query = self._fetching.pop(transition.id, None)
        if query is not None:
            query.fetched += 1
            query.relevant += relevant
        if transition.page is not None and (query is not None or is_seed):
            self.terms.learn(page_text(transition.page), relevant)

    def drop(self, ids: list[int]) -> None:
        super().drop(ids)
        self._resting.difference_update(ids)
        for action in ids:
            self._results.pop(action, None)

    def _start_query(self) -> bool:
        """Make the next query if one may be asked now and has a new term; return whether so."""
        if self.n_queries >= self._limit * (1 if self.queue else 2):
            return False
        last = self.query
        self.terms.weigh(last.terms, last.precision)
        terms = self.terms.choose(last.next_size())
        if not terms:
            self._limit = 0  # new terms come from results only: there will be none
            return False
        self.query = Query(terms)
        self.n_queries += 1
        return True


def searching(web: Web) -> Callable[..., SeedFinder]:
    """Return what makes SeedFinder, with a search engine over part of a web."""
    return partial(SeedFinder, search=search_engine(web))
