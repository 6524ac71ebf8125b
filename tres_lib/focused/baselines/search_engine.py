"""A search engine over part of a web: BM25 by SQLite FTS5."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache

import numpy as np

from tres_webs.checks import count, members
from tres_webs.page import FetchError, Page, Web, as_web

from ...topics import page_text


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
