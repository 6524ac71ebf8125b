"""A search engine over part of a web: BM25 by SQLite FTS5."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np

from tres_webs.checks import count, members
from tres_webs.files import WEBS
from tres_webs.page import FetchError, Page, Web, as_web

from ...store import LIBRARY, load_or_make, stored_folder
from ...topics import page_text

FILE = "index.sqlite"


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

    n_queries = 0  # calls of `query` so far

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
        self.n_queries += 1
        quoted = ['"{}"'.format(term.replace('"', '""')) for term in terms]
        if not quoted:
            return []
        rows = self._base.execute(
            "SELECT url FROM pages WHERE pages MATCH ? ORDER BY rank, rowid LIMIT ? OFFSET ?",
            (" OR ".join(quoted), n, skip),
        )
        return [url for (url,) in rows]

    def save(self, directory: str | Path) -> None:
        """Write the index into a folder, in place of an index that is there."""
        Path(directory).mkdir(parents=True, exist_ok=True)
        copy = sqlite3.connect(Path(directory) / FILE)
        self._base.commit()
        self._base.backup(copy)
        copy.close()

    @classmethod
    def load(cls, directory: str | Path) -> "SearchEngine":
        """Return the engine that `save` wrote, for reading only; ValueError if there is none."""
        file = Path(directory) / FILE
        if not file.exists():
            raise ValueError(f"directory={str(directory)!r} has no {FILE}; save an engine there")
        engine = cls.__new__(cls)
        engine._base = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)
        return engine


@lru_cache(maxsize=4)
def search_engine(web: Web, n_pages: int = 5_000, seed: int = 0) -> SearchEngine:
    """Return a search engine over a random part of a web that lists its pages, else ValueError.

    So many pages are drawn by the seed: of VitalWeb's article pages, or of a recording's, there at
    most one in ten. Crawls of one web share the engine; that of a VitalWeb is kept on disk as well.
    """
    members("web", web, "fetch(url)")
    rng = np.random.default_rng(seed)
    urls = list(dict.fromkeys(as_web(web).random_article_pages(count("n_pages", n_pages), rng)))
    if not urls:
        raise ValueError(f"web={web!r} lists no pages: give search=SearchEngine(your_pages)")
    if type(web).__repr__ is object.__repr__:  # cannot be told from another web
        return SearchEngine(_fetched(web, urls))
    code = WEBS, LIBRARY / "topics", Path(__file__)
    folder = stored_folder("search", type(web).__name__, code, repr(web), urls)
    return load_or_make(folder, SearchEngine.load, lambda: SearchEngine(_fetched(web, urls)))


def _fetched(web: Web, urls: Iterable[str]) -> Iterator[Page]:
    for url in urls:
        with suppress(FetchError):
            yield web.fetch(url)
