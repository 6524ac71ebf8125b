"""Known URLs, ordered by the day on which a look is worth its price."""

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from .records import PAGE
from .worth import find_due, rank

MOVED = 0.05  # a page that is worth so much less than the price waits again


class Choice(NamedTuple):
    """A page that may be looked at, by its row, and what a look is worth."""

    row: int
    worth: float


class Calendar:
    """Known URLs, a row each, in a heap by the day on which they are due.

    What it returns follows from the records alone, not from the order of the past, so that a watch
    that was killed goes on as if it had not been.

    Attributes
    ----------
    changed : set of int
        Rows whose records a store does not have yet.
    common : (1,) array of `COMMON`
        By which all pages were keyed last.
    """

    def __init__(self, common: np.ndarray) -> None:
        self.common = common.copy()
        self.changed: set[int] = set()
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
            more = max(self._n // 4, 1_024)
            self._pages = np.concatenate([self._pages, np.zeros(more, PAGE)])
        self._pages[self._n] = page[0]
        self._n += 1
        return self._n - 1

    def put(self, rows: np.ndarray, common: np.ndarray) -> None:
        """Compute when pages are due, at the current price."""
        find_due(self.pages, rows, common)
        self.changed.update(rows.tolist())
        for row in rows.tolist():
            self._push(row)

    def put_all(self, common: np.ndarray) -> None:
        """Compute all due days anew; the store then needs the copy that is kept here."""
        common["keyed"] += 1
        common["keyed_price"] = common["price"]
        self.common = common.copy()
        find_due(self.pages, np.arange(self._n), common)
        self._rebuild()

    def best(self, common: np.ndarray, day: float, busy: np.ndarray) -> Choice | None:
        """Return the most valuable due page, or the next page to fall due.

        None: nothing may be looked at. `busy` has the day by host from which it is free.
        """
        self._come_up(day)
        self._due = self._due[self._pages["due"][self._due] <= day]  # without those put since
        worth = self._rank(self._due, common, day, busy)
        early = (worth >= 0) & (worth < (1 - MOVED) * common["price"][0])
        if early.any():
            self.put(self._due[early], common)
        worth[early] = -1
        if len(worth) and worth.max() >= 0:
            best = int(np.argmax(worth))
            return Choice(int(self._due[best]), float(worth[best]))
        return self._first(common, day, busy)

    def best_of_all(self, common: np.ndarray, day: float, busy: np.ndarray) -> Choice | None:
        """Return the most valuable of all pages, due or not; None if no page may be fetched."""
        worth = self._rank(np.arange(self._n), common, day, busy)
        if not len(worth) or worth.max() <= 0:
            return None
        return Choice(int(np.argmax(worth)), float(worth.max()))

    def next_due(self) -> float:
        """Return the day on which the next page falls due; inf if there is none."""
        return self._heap[0][0] if self._heap else np.inf

    def _come_up(self, day: float) -> None:
        rows = []
        while self._heap and self._heap[0][0] <= day:
            due, row = heappop(self._heap)
            if self._pages[row]["due"] == due:
                rows.append(row)
        if rows:
            self._due = np.unique(np.concatenate([self._due, np.array(rows)]))

    def _first(self, common: np.ndarray, day: float, busy: np.ndarray) -> Choice | None:
        passed = []
        found = None
        while self._heap and found is None:
            entry = heappop(self._heap)
            if self._pages[entry[1]]["due"] == entry[0]:
                passed.append(entry)
                worth = self._rank(np.array([entry[1]]), common, day, busy)[0]
                found = Choice(entry[1], float(worth)) if worth >= 0 else None
        for entry in passed:
            heappush(self._heap, entry)
        return found

    def _rank(
        self, rows: np.ndarray, common: np.ndarray, day: float, busy: np.ndarray
    ) -> np.ndarray:
        worth = np.empty(len(rows))
        rank(self.pages, rows, common, day, busy, worth)
        return worth

    def _push(self, row: int) -> None:
        due = float(self._pages[row]["due"])
        if due < np.inf:
            heappush(self._heap, (due, row))

    def _rebuild(self) -> None:
        self._due = np.zeros(0, np.int64)
        due = self.pages["due"]
        rows = np.flatnonzero(due < np.inf)
        self._heap = list(zip(due[rows].tolist(), rows.tolist(), strict=True))
        heapify(self._heap)
