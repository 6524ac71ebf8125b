"""Schedulers that find out how good signals of change are; the change rates they know."""

from typing import ClassVar

import numpy as np

from .schedulers import GreedyNcis, Task
from .signals import LEAST_SHARE, Signals


class LearntNcis(GreedyNcis):
    """`GreedyNcis` that learns precision and recall, the same for all pages, from its fetches.

    Signals come at rate recall xi / precision, so their number leaves one unknown, the precision.
    It is the likeliest on a grid, given what the fetches showed: a page is unchanged with
    probability exp(-y) (see `signals`). It is found again when the fetches have grown by a fifth.

    Examples
    --------
    >>> from tres_book import refresh
    >>> log = refresh.draw_changes(50, rng=0, days=60, precision=0.8, recall=0.5)
    >>> table = refresh.compare_refresh(["ncis", LearntNcis, "greedy"], log, bandwidth=10)
    >>> list(table["freshness"].sort_values(ascending=False).index)
    ['ncis', 'LearntNcis', 'greedy']
    """

    GRID: ClassVar = np.arange(10, 99, 2) / 100  # of the precision
    FIRST, GROWTH = 50, 1.2  # fetches until it is found for the first time, and the next

    def __init__(self, task: Task):
        super().__init__(task, use_signals=False)
        self._heard, self._next = 0, float(self.FIRST)
        self._seen: list[tuple[float, float, bool]] = []
        self.quality = Signals()  # as believed

    def signalled(self, pages: np.ndarray) -> None:
        super().signalled(pages)
        self._heard += len(pages)

    def observe(self, page: int, now: float, changed: bool | None) -> None:
        if changed is not None:
            expected = self._xi[page] * (now - self._last[page])
            self._seen.append((expected, self._counts[page], changed))
        super().observe(page, now, changed)
        if len(self._seen) >= self._next:
            self._next = self.GROWTH * len(self._seen)
            self._learn(self._heard / (self._xi.sum() * now))

    def _learn(self, for_each_change: float) -> None:
        """Find the likeliest quality, of which there are so many signals for each change."""
        expected, counts, changed = np.array(self._seen).T
        recalls = np.minimum(self.GRID * for_each_change, 1 - LEAST_SHARE)
        y = np.outer(1 - recalls, expected) - np.outer(np.log1p(-self.GRID), counts)
        likelihood = np.where(changed > 0, np.log(-np.expm1(-y)), -y).sum(axis=1)
        best = likelihood.argmax()
        self.quality = Signals(float(self.GRID[best]), float(recalls[best].round(2)))
        self.believe(self.quality)


class Trusting(GreedyNcis):
    """The watch's rule (chapter 15): a page with signals is stale with one probability, the trust.

    However many came, and as if pages without a signal were as likely to have changed as ever. The
    trust is the share that had changed of the pages with signals that would be fresh by their age,
    after one page of each kind, within `BOUNDS`.
    """

    BOUNDS = 0.01, 0.98

    def __init__(self, task: Task):
        super().__init__(task, use_signals=False)
        self._expected = self._stayed = 0.0
        self._trust()

    def signalled(self, pages: np.ndarray) -> None:
        self._counts[pages] = 1

    def observe(self, page: int, now: float, changed: bool | None) -> None:
        if self._counts[page] and changed is not None:
            self._expected += float(np.exp(-self._xi[page] * (now - self._last[page])))
            self._stayed += not changed
            self._trust()
        super().observe(page, now, changed)

    def _trust(self) -> None:
        stale = 1 - (1 + self._stayed) / (2 + self._expected)
        self._step = float(-np.log1p(-np.clip(stale, *self.BOUNDS)))
