"""A web without its traps: endless calendars, copies, looping paths, pages of countless links."""

import hashlib
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import islice
from threading import Lock
from urllib.parse import urlsplit

from ...checks import count, instance, members
from ..page import FetchError, Link, Page, Web, as_web
from ..topic import Topic

DATE_WORDS = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday "
    "saturday sunday mon tue wed thu fri sat sun"
)
# What differs between the pages of a calendar, or between two visits to one page.
CHANGING = re.compile(rf"[\W\d_]+|\b(?:{'|'.join(DATE_WORDS.split())})\b", re.IGNORECASE)
NUMBERS = re.compile(r"\d+")
COPY = "copy of "  # how the reason of a copy's failure begins


@dataclass(frozen=True)
class GuardSettings:
    """What counts as a trap.

    Attributes
    ----------
    max_links : int
        Links of a page that are kept, the first ones.
    max_url, max_depth, max_repeats : int
        Longest URL in characters; most segments; how often the same segment may occur.
    max_copies : int
        Copies after which URLs of one shape (equal but for their numbers) are followed no more.
    """

    max_links: int = 1_000
    max_url: int = 500
    max_depth: int = 15
    max_repeats: int = 2
    max_copies: int = 10

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            count(name, value)


class Guard(Web):
    """Another web, seen without its traps, for crawls of the live Web.

    A page whose words were seen before at another URL, numbers and names of months and days aside,
    raises FetchError ("copy of ..."). Links that look like traps are left out. Session ids are not
    handled here: `canonical_url` removes them.

    Parameters
    ----------
    web : Web
    settings : GuardSettings, optional

    Examples
    --------
    >>> from tres_lib import web
    >>> pages = {"http://a.example/may/1": "<p>Events on Monday, 1 May",
    ...          "http://a.example/may/2": "<p>Events on Tuesday, 2 May"}
    >>> guarded = web.Guard(web.ReplayWeb.from_pages(pages))
    >>> guarded.fetch("http://a.example/may/1").text
    'Events on Monday, 1 May'
    >>> guarded.fetch("http://a.example/may/2")
    Traceback (most recent call last):
    tres_lib.web.page.FetchError: http://a.example/may/2: copy of http://a.example/may/1
    """

    def __init__(self, web: Web, settings: GuardSettings | None = None):
        members("web", web, "fetch(url)")
        self.web = web
        self.settings = settings or GuardSettings()
        instance("settings", self.settings, GuardSettings)
        self._first: dict[bytes, str] = {}  # digest of a page's words: where they were seen first
        self._copies: defaultdict[str, set[str]] = defaultdict(set)  # URLs by their shape
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"Guard({self.web!r}, {self.settings})"

    def fetch(self, url: str) -> Page:
        """Return the page without links into traps; FetchError if it is a copy of another."""
        page = self.web.fetch(url)
        first = self._first_url(page)
        if first != page.url:
            self._count_copy(url)
            raise FetchError(url, COPY + first, page.status)
        links = islice(filter(self._passes, page.links), self.settings.max_links)
        return replace(page, links=tuple(links))

    def is_relevant(self, url: str, topic: str | Topic) -> bool | None:
        """Return the other web's ground truth; see `Web.is_relevant`."""
        return self.web.is_relevant(url, topic)

    def remember(self, url: str, page: Page) -> None:
        """Count a page of a crawl's journal as seen, and tell the other web; see `Web.remember`."""
        self._first_url(page)
        as_web(self.web).remember(url, page)

    def remember_failure(self, url: str, error: FetchError) -> None:
        """Count a copy in a crawl's journal as seen, and tell the other web of any failure."""
        if error.reason.startswith(COPY):
            self._count_copy(url)
        as_web(self.web).remember_failure(url, error)

    def _first_url(self, page: Page) -> str:
        words = CHANGING.sub(" ", f"{page.title} {page.text}").lower().split()
        if not words:  # an empty page says nothing of being a copy
            return page.url
        text = " ".join(words).encode("utf-8", "replace")
        digest = hashlib.blake2b(text, digest_size=16).digest()
        with self._lock:
            return self._first.setdefault(digest, page.url)

    def _count_copy(self, url: str) -> None:
        with self._lock:
            self._copies[shape(url)].add(url)

    def _passes(self, link: Link) -> bool:
        limits = self.settings
        copies = self._copies.get(shape(link.url), ())
        if len(link.url) > limits.max_url or len(copies) >= limits.max_copies:
            return False
        segments = Counter(filter(None, urlsplit(link.url).path.split("/")))
        most = max(segments.values(), default=0)
        return segments.total() <= limits.max_depth and most <= limits.max_repeats


def shape(url: str) -> str:
    """Return the URL with 0 for each number, equal for all pages of a calendar."""
    return NUMBERS.sub("0", url)
