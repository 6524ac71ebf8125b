"""Many pages at once: several hosts in flight, each of them asked one thing at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue

from ..page import FetchError, Page, Web
from ..urls import canonical_url
from .politeness import host_of

Arrival = tuple[str, Page | FetchError]


def fetch_many(web: Web, urls: Iterable[str], threads: int) -> Iterator[Arrival]:
    """Fetch pages from a web that may be asked in threads; yield each as it arrives.

    Hosts take turns, so that one with many pages does not keep the others
    waiting. Two URLs of one host are never fetched at once.

    Parameters
    ----------
    web : Web
    urls : iterable of str
    threads : int
        Hosts in flight at most.

    Yields
    ------
    url, page or FetchError
        In the order of arrival, which differs from run to run.
    """
    lines: dict[str, deque[str]] = {}
    for url in urls:
        lines.setdefault(host_of(canonical_url(url) or ""), deque()).append(url)
    arrived: SimpleQueue[Future[Arrival]] = SimpleQueue()
    waiting: dict[Future[Arrival], deque[str]] = {}

    def send(line: deque[str]) -> None:
        future = pool.submit(_fetched, web, line.popleft())
        waiting[future] = line
        future.add_done_callback(arrived.put)

    with ThreadPoolExecutor(threads) as pool:
        try:
            for line in lines.values():
                send(line)
            while waiting:
                future = arrived.get()
                line = waiting.pop(future)
                if line:
                    send(line)
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _fetched(web: Web, url: str) -> Arrival:
    try:
        return url, web.fetch(url)
    except FetchError as error:
        return url, error
