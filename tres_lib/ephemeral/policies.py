"""Policies that rank the sources, and the limit that decides how many of the best are crawled.

An entry of `POLICIES` is called once with the sources, the crawls per epoch and the weights. It
returns a `Policy`: a function that is called at each epoch with the states x (N,) and the ages
(N,), the epochs since the last crawl ended, and returns priorities (N,); the highest go first.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tres_webs.checks import count

from .bound import budget, weights_of
from .sources import Sources, index_of

#: A policy: from the states and ages of the sources, (N,) each, to their priorities, (N,).
Policy = Callable[[np.ndarray, np.ndarray], np.ndarray]


class Limit:
    """The constraint of Eq. 5 on the n sources crawled at each epoch: so many, or by weights (n,).

    Examples
    --------
    >>> Limit(2, 4, None).top([0.1, 0.9, 0.5, 0.2])
    array([1, 2])
    >>> costly_first = Limit(1.0, 3, [2.0, 1.0, 1.0])
    >>> [costly_first.top([0.9, 0.5, 0.1]).tolist() for _ in range(2)]
    [[], [0]]
    """

    def __init__(self, crawls_per_epoch: float, n: int, weights: ArrayLike | None):
        self.weights = weights_of(weights, n)
        self.weighted = weights is not None
        if not self.weighted:
            count("crawls_per_epoch", crawls_per_epoch, 1, n)
        self.crawls = budget(crawls_per_epoch, self.weights)
        self._credit = 0.0  # of what weights cost; the rest of an epoch goes to the next

    def top(self, priorities: np.ndarray) -> np.ndarray:
        """Return the sources of the highest priorities (n,) that may be crawled now, ascending."""
        priorities = np.asarray(priorities, float)
        if priorities.shape != self.weights.shape or np.isnan(priorities.max()):
            asked = f"a number, not NaN, for each of {len(self.weights)} sources"
            raise ValueError(f"policy: returned shape {priorities.shape}; it must return {asked}")
        if not self.weighted:
            rest = len(priorities) - int(self.crawls)
            every = np.arange(len(priorities))
            return np.sort(np.argpartition(priorities, rest - 1)[rest:]) if rest else every
        # By priority until one costs more than is left, so there may be none.
        self._credit += self.crawls
        order = np.argsort(-priorities, kind="stable")
        spent = self.weights[order].cumsum()
        n = np.searchsorted(spent, self._credit * (1 + 1e-12), side="right")
        self._credit -= spent[n - 1] if n else 0.0
        return np.sort(order[:n])


def round_robin(sources: Sources, crawls: float, weights: np.ndarray) -> Policy:
    """Rank by age; of equal ages the first source."""
    turn = np.linspace(0, 0.5, len(sources))
    return lambda x, age: age - turn


#: What makes the policies that `simulate` takes by name; the highest priorities are crawled.
POLICIES: dict[str, Callable[[Sources, float, np.ndarray], Policy]] = {
    "whittle": lambda s, crawls, w: lambda x, age: index_of(x, s.alpha, s.u) / w,  # Theorem 1
    "myopic": lambda s, crawls, w: lambda x, age: x / w,  # the immediate reward, by weight
    "round-robin": round_robin,
    # Always in one order, by the reward of a source that is crawled at every epoch.
    "best-fixed": lambda s, crawls, w: lambda x, age: s.u / w,
}
