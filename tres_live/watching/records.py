"""What a watch believes of pages, of hosts and of all pages together: records, stored as bytes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from tres_webs.urls import domain

from ..web.politeness import host_of
from .beliefs import RATES

SCORES = 10  # of a link's score
BINS = 2 * SCORES  # a link's score, and whether the page that it is on is relevant
PACES = np.geomspace(0.003, 30.0, 24)  # new links a day
FIRST_PACES = PACES**-0.5 / (PACES**-0.5).sum()  # before any was seen: one in three days
KINDS = 5  # of pages: by the depth of their URL, from the front page on; the last: feeds
RANKS = 3  # of domains, by what links to them led to; of the first nothing bad is known
RANK_FACTOR = 1 / 3  # by which the chance of a link is lower a rank
RANK_WEIGHT = 10.0  # links that led to relevant pages, like which the first rank counts
HINT_TRUST = 0.01, 0.98  # least, so that learning goes on, and most
FIRST_REST = 1 / 144  # days after a first failure; each further one in a row doubles it
LONGEST_REST = 1.0

PAGE = np.dtype(
    [
        ("id", "i8"),
        ("host", "i4"),
        ("kind", "i4"),  # of `KINDS`
        ("looks", "i4"),  # after the first fetch
        ("failures", "i4"),  # in a row; -1: gone
        ("keyed", "i4"),  # that of `COMMON` when `due` was worked out
        ("digest", "i8"),  # of the main text
        ("importance", "f8"),  # points a day while new; 0 if it is not relevant
        ("born", "f8"),  # the day it was new; NaN: unknown, so old
        ("look", "f8"),  # the day of the last look
        ("rest", "f8"),  # the day before which there is none
        ("due", "f8"),  # the day on which a look's value reaches the price
        ("zeta", "f8"),  # points a day at the last look
        ("factor", "f8"),  # of a look's index, for what it teaches
        ("arrivals", "f8"),  # new links since the first fetch
        ("watched", "f8"),  # days of that
        ("stale", "f8"),  # probability that it changed since the last look, by a feed or sitemap
        ("stale_on", "f8"),  # the day on which it did, by that
        ("likelihood", "f4", len(RATES)),  # of what was seen of its changes, by rate
        ("seen", "f4", BINS),  # its latest links, by bin
    ]
)
"""A known URL: page to refresh and hub of new links in one. Times are days since the start."""

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
        ("hoped", "f8"),  # relevant pages that links to it should have led to, by their bins
        ("led", "i8"),  # and to how many they did
        ("prior", "f8", len(RATES)),  # of its pages' change rates, over that of all pages
    ]
)
"""A host, and whether what its servers and lists say of changes holds."""

COMMON = np.dtype(
    [
        ("day", "i8"),  # of the last renewal
        ("keyed", "i8"),  # how often all pages were keyed, and the price of the last time
        ("keyed_price", "f8"),
        ("price", "f8"),
        ("winners", "f8"),  # looks that the price has followed
        ("fading", "f8"),  # rate at which a new page's interest fades, a day
        ("lasting", "f8"),  # the share of it that stays
        ("end", "f8"),  # rate at which pages end, a day
        ("ends", "f8"),
        ("exposure", "f8"),  # days of pages, in which so many have ended
        ("importance", "f8"),  # sum over relevant pages, and their number
        ("relevant", "f8"),
        ("domains", "i8"),  # that had relevant pages on that day
        ("page", "f8"),  # value of an old relevant page
        ("own", "f8"),  # and what the links on a relevant page bring beyond their price
        ("prior", "f8", len(RATES)),  # of change rates
        ("paces", "f8", (KINDS, len(PACES))),  # of new links a day, by the kind of page
        ("counts", "f8", (BINS, 2)),  # links that were fetched, by bin, old and news
        ("hits", "f8", (BINS, 2)),  # and how many of them led to a new relevant page
        ("links", "f8", BINS),  # links that were seen, by bin
    ]
)
"""What holds for all pages; it is an array of one, so that compiled code can change it."""


def new_common(half_life: float, lasting: float) -> np.ndarray:
    """Return what a watch that has seen nothing takes to hold for all pages."""
    common = np.zeros(1, COMMON)
    common["day"], common["page"], common["end"] = -1, 1.0, 1 / 84
    common["fading"], common["lasting"] = np.log(2) / half_life, lasting
    common["prior"], common["paces"] = 1 / len(RATES), FIRST_PACES
    return common


def kind_of(url: str, feed: bool) -> int:
    """Return of which of `KINDS` a page is.

    Examples
    --------
    >>> urls = "http://a.example/", "http://a.example/news/", "http://a.example/2026/news/1/2"
    >>> [kind_of(url, False) for url in urls], kind_of(urls[0], True)
    ([0, 1, 3], 4)
    """
    parts = urlsplit(url)
    depth = len([name for name in (*parts.path.split("/"), parts.query) if name])
    return KINDS - 1 if feed else min(depth, KINDS - 2)


def new_page(id: int, host: int, day: float, kind: int = KINDS - 2) -> np.ndarray:
    """Return the record of a page that is fetched for the first time."""
    page = np.zeros(1, PAGE)
    page["id"], page["host"], page["look"], page["rest"] = id, host, day, day
    page["kind"], page["born"], page["due"] = kind, np.nan, np.inf
    page["factor"] = page["likelihood"] = 1.0
    return page


def new_hosts(n: int) -> np.ndarray:
    """Return the records of n hosts of which nothing is known."""
    hosts = np.zeros(n, HOST)
    hosts["prior"] = 1.0
    return hosts


def site_of(host: str) -> str:
    """Return the registered domain of a host."""
    return domain(f"http://[{host}]/" if ":" in host else f"http://{host}/")


class Hosts:
    """The hosts that were asked by a watch, by number."""

    def __init__(self) -> None:
        self.changed: set[int] = set()  # those whose rows a store does not have yet
        self.of_site: defaultdict[str, list[int]] = defaultdict(list)  # by registered domain
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._hosts = new_hosts(64)

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

    def load(self, row: Mapping[str, Any]) -> None:
        """Take in a row of a store, as `row` makes it."""
        self._hosts[self._add(row["name"])] = np.frombuffer(row["record"], HOST)[0]

    def of(self, url: str) -> int:
        """Return the number of a URL's host, which is asked."""
        name = host_of(url)
        if name not in self._numbers:
            self.changed.add(self._add(name))
        return self._numbers[name]

    def note(self, host: int, failed: bool, day: float) -> None:
        """Record an answer or a failure; a host that fails is left alone for a while."""
        record = self._hosts[host]
        if failed:
            rest = FIRST_REST * 2.0 ** min(int(record["failures"]), 30)
            record["failures"] += 1
            record["busy"] = day + min(rest, LONGEST_REST)
            self.changed.add(host)
        elif record["failures"]:
            record["failures"] = 0
            self.changed.add(host)

    def trust(self, host: int) -> float:
        """Return the probability that a page of the host has changed when its server says so."""
        record = self._hosts[host]
        return float((1 + record["held"]) / (2 + record["hints"]))

    def count(self, host: int, **seen: float) -> None:
        """Add what was seen of a host to its counts, by the names of `HOST`."""
        for name, more in seen.items():
            self._hosts[name][host] += more
        self.changed.add(host)

    def list_trust(self, host: int) -> float:
        """Return how far its feeds and sitemaps are believed that a known page has changed.

        A share of the pages that would have been taken for fresh; least if it always says so.
        """
        record = self._hosts[host]
        stale = 1 - (1 + record["stayed"]) / (2 + record["expected"])
        return float(np.clip(stale, *HINT_TRUST))

    def rank(self, site: str) -> int:
        """Return a domain's rank: from 0, links as good as others of their scores, to the worst."""
        rows = self.of_site[site]
        led, hoped = (float(self._hosts[name][rows].sum()) for name in ("led", "hoped"))
        factor = (RANK_WEIGHT + led) / (RANK_WEIGHT + hoped)
        return int(np.clip(np.round(np.log(factor) / np.log(RANK_FACTOR)), 0, RANKS - 1))

    def count_sites(self, hosts: Iterable[int]) -> int:
        """Return how many domains these hosts are of."""
        return len({site_of(self._names[host]) for host in hosts})

    def row(self, host: int) -> dict[str, object]:
        """Return a host as a row of a store."""
        return {"host": host, "name": self._names[host], "record": self._hosts[host].tobytes()}

    def _add(self, name: str) -> int:
        host = len(self)
        self._numbers[name] = host
        self._names.append(name)
        self.of_site[site_of(name)].append(host)
        if host == len(self._hosts):
            self._hosts = np.concatenate([self._hosts, new_hosts(host)])
        return host
