"""What a history can tell: Fisher information about the change rate, and when it suffices.

The indicator after a gap w carries the information w^2 / (exp(xi w) - 1) about xi. It is small
for short gaps, when nothing happens, and for long ones, when the indicator is 1 at any rate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import exprel, zeta

from ..checks import count, numbers, one_of, positive, vector
from .estimators import METHODS
from .freshness import REFRESH


def standard_error(rate: float, gaps: ArrayLike, method: str = "mle") -> float:
    """Return the standard error of an estimate from many refreshes, by the theory.

    Parameters
    ----------
    rate : float
        True change rate.
    gaps : array_like of float, (n,)
        Times between refreshes, at least 0.
    method : {"mle", "moments"}
        1 / sqrt(information); or sqrt(sum p (1 - p)) / sum w p with p = exp(-xi w).
    """
    xi = positive("rate", rate)
    w = vector("gaps", gaps, zero=True)
    with np.errstate(divide="ignore"):
        if one_of("method", method, METHODS) == "mle":
            return float(1 / np.sqrt((w / (xi * exprel(xi * w))).sum()))
        p = np.exp(-xi * w)
        return float(np.sqrt((p * (1 - p)).sum()) / (w * p).sum())


def information_rate(
    change_rates: ArrayLike, refresh_rate: ArrayLike, refresh: str = "poisson"
) -> np.ndarray:
    """Return the information about change rates a unit of time of refreshing.

    At even intervals it is 1 / (r (exp(xi / r) - 1)). Under Poisson refresh it is the mean over
    exponential gaps, 2 (r^2 / xi^3) zeta(3, 1 + r / xi) with Hurwitz's zeta. Its inverse is the
    variance of the maximum likelihood estimate times the observed time.

    Parameters
    ----------
    change_rates, refresh_rate : array_like of float
        A unit of time; shapes broadcast.
    refresh : {"poisson", "uniform"}
    """
    xi = numbers("change_rates", change_rates)
    r = numbers("refresh_rate", refresh_rate)
    if one_of("refresh", refresh, REFRESH) == "uniform":
        return 1 / (xi * exprel(xi / r))
    return 2 * r**2 / xi**3 * zeta(3, 1 + r / xi)


def best_test_error(gaps: ArrayLike, rate: float, other: float) -> tuple[np.ndarray, np.ndarray]:
    """Return bounds on the error of the best test between two rates after the first n gaps.

    The probabilities of an indicator under the two rates overlap by sqrt(p q) +
    sqrt((1 - p)(1 - q)), those of a history by the product B. If both rates are equally likely
    beforehand, the best test errs with probability between (1 - sqrt(1 - B^2)) / 2 and B / 2.

    Parameters
    ----------
    gaps : array_like of float, (n,)
        Times between refreshes, at least 0.
    rate, other : float
        Changes a unit of time.

    Returns
    -------
    low, high : ndarray, (n,)
    """
    w = vector("gaps", gaps, zero=True)
    p = np.exp(-positive("rate", rate) * w)
    q = np.exp(-positive("other", other) * w)
    overlap = np.sqrt(p * q) + np.sqrt((1 - p) * (1 - q))
    b = np.exp(np.cumsum(np.log(np.minimum(overlap, 1))))
    return b**2 / (1 + np.sqrt(1 - b**2)) / 2, b / 2


def logarithmic_gaps(n: int, scale: float) -> np.ndarray:
    """Return the gaps scale ln(k + 1), k = 1 to n, on the edge of what can be learned.

    Rates up to 1 / scale can be learned from them, higher ones cannot.
    """
    return positive("scale", scale) * np.log(np.arange(2, count("n", n) + 2))
