"""What a history can tell about the change rate: Fisher information, and intervals.

The indicator after a gap w carries the information w^2 / (exp(xi w) - 1) about xi. It is small
for short gaps, when nothing happens, and for long ones, when the indicator is 1 at any rate.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import exprel, zeta

from tres_webs.checks import number, numbers, one_of

from .estimators import BOUNDS, Bounds, estimate_change_rate, history, rate_bounds
from .freshness import REFRESH


def information_rate(
    change_rates: ArrayLike, refresh_rate: ArrayLike, refresh: str = "poisson"
) -> np.ndarray:
    """Return the information about change rates per unit of time of refreshing, which broadcasts.

    At even intervals 1 / (r (exp(xi / r) - 1)); under Poisson refresh the mean over exponential
    gaps, 2 (r^2 / xi^3) zeta(3, 1 + r / xi). Its inverse is the variance of "mle" times the time.
    """
    xi = numbers("change_rates", change_rates)
    r = numbers("refresh_rate", refresh_rate)
    if one_of("refresh", refresh, REFRESH) == "uniform":
        return 1 / (xi * exprel(xi / r))
    return 2 * r**2 / xi**3 * zeta(3, 1 + r / xi)


def confidence_interval(
    changed: ArrayLike,
    gaps: ArrayLike,
    delta: float = 0.05,
    method: str = "band",
    bounds: Bounds = BOUNDS,
) -> tuple[float, float]:
    """Return an interval that holds the change rate with probability at least 1 - delta.

    The number of unchanged indicators has the mean sum exp(-xi w_n), and is off by more than b =
    sqrt(N ln(2 / delta) / 2) with probability at most delta (Hoeffding). The method "band" has
    every rate that this allows; "hoeffding" is the moments estimate plus and minus b / sum w_n
    exp(-xi_max w_n), known before the refreshes, and far wider.

    Examples
    --------
    >>> low, high = confidence_interval([1, 0] * 500, gaps=[1.0] * 1_000)
    >>> round(low, 2), round(high, 2)  # the true rate may be ln 2
    (0.61, 0.78)
    """
    estimate = estimate_change_rate(changed, gaps, "moments", bounds)
    indicators, times = history(changed, gaps)
    least, most = rate_bounds(bounds)
    odds = 2 / number("delta", delta, 0, 1, inside=True)
    b = math.sqrt(len(indicators) * math.log(odds) / 2)
    if one_of("method", method, ("band", "hoeffding")) == "hoeffding":
        slope = float((times * np.exp(-most * times)).sum())
        half = b / slope if slope > 0 else math.inf  # where the gaps say nothing
        return max(least, estimate - half), min(most, estimate + half)
    unchanged = (~indicators).sum()
    low, high = (_solve(times, unchanged + side * b, least, most) for side in (1, -1))
    return low, high


def _solve(gaps: np.ndarray, unchanged: float, low: float, high: float) -> float:
    """Return the rate within the bounds whose expected unchanged indicators come closest."""

    def excess(rate: float) -> float:
        return float(np.exp(-rate * gaps).sum()) - unchanged

    if excess(low) <= 0:
        return low
    return high if excess(high) >= 0 else float(brentq(excess, low, high))
