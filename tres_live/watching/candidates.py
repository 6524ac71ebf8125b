"""What may be fetched next: known URLs by the day on which a look is due, and open links."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from itertools import chain
from typing import NamedTuple

import numpy as np

from .records import PAGE, RANKS, site_of
from .values import HEAPS, best_link, find_due, rank

MOVED = 0.05  # a page whose value is so much below the price waits again
MOST = 100_000  # links that wait
SLACK = 1.1  # times that, at which they are cut back


class OpenLink(NamedTuple):
    """A link that waits."""

    order: float  # less the day on which it was new or seen first, so that the newest is first
    id: int
    host: str
    bin: int
    news: bool  # whether it was new on that day

    @property
    def site(self) -> str:
        """The registered domain."""
        return site_of(self.host)


class Choice(NamedTuple):
    """What may be fetched: the row of a known page or a link, and the value of that."""

    target: int | OpenLink
    value: float


class Calendar:
    """Known URLs, a row each, in a heap by the day on which they are due.

    What it returns follows from the records alone, not from the order of the past, so that a watch
    that was killed goes on as if it had not been.
    """

    def __init__(self, common: np.ndarray) -> None:
        self.common = common.copy()  # by which all pages were keyed last
        self.changed: set[int] = set()  # rows whose records a store does not have yet
        self._pages = np.zeros(0, PAGE)
        self._n = 0
        self._heap: list[tuple[float, int]] = []  # dropped as it comes up if no longer the page's
        self._due = np.zeros(0, np.int64)  # rows that have come up

    def __len__(self) -> int:
        return self._n

    @property
    def pages(self) -> np.ndarray:
        """The records of all rows, (n,) of `PAGE`; they may be written to."""
        return self._pages[: self._n]

    def load(self, pages: np.ndarray) -> None:
        """Load the records of a store; their due days may be older than the last `put_all`."""
        self._pages, self._n = pages, len(pages)
        find_due(pages, np.flatnonzero(pages["keyed"] < self.common["keyed"][0]), self.common)
        self._rebuild()

    def add(self, page: np.ndarray) -> int:
        """Take in a record, (1,), and return its row; `put` sets its day."""
        if self._n == len(self._pages):
            more = np.zeros(max(self._n // 4, 1_024), PAGE)
            self._pages = np.concatenate([self._pages, more])
        self._pages[self._n] = page[0]
        self._n += 1
        return self._n - 1

    def put(self, rows: np.ndarray, common: np.ndarray) -> None:
        """Compute when pages are due, at the current price."""
        find_due(self.pages, rows, common)
        self.changed.update(rows.tolist())
        for row in rows.tolist():
            if (due := float(self._pages["due"][row])) < np.inf:
                heappush(self._heap, (due, row))

    def put_all(self, common: np.ndarray) -> None:
        """Compute all due days anew; the store then needs the copy in `common`."""
        common["keyed"] += 1
        common["keyed_price"] = common["price"]
        self.common = common.copy()
        find_due(self.pages, np.arange(self._n), common)
        self._rebuild()

    def best(self, common: np.ndarray, day: float, busy: np.ndarray) -> Choice | None:
        """Return the most valuable due page, or the next page to fall due.

        None: nothing may be looked at. `busy` has the day by host from which it is free.
        """
        rows = []
        while self._heap and self._heap[0][0] <= day:
            due, row = heappop(self._heap)
            if self._pages["due"][row] == due:
                rows.append(row)
        if rows:
            self._due = np.union1d(self._due, np.array(rows))
        self._due = self._due[self._pages["due"][self._due] <= day]  # without those put since
        values = self._values(self._due, common, day, busy)
        early = (values >= 0) & (values < (1 - MOVED) * common["price"][0])
        if early.any():
            self.put(self._due[early], common)
        values[early] = -1
        if len(values) and values.max() >= 0:
            best = int(np.argmax(values))
            return Choice(int(self._due[best]), float(values[best]))
        choice, passed = None, []
        while self._heap and choice is None:
            due, row = heappop(self._heap)
            if self._pages["due"][row] != due:
                continue
            passed.append((due, row))
            if busy[self._pages["host"][row]] <= day:
                value = self._values(np.array([row]), common, day, busy)[0]
                choice = Choice(row, float(value)) if value >= 0 else None
        for entry in passed:
            heappush(self._heap, entry)
        return choice

    def best_of_all(self, common: np.ndarray, day: float, busy: np.ndarray) -> Choice | None:
        """Return the most valuable of all pages, due or not; None if no page may be fetched."""
        return highest(self._values(np.arange(self._n), common, day, busy))

    def next_due(self) -> float:
        """Return the day on which the next page falls due; inf if there is none."""
        return self._heap[0][0] if self._heap else np.inf

    def _values(
        self, rows: np.ndarray, common: np.ndarray, day: float, busy: np.ndarray
    ) -> np.ndarray:
        """Return the value of a look at each row now; below 0 for pages that must wait."""
        return rank(self.pages, rows, common, day, busy).sum(axis=0)

    def _rebuild(self) -> None:
        self._due = np.zeros(0, np.int64)
        rows = np.flatnonzero(self.pages["due"] < np.inf)
        self._heap = list(zip(self._pages["due"][rows].tolist(), rows.tolist(), strict=True))
        heapify(self._heap)


def highest(values: np.ndarray) -> Choice | None:
    """Return the most valuable of all rows; None if none has any value."""
    best = int(values.argmax()) if len(values) else -1
    return Choice(best, float(values[best])) if best >= 0 and values[best] > 0 else None


class OpenLinks:
    """Open links. Those of one kind and rank of domain are equally likely: the newest comes first.

    A kind is a bin's old links, or its news. Each domain has a heap a kind, whose first stands for
    it in the heap of the kind and of the domain's rank. So a domain moves at once: when its rank
    changes, and when it has had its share, as the links of those are held apart.
    """

    def __init__(self) -> None:
        self._heaps: list[list[tuple[float, int, str]]] = [[] for _ in range(RANKS * HEAPS)]
        self._own: defaultdict[tuple[str, int], list[OpenLink]] = defaultdict(list)
        self._parked: defaultdict[str, list[OpenLink]] = defaultdict(list)  # by a host not free
        self._waiting: defaultdict[str, dict[int, OpenLink]] = defaultdict(dict)  # by domain
        self._held: frozenset[str] = frozenset()
        self._ranks: dict[str, int] = {}  # of domains that are not of the first
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, link: OpenLink) -> None:
        """Take in a link."""
        self._push(link)
        self._waiting[link.site][link.id] = link
        self._n += 1

    def hold(self, domains: frozenset[str]) -> None:
        """Hold the links of these domains back, and of no other."""
        free, self._held = self._held - domains, domains
        for site in free:
            self._move(site)

    def place(self, site: str, rank: int) -> None:
        """Give a domain a rank, from 0 to `RANKS` - 1; the higher, the less its links are worth."""
        if rank != self._ranks.get(site, 0):
            self._ranks[site] = rank
            self._move(site)

    def best(
        self, common: np.ndarray, day: float, busy: Callable[[str], float], old: bool = False
    ) -> Choice | None:
        """Return the most valuable link, or old link; of equal ones the older.

        `busy` gives the day from which a host is free.
        """
        for host in [host for host in self._parked if busy(host) <= day]:
            for link in self._parked.pop(host):
                self._push(link)
        since = np.array([-heap[0][0] if heap else np.nan for heap in self._heaps])
        if old:
            since[1::2] = np.nan
        while True:
            k, value = best_link(common, since, day)
            if k < 0:
                return None
            if first := self._first(k, day, busy):
                return Choice(first, value)
            since[k] = -self._heaps[k][0][0] if self._heaps[k] else np.nan

    def _first(self, k: int, day: float, busy: Callable[[str], float]) -> OpenLink | None:
        """Return the first link of a heap; if it may not be fetched, take it away: None."""
        *entry, site = self._heaps[k][0]
        own, waiting = self._own[site, k % HEAPS], self._waiting[site]
        moved = site in self._held or self._lot(site, k % HEAPS) != k
        if moved or not own or entry != [*own[0][:2]]:  # no longer the domain's newest
            heappop(self._heaps[k])
            return None
        link = own[0]
        if link.id in waiting and busy(link.host) <= day:
            return link
        if link.id in waiting:
            self._parked[link.host].append(link)
            heappop(own)
        while own and own[0].id not in waiting:
            heappop(own)
        heappop(self._heaps[k])
        self._show(site, k % HEAPS)
        return None

    def take(self, link: OpenLink) -> None:
        """Remove a link; its place in a heap goes as it comes up."""
        del self._waiting[link.site][link.id]
        self._n -= 1

    def crop(self, sites: Iterable[str], limit: Callable[[str], int]) -> list[int]:
        """Remove the poorest links of domains beyond their limits, and of all beyond `MOST`.

        Old links go before news, and of equal ones those that were seen last. Return their ids.
        """
        gone: list[OpenLink] = []
        for site in sites:
            gone += self._take_poorest([self._waiting[site]], limit(site))
        if self._n > SLACK * MOST:
            gone += self._take_poorest(self._waiting.values(), MOST)
        if sum(map(len, self._heaps)) > 2 * self._n + MOST / 100:
            self._rebuild()
        return [link.id for link in gone]

    def _take_poorest(self, groups: Iterable[dict[int, OpenLink]], stay: int) -> list[OpenLink]:
        links = list(chain.from_iterable(group.values() for group in groups))
        if len(links) <= stay:
            return []
        links.sort(key=lambda link: (link.news, link.bin, link.order, link.id))
        poorest = links[: len(links) - stay]
        for link in poorest:
            self.take(link)
        return poorest

    def _rebuild(self) -> None:
        """Free the memory of links that have gone."""
        self._waiting = defaultdict(dict, {site: of for site, of in self._waiting.items() if of})
        self._heaps = [[] for _ in self._heaps]
        self._own.clear()
        self._parked.clear()
        for link in chain.from_iterable(of.values() for of in self._waiting.values()):
            self._push(link)

    def _push(self, link: OpenLink) -> None:
        kind = 2 * link.bin + link.news
        own = self._own[link.site, kind]
        heappush(own, link)
        if own[0] is link:
            self._show(link.site, kind)

    def _show(self, site: str, kind: int) -> None:
        """Put the newest of a domain and kind where `best` looks; what stood for it goes there."""
        if (own := self._own.get((site, kind))) and site not in self._held:
            heappush(self._heaps[self._lot(site, kind)], (*own[0][:2], site))

    def _move(self, site: str) -> None:
        for kind in range(HEAPS):
            self._show(site, kind)

    def _lot(self, site: str, kind: int) -> int:
        return self._ranks.get(site, 0) * HEAPS + kind
