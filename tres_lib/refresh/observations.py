"""Refreshes of pages, event by event: the first change after each, and what it shows."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Observations:
    """Change indicators of all pages, (n,), by epoch, and within an epoch by page and time."""

    pages: np.ndarray  # int32
    gaps: np.ndarray  # time since the page's last refresh
    changed: np.ndarray  # bool: whether it had changed since then

    def __add__(self, later: "Observations") -> "Observations":
        pairs = zip(vars(self).values(), vars(later).values(), strict=True)
        return Observations(*map(np.concatenate, pairs))


NOTHING = Observations(np.zeros(0, np.int32), np.zeros(0), np.zeros(0, bool))


class Pages:
    """Pages that change and are refreshed, in a cache that is empty at first.

    A refresh shows whether there was a change, so only the first one after each is drawn.
    """

    def __init__(self, change_rates: np.ndarray, rng: np.random.Generator):
        self._xi = change_rates
        self._refreshing, self._changing = rng.spawn(2)
        self._last = np.full(len(change_rates), np.nan)  # time of the last refresh
        self._stale = np.full(len(change_rates), np.nan)  # time of the first change after it

    def advance(self, rates: np.ndarray, start: float, end: float) -> Observations:
        """Refresh from `start` to `end`; return what it showed."""
        pages, times = self._refreshes(rates, start, end)
        stale = times + self._changing.standard_exponential(len(times)) / self._xi[pages]
        first = np.diff(pages, prepend=-1) != 0
        since = np.roll(times, 1)
        until = np.roll(stale, 1)
        since[first] = self._last[pages[first]]
        until[first] = self._stale[pages[first]]
        last = np.diff(pages, append=len(rates)) != 0
        self._last[pages[last]] = times[last]
        self._stale[pages[last]] = stale[last]
        later = ~np.isnan(since)  # a page's first refresh shows nothing
        pages, times, since, until = (array[later] for array in (pages, times, since, until))
        return Observations(pages, times - since, until <= times)

    def _refreshes(self, rates: np.ndarray, start: float, end: float) -> list[np.ndarray]:
        """Return pages and times of refreshes, by page and time."""
        expected = rates * (end - start)
        numbers = np.arange(len(rates), dtype=np.int32)
        pages = np.repeat(numbers, self._refreshing.poisson(expected))
        # Within a page the times are uniform. One sort of page + time orders them all.
        share = np.sort(pages + self._refreshing.random(len(pages))) - pages
        return [pages, start + (end - start) * share]
