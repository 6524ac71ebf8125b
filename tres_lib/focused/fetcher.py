"""Fetching for a crawl, with or without a journal; a failure is a visit without a page."""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from queue import SimpleQueue
from threading import Thread
from traceback import format_exc
from typing import Any

from ..checks import is_count, number
from ..journal import Journal
from ..store import StorageError
from ..web.page import Failure, FetchError, Page, Web, as_web, link_rows, links_of
from ..web.reader import printable

logger = logging.getLogger(__name__)
ERRORS = {Failure.OTHER, Failure.ROBOTS, Failure.ERROR_PAGE}  # others come from hosts that answer
ERROR_TEXTS = "404 not found", "access denied"  # in the first letters of a page
FIRST = 100  # letters


@dataclass(frozen=True)
class Visit:
    """A page, or None and why; `seconds` since the crawl's start."""

    url: str
    page: Page | None
    seconds: float
    status: int | None = None
    failure: Failure | None = None
    reason: str = ""  # for people
    target: str = ""  # URL of the page that it is a copy of or leads to

    @property
    def is_error(self) -> bool:
        """Whether there is no page, or one that says of itself that it is an error."""
        if self.page is None:
            return self.failure in ERRORS
        opening = self.page.text[:FIRST].lower()
        return any(words in opening for words in ERROR_TEXTS)

    def refused(self, failure: Failure, reason: str) -> "Visit":
        """Return the visit without its page."""
        return replace(self, page=None, failure=failure, reason=reason)

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        data: dict[str, Any] = {"url": self.url, "seconds": self.seconds}
        page = self.page
        if page is None:
            told = "status", "failure", "reason", "target"
            return data | {name: getattr(self, name) for name in told}
        rows, paths = link_rows(page.links)
        return data | {
            "page": [page.url, page.status, page.title, page.text],
            "links": rows,
            "paths": paths,
            "fetched_at": page.fetched_at,
            "truncated": page.truncated,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Visit":
        """Return the visit that `as_json` wrote; raise an error if it is none."""
        seconds = number("seconds", data["seconds"], 0)
        if "page" not in data:
            status, reason, target = data["status"], data["reason"], data["target"]
            texts = isinstance(reason, str) and isinstance(target, str)
            if not (texts and (status is None or _is_status(status))):
                raise TypeError("neither a page nor a failure")
            failure = Failure(data["failure"])
            return cls(data["url"], None, seconds, status, failure, reason, target)
        url, status, title, text = data["page"]
        links = links_of(data["links"], data.get("paths", ()))
        fetched_at = data["fetched_at"]
        if fetched_at is not None:
            number("fetched_at", fetched_at)
        page = Page(url, status, title, text, links, None, fetched_at, data.get("truncated", False))
        return cls(data["url"], _checked(page), seconds, page.status)


class Fetcher:
    """Fetches pages from a web; all that goes wrong but StorageError becomes a `Visit`'s reason.

    With a journal it first serves the visits there, in their order. A new one is written, in the
    order of arrival, before it is handed out.
    """

    def __init__(self, web: Web, in_flight: int = 1, journal: Journal | None = None):
        self._web = web
        self._journal = journal
        self._replaying = journal is not None
        self._seconds = 0.0
        self.keep_failures()
        self._start = time.perf_counter()
        self._asked: list[str] = []  # not yet begun
        self._arrived: SimpleQueue[Visit | BaseException] = SimpleQueue()
        self._threads = in_flight > 1
        self._gives_pages = False  # until the web gave one

    def ask(self, url: str) -> None:
        """Ask for the page at a URL; at most `in_flight` may be asked for at once."""
        self._asked.append(url)

    def next(self) -> Visit:
        """Return the journal's next visit as far as it goes, then the first to arrive."""
        visit = self._replayed(self._journal) if self._journal and self._replaying else None
        if visit is None:
            visit = self._arrival()
            if self._journal:
                self._journal.append(visit.as_json())
        self._seconds = visit.seconds
        if visit.page is not None:
            self.keep_failures()
        return visit

    def visits(self) -> Iterator[Visit]:
        """Yield the journal's visits that have been handed out; ValueError without a journal."""
        if not self._journal:
            raise ValueError("later: other bounds need a checkpoint, which has the pages so far")
        return map(Visit.from_json, self._journal.read_again())

    def keep_failures(self) -> None:
        """Let the failures so far stay, whatever `forget_failures` cuts off from a journal."""
        self._good = self._journal.tell() if self._journal else 0  # where what stays ends

    def forget_failures(self) -> None:
        """Cut off the failures at a journal's end, so that the same call tries them again."""
        if self._journal:
            self._journal.cut(self._good)

    def close(self) -> None:
        """Close the journal; fetches that go on end by themselves, or with the program."""
        if self._journal:
            self._journal.close()

    def _arrival(self) -> Visit:
        """Return the first to arrive of the pages asked for; a failure is a visit too."""
        if not self._threads:
            return self._visit(self._asked.pop(0))
        for url in self._asked:
            # Daemons, for whose end a program that is interrupted does not wait.
            Thread(target=self._fetch, args=(url,), daemon=True).start()
        self._asked.clear()
        first = self._arrived.get()
        if isinstance(first, BaseException):
            raise first
        return first

    def _fetch(self, url: str) -> None:
        try:
            self._arrived.put(self._visit(url))
        except BaseException as error:  # raised where the visit is asked for
            self._arrived.put(error)

    def _visit(self, url: str) -> Visit:
        status, failure, target = None, Failure.OTHER, ""
        try:
            page = _checked(self._web.fetch(url), self._gives_pages)
            self._gives_pages = True
            return Visit(url, page, time.perf_counter() - self._start, page.status)
        except FetchError as error:
            status = error.status if _is_status(error.status) else None
            failure, target = error.failure, error.target
            reason = str(error.reason) or "FetchError"
        except (StorageError, WebError):  # to go on would lose this page and those that follow
            raise
        except Exception as error:  # one bad page must not end a crawl of thousands
            logger.warning("%s could not be read\n%s", url, printable(format_exc()))
            reason = f"{type(error).__name__}: {error}"
        reason = reason.encode("utf-8", "backslashreplace").decode()  # the log's strings are UTF-8
        return Visit(url, None, time.perf_counter() - self._start, status, failure, reason, target)

    def _replayed(self, journal: Journal) -> Visit | None:
        """Return the journal's next visit; None where it ends, and from then on."""
        start = journal.tell()
        data = journal.read()
        if data is None:
            self._replaying = False
            self._start = time.perf_counter() - self._seconds
            return None
        try:
            visit = Visit.from_json(data)
        except (ValueError, LookupError, TypeError) as error:
            raise journal.damaged(start) from error
        if visit.url not in self._asked:
            told = f"has {visit.url} where this crawl takes {' or '.join(self._asked)}"
            why = "the program, the policy, the classifier or the file has changed"
            raise journal.damaged(start, f"{told}; {why}")
        self._asked.remove(visit.url)
        web = as_web(self._web)
        if visit.page is not None:
            self._gives_pages = True
            web.remember(visit.url, visit.page)
        else:
            failure = visit.failure or Failure.OTHER
            failed = FetchError(visit.url, visit.reason, visit.status, failure, visit.target)
            web.remember_failure(visit.url, failed)
        return visit


class WebError(ValueError):
    """A web gives no pages from the first on: a mistake in the program, not in a page."""


def _checked(page: Page, known_web: bool = True) -> Page:
    """Return the page itself; raise unless the crawl can use all its parts."""
    if isinstance(page, str | bytes):
        remedy = "give a Page, as web.parse_page(url, html) makes it"
        found = f"web: its fetch returned a {type(page).__name__}, {page[:40]!r}; {remedy}"
        raise TypeError(found) if known_web else WebError(found)
    # What is no str raises here.
    "".join([page.title, page.text, *[link.anchor + link.path for link in page.links]])
    "".join([page.url, *[link.url for link in page.links]]).encode()  # as the log must hold it
    if not _is_status(page.status):
        raise TypeError(f"the page's status is no int: {page.status!r}")
    return page


def _is_status(value: Any) -> bool:
    return is_count(value) and abs(value) < 2**63  # what the log can hold
