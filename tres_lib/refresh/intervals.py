"""Confidence intervals for a change rate, from one bit a refresh.

The number of unchanged bits, sum (1 - o_n), has the mean sum exp(-xi w_n). By Hoeffding's
inequality it is off by more than b = sqrt(N ln(2 / delta) / 2) with probability at most delta,
for any gaps. Both intervals follow from that band and so hold for any number of bits.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from .arguments import history, one_of, rate_bounds
from .estimators import BOUNDS, estimate_change_rate


def confidence_interval(
    changed: ArrayLike,
    gaps: ArrayLike,
    delta: float = 0.05,
    method: str = "band",
    bounds: tuple[float, float] = BOUNDS,
) -> tuple[float, float]:
    """An interval that holds the page's change rate with probability at least 1 - delta.

    Parameters
    ----------
    changed, gaps : (n,) see `estimate_change_rate`
    delta : in (0, 1)
    method : "band" or "hoeffding"
        "band" has every rate that the band allows. "hoeffding" is the moments estimate plus
        and minus b / sum w_n exp(-xi_max w_n): known before the bits are, and far wider.
    bounds : least and greatest possible rate (xi_max), in changes a unit of time
        The interval is cut off there.

    Returns
    -------
    low, high : float

    Raises
    ------
    ValueError
    """
    estimate = estimate_change_rate(changed, gaps, "moments", bounds)
    bits, times = history(changed, gaps)
    least, most = rate_bounds(bounds)
    b = half_band(len(bits), delta)
    if one_of("method", method, ("band", "hoeffding")) == "hoeffding":
        half = hoeffding_half_width(times, delta, most)
        return max(least, estimate - half), min(most, estimate + half)
    unchanged = (~bits).sum()
    low, high = (_solve(times, unchanged + side * b, (least, most)) for side in (1, -1))
    return low, high


def half_band(n: int, delta: float) -> float:
    """How far the number of unchanged bits among n may be from its mean, sqrt(n ln(2/delta)/2)."""
    if isinstance(delta, (str, bool)) or not 0 < delta < 1:
        raise ValueError(f"delta={delta!r}: give a probability between 0 and 1, both excluded")
    return math.sqrt(n * math.log(2 / delta) / 2)


def hoeffding_half_width(gaps: np.ndarray, delta: float, most: float) -> float:
    """Half the length of the "hoeffding" interval if no rate is above `most`; gaps are (n,)."""
    slope = float((gaps * np.exp(-most * gaps)).sum())
    return half_band(len(gaps), delta) / slope if slope > 0 else math.inf


def _solve(gaps: np.ndarray, unchanged: float, bounds: tuple[float, float]) -> float:
    """The rate within the bounds that comes closest to expecting so many unchanged bits."""

    def excess(rate: float) -> float:
        return float(np.exp(-rate * gaps).sum()) - unchanged

    low, high = bounds
    if excess(low) <= 0:
        return low
    return high if excess(high) >= 0 else float(brentq(excess, low, high))
