"""Confidence intervals for a change rate, from one change indicator a refresh.

The number of unchanged indicators, sum (1 - o_n), has the mean sum exp(-xi w_n). By Hoeffding's
inequality it is off by more than b = sqrt(N ln(2 / delta) / 2) with probability at most delta,
for any gaps. Both intervals follow from that band and so hold for any number of refreshes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from ..checks import one_of
from .estimators import BOUNDS, estimate_change_rate, history, rate_bounds


def confidence_interval(
    changed: ArrayLike,
    gaps: ArrayLike,
    delta: float = 0.05,
    method: str = "band",
    bounds: tuple[float, float] = BOUNDS,
) -> tuple[float, float]:
    """Return an interval that holds the change rate with probability at least 1 - delta.

    Parameters
    ----------
    changed, gaps, bounds
        As for `estimate_change_rate`. The interval is clipped to the bounds.
    delta : float
        In (0, 1).
    method : {"band", "hoeffding"}
        "band" has every rate that the band allows. "hoeffding" is the moments estimate plus
        and minus b / sum w_n exp(-xi_max w_n). That is known before the refreshes, and far wider.

    Returns
    -------
    low, high : float
        Changes a unit of time.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Examples
    --------
    >>> low, high = confidence_interval([1, 0] * 500, gaps=[1.0] * 1_000)
    >>> round(low, 2), round(high, 2)  # the true rate may be ln 2
    (0.61, 0.78)
    """
    estimate = estimate_change_rate(changed, gaps, "moments", bounds)
    indicators, times = history(changed, gaps)
    least, most = rate_bounds(bounds)
    b = half_band(len(indicators), delta)
    if one_of("method", method, ("band", "hoeffding")) == "hoeffding":
        half = hoeffding_half_width(times, delta, most)
        return max(least, estimate - half), min(most, estimate + half)
    unchanged = (~indicators).sum()
    low, high = (_solve(times, unchanged + side * b, (least, most)) for side in (1, -1))
    return low, high


def half_band(n: int, delta: float) -> float:
    """Return how far n indicators' sum may be from its mean, sqrt(n ln(2 / delta) / 2)."""
    if isinstance(delta, (str, bool)) or not 0 < delta < 1:
        raise ValueError(f"delta={delta!r}: give a probability between 0 and 1, both excluded")
    return math.sqrt(n * math.log(2 / delta) / 2)


def hoeffding_half_width(gaps: np.ndarray, delta: float, most: float) -> float:
    """Return half the width of the "hoeffding" interval for (n,) gaps and rates up to `most`."""
    slope = float((gaps * np.exp(-most * gaps)).sum())
    return half_band(len(gaps), delta) / slope if slope > 0 else math.inf


def _solve(gaps: np.ndarray, unchanged: float, bounds: tuple[float, float]) -> float:
    """Return the rate within the bounds whose expected unchanged indicators come closest."""

    def excess(rate: float) -> float:
        return float(np.exp(-rate * gaps).sum()) - unchanged

    low, high = bounds
    if excess(low) <= 0:
        return low
    return high if excess(high) >= 0 else float(brentq(excess, low, high))
