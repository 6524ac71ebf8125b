"""Discrete power laws fitted by maximum likelihood (Clauset, Shalizi and Newman, 2009)."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize_scalar
from scipy.special import zeta

from .checks import floats, generator

EXPONENTS = (1.01, 6.0)  # searched
LEAST_TAIL = 50  # values that a fit needs at least, where it chooses xmin


@dataclass(frozen=True)
class PowerLaw:
    """P(X = x) proportional to x^-exponent for whole x from xmin to xmax.

    Attributes
    ----------
    exponent : float
    xmin, xmax : int
        Ends of the law; xmax is None without an upper end.
    ks : float
        Kolmogorov and Smirnov's distance between values and law, from xmin on; 0 is a perfect fit.
    n : int
        Number of values from xmin on.
    """

    exponent: float
    xmin: int
    xmax: int | None
    ks: float
    n: int

    def survival(self, x: ArrayLike) -> np.ndarray:
        """Return the probability of a value of at least x, given one of at least xmin.

        Parameters
        ----------
        x : array_like

        Returns
        -------
        array of float
        """
        low, found = (_mass_from(k, self.exponent, self.xmax) for k in (self.xmin, x))
        return found / low

    def sample(self, size: int, rng: np.random.Generator | int) -> np.ndarray:
        """Return values drawn by inverting the survival function.

        Parameters
        ----------
        size : int
        rng : Generator or int

        Returns
        -------
        array (size,) of int64
        """
        top = self.xmax or self.xmin * 10**6
        x = np.unique(np.geomspace(self.xmin, top, 2_000).astype(np.int64))
        if top - self.xmin < 10**5:
            x = np.arange(self.xmin, top + 1)
        u = 1 - generator("rng", rng).random(size)
        return x[np.searchsorted(-self.survival(x), -u, side="right") - 1]


def fit_power_law(values: ArrayLike, xmin: int | None = None, bounded: bool = False) -> PowerLaw:
    """Fit a power law to whole numbers.

    Parameters
    ----------
    values : (n,) int
        At least 1 each.
    xmin : int, optional
        Smallest value of the law. By default the one whose fit has the least distance `ks`, among
        those that leave at least `LEAST_TAIL` values.
    bounded : bool
        Whether the law ends at the largest value, rather than never.

    Raises
    ------
    ValueError
        If values are missing, not whole, below 1 or all equal, or none is above xmin.

    References
    ----------
    A. Clauset, C. R. Shalizi and M. E. J. Newman, Power-law distributions in empirical data, SIAM
    Review 51(4), 2009, Eqs. 3.5, 3.7 and 3.9.

    Examples
    --------
    >>> values = PowerLaw(2.5, 1, None, 0.0, 0).sample(20_000, rng=0)
    >>> round(fit_power_law(values, xmin=1).exponent, 1)
    2.5
    """
    x = floats("values", values)
    if x.ndim != 1 or not len(x) or not np.isfinite(x).all() or (x < 1).any() or (x % 1).any():
        raise ValueError("values: give whole numbers, at least 1 each, as (n,)")
    found, counts = np.unique(x.astype(np.int64), return_counts=True)
    if xmin is not None:
        return _fit(found, counts, xmin, bounded)
    left = counts[::-1].cumsum()[::-1]
    starts = found[:-1][left[:-1] >= LEAST_TAIL]
    fits = [_fit(found, counts, int(x), bounded) for x in (starts if len(starts) else found[:1])]
    return min(fits, key=lambda fit: fit.ks)


def _fit(found: np.ndarray, counts: np.ndarray, xmin: int, bounded: bool) -> PowerLaw:
    tail = found >= xmin
    x, n = found[tail].astype(float), counts[tail]
    if len(x) < 2 or xmin < 1:
        raise ValueError(f"xmin={xmin}: the values need two different ones from here on; lower it")
    xmax = int(x[-1]) if bounded else None
    mean_log = np.log(x) @ n / n.sum()

    def loss(exponent: float) -> float:
        return exponent * mean_log + np.log(_mass_from(xmin, exponent, xmax))

    best = minimize_scalar(loss, bounds=EXPONENTS, method="bounded", options={"xatol": 1e-6})
    law = PowerLaw(float(best.x), int(xmin), xmax, np.nan, int(n.sum()))
    gap = np.abs(n.cumsum() / n.sum() - (1 - law.survival(x + 1))).max()
    return replace(law, ks=float(gap))


def _mass_from(x: ArrayLike, exponent: float, xmax: int | None) -> np.ndarray:
    """Return the sum of k^-exponent for k from x to xmax."""
    beyond = 0.0 if xmax is None else zeta(exponent, xmax + 1.0)
    return zeta(exponent, np.asarray(x, float)) - beyond
