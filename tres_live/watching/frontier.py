"""Links that were not fetched yet: a heap for each bin of scores, the newest first."""

from collections import defaultdict
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from .records import BINS
from .worth import best_link


class Waiting(NamedTuple):
    """A link: the day it was new, or found; its id; its host; its bin; whether it is news.

    `order` is less the day, so that the newest comes first.
    """

    order: float
    id: int
    host: int
    bin: int
    news: bool


class Frontier:
    """Open links. Those of one bin are equally likely, so the newest of them is worth most."""

    def __init__(self) -> None:
        self._heaps: list[list[Waiting]] = [[] for _ in range(2 * BINS)]
        self._newest = np.full(2 * BINS, np.nan)  # the day of each heap's first
        self._parked: defaultdict[int, list[Waiting]] = defaultdict(list)  # by a host not free
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, link: Waiting) -> None:
        """Take in a link."""
        self._push(link)
        self._n += 1

    def best(
        self, common: np.ndarray, day: float, busy: np.ndarray
    ) -> tuple[Waiting, float] | None:
        """Return the most valuable link and its value; of equal ones the older."""
        self._unpark(day, busy)
        while True:
            k, worth = best_link(common, self._newest, day)
            if k < 0:
                return None
            link = self._heaps[k][0]
            if busy[link.host] <= day:
                return link, worth
            self._parked[link.host].append(self._pop(k))

    def best_old(self, common: np.ndarray, day: float) -> float:
        """Return the value of the best link that is no news; 0 if there is none."""
        old = self._newest.copy()
        old[1::2] = np.nan
        return max(best_link(common, old, day)[1], 0.0)

    def take(self, link: Waiting) -> None:
        """Remove a link that `best` returned."""
        self._pop(2 * link.bin + link.news)
        self._n -= 1

    def _push(self, link: Waiting) -> None:
        k = 2 * link.bin + link.news
        heappush(self._heaps[k], link)
        self._newest[k] = -self._heaps[k][0].order

    def _pop(self, k: int) -> Waiting:
        heap = self._heaps[k]
        link = heappop(heap)
        self._newest[k] = -heap[0].order if heap else np.nan
        return link

    def _unpark(self, day: float, busy: np.ndarray) -> None:
        for host in [host for host in self._parked if busy[host] <= day]:
            for link in self._parked.pop(host):
                self._push(link)
