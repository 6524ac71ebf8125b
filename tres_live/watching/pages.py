"""Known URLs: a table of what is believed of each, and a heap by the day on which a look is due."""

from heapq import heapify, heappop, heappush
from urllib.parse import urlsplit

import numpy as np

from . import beliefs
from .beliefs import AGES, BINS, KINDS, RATES
from .links import Choice, Hosts

MOVED = 0.05  # a page whose value is so much below the price waits again
LATEST = 24.0  # links by which those of a page are judged
PAGES = 500.0  # relevant pages over which their value is averaged
OWNERS = 50.0  # and over which what their links bring
MOST_OF_LINKS = 5.0  # times its own value that a page's links may bring
SOONEST = 1 / 24  # days between two visits to one page, whatever their value
MISSED = 0.25  # days before a failed page is retried; doubled after each failure
DOUBLINGS = 8
PATIENCE = 3  # times that a page is gone, or a link fails, until it is given up

PAGE = np.dtype(
    [
        ("id", "i8"),
        ("host", "i4"),
        ("kind", "i4"),  # of `KINDS`
        ("visits", "i4"),  # after the first fetch
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


def kind_of(url: str, feed: bool) -> int:
    """Return of which of `KINDS` a page is."""
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


class Pages:
    """Known URLs, a row each; what is returned follows from the records alone, not from the past.

    So a watch that was killed goes on as if it had not been.
    """

    def __init__(
        self, common: np.ndarray, hosts: Hosts, keyed: np.ndarray | None, records: np.ndarray
    ):
        self.common = common  # visits change it in place
        self._hosts = hosts
        self.keyed = common.copy() if keyed is None else keyed  # by which all were keyed last
        self._changed: set[int] = set()  # rows whose records a store does not have yet
        self._records, self._n = records, len(records)
        self._heap: list[tuple[float, int]] = []  # dropped as it comes up if no longer the page's
        self._due = np.zeros(0, np.int64)  # rows that have come up
        outdated = np.flatnonzero(self.records["keyed"] < self.keyed["keyed"][0])
        beliefs.find_due(self.records, outdated, self.keyed)
        self._rebuild()
        shape = len(AGES), len(RATES)
        self._outlook = np.empty(shape), np.empty(shape), np.empty(len(AGES))
        beliefs.outlook(float(common["end"][0]), *self._outlook)

    def __len__(self) -> int:
        return self._n

    @property
    def records(self) -> np.ndarray:
        """The records of all rows, (n,) of `PAGE`; they may be written to."""
        return self._records[: self._n]

    def unsaved(self) -> list[tuple[bytes, int]]:
        """Return the records that were put since this was asked last, each with its row."""
        rows = [(self._records[row].tobytes(), row) for row in sorted(self._changed)]
        self._changed.clear()
        return rows

    def put(self, rows: np.ndarray) -> None:
        """Compute when pages are due, at the current price."""
        beliefs.find_due(self.records, rows, self.common)
        self._changed.update(rows.tolist())
        for row in rows.tolist():
            if (due := float(self._records["due"][row])) < np.inf:
                heappush(self._heap, (due, row))

    def put_all(self) -> None:
        """Compute all due days anew; the store then needs the copy in `keyed`."""
        self.common["keyed"] += 1
        self.common["keyed_price"] = self.common["price"]
        self.keyed = self.common.copy()
        beliefs.find_due(self.records, np.arange(self._n), self.common)
        self._rebuild()

    def _rebuild(self) -> None:
        self._due = np.zeros(0, np.int64)
        rows = np.flatnonzero(self.records["due"] < np.inf)
        self._heap = list(zip(self._records["due"][rows].tolist(), rows.tolist(), strict=True))
        heapify(self._heap)

    def best(self, day: float, busy: np.ndarray) -> Choice | None:
        """Return the most valuable due page, or the next to fall due; None if all must wait."""
        rows = []
        while self._heap and self._heap[0][0] <= day:
            due, row = heappop(self._heap)
            if self._records["due"][row] == due:
                rows.append(row)
        if rows:
            self._due = np.union1d(self._due, np.array(rows))
        self._due = self._due[self._records["due"][self._due] <= day]  # without those put since
        values = self._values(self._due, day, busy)
        early = (values >= 0) & (values < (1 - MOVED) * self.common["price"][0])
        if early.any():
            self.put(self._due[early])
        values[early] = -1
        if len(values) and values.max() >= 0:
            best = int(np.argmax(values))
            return Choice(int(self._due[best]), float(values[best]))
        choice, passed = None, []
        while self._heap and choice is None:
            due, row = heappop(self._heap)
            if self._records["due"][row] != due:
                continue
            passed.append((due, row))
            if busy[self._records["host"][row]] <= day:
                value = self._values(np.array([row]), day, busy)[0]
                choice = Choice(row, float(value)) if value >= 0 else None
        for entry in passed:
            heappush(self._heap, entry)
        return choice

    def best_of_all(self, day: float, busy: np.ndarray) -> Choice | None:
        """Return the most valuable of all pages, due or not; None if no page may be fetched."""
        return highest(self._values(np.arange(self._n), day, busy))

    def next_due(self) -> float:
        """Return the day on which the next page falls due; inf if there is none."""
        return self._heap[0][0] if self._heap else np.inf

    def _values(self, rows: np.ndarray, day: float, busy: np.ndarray) -> np.ndarray:
        """Return the value of a look at each row now; below 0 for pages that must wait."""
        return beliefs.rank(self.records, rows, self.common, day, busy).sum(axis=0)

    def renew(self, day: float) -> None:
        """Learn from all pages together, once a day, and key all anew then."""
        common, hosts = self.common[0], self._hosts
        if int(day) > common["day"]:
            common["day"] = int(day)
            # Change rates and ends are those of relevant pages: hubs stand for ever.
            beliefs.renew_prior(self.records, hosts.records, common["prior"])
            hosts.records["prior"] /= common["prior"]
            beliefs.renew_paces(self.records, self.common)
            common["end"] = beliefs.end_rate(common["ends"], common["exposure"])
            beliefs.outlook(float(common["end"]), *self._outlook)
            relevant = np.unique(self.records["host"][self.records["importance"] > 0])
            common["domains"] = hosts.count_sites(relevant.tolist())
            hosts.renewed()
            self.put_all()

    def arm(self, row: int, day: float) -> str:
        """Return as what a page is visited: "hub", if its new links are worth more, or "page"."""
        changes, links = beliefs.rank(self.records, np.array([row]), self.common, day)[:, 0]
        return "hub" if links > changes else "page"

    def meet(self, page: np.ndarray, importance: float, said: float = np.nan) -> int:
        """Take in the record of a page fetched for the first time; return its row for `put`."""
        common, day, host = self.common[0], float(page["look"][0]), int(page["host"][0])
        page["rest"] = day + SOONEST
        if said < day:
            beliefs.see_age(page["likelihood"][0], day - said, self._hosts.trust(host))
        self._take_interest(page, importance, day)
        if importance > 0:
            common["importance"] += importance
            common["relevant"] += 1
            value = self._settle(page, importance * common["lasting"])
            common["page"] += (value - common["page"]) / min(1 + common["relevant"], PAGES)
        if self._n == len(self._records):
            more = np.zeros(max(self._n // 4, 1_024), PAGE)
            self._records = np.concatenate([self._records, more])
        self._records[self._n] = page[0]
        self._n += 1
        return self._n - 1

    def see(
        self, row: int, importance: float, changed: bool, day: float, said: float = np.nan
    ) -> None:
        """Take in another visit; `said`: as `meet` has it."""
        page, common = self.records[row : row + 1], self.common[0]
        host, last, stale = (page[name][0].item() for name in ("host", "look", "stale"))
        gap, trust = day - last, 0.0 if np.isnan(said) else self._hosts.trust(host)
        page["failures"], page["rest"] = 0, day + SOONEST
        if stale:  # by what a list said
            page["stale"] = 0
            # `freshness` counts ended pages as not fresh; this one is there.
            alive = np.exp(-float(common["end"]) * gap)
            expected = float(beliefs.freshness(page, self.common, day)[0] / alive)
            self._hosts.count(host, expected=expected, stayed=not changed)
            # When it changed first since the last visit, for that is why it is visited now. Rates
            # follow from that as from the time since the last change.
            said, trust = day - (float(page["stale_on"][0]) - last), stale
        beliefs.see_look(page[0], gap, changed, day - said, trust)
        page["watched"] += gap
        if page["importance"][0] > 0:
            common["exposure"] += gap
        page["look"] = day
        self._take_interest(page, importance, day)
        if importance > 0:
            self._settle(page, float(page["zeta"][0]))

    def see_links(self, row: int, bins: list[int], new: bool) -> None:
        """Take in links that the watch did not have, on a page; `new`: since the last visit."""
        page, common = self.records[row : row + 1], self.common[0]
        counts = np.bincount(bins, minlength=BINS)
        page["seen"] += counts
        page["seen"] *= min(1.0, LATEST / max(page["seen"].sum(), 1e-9))
        common["links"] += counts
        if new:
            page["arrivals"] += len(bins)
        elif page["importance"][0] > 0:
            value = beliefs.chances(self.common)[:, 0] * common["page"]
            gain = counts * np.maximum(value - common["price"], 0)
            leads = min(float(gain.sum()), MOST_OF_LINKS * common["page"])
            common["leads"] += (leads - common["leads"]) / min(common["relevant"], OWNERS)

    def miss(self, row: int, day: float, of_host: bool, gone: bool) -> bool:
        """Record a failed fetch; return whether the page is given up, as it was gone thrice."""
        page = self.records[row : row + 1]
        if of_host:  # which is left alone itself
            page["rest"] = day + SOONEST
            return False
        page["failures"] += 1
        page["rest"] = day + MISSED * 2.0 ** min(int(page["failures"][0]) - 1, DOUBLINGS)
        if not gone or page["failures"][0] < PATIENCE:
            return False
        page["failures"] = -1
        self.common["ends"] += page["importance"] > 0
        return True

    def _take_interest(self, page: np.ndarray, importance: float, day: float) -> None:
        fading, lasting = self.common["fading"][0], self.common["lasting"][0]
        born = float(page["born"][0])
        left = 0.0 if np.isnan(born) else np.exp(-fading * (day - born))
        page["importance"] = importance
        page["zeta"] = importance * (lasting + (1 - lasting) * left)

    def _settle(self, page: np.ndarray, zeta: float) -> float:
        """Set the factor of a look for what it teaches; return the page's value."""
        common = self.common[0]
        weights = common["prior"] * page["likelihood"][0]
        price, end = float(common["price"]), float(common["end"])
        return float(
            beliefs.settle(page[0], weights / weights.sum(), zeta, price, end, *self._outlook)
        )


def highest(values: np.ndarray) -> Choice | None:
    """Return the most valuable of all rows; None if none has any value."""
    best = int(values.argmax()) if len(values) else -1
    return Choice(best, float(values[best])) if best >= 0 and values[best] > 0 else None
