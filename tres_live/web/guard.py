"""A web without its traps: endless calendars, copies, looping paths, pages of countless links."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import chain, islice
from threading import Lock
from urllib.parse import unquote, urljoin, urlsplit
from zlib import crc32

from tres_webs import Failure, FetchError, Link, Page, Web, Wrapper
from tres_webs.checks import count, instance

DATE_WORDS = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday "
    "saturday sunday mon tue wed thu fri sat sun"
)
# What differs between the pages of a calendar, or between two visits to one page.
CHANGING = re.compile(
    rf"[\W_]+|\b[a-z]*+\d[a-z\d]*+|\d+|\b(?:{'|'.join(DATE_WORDS.split())})\b", re.IGNORECASE
)
WORDS = re.compile(r"[^\W\d_]+")
BEGINNING = 10_000  # characters of a page that are compared with others
FEWEST_WORDS = 50  # of a near-copy; those of fewer are too often of one form
RUN = 4  # words
ALIKE = 0.8  # share of runs that near-copies have in common
SKETCH = 128  # runs of a page that are compared, those of the smallest hash values
HOLDERS = 10  # pages at most that are found by one run; what more have is of their site
NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True)
class GuardSettings:
    """What counts as a trap."""

    max_links: int = 1_000  # of a page, the first ones
    max_url: int = 500  # characters
    max_depth: int = 15  # segments of a URL's path
    max_repeats: int = 2  # of one segment
    max_copies: int = 10  # after which URLs equal but for their numbers are followed no more

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            count(name, value)


class Guard(Wrapper):
    """Another web, seen without its traps, for crawls of the live Web.

    A page whose words were seen before at another URL raises FetchError ("copy of ..."). Numbers,
    names of months and days, and its own path where the text repeats it, do not count, so that a
    site's "not found" pages with status 200 are copies of the first. Links that look like traps
    are left out. Session ids are not handled here: `canonical_url` removes them.

    Parameters
    ----------
    web, settings
        The other web, and what counts as a trap.
    probe : bool
        Whether to fetch from each host, after its first page, an address that cannot exist, so
        that the first "not found" page is a copy as well [1]_.
    answers : dict, optional
        What hosts said to that; given to another guard, it asks none of them again.

    References
    ----------
    .. [1] Bar-Yossef, Broder, Kumar, Tomkins (2004). Sic transit gloria telae: towards an
       understanding of the Web's decay. WWW 2004.

    Examples
    --------
    >>> import tres_live
    >>> import tres_webs as web
    >>> pages = {"http://a.example/may/1": "<p>Events on Monday, 1 May",
    ...          "http://a.example/may/2": "<p>Events on Tuesday, 2 May"}
    >>> guarded = tres_live.Guard(web.ReplayWeb.from_pages(pages))
    >>> guarded.fetch("http://a.example/may/1").text
    'Events on Monday, 1 May'
    >>> guarded.fetch("http://a.example/may/2")
    Traceback (most recent call last):
    tres_webs.page.FetchError: http://a.example/may/2: copy of http://a.example/may/1
    """

    def __init__(
        self,
        web: Web,
        settings: GuardSettings | None = None,
        probe: bool = False,
        answers: dict[str, bytes] | None = None,
    ):
        super().__init__(web)
        self.settings = settings or GuardSettings()
        instance("settings", self.settings, GuardSettings)
        instance("probe", probe, bool)
        self.probe = probe
        self.answers = {} if answers is None else answers  # digests by host
        self._asking: defaultdict[str, Lock] = defaultdict(Lock)  # by host
        self._first: dict[bytes, str] = {}  # digest of a page's words: where they were seen first
        self._copies: defaultdict[str, set[str]] = defaultdict(set)  # URLs by their shape
        self._lock = Lock()
        self.digest_of: Callable[[Page], bytes] = digest  # may be known from elsewhere

    def fetch(self, url: str) -> Page:
        page = self.web.fetch(url)
        if self.probe and self._is_error(page):
            self.count_copy(url)
            why = "copy of what its host answers to any address"
            raise FetchError(url, why, page.status, Failure.ERROR_PAGE)
        if (first := self._first_url(page)) != page.url:
            self.count_copy(url)
            raise FetchError(url, f"copy of {first}", page.status, Failure.COPY, first)
        links = islice(filter(self.passes, page.links), self.settings.max_links)
        return replace(page, links=tuple(links))

    def remember(self, url: str, page: Page) -> None:
        self._first_url(page)
        super().remember(url, page)

    def remember_failure(self, url: str, error: FetchError) -> None:
        if error.failure in (Failure.COPY, Failure.ERROR_PAGE):
            self.count_copy(url)
        super().remember_failure(url, error)

    def _is_error(self, page: Page) -> bool:
        """Return whether a page, links aside, is what its host says to an address of no page."""
        host = urljoin(page.url, "/")
        if page.url == host:
            return False
        with self._asking[host]:
            if host not in self.answers:
                answer = b""  # it says so by a status
                with suppress(FetchError):
                    there = self.web.fetch(host + hashlib.md5(host.encode()).hexdigest())
                    if there.url != host:  # a link to what is gone leads to the front page then
                        answer = digest(there, links=False)
                self.answers[host] = answer
        return digest(page, links=False) == self.answers[host] != b""

    def _first_url(self, page: Page) -> str:
        words = self.digest_of(page)
        if not words:  # an empty page says nothing of being a copy
            return page.url
        with self._lock:
            return self._first.setdefault(words, page.url)

    def count_copy(self, url: str) -> None:
        """Take note of a URL that led to a copy: those of its shape may lead to more."""
        with self._lock:
            self._copies[shape(url)].add(url)

    def passes(self, link: Link) -> bool:
        """Return whether to follow a link: it does not look like a trap."""
        limits = self.settings
        copies = self._copies.get(shape(link.url), ())
        if len(link.url) > limits.max_url or len(copies) >= limits.max_copies:
            return False
        segments = Counter(filter(None, urlsplit(link.url).path.split("/")))
        most = max(segments.values(), default=0)
        return segments.total() <= limits.max_depth and most <= limits.max_repeats


def digest(page: Page, links: bool = True) -> bytes:
    """Return a digest of what a page says, with or without lines that are links; b"" of nothing."""
    links_alone = () if links else {link.anchor for link in page.links}
    text = "\n".join(line for line in page.text.split("\n") if line not in links_alone)
    path = "/" + page.url.split("/", 3)[-1]
    text = text.replace(path, " ").replace(unquote(path), " ")
    words = " ".join(CHANGING.sub(" ", f"{page.title} {text}").lower().split())
    encoded = words.encode("utf-8", "replace")
    return hashlib.blake2b(encoded, digest_size=16).digest() if words else b""


def near_copies(pages: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Return pages (URL, title, text) that nearly copy earlier ones, such as print views, by URL.

    Both share four fifths of their runs of four words, by a sketch of these (Broder 1997), and
    the words of one title are among those of the other. Numbers do not count.
    """
    firsts: list[tuple[str, set[str], set[int]]] = []
    holders: defaultdict[int, list[int]] = defaultdict(list)
    found = {}
    for url, title, text in pages:
        words = WORDS.findall(text[:BEGINNING].lower())
        if len(words) < FEWEST_WORDS:
            continue
        numbers = [crc32(word.encode("utf-8", "replace")) for word in words]
        runs = zip(*(numbers[i:] for i in range(RUN)), strict=False)
        sketch = set(nsmallest(SKETCH, set(map(hash, runs))))
        name = set(WORDS.findall(title.lower()))
        shared = Counter(chain.from_iterable(holders[run] for run in sketch))
        for i in [i for i, n in shared.most_common() if n > len(sketch) / 4]:
            first, other_name, other = firsts[i]
            both = nsmallest(SKETCH, sketch | other)
            alike = len(sketch.intersection(other, both)) >= ALIKE * len(both)
            if alike and (name <= other_name or other_name <= name):
                found[url] = first
                break
        else:
            for run in sketch:
                if len(holders[run]) < HOLDERS:
                    holders[run].append(len(firsts))
            firsts.append((url, name, sketch))
    return found


def shape(url: str) -> str:
    """Return the URL with 0 for each number, equal for all pages of a calendar."""
    return NUMBERS.sub("0", url)
