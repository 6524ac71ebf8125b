"""What no policy can beat: crawls limited only on average (Section 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .arguments import budget, weights_of
from .cycle import best_cycle
from .sources import Sources

HALVINGS = 64  # of the multiplier's range: beyond a float's resolution


@dataclass(frozen=True)
class Relaxation:
    """The problem with its limit relaxed to an average, solved.

    Attributes
    ----------
    bound : float
        Its optimal reward an epoch, an upper bound for every policy.
    multiplier : float
        What one more unit of crawling would bring: the price of a crawl of weight 1.
    rates : (N,) array
        Crawls of each source an epoch at the optimum.
    """

    bound: float
    multiplier: float
    rates: np.ndarray


def lagrangian_bound(
    sources: Sources, crawls_per_epoch: float, weights: ArrayLike | None = None
) -> float:
    """Upper bound on the long-run reward an epoch of every policy; see `relaxation`."""
    return relaxation(sources, crawls_per_epoch, weights).bound


def relaxation(
    sources: Sources, crawls_per_epoch: float, weights: ArrayLike | None = None
) -> Relaxation:
    """Solve the relaxed problem through its dual.

    At a price lam, source i alone is best crawled every p_i epochs (`best_cycle`), for
    sum_i f_i / p_i crawls an epoch. That rate falls in steps as the price rises; its steps
    crowd below each x*, so the dual itself is flat there and is not searched. Halving finds the
    price at which the rate steps over the limit, and the two sides of the step are mixed.

    Parameters
    ----------
    sources : Sources
    crawls_per_epoch : float
        M, or what crawls may cost an epoch, if they have weights; above 0.
    weights : (N,), optional
        f_i, what a crawl of each source costs (Eq. 5). Default: 1.

    Raises
    ------
    ValueError
    """
    sources = sources.listed()
    f = weights_of(weights, len(sources))
    M = budget("crawls_per_epoch", crawls_per_epoch, f)
    low, high = 0.0, float((sources.limit / f).max())
    if (f / best_cycle(sources, 0.0)[0]).sum() <= M:
        high = 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        spent = (f / best_cycle(sources, middle * f)[0]).sum()
        low, high = (middle, high) if spent >= M else (low, middle)
    return _mixed(sources, M, f, low, high)


def _mixed(sources: Sources, M: float, f: np.ndarray, low: float, high: float) -> Relaxation:
    """The optimum between the rates at two prices, one that spends M or more and one less."""
    (often, gain_low), (seldom, gain_high) = (best_cycle(sources, p * f) for p in (low, high))
    more, less = (f / often).sum(), (f / seldom).sum()
    share = min((M - less) / (more - less), 1.0) if more > less else 1.0
    duals = (low * M + gain_low.sum(), high * M + gain_high.sum())
    return Relaxation(float(min(duals)), low, share / often + (1 - share) / seldom)
