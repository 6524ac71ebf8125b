"""The best that policies can do: exactly for a few sources, and an upper bound (Section 3)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tres_webs.checks import positive, vector

from .sources import Sources, listed, orbit

HALVINGS = 64  # of the multiplier's range: beyond a float's resolution


@dataclass(frozen=True)
class Relaxation:
    """The optimum where crawls are limited only on average."""

    bound: float  # its reward per epoch, an upper bound for every policy
    multiplier: float  # value of one more unit of crawling: the price of a crawl of weight 1
    rates: np.ndarray  # (N,) crawls of each source per epoch


def lagrangian_bound(
    sources: Sources, crawls_per_epoch: float, weights: ArrayLike | None = None
) -> float:
    """Return an upper bound on the long-run reward per epoch of every policy, see `relaxation`.

    Examples
    --------
    >>> sources = Sources(alpha=[0.5, 0.5], u=[2.0, 1.0])
    >>> round(lagrangian_bound(sources, crawls_per_epoch=1), 6)
    2.25
    """
    return relaxation(sources, crawls_per_epoch, weights).bound


def relaxation(
    sources: Sources, crawls_per_epoch: float, weights: ArrayLike | None = None
) -> Relaxation:
    """Solve the relaxed problem through its dual, for weights f_i (Eq. 5), by default 1.

    At price lam, source i alone is best crawled every p_i epochs (`best_cycle`), which spends sum_i
    f_i / p_i per epoch, M at most: what the crawls of an epoch may cost.
    """
    sources = listed(sources)
    f = weights_of(weights, len(sources))
    M = budget(crawls_per_epoch, f)
    low = 0.0
    crowded = (f / best_cycle(sources, 0.0)[0]).sum() > M
    high = float((sources.limit / f).max()) if crowded else 0.0
    # The spending falls in steps, which crowd below each x*, so the dual is flat there: halving
    # finds the price where it steps over the limit, and the two sides of the step are mixed.
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        spent = (f / best_cycle(sources, middle * f)[0]).sum()
        low, high = (middle, high) if spent >= M else (low, middle)
    often, gain_low = best_cycle(sources, low * f)
    seldom, gain_high = best_cycle(sources, high * f)
    more = (f / often).sum()
    less = (f / seldom).sum()
    share = min((M - less) / (more - less), 1.0) if more > less else 1.0
    bound = min(low * M + gain_low.sum(), high * M + gain_high.sum())
    return Relaxation(float(bound), low, share / often + (1 - share) / seldom)


def best_cycle(sources: Sources, price: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return the best period between crawls of each source alone, and its gain (Eq. 17), (N,) each.

    The period is in epochs, the gain the reward per epoch net of the price, (N,) or one for all.
    Where a crawl never pays, as the price is x* or more, they are inf and 0.

    References
    ----------
    W. Dinkelbach, On nonlinear fractional programming, Management Science 13(7), 1967.

    Examples
    --------
    >>> from tres_lib.ephemeral import source
    >>> period, gain = best_cycle(source([1.0, 0.1], decay=0.5, arrival_rate=1.0), price=0.5)
    >>> period, gain.round(3)
    (array([ 2., inf]), array([0.382, 0.   ]))
    """
    alpha, u, limit = sources.alpha, sources.u, sources.limit
    price = np.broadcast_to(np.asarray(price, float), limit.shape)
    pays = price < limit
    with np.errstate(divide="ignore", invalid="ignore"):
        log_alpha = np.log(alpha)
        share = (1 - price / limit) / 2  # half way from the price to x* the gain is positive
        period = np.maximum(np.ceil(np.log(share) / log_alpha), 1)
        gain = (orbit(period - 1, alpha, u) - price) / period
        # A cycle of p epochs earns (X_(p - 1) - price) / p. One more epoch adds u alpha^p, which
        # pays as long as that exceeds the best gain: a gain gives the best p, that a better gain.
        while True:
            longer = np.maximum(np.ceil(np.log(gain / u) / log_alpha), 1)
            better = (orbit(longer - 1, alpha, u) - price) / longer
            rises = pays & (better > gain)
            if not rises.any():
                return np.where(pays, period, np.inf), np.where(pays, gain, 0.0)
            period = np.where(rises, longer, period)
            gain = np.where(rises, better, gain)


def weights_of(weights: ArrayLike | None, n: int) -> np.ndarray:
    """Return the cost of a crawl of each of n sources, (n,); 1 by default."""
    return np.ones(n) if weights is None else vector("weights", weights, size=n)


def budget(crawls_per_epoch: float, weights: np.ndarray) -> float:
    """Return the budget as a float; ValueError unless above 0 and at most the cost of all."""
    amount = positive("crawls_per_epoch", crawls_per_epoch)
    if amount > weights.sum() * (1 + 1e-12):
        most = f"{weights.sum():g}, the cost of all sources"
        raise ValueError(f"crawls_per_epoch={amount}: give at most {most}")
    return amount
