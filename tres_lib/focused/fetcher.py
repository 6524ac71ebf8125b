"""Fetching for a crawl: whatever goes wrong is the reason of a visit without a page."""

from __future__ import annotations

import logging
import time
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from threading import Thread
from traceback import format_exc
from typing import Any

from ..checks import is_count, number
from ..store import StorageError
from ..web.page import FetchError, Link, Page, Web
from ..web.reader import printable

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Visit:
    """A page, or None and the reason; `seconds` since the crawl's start."""

    url: str
    page: Page | None
    status: int | None
    reason: str
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        data: dict[str, Any] = {"url": self.url, "seconds": self.seconds}
        page = self.page
        if page is None:
            return data | {"status": self.status, "reason": self.reason}
        return data | {
            "page": [page.url, page.status, page.title, page.text],
            "links": [[link.url, link.anchor] for link in page.links],
            "fetched_at": page.fetched_at,
            "truncated": page.truncated,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Visit:
        """Return the visit that `as_json` wrote, or an earlier version of it; or raise an error."""
        seconds = number("seconds", data["seconds"], 0)
        if "page" not in data:
            status, reason = data["status"], data["reason"]
            if not (status is None or _is_status(status)) or not isinstance(reason, str):
                raise TypeError("neither a page nor a failure")
            return cls(data["url"], None, status, reason, seconds)
        url, status, title, text = data["page"]
        links = tuple(Link(target, anchor) for target, anchor in data["links"])
        truncated = data.get("truncated", False)
        fetched_at = data["fetched_at"]
        if fetched_at is not None:
            number("fetched_at", fetched_at)
        page = _checked(Page(url, status, title, text, links, None, fetched_at, truncated))
        return cls(data["url"], page, page.status, "", seconds)


class Fetcher:
    """Fetches pages from a web; all that goes wrong but StorageError becomes a `Visit`'s reason."""

    def __init__(self, web: Web, in_flight: int = 1):
        self._web = web
        self._start = time.perf_counter()
        self._asked: list[str] = []  # not yet begun
        self._running: list[Future[Visit]] = []
        self._threads = in_flight > 1
        self._gives_pages = False  # until the web gave one

    def ask(self, url: str) -> None:
        """Ask for the page at a URL; at most `in_flight` may be asked for at once."""
        self._asked.append(url)

    def next(self) -> Visit:
        """Return the first to arrive of the pages asked for; a failure is a visit too."""
        if not self._threads:
            return self._visit(self._asked.pop(0))
        for url in self._asked:
            future: Future[Visit] = Future()
            self._running.append(future)
            # Daemons, for whose end a program that is interrupted does not wait.
            Thread(target=self._fetch, args=(url, future), daemon=True).start()
        self._asked.clear()
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        first = next(future for future in self._running if future in done)
        self._running.remove(first)
        return first.result()

    def keep_failures(self) -> None:
        """Without a journal nothing is remembered."""

    def forget_failures(self) -> None:
        """Do nothing: without a journal no failure is stored."""

    def close(self) -> None:
        """Leave the fetches that go on to end by themselves, or with the program."""

    def _fetch(self, url: str, future: Future[Visit]) -> None:
        try:
            future.set_result(self._visit(url))
        except BaseException as error:  # raised where the visit is asked for
            future.set_exception(error)

    def _visit(self, url: str) -> Visit:
        page = None
        status = None
        reason = ""
        try:
            page = _checked(self._web.fetch(url), self._gives_pages)
            self._gives_pages = True
            status = page.status
        except FetchError as error:
            status = error.status if _is_status(error.status) else None
            reason = str(error.reason) or "FetchError"
        except (StorageError, WebError):  # to go on would lose this page and those that follow
            raise
        except Exception as error:  # one bad page must not end a crawl of thousands
            logger.warning("%s could not be read\n%s", url, printable(format_exc()))
            reason = f"{type(error).__name__}: {error}"
        reason = reason.encode("utf-8", "backslashreplace").decode()  # the log's strings are UTF-8
        return Visit(url, page, status, reason, time.perf_counter() - self._start)


class WebError(ValueError):
    """A web gives no pages from the first on: a mistake in the program, not in a page."""


def _checked(page: Page, known_web: bool = True) -> Page:
    """Return the page itself; raise unless the crawl can use all its parts."""
    if isinstance(page, str | bytes):
        remedy = "give a Page, as web.parse_page(url, html) makes it"
        found = f"web: its fetch returned a {type(page).__name__}, {page[:40]!r}; {remedy}"
        raise TypeError(found) if known_web else WebError(found)
    urls = [page.url, *(link.url for link in page.links)]
    texts = [page.title, page.text, *(link.anchor for link in page.links)]
    if not (_is_status(page.status) and all(isinstance(text, str) for text in urls + texts)):
        raise TypeError("the page's status is no int, or another part no str")
    "".join(urls).encode()  # raises where the log could not hold a URL
    return page


def _is_status(value: Any) -> bool:
    return is_count(value) and abs(value) < 2**63  # what the log can hold
