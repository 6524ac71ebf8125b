"""ACHE's scheduler: links wait by domain, domains take turns, and a domain gets so many links."""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from .simple import Key, Queue, keys_of

Turn = tuple[int, float, int]  # last access of a domain, order among equals, its number


class Turns(Queue):
    """Links by turns: the best link of the domain whose last access is longest ago.

    `urls` and `domains` are `Frontier.urls_of` and `sites_of`; as `domains` ``np.zeros_like`` makes
    one line of all. Without an rng domains never accessed come first come, first served.
    """

    def __init__(
        self,
        urls: Callable[[np.ndarray], np.ndarray],
        domains: Callable[[np.ndarray], np.ndarray],
        most: float = math.inf,
        of_domain: float = math.inf,
        rng: np.random.Generator | None = None,
    ):
        super().__init__()
        self._urls, self._domains = urls, domains
        # Of URLs loaded; when one ends, the best of the others whose domain has room is.
        self._most, self._of_domain = most, of_domain
        self._rng = rng
        self._clock = 0  # accesses so far
        self._arrivals = 0  # of domains
        self._accessed: dict[int, int] = {}  # when, by domain
        self._inserted: Counter[int] = Counter()  # URLs that were admitted, by domain
        self._known: set[int] = set()  # these URLs
        self.refused = False  # whether a link was kept out
        self._clear()

    def _clear(self) -> None:
        self._turns: list[Turn] = []  # of domains that have links; outdated ones are skipped
        self._in_line: set[int] = set()  # domains that have a turn
        self._of: defaultdict[int, list[Key]] = defaultdict(list)  # loaded links, heaps by domain
        self._loaded: set[int] = set()  # URLs
        self._n_loaded: Counter[int] = Counter()  # of them, by domain
        self._waiting: list[Key] = []  # a heap
        self._held: defaultdict[int, list[Key]] = defaultdict(list)  # heaps by full domain

    def admit(self, ids: np.ndarray, cap: float) -> np.ndarray:
        """Return the links, (m,), to URLs inserted before and to each domain's first ones."""
        if cap == math.inf:
            return ids
        # MAX as ACHE counts it: a domain's links when they are inserted, fetched or not.
        admitted = np.ones(len(ids), bool)
        for i, (url, domain) in enumerate(zip(*self._places(ids), strict=True)):
            if url not in self._known:
                admitted[i] = self._inserted[domain] < cap
                if admitted[i]:
                    self._known.add(url)
                    self._inserted[domain] += 1
        self.refused |= not admitted.all()
        return ids[admitted]

    def __bool__(self) -> bool:
        while self._turns:
            when, _, domain = self._turns[0]
            if when == self._accessed.get(domain, 0):
                links = self._of[domain]
                while links and self._passed(links[0]):
                    heapq.heappop(links)
                if links:
                    return True
                self._in_line.discard(domain)
            heapq.heappop(self._turns)
        return False

    def _top_key(self) -> Key:
        return self._of[self._turns[0][2]][0]

    def access(self, link: int) -> None:
        """Note that a link's domain is accessed now."""
        _, domain = self._places([link])
        self._clock += 1
        self._accessed[domain[0]] = self._clock
        if domain[0] in self._in_line:
            heapq.heappush(self._turns, (self._clock, 0, domain[0]))

    def rescore(self, priorities: np.ndarray) -> None:
        self._aside.clear()
        keys = sorted(keys_of(self.members(), priorities))
        urls, _ = self._places([link for _, link in keys])
        best = dict(zip(reversed(urls), reversed(keys), strict=True))  # the others end when it does
        self._clear()
        self._push(sorted(best.values()))

    def drop(self, ids: list[int]) -> None:
        super().drop(ids)
        for url, domain in set(zip(*self._places(ids), strict=True)):
            if url in self._loaded:
                self._loaded.remove(url)
                self._n_loaded[domain] -= 1
                self._load_best(self._held[domain], self._waiting)
        while len(self._loaded) < self._most and self._load_best(self._waiting):
            pass

    def _load_best(self, links: list[Key], into: list[Key] | None = None) -> bool:
        """Load the best of some links, or move it to others; return whether there was one."""
        while links:
            key = heapq.heappop(links)
            # A link to a URL that is loaded is worse than the one by which it was.
            if not self._dropped[key[1]] and self._places([key[1]])[0][0] not in self._loaded:
                if into is None:
                    self._push([key])
                else:
                    heapq.heappush(into, key)
                return True
        return False

    def _places(self, links: Sequence[int] | np.ndarray) -> tuple[list[int], list[int]]:
        """Return the URLs and the domains of links."""
        urls = self._urls(np.array(links, np.int64))
        return urls.tolist(), self._domains(urls).tolist()

    def _push(self, keys: list[Key]) -> None:
        """Load links where there is room, in this order; let the others wait."""
        links = [link for _, link in keys]
        for key, url, domain in zip(keys, *self._places(links), strict=True):
            if url not in self._loaded:
                if self._n_loaded[domain] >= self._of_domain:
                    heapq.heappush(self._held[domain], key)
                    continue
                if len(self._loaded) >= self._most:
                    heapq.heappush(self._waiting, key)
                    continue
                self._loaded.add(url)
                self._n_loaded[domain] += 1
            heapq.heappush(self._of[domain], key)
            if domain not in self._in_line:
                self._in_line.add(domain)
                self._arrivals += 1
                order = self._rng.random() if self._rng else self._arrivals
                heapq.heappush(self._turns, (self._accessed.get(domain, 0), order, domain))
