"""Change rates estimated from change indicators, one per refresh, and what these can tell.

A refresh a time w after the last one shows whether the page has changed since (1) or not (0).
With change rate xi the indicator is 1 with probability 1 - exp(-xi w). It carries the information
w^2 / (exp(xi w) - 1) about xi: little for short gaps, when nothing happens, and for long ones,
when the indicator is 1 at any rate.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import exprel, zeta

from tres_webs.checks import floats, number, numbers, one_of

from .freshness import REFRESH

Bounds = tuple[float, float]
#: The default bounds of an estimated change rate, in changes per unit of time.
BOUNDS = (1e-3, 25.0)
METHODS = ("mle", "moments")
MAX_STEPS = 100
CONVERGED = 1e-12


def estimate_change_rate(
    changed: ArrayLike, gaps: ArrayLike, method: str = "mle", bounds: Bounds = BOUNDS
) -> float:
    """Estimate the change rate of one page from its history, in changes per unit of time.

    `changed` since the last refresh, and the times `gaps` since, are (n,). The method "mle" is
    maximum likelihood, sum_{o=1} w / (exp(xi w) - 1) = sum_{o=0} w; "moments" solves sum exp(-xi w)
    = sum (1 - o). The estimate is clipped to the bounds: the upper one if every visit saw a change,
    the lower if none did.

    Examples
    --------
    >>> round(estimate_change_rate([1, 0], gaps=[1.0, 1.0]), 4)  # ln 2
    0.6931
    """
    indicators, times = history(changed, gaps)
    shape = indicators.shape
    if len(shape) != 1 or not len(indicators):
        raise ValueError(f"changed: shape {shape}; give the history of one page, not empty")
    pages = np.zeros(shape, np.intp)
    return float(_estimate(indicators, times, pages, 1, method, bounds)[0])


def estimate_change_rates(
    changed: ArrayLike,
    gaps: ArrayLike,
    pages: ArrayLike | None = None,
    n_pages: int | None = None,
    method: str = "mle",
    bounds: Bounds = BOUNDS,
) -> np.ndarray:
    """Estimate the change rates of m pages together, (m,).

    Indicators and gaps have a row per page, (m, n), short histories padded with 0 and 0, which
    change no estimate; or they are all histories in one, (n,), with the page of each. A page never
    refreshed gets the lower bound. For `method` and `bounds` see `estimate_change_rate`.
    """
    indicators, times = history(changed, gaps)
    if pages is None:
        if indicators.ndim != 2:
            raise ValueError(f"changed: shape {indicators.shape}; give a row per page, or pages=")
        n_pages = len(indicators)
        pages = np.repeat(np.arange(n_pages), indicators.shape[1])
    page = np.asarray(pages)
    if page.shape != (indicators.size,) or page.dtype.kind not in "iu":
        raise ValueError(f"pages: {page.dtype} of shape {page.shape}; give an int per indicator")
    least = int(page.max(initial=-1)) + 1
    n_pages = least if n_pages is None else n_pages
    if page.min(initial=0) < 0 or least > n_pages:
        raise ValueError(f"pages: outside of 0 to {n_pages - 1}; number them from 0 to n_pages - 1")
    return _estimate(indicators.ravel(), times.ravel(), page, n_pages, method, bounds)


def history(changed: ArrayLike, gaps: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return change indicators as bool and gaps as float64, of one shape."""
    indicators = floats("changed", changed)
    times = numbers("gaps", gaps, zero=True)
    if indicators.shape != times.shape:
        shapes = f"shape {indicators.shape}, but gaps {times.shape}"
        raise ValueError(f"changed: {shapes}; give one per gap")
    if not np.isin(indicators, (0, 1)).all():
        raise ValueError("changed: holds other values than 0 and 1; give one of them per gap")
    return indicators.astype(bool), times


def rate_bounds(bounds: Bounds) -> Bounds:
    """Return the bounds as floats; ValueError unless 0 < low < high < inf."""
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not 0 < low < high < math.inf:
        raise ValueError(f"bounds={bounds!r}: give two finite numbers, 0 < low < high")
    return low, high


def _estimate(
    changed: np.ndarray, gaps: np.ndarray, pages: np.ndarray, m: int, method: str, bounds: Bounds
) -> np.ndarray:
    """Return an estimate per page, which solves ln(sum that falls with the rate) = ln(target)."""
    # A sum of log-convex functions is log-convex, so Newton's method on its logarithm climbs from
    # the left to the solution and never passes it.
    low, high = rate_bounds(bounds)
    likelihood = one_of("method", method, METHODS) == "mle"
    counted = changed if likelihood else gaps > 0  # a gap of 0 adds exp(0) = 1 at every rate
    page = pages[counted]
    gap = gaps[counted]
    if likelihood:
        target = np.bincount(pages[~changed], gaps[~changed], m)
        half = np.bincount(page, gap, m) / 2
        # Each term is at least 1 / rate - gap / 2, so this start is below the solution.
        with np.errstate(divide="ignore", invalid="ignore"):
            start = np.bincount(page, minlength=m) / (target + half)
    else:
        target = np.bincount(pages, ~changed, m)
        target -= np.bincount(pages[~counted], minlength=m)
        start = np.zeros(m)
    some = np.bincount(pages, changed, m) > 0
    todo = np.flatnonzero(some & (target > 0))
    rates = np.clip(start, low, high)
    for _ in range(MAX_STEPS if len(todo) else 0):
        rate = rates[page]
        term = 1 / (rate * exprel(rate * gap)) if likelihood else np.exp(-rate * gap)
        value = np.bincount(page, term, m)
        fall = np.bincount(page, term * (term + gap) if likelihood else term * gap, m)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.log(value / target) * value / fall
        # Where the sum has vanished in double precision the solution is further left.
        new = np.clip(rates + np.where(value > 0, step, -np.inf), low, high)
        moved = np.abs(new - rates)[todo]
        rates = new
        if (moved <= CONVERGED * rates[todo]).all():
            break
    estimates = np.where(some, high, low)
    estimates[todo] = rates[todo]
    return estimates


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
