"""Fetching for a crawl, with a journal of what was fetched so that a crawl can be resumed.

A crawl is a pure function of its arguments and of the pages it is given. So its
checkpoint is the pages: the same call replays them and goes on where they end.
"""

from __future__ import annotations

import json
import logging
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..web.page import FetchError, Link, Page, Web
from .arguments import is_count

VERSION = 1
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Visit:
    """What a fetch gave: a page, or None and the reason; `seconds` since the crawl's start."""

    url: str
    page: Page | None
    status: int | None
    reason: str
    seconds: float


class Stopped(Exception):
    """The crawl cannot go on; the message says why."""


class Fetcher:
    """Fetches pages from a web; whatever goes wrong becomes the reason of a `Visit`.

    Parameters
    ----------
    web : Web
    in_flight : int
        How many fetches may go on at once. With 1 they are made in the caller's thread.
    """

    def __init__(self, web: Web, in_flight: int = 1):
        self._web = web
        self._start = time.perf_counter()
        self._asked: list[str] = []  # not yet begun
        self._running: list[Future[Visit]] = []
        self._pool = ThreadPoolExecutor(in_flight) if in_flight > 1 else None

    def ask(self, url: str) -> None:
        """Ask for the page at a URL; at most `in_flight` are asked for and not had."""
        self._asked.append(url)

    def next(self) -> Visit:
        """The first to arrive of the pages asked for; a page that cannot be had never raises."""
        if self._pool is None:
            return self._visit(self._asked.pop(0))
        self._running += [self._pool.submit(self._visit, url) for url in self._asked]
        self._asked.clear()
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        first = next(future for future in self._running if future in done)
        self._running.remove(first)
        return first.result()

    def _visit(self, url: str) -> Visit:
        page, status, reason = None, None, ""
        try:
            page = _checked(self._web.fetch(url))
            status = page.status
        except FetchError as error:
            status = error.status if is_count(error.status) else None
            reason = str(error.reason) or "FetchError"
        except Exception as error:  # one bad page must not end a crawl of thousands
            logger.warning("%s could not be read", url, exc_info=True)
            reason = f"{type(error).__name__}: {error}"
        reason = reason.encode("utf-8", "backslashreplace").decode()  # the log's strings are UTF-8
        return Visit(url, page, status, reason, time.perf_counter() - self._start)

    def forget_failures(self) -> None:
        """Without a journal nothing is remembered."""

    def close(self) -> None:
        """Begin no further fetch; those that go on are left to end by themselves."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def open_fetcher(
    web: Web, checkpoint: str | Path | None, arguments: dict[str, Any], in_flight: int = 1
) -> Fetcher:
    """A fetcher with a journal at the checkpoint, or without one if that is None."""
    if checkpoint is None:
        return Fetcher(web, in_flight)
    return JournalledFetcher(web, checkpoint, arguments, in_flight)


class JournalledFetcher(Fetcher):
    """Serves the pages of a journal in their order, then fetches and journals new ones.

    The journal is a file of JSON lines: the crawl's arguments, then one visit a line in the
    order of arrival, written before the next is handed out. A last line torn by a crash is
    cut off. A web with a method `remember(url, page)` is told of the pages that the journal has.

    Parameters
    ----------
    web : Web
    path : str or Path
        Made if it is not there.
    arguments : dict
        The crawl's arguments, in JSON's types. Those that journal and crawl both name
        must agree.

    Raises
    ------
    ValueError
        If the file is no journal, or that of a crawl with other arguments.
    """

    def __init__(self, web: Web, path: str | Path, arguments: dict[str, Any], in_flight: int = 1):
        super().__init__(web, in_flight)
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = open(self._path, "a+b")  # noqa: SIM115, closed by close()
        try:
            self._file.seek(0)
            self._open({"journal": VERSION, **arguments})
        except ValueError:
            self._file.close()
            raise
        self._replaying = True
        self._seconds = 0.0
        self._good = self._file.tell()  # where the last page that was had ends

    def next(self) -> Visit:
        """The next page of the journal as far as it goes, then the first to arrive."""
        visit = self._replayed() if self._replaying else None
        if visit is None:
            visit = super().next()
            self._write(_to_json(visit))
        self._seconds = visit.seconds
        if visit.page is not None:
            self._good = self._file.tell()
        return visit

    def forget_failures(self) -> None:
        """Cut off the failures at the journal's end, so that the same call tries them again."""
        self._file.truncate(self._good)

    def close(self) -> None:
        """Close the file."""
        super().close()
        with suppress(OSError):  # a full disk was told when the line was written
            self._file.close()

    def _open(self, header: dict[str, Any]) -> None:
        line, expected = self._file.readline(), _line(header)
        if not line.endswith(b"\n") and expected.startswith(line):
            self._file.truncate(0)  # new, or killed while the first line was written
            self._write(header)
            return
        try:
            found = dict(json.loads(line))
        except (ValueError, TypeError):
            found = {}
        if "journal" not in found:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is not a crawl's journal: name another file"
            )
        shared = sorted(header.keys() & found.keys())
        different = [
            f"{name} was {found[name]!r}, is {header[name]!r}"
            for name in shared
            if found[name] != header[name]
        ]
        if different:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is of a crawl with other arguments: "
                f"{'; '.join(different)}; repeat that call or name another file"
            )

    def _replayed(self) -> Visit | None:
        """The journal's next visit; None where it ends, and from then on."""
        before = self._file.tell()
        line = self._file.readline()
        if not line.endswith(b"\n"):
            self._file.truncate(before)
            self._replaying = False
            self._start = time.perf_counter() - self._seconds
            return None
        try:
            visit = _from_json(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"checkpoint={str(self._path)!r} is damaged at byte {before}: "
                "cut it off there or name another file"
            ) from error
        if visit.url not in self._asked:
            raise ValueError(
                f"checkpoint={str(self._path)!r} has {visit.url} where this crawl takes "
                f"{' or '.join(self._asked)}: "
                "the program, the policy or the classifier has changed; name another file"
            )
        self._asked.remove(visit.url)
        if visit.page is not None and hasattr(self._web, "remember"):
            self._web.remember(visit.url, visit.page)
        return visit

    def _write(self, data: dict[str, Any]) -> None:
        try:
            self._file.write(_line(data))
            self._file.flush()
        except OSError as error:
            raise Stopped(f"the journal could not be written: {error.strerror}") from error


def _checked(page: Page) -> Page:
    """The page itself, of parts that the crawl can use."""
    urls = [page.url, *(link.url for link in page.links)]
    texts = [page.title, page.text, *(link.anchor for link in page.links)]
    if not (is_count(page.status) and all(isinstance(text, str) for text in urls + texts)):
        raise TypeError("the page's status is no int, or another part no str")
    "".join(urls).encode()  # raises where the log could not hold a URL
    return page


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


def _to_json(visit: Visit) -> dict[str, Any]:
    data = {"url": visit.url, "seconds": visit.seconds}
    if visit.page is None:
        return data | {"status": visit.status, "reason": visit.reason}
    page = visit.page
    return data | {
        "page": [page.url, page.status, page.title, page.text],
        "links": [[link.url, link.anchor] for link in page.links],
        "fetched_at": page.fetched_at,
    }


def _from_json(data: dict[str, Any]) -> Visit:
    if "page" not in data:
        return Visit(data["url"], None, data["status"], data["reason"], data["seconds"])
    links = tuple(Link(url, anchor) for url, anchor in data["links"])
    page = Page(*data["page"], links, fetched_at=data["fetched_at"])
    return Visit(data["url"], page, page.status, "", data["seconds"])
