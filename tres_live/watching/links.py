"""Links that wait, in heaps by kind; their hosts, and each domain's share of the fetches."""

from bisect import bisect_left, insort
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import NamedTuple

import numpy as np

from tres_webs.urls import domain

from .beliefs import HEAPS, RANK_FACTOR, RATES, best_link, chances

MOST = 100_000  # links that wait
SLACK = 1.1  # times that, at which they are cut back
MOST_OF_SITE = 1_000  # links of a domain that wait
RANKS = 3  # of domains, by what links to them led to; of the first nothing bad is known
RANK_WEIGHT = 10.0  # links that led to relevant pages, like which the first rank counts
HINT_TRUST = 0.01, 0.98  # least, so that learning goes on, and most
FIRST_REST = 1 / 144  # days after a first failure; each further one in a row doubles it
LONGEST_REST = 1.0
# A domain that has had a fifth of the latest fetches waits while others have one that serves
# `LITTLE`; so does one with twice the mean of the domains with relevant pages, so that a hostile
# tenth of them gets no more together than one among few. A domain with both waits while others have
# one that serves `WORTH`. Names cost nothing to make up, so those without a relevant page are none.
SHARE, TIMES_MEAN = 0.2, 2.0
LITTLE, WORTH = 0.3, 0.05  # of the requests a day of a new page
NEARLY = 0.75  # of its share, from which on a domain does not raise the price of the others
LATEST = 25, 100  # at least and at most: those of a day

HOST = np.dtype(
    [
        ("busy", "f8"),  # the day from which it is free
        ("failures", "i8"),  # in a row
        ("hints", "i8"),  # dates of changes by its server, and those that held
        ("held", "i8"),
        # Of known pages that a list of the host said to have changed: how many were expected to be
        # as before without that, and how many were.
        ("expected", "f8"),
        ("stayed", "i8"),
        ("promised", "f8"),  # relevant pages that links to it should have led to, by their bins
        ("led", "i8"),  # and to how many they did
        ("prior", "f8", len(RATES)),  # of its pages' change rates, over that of all pages
    ]
)
"""A host, and whether what its servers and lists say of changes holds."""


class OpenLink(NamedTuple):
    """A link that waits."""

    order: float  # less the day on which it was new or seen first, so that the newest is first
    id: int
    host: str
    bin: int
    new: bool  # whether it was new on that day

    @property
    def site(self) -> str:
        """The registered domain."""
        return site_of(self.host)


class Choice(NamedTuple):
    """What may be fetched: the row of a known page or a link, and the value of that."""

    target: int | OpenLink
    value: float


def site_of(host: str) -> str:
    """Return the registered domain of a host."""
    return domain(f"http://[{host}]/" if ":" in host else f"http://{host}/")


