"""Which sources first: the Whittle index and what it is compared with.

A policy of this table is made once for its sources; what comes out is called each epoch with
the states x (N,) and the ages (N,), epochs since the last crawl was over, and returns priorities
(N,), the highest of which are crawled. Any function of that kind may be given to `simulate`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .bound import relaxation
from .cycle import best_cycle
from .index import index_of
from .sources import Sources

Policy = Callable[[np.ndarray, np.ndarray], np.ndarray]


def whittle(sources: Sources, crawls: float, weights: np.ndarray) -> Policy:
    """The index of Theorem 1, by unit of weight."""
    return lambda x, age: index_of(x, sources.alpha, sources.u) / weights


def myopic(sources: Sources, crawls: float, weights: np.ndarray) -> Policy:
    """What a crawl would bring at once, by unit of weight."""
    return lambda x, age: x / weights


def round_robin(sources: Sources, crawls: float, weights: np.ndarray) -> Policy:
    """The source that has waited longest; of equals the first."""
    turn = np.linspace(0, 0.5, len(sources))
    return lambda x, age: age - turn


def best_fixed(sources: Sources, crawls: float, weights: np.ndarray) -> Policy:
    """Always the same sources: those that bring most if crawled at every epoch."""
    return lambda x, age: sources.u / weights


def fixed_rates(sources: Sources, crawls: float, weights: np.ndarray) -> Policy:
    """Each source at its rate in the relaxed problem, evenly, whatever the states.

    A source is owed its rate at each epoch, and a crawl pays 1; most is owed goes first.
    """
    rates = relaxation(sources, crawls, weights).rates
    owed = np.ones(len(sources))  # for at first all ages are 0, without a crawl

    def overdue(x: np.ndarray, age: np.ndarray) -> np.ndarray:
        nonlocal owed
        owed = owed + rates - (age == 0)
        return owed

    return overdue


def lagrangian(sources: Sources, crawls: float, weights: np.ndarray) -> Policy:
    """By how much a crawl now beats waiting, at the relaxed problem's price for crawls.

    With gain b of the best cycle at that price, waiting k epochs and then crawling earns
    x* - (x* - x) alpha^k - k b, and its best k stops when an epoch adds less than b.

    References
    ----------
    K. Avrachenkov, V. S. Borkar and P. Shah, Lagrangian index policy for restless bandits with
    average reward, 2024.
    """
    price = relaxation(sources, crawls, weights).multiplier * weights
    gain = best_cycle(sources, price)[1]
    log_alpha = np.log(np.maximum(sources.alpha, np.finfo(float).tiny))

    def advantage(x: np.ndarray, age: np.ndarray) -> np.ndarray:
        growth = sources.u - (1 - sources.alpha) * x
        with np.errstate(divide="ignore", invalid="ignore"):
            wait = np.where(growth > gain, np.ceil(np.log(gain / growth) / log_alpha), 1)
            wait = np.maximum(wait, 1)
            later = wait * gain + growth * np.expm1(wait * log_alpha) / (1 - sources.alpha)
        return np.where(gain > 0, later, x - price) / weights

    return advantage


POLICIES = {
    "whittle": whittle,
    "lagrangian": lagrangian,
    "fixed-rates": fixed_rates,
    "myopic": myopic,
    "round-robin": round_robin,
    "best-fixed": best_fixed,
}
