"""Event by event: refreshes of pages, the first change after each, and the bits that result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Observations:
    """Bits of all pages, in the order of the epochs and within an epoch by page and time.

    Attributes
    ----------
    pages : (n,) int32
    gaps : (n,) time since the page's last refresh
    changed : (n,) bool
    """

    pages: np.ndarray
    gaps: np.ndarray
    changed: np.ndarray

    @classmethod
    def joined(cls, parts: list[Observations]) -> Observations:
        """All parts in one."""
        if not parts:
            return cls(np.zeros(0, np.int32), np.zeros(0), np.zeros(0, bool))
        names = ("pages", "gaps", "changed")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


class Pages:
    """Pages that change and are refreshed; a cache that starts out empty.

    Only the first change after a refresh can be seen, and by then it does not matter how long
    ago an earlier change was. So that one is drawn when the page is refreshed, and all others,
    which would change nothing, are not. What is left has the law of the full process.

    Parameters
    ----------
    change_rates : (m,)
    refresh : "poisson" or "uniform"
    rng : numpy.random.Generator
    """

    def __init__(self, change_rates: np.ndarray, refresh: str, rng: np.random.Generator):
        self._xi, self._refresh = change_rates, refresh
        self._refreshing, self._changing = rng.spawn(2)
        self._last = np.full(len(change_rates), np.nan)  # refresh
        self._stale = np.full(len(change_rates), np.nan)  # when it changed or will change then

    def advance(
        self, rates: np.ndarray, start: float, end: float
    ) -> tuple[Observations, np.ndarray, np.ndarray, np.ndarray]:
        """Refresh the pages at these rates from `start` to `end`.

        Returns
        -------
        observed : Observations
        pages, since, until : (n,)
            Stretches of time for which a page was fresh, of those that a refresh ended.
        """
        pages, times = self._refreshes(rates, start, end)
        stale = times + self._changing.standard_exponential(len(times)) / self._xi[pages]
        first = np.diff(pages, prepend=-1) != 0
        since, until = np.roll(times, 1), np.roll(stale, 1)
        since[first], until[first] = self._last[pages[first]], self._stale[pages[first]]
        last = np.diff(pages, append=len(rates)) != 0
        self._last[pages[last]], self._stale[pages[last]] = times[last], stale[last]
        known = ~np.isnan(since)  # a page's first refresh of all tells nothing
        pages, times, since, until = (array[known] for array in (pages, times, since, until))
        observed = Observations(pages, times - since, until <= times)
        return observed, pages, since, np.minimum(until, times)

    def unfinished(self, end: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The stretches that no refresh ended, cut off at `end`: pages, since, until."""
        pages = np.flatnonzero(~np.isnan(self._last))
        return pages, self._last[pages], np.minimum(self._stale[pages], end)

    def _refreshes(
        self, rates: np.ndarray, start: float, end: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Pages and times of refreshes, by page and time."""
        expected, numbers = rates * (end - start), np.arange(len(rates), dtype=np.int32)
        if self._refresh == "poisson":
            pages = np.repeat(numbers, self._refreshing.poisson(expected))
            # Within a page the moments are uniform. One sort of page + moment orders them all.
            share = np.sort(pages + self._refreshing.random(len(pages))) - pages
        else:
            phase = self._refreshing.random(len(rates))
            counts = np.ceil(np.maximum(expected - phase, 0)).astype(np.int64)
            pages = np.repeat(numbers, counts)
            nth = np.arange(len(pages)) - np.repeat(np.cumsum(counts) - counts, counts)
            share = (nth + phase[pages]) / expected[pages]
        return pages, start + (end - start) * share