class Hosts:
    """The hosts that were asked by a watch, by number."""

    def __init__(self) -> None:
        self._changed: set[int] = set()  # those whose rows a store does not have yet
        self.of_site: defaultdict[str, list[int]] = defaultdict(list)  # by registered domain
        self.pages: Counter[str] = Counter()  # known ones, by registered domain
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._hosts = np.zeros(64, HOST)

    def __len__(self) -> int:
        return len(self._names)

    @property
    def records(self) -> np.ndarray:
        """The records of all, (n,) of `HOST`; they may be written to."""
        return self._hosts[: len(self)]

    def busy(self, but: Iterable[str] = ()) -> np.ndarray:
        """Return the day from which each is free, (n,); never are those of domains left out."""
        busy = self.records["busy"].copy()
        for site in but:
            busy[self.of_site.get(site, [])] = np.inf
        return busy

    def busy_of(self, name: str) -> float:
        """Return the day from which the host of this name is free."""
        number = self._numbers.get(name)
        return 0.0 if number is None else float(self._hosts[number]["busy"])

    def load(self, name: str, record: bytes) -> None:
        """Take in the next host of a store, as `unsaved` gave it."""
        self._hosts[self._add(name)] = np.frombuffer(record, HOST)[0]

    def renewed(self) -> None:
        """Take note that all records were written to."""
        self._changed.update(range(len(self)))

    def count_pages(self, hosts: np.ndarray) -> None:
        """Count known pages, by the number of the host of each."""
        for host, n in enumerate(np.bincount(hosts)):
            self.pages[site_of(self._names[host])] += int(n)

    def of(self, name: str) -> int:
        """Return the number of a host, which is asked."""
        if name not in self._numbers:
            self._changed.add(self._add(name))
        return self._numbers[name]

    def note(self, host: int, failed: bool, day: float) -> None:
        """Record an answer or a failure; a host that fails is left alone for a while."""
        record = self._hosts[host]
        if failed:
            rest = FIRST_REST * 2.0 ** min(int(record["failures"]), 30)
            record["busy"] = day + min(rest, LONGEST_REST)
        record["failures"] = (1 + record["failures"]) * failed
        self._changed.add(host)

    def trust(self, host: int) -> float:
        """Return the probability that a page of the host has changed when its server says so."""
        record = self._hosts[host]
        return float((1 + record["held"]) / (2 + record["hints"]))

    def count(self, host: int, **seen: float) -> None:
        """Add what was seen of a host to its counts, by the names of `HOST`."""
        for name, more in seen.items():
            self._hosts[name][host] += more
        self._changed.add(host)

    def list_trust(self, host: int) -> float:
        """Return how far its feeds and sitemaps are believed that a known page has changed."""
        record = self._hosts[host]
        # A share of the pages that would have been taken for fresh; least if it always says so.
        stale = 1 - (1 + record["stayed"]) / (2 + record["expected"])
        return float(np.clip(stale, *HINT_TRUST))

    def rank(self, site: str) -> int:
        """Return a domain's rank: from 0, links as good as others of their scores, to the worst."""
        rows = self.of_site[site]
        led, promised = (float(self._hosts[name][rows].sum()) for name in ("led", "promised"))
        factor = (RANK_WEIGHT + led) / (RANK_WEIGHT + promised)
        return int(np.clip(np.round(np.log(factor) / np.log(RANK_FACTOR)), 0, RANKS - 1))

    def count_sites(self, hosts: Iterable[int]) -> int:
        """Return how many domains these hosts are of."""
        return len({site_of(self._names[host]) for host in hosts})

    def unsaved(self) -> list[tuple[int, str, bytes]]:
        """Return the number, name and record of hosts that changed since this was asked last."""
        rows = [(k, self._names[k], self._hosts[k].tobytes()) for k in sorted(self._changed)]
        self._changed.clear()
        return rows

    def _add(self, name: str) -> int:
        host = len(self)
        self._numbers[name] = host
        self._names.append(name)
        self.of_site[site_of(name)].append(host)
        if host == len(self._hosts):
            self._hosts = np.concatenate([self._hosts, np.zeros(host, HOST)])
        self._hosts["prior"][host] = 1.0
        return host


class Shares:
    """The latest fetches by domain; one that has had its share waits while others have a fetch."""

    def __init__(self, common: np.ndarray, bandwidth: float):
        self._common = common
        self._latest: deque[str] = deque(maxlen=int(np.clip(bandwidth, *LATEST)))  # domains
        self.most = self._latest.maxlen or 0  # fetches that count
        self.over: frozenset[str] = frozenset()  # domains that have had the least of both bounds

    def charge(self, url: str) -> None:
        """Count a fetch for the domain of its URL."""
        self._latest.append(domain(url))
        self.over = self.having(1.0)

    def having(self, part: float, of: Callable[..., float] = min) -> frozenset[str]:
        """Return the domains that have had this part of their share, the least of its bounds."""
        domains = max(int(self._common["domains"][0]), 1)
        least = part * max(of(SHARE * self.most, TIMES_MEAN * self.most / domains), 1.0)
        return frozenset(site for site, had in Counter(self._latest).items() if had >= least)

    def waiting(self) -> Iterator[tuple[frozenset[str], float]]:
        """Yield domains that wait, and what fetches of others must be worth for that."""
        yield self.over, LITTLE
        # Then those that have had both bounds of it, each time without those that had least.
        had, far = Counter(self._latest), self.having(1.0, max)
        for most in (0, *sorted({had[site] for site in far})):
            yield frozenset(site for site in far if had[site] > most), WORTH


