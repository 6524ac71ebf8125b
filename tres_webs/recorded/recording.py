"""Recordings: pages by URL, from a dict, a folder of HTML, or responses and their times."""

import logging
import math
import os
from bisect import bisect_right
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

from .. import checks
from ..page import Page
from ..parsing import MAX_HTML, parse_page
from ..urls import canonical_url

T = TypeVar("T")
HOPS = 10  # the longest chain of aliases or redirects that is followed
HTML_FILES = frozenset({".html", ".htm", ".xhtml", ".shtml"})

logger = logging.getLogger(__name__)


class Document(NamedTuple):
    """An HTML document, or the file that holds it, and its encoding if one was named."""

    html: bytes | str | Path
    encoding: str | None = None
    truncated: bool = False


class Response(NamedTuple):
    """What was recorded of a URL: when, in days since 1970, and its page or where it led."""

    day: float
    url: str
    answer: Document | str


class Recording(UserDict[str, Page]):
    """Pages by canonical URL; documents are parsed when they are asked for."""

    def __init__(
        self, entries: Mapping[str, Any], aliases: Mapping[str, str] = MappingProxyType({})
    ):
        self.data: Any = entries
        self._aliases = aliases

    def target(self, url: str) -> str | None:
        """Return the URL to which one without a page leads; None if to none."""
        return self._aliases.get(url)

    def end(self, url: str) -> str:
        """Return where a URL leads, itself if it has a page."""
        for _ in range(HOPS):
            if url in self or (target := self.target(url)) is None:
                break
            url = target
        return url

    def links(self, url: str) -> tuple[str, ...]:
        """Return where a page links to; a recording may know without making the page."""
        return tuple(link.url for link in self[url].links)

    def __getitem__(self, url: str) -> Page:
        entry: Page | Document = self.data[url]
        return entry if isinstance(entry, Page) else parsed(url, entry)


class History(Recording):
    """The last document of each URL until what a clock shows, in days since 1970, or of all."""

    def __init__(self, responses: Iterable[Response], clock: Callable[[], float] | None):
        if clock is not None and not callable(clock):
            raise ValueError(f"clock={clock!r}: give a function that returns the time in days")
        super().__init__({})
        self._clock = clock
        for response in sorted(responses, key=lambda r: r.day) if clock else responses:
            earlier = self.data.setdefault(response.url, [])
            earlier[:] = [*earlier, response] if clock else [response]

    def latest(self, url: str) -> Document | str | None:
        """Return a URL's last document, or where it last led; None if it was not recorded yet."""
        responses = self.data.get(url, [])
        day = checks.number("clock()", self._clock()) if self._clock else math.inf
        seen = bisect_right(responses, day, key=lambda response: response.day)
        return responses[seen - 1].answer if seen else None

    def target(self, url: str) -> str | None:
        """Return where a URL last led; None if it last had a page."""
        return answer if isinstance(answer := self.latest(url), str) else None

    def __getitem__(self, url: str) -> Page:
        if isinstance(answer := self.latest(url), Document):
            return parsed(url, answer)
        raise KeyError(url)

    def __contains__(self, url: object) -> bool:
        return isinstance(url, str) and isinstance(self.latest(url), Document)

    def __iter__(self) -> Iterator[str]:
        return (url for url in self.data if url in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def parsed(url: str, document: Document) -> Page:
    """Return the page of a document; OSError if its file cannot be read."""
    html = document.html
    if isinstance(html, Path):
        with html.open("rb") as stream:
            html = stream.read(MAX_HTML + 1)
    page = parse_page(url, html, document.encoding)
    return replace(page, truncated=True) if document.truncated else page


def by_canonical_url(
    given: Iterable[tuple[str, T]], what: str, level: int = logging.WARNING
) -> dict[str, T]:
    """Return values by canonical URL; skip and log those of URLs that no crawler may fetch."""
    spelt = [(canonical_url(key), key, value) for key, value in given]
    canonical = {url: value for url, _, value in spelt if url is not None}
    if skipped := [key for url, key, _ in spelt if url is None]:
        text = "%d of %d %s skipped, without a URL that a crawler may fetch; the first is %r"
        logger.log(level, text, len(skipped), len(spelt), what, skipped[0])
    return canonical


def read_pages(pages: Iterable[Page] | Mapping[str, Page | str | bytes]) -> Recording:
    """Return a recording of ready pages, or of pages or HTML by URL."""
    if isinstance(pages, str | bytes) or not isinstance(pages, Iterable):
        raise ValueError(f"pages={pages!r}: give Pages, or a dict of URLs and HTML")
    items = pages.items() if isinstance(pages, Mapping) else [(page.url, page) for page in pages]
    canonical = by_canonical_url(items, "pages")
    if items and not canonical:
        first = next(iter(items))[0]
        raise ValueError(f"pages: give http or https URLs that may be fetched, not {first!r}")
    return Recording({url: _entry(url, value) for url, value in canonical.items()})


def read_folder(host: str, folder: Path) -> tuple[dict[str, Document], dict[str, str]]:
    """Return the HTML files under a folder by URL, and aliases of the folders' own URLs."""
    # No URL is turned into a path, and links that lead out of the folder are not followed.
    top = canonical_url(f"http://{host}/")
    root = folder.resolve()
    if top is None:
        raise ValueError(f"host={host!r}: give a host name, such as 'www.example.com'")
    if not root.is_dir():
        raise ValueError(f"folder={str(folder)!r} of host {host!r} is no folder")
    documents: dict[str, Document] = {}
    aliases: dict[str, str] = {}
    paths = ((os.fsencode(p.relative_to(root).as_posix()), p) for p in _html_files(root))
    files = ((top + quote(inside), path) for inside, path in paths)
    for url, path in by_canonical_url(files, f"files of {host}").items():
        if path.name in ("index.html", "index.htm"):
            of_folder = url.rpartition("/")[0] + "/"
            aliases |= {url: of_folder, of_folder.rstrip("/"): of_folder}
            url = of_folder
        documents.setdefault(url, Document(path))
    secure = {"https" + url[4:]: url for url in (*documents, *aliases)}
    return documents, secure | aliases


def _entry(url: str, value: Page | str | bytes) -> Page | Document:
    if isinstance(value, Page):
        return value if value.url == url else replace(value, url=url)
    if isinstance(value, str | bytes):
        return Document(value)
    raise ValueError(f"pages: {url} has a {type(value).__name__}; give a Page or its HTML")


def _html_files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names, reverse=True):  # index.html before index.htm
            path = Path(folder, name)
            if path.suffix.lower() in HTML_FILES and path.resolve().is_relative_to(root):
                yield path
