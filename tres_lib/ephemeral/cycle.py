"""One source alone, at a price for each crawl: how long to wait."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .index import orbit
from .sources import Sources


def best_cycle(sources: Sources, price: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """The best period between crawls, and what it earns an epoch net of the price (Eq. 17).

    A cycle of p epochs earns (X_(p - 1) - price) / p. One more epoch of waiting adds
    u alpha^p, which pays as long as it is above the best gain; that gives the best p for a gain,
    which gives a better gain, until neither changes (Dinkelbach's method, a few rounds).

    Parameters
    ----------
    sources : Sources of N sources
    price : (N,) or scalar, at least 0

    Returns
    -------
    period : (N,)
        inf where the price is x* or more, so that a crawl never pays.
    gain : (N,)
        0 there.

    References
    ----------
    W. Dinkelbach, On nonlinear fractional programming, Management Science 13(7), 1967.
    """
    alpha, u, limit = sources.alpha, sources.u, sources.limit
    price = np.broadcast_to(np.asarray(price, float), limit.shape)
    pays = price < limit
    with np.errstate(divide="ignore", invalid="ignore"):
        log_alpha = np.log(alpha)
        share = (1 - price / limit) / 2  # half way from the price to x* the gain is positive
        period = np.maximum(np.ceil(np.log(share) / log_alpha), 1)
        gain = (orbit(period - 1, alpha, u) - price) / period
        while True:
            longer = np.maximum(np.ceil(np.log(gain / u) / log_alpha), 1)
            better = (orbit(longer - 1, alpha, u) - price) / longer
            rises = pays & (better > gain)
            if not rises.any():
                return np.where(pays, period, np.inf), np.where(pays, gain, 0.0)
            period, gain = np.where(rises, longer, period), np.where(rises, better, gain)
