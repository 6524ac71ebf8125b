"""Discrete power laws fitted by maximum likelihood (Clauset, Shalizi and Newman, 2009)."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import zeta

from tres_webs.checks import floats

EXPONENTS = (1.01, 6.0)  # searched
LEAST_TAIL = 50  # values that a fit needs at least, where it chooses xmin


@dataclass(frozen=True)
class PowerLaw:
    """P(X = x) proportional to x^-exponent for whole x from xmin to xmax, fitted to n values."""

    exponent: float
    xmin: int
    xmax: int | None  # None without an upper end
    ks: float  # Kolmogorov and Smirnov's distance of values and model, from xmin on; 0 is perfect
    n: int  # number of values from xmin on

    def survival(self, x: ArrayLike) -> np.ndarray:
        """Return the probability of a value of at least x, given one of at least xmin."""
        low, there = (_mass_from(k, self.exponent, self.xmax) for k in (self.xmin, x))
        return there / low


def fit_power_law(values: ArrayLike, xmin: int | None = None, bounded: bool = False) -> PowerLaw:
    """Fit a power law to whole numbers, (n,), at least 1 each, two of them different from xmin on.

    By default it starts at the xmin of the least distance `ks`, among those that leave at least
    `LEAST_TAIL` values. It never ends or, if bounded, ends at the largest value.

    References
    ----------
    A. Clauset, C. R. Shalizi and M. E. J. Newman, Power-law distributions in empirical data, SIAM
    Review 51(4), 2009, Eqs. 3.5, 3.7 and 3.9.

    Examples
    --------
    >>> values = np.random.default_rng(0).zipf(2.5, 20_000)
    >>> round(fit_power_law(values, xmin=1).exponent, 1)
    2.5
    """
    x = floats("values", values)
    if x.ndim != 1 or not len(x) or not np.isfinite(x).all() or (x < 1).any() or (x % 1).any():
        raise ValueError("values: give whole numbers, at least 1 each, as (n,)")
    unique, counts = np.unique(x.astype(np.int64), return_counts=True)
    if xmin is not None:
        return _fit(unique, counts, xmin, bounded)
    left = counts[::-1].cumsum()[::-1]
    starts = unique[:-1][left[:-1] >= LEAST_TAIL]
    fits = [_fit(unique, counts, int(x), bounded) for x in (starts if len(starts) else unique[:1])]
    return min(fits, key=lambda fit: fit.ks)


def _fit(unique: np.ndarray, counts: np.ndarray, xmin: int, bounded: bool) -> PowerLaw:
    tail = unique >= xmin
    x, n = unique[tail].astype(float), counts[tail]
    if len(x) < 2 or xmin < 1:
        raise ValueError(f"xmin={xmin}: the values need two different ones from here on; lower it")
    xmax = int(x[-1]) if bounded else None
    mean_log = np.log(x) @ n / n.sum()

    def loss(exponent: float) -> float:
        return exponent * mean_log + np.log(_mass_from(xmin, exponent, xmax))

    best = minimize_scalar(loss, bounds=EXPONENTS, method="bounded", options={"xatol": 1e-6})
    fit = PowerLaw(float(best.x), int(xmin), xmax, np.nan, int(n.sum()))
    gap = np.abs(n.cumsum() / n.sum() - (1 - fit.survival(x + 1))).max()
    return replace(fit, ks=float(gap))


def _mass_from(x: ArrayLike, exponent: float, xmax: int | None) -> np.ndarray:
    """Return the sum of k^-exponent for k from x to xmax."""
    beyond = 0.0 if xmax is None else zeta(exponent, xmax + 1.0)
    return zeta(exponent, np.asarray(x, float)) - beyond
