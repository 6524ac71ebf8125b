"""How often does a page change? An estimate from one bit a refresh.

Refreshing a page a time w after the last refresh tells one bit: it has changed since (1), or
not (0). With change rate xi the bit is 1 with probability 1 - exp(-xi w), however often the
page has changed. The first refresh of all tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import exprel

from .arguments import history, one_of, rate_bounds

BOUNDS = (1e-3, 25.0)  # changes a unit of time
METHODS = ("mle", "moments")
MOST_STEPS, CONVERGED = 100, 1e-12
Curve = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def estimate_change_rate(
    changed: ArrayLike,
    gaps: ArrayLike,
    method: str = "mle",
    bounds: tuple[float, float] = BOUNDS,
) -> float:
    """Change rate of one page from its history.

    Parameters
    ----------
    changed : (n,) bits, whether the page had changed since the last refresh
    gaps : (n,) times since the last refresh, at least 0
    method : "mle" or "moments"
        Maximum likelihood, sum_{o=1} w / (exp(xi w) - 1) = sum_{o=0} w; or the rate that
        expects as many unchanged bits as there are, sum exp(-xi w) = sum (1 - o). Where all
        gaps are equal both are -ln(1 - mean o) / w.
    bounds : least and greatest possible rate, in changes a unit of time
        Estimates beyond are cut off. Only ones give the greatest, only zeros the least.

    Returns
    -------
    float

    Raises
    ------
    ValueError
    """
    bits, times = history(changed, gaps)
    if bits.ndim != 1 or not len(bits):
        raise ValueError(f"changed: shape {bits.shape}; give the bits of one page, at least one")
    pages = np.zeros(len(bits), np.intp)
    return float(_estimate(bits, times, pages, 1, method, bounds)[0])


def estimate_change_rates(
    changed: ArrayLike,
    gaps: ArrayLike,
    pages: ArrayLike | None = None,
    n_pages: int | None = None,
    method: str = "mle",
    bounds: tuple[float, float] = BOUNDS,
) -> np.ndarray:
    """Change rates of many pages at once.

    Parameters
    ----------
    changed, gaps : (m, n), or (n,) with `pages`
        A row a page, where short histories are filled up with bits 0 and gaps 0, which change
        no estimate; or all histories in one, in any order.
    pages : (n,) int, optional
        The page of each bit, from 0 on.
    n_pages : int, optional
        Default: up to the largest number in `pages`.
    method, bounds : see `estimate_change_rate`

    Returns
    -------
    (m,) float64
        The least rate for pages without any bit.

    Raises
    ------
    ValueError
    """
    bits, times = history(changed, gaps)
    if pages is None:
        if bits.ndim != 2:
            raise ValueError(f"changed: shape {bits.shape}; give a row a page, or pages=")
        n_pages = len(bits)
        pages = np.repeat(np.arange(n_pages), bits.shape[1])
    numbers = np.asarray(pages)
    if numbers.shape != (bits.size,) or numbers.dtype.kind not in "iu":
        raise ValueError(f"pages: {numbers.dtype} of shape {numbers.shape}; give an int a bit")
    least = int(numbers.max(initial=-1)) + 1
    n_pages = least if n_pages is None else n_pages
    if numbers.min(initial=0) < 0 or least > n_pages:
        raise ValueError(f"pages: outside of 0 to {n_pages - 1}; number them from 0 to n_pages - 1")
    return _estimate(bits.ravel(), times.ravel(), numbers, n_pages, method, bounds)


def _estimate(
    bits: np.ndarray,
    gaps: np.ndarray,
    pages: np.ndarray,
    n_pages: int,
    method: str,
    bounds: tuple[float, float],
) -> np.ndarray:
    """Estimates by page: each solves ln(falling sum at xi) = ln(constant)."""
    low, high = rate_bounds(bounds)
    curve_of = {"mle": _likelihood, "moments": _moments}[one_of("method", method, METHODS)]
    curve, target, start = curve_of(bits, gaps, pages, n_pages)
    some = np.bincount(pages, bits, n_pages) > 0
    rates = np.where(some, high, low)
    todo = np.flatnonzero(some & (target > 0))
    if len(todo):
        found = _newton(curve, target, np.clip(start, low, high), (low, high), todo)
        rates[todo] = found[todo]
    return rates


def _likelihood(
    bits: np.ndarray, gaps: np.ndarray, pages: np.ndarray, n_pages: int
) -> tuple[Curve, np.ndarray, np.ndarray]:
    unchanged = np.bincount(pages[~bits], gaps[~bits], n_pages)
    page, gap = pages[bits], gaps[bits]

    def curve(rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rate = rates[page]
        v = 1 / (rate * exprel(rate * gap))  # gap / (exp(rate gap) - 1), 1 / rate at gap 0
        return np.bincount(page, v, n_pages), np.bincount(page, v * (v + gap), n_pages)

    # v >= 1 / rate - gap / 2, so this start is never above the solution.
    with np.errstate(divide="ignore", invalid="ignore"):
        start = np.bincount(page, minlength=n_pages) / (
            unchanged + np.bincount(page, gap, n_pages) / 2
        )
    return curve, unchanged, start


def _moments(
    bits: np.ndarray, gaps: np.ndarray, pages: np.ndarray, n_pages: int
) -> tuple[Curve, np.ndarray, np.ndarray]:
    timed = gaps > 0  # a gap of 0 adds exp(0) = 1 at every rate
    unchanged = np.bincount(pages, ~bits, n_pages) - np.bincount(pages[~timed], minlength=n_pages)
    page, gap = pages[timed], gaps[timed]

    def curve(rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        v = np.exp(-rates[page] * gap)
        return np.bincount(page, v, n_pages), np.bincount(page, v * gap, n_pages)

    return curve, unchanged, np.zeros(n_pages)


def _newton(
    curve: Curve,
    target: np.ndarray,
    rates: np.ndarray,
    bounds: tuple[float, float],
    todo: np.ndarray,
) -> np.ndarray:
    """Solve ln curve = ln target for the pages in `todo`.

    The curves are sums of log-convex functions, so their logarithms are convex, too, and from
    the left Newton's method climbs to the solution without passing it.
    """
    for _ in range(MOST_STEPS):
        value, fall = curve(rates)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.log(value / target) * value / fall
        # Where the sum has vanished in double precision the solution is further left.
        step = np.where(value > 0, step, -np.inf)
        new = np.clip(rates + step, *bounds)
        moved = np.abs(new - rates)[todo]
        rates = new
        if (moved <= CONVERGED * rates[todo]).all():
            break
    return rates
