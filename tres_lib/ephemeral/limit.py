"""How many sources an epoch may crawl, and which those are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .arguments import budget, count, weights_of


class Limit:
    """The constraint of Eq. 5 on the sources crawled.

    Parameters
    ----------
    crawls_per_epoch : int, or float with weights
        Without weights exactly so many sources are crawled at each epoch. With weights this is what
        an epoch may spend; what it leaves over is kept for the next, so the mean is met.
    n : int
        Number of sources.
    weights : (n,), optional
        What a crawl of each source costs.

    Raises
    ------
    ValueError
        If that is not a whole number from 1 to n, or more than all weights.
    """

    def __init__(self, crawls_per_epoch: float, n: int, weights: ArrayLike | None):
        self.weights = weights_of(weights, n)
        self.weighted = weights is not None
        if self.weighted:
            self.crawls = budget("crawls_per_epoch", crawls_per_epoch, self.weights)
        else:
            self.crawls = count("crawls_per_epoch", crawls_per_epoch, n)
        self._credit = 0.0

    def top(self, priorities: np.ndarray) -> np.ndarray:
        """The sources of the highest priorities that may be crawled now, ascending.

        Raises
        ------
        ValueError
            If there is not a priority for each source, or one is NaN.
        """
        priorities = np.asarray(priorities, float)
        if priorities.shape != self.weights.shape or np.isnan(priorities.max()):
            raise ValueError(
                f"policy: returned shape {priorities.shape}; it must return a number, not NaN, "
                f"for each of {len(self.weights)} sources"
            )
        return np.sort(self._affordable(priorities) if self.weighted else self._first(priorities))

    def _first(self, priorities: np.ndarray) -> np.ndarray:
        rest = len(priorities) - self.crawls
        return np.argpartition(priorities, rest - 1)[rest:] if rest else np.arange(self.crawls)

    def _affordable(self, priorities: np.ndarray) -> np.ndarray:
        self._credit += self.crawls
        order = np.argsort(-priorities, kind="stable")
        spent = self.weights[order].cumsum()
        n = np.searchsorted(spent, self._credit * (1 + 1e-12), side="right")
        self._credit -= spent[n - 1] if n else 0.0
        return order[:n]


def table(crawls: list[np.ndarray]) -> np.ndarray:
    """The crawls of each epoch as rows, those with fewer filled up with -1."""
    wide = max(map(len, crawls))
    return np.array([np.pad(row, (0, wide - len(row)), constant_values=-1) for row in crawls])