class Links:
    """Open links, in lists of one rank of domain and one kind, the newest first."""

    def __init__(self, common: np.ndarray, hosts: Hosts, max_per_domain: int | None = None):
        self._common, self._hosts = common, hosts
        self._most = max_per_domain  # known pages, from which on no link waits
        self._lists: list[list[OpenLink]] = [[] for _ in range(RANKS * HEAPS)]
        self._of_site: defaultdict[str, set[OpenLink]] = defaultdict(set)
        self._ranks: dict[str, int] = {}  # of domains that are not of the first
        for site in hosts.of_site:
            self.set_rank(site)

    def __len__(self) -> int:
        return sum(map(len, self._lists))

    def add(self, links: Iterable[OpenLink]) -> None:
        """Take in links."""
        for link in links:
            insort(self._list(link), link)
            self._of_site[link.site].add(link)

    def take(self, link: OpenLink) -> None:
        """Remove a link."""
        links, of_site = self._list(link), self._of_site[link.site]
        del links[bisect_left(links, link)]
        of_site.remove(link)
        if not of_site:
            del self._of_site[link.site]

    def set_rank(self, site: str) -> None:
        """Give a domain the rank that its hosts have; the higher, the less its links are worth."""
        rank = self._hosts.rank(site)
        if rank != self._ranks.get(site, 0):
            links = [*self._of_site.get(site, ())]
            for link in links:
                self.take(link)
            self._ranks[site] = rank
            self.add(links)

    def see(self, link: OpenLink, host: int, relevant: bool) -> None:
        """Learn from whether a link, which was asked of a host, led to a new relevant page."""
        kind = link.bin, int(link.new)
        chance = float(chances(self._common)[kind])
        self._common["counts"][0][kind] += 1
        self._common["hits"][0][kind] += relevant
        self._hosts.count(host, promised=chance, led=relevant)
        self.set_rank(link.site)

    def best(self, day: float, held: frozenset[str], old: bool = False) -> Choice | None:
        """Return the most valuable link, or old link, of free hosts and of domains not held."""
        since = np.array([-links[0].order if links else np.nan for links in self._lists])
        if old:
            since[1::2] = np.nan
        while True:
            k, value = best_link(self._common, since, day)
            if k < 0:
                return None
            link = self._first(self._lists[k], day, held)
            if link and -link.order == since[k]:
                return Choice(link, float(value))
            since[k] = -link.order if link else np.nan

    def _first(
        self, links: Iterable[OpenLink], day: float, held: frozenset[str]
    ) -> OpenLink | None:
        for link in links:
            if self._hosts.busy_of(link.host) <= day and link.site not in held:
                return link
        return None

    def cut(self, sites: Iterable[str]) -> list[int]:
        """Remove the poorest links of domains without room, and beyond `MOST`; return their ids."""
        gone = []
        for site in sites:
            room = inf if self._most is None else max(self._most - self._hosts.pages[site], 0)
            gone += self._poorest([site], int(min(room, MOST_OF_SITE)))
        if len(self) > SLACK * MOST:
            gone += self._poorest(self._of_site, MOST)
        return [link.id for link in gone]

    def _poorest(self, sites: Iterable[str], stay: int) -> list[OpenLink]:
        """Remove all but so many links of domains, and return them."""
        links = [link for site in sites for link in self._of_site.get(site, ())]
        # Old links go before new ones, and of equal ones those that were seen last.
        links.sort(key=lambda link: (link.new, link.bin, link.order, link.id))
        gone = links[: max(len(links) - stay, 0)]
        for link in gone:
            self.take(link)
        return gone

    def _list(self, link: OpenLink) -> list[OpenLink]:
        return self._lists[self._ranks.get(link.site, 0) * HEAPS + 2 * link.bin + link.new]
