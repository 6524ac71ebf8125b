"""What a history can tell: information about the change rate, and when it is enough.

The bit after a gap w carries the information w^2 / (exp(xi w) - 1) about xi: little if w is
short, for nothing happens, and little if w is long, for the bit is then 1 at any rate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import exprel, zeta

from .arguments import check_range, floats, one_of, positive
from .estimators import METHODS


def standard_error(rate: float, gaps: ArrayLike, method: str = "mle") -> float:
    """Standard error of an estimate with many bits, by the theory.

    Parameters
    ----------
    rate : true change rate
    gaps : (n,) times between refreshes, at least 0
    method : "mle" or "moments"
        1 / sqrt(information); or sqrt(sum p (1 - p)) / sum w p with p = exp(-xi w).

    Raises
    ------
    ValueError
    """
    xi, w = positive("rate", rate), _gaps(gaps)
    with np.errstate(divide="ignore"):
        if one_of("method", method, METHODS) == "mle":
            return float(1 / np.sqrt((w / (xi * exprel(xi * w))).sum()))
        p = np.exp(-xi * w)
        return float(np.sqrt((p * (1 - p)).sum()) / (w * p).sum())


def information_rate(
    change_rates: ArrayLike, refresh_rate: ArrayLike, refresh: str = "poisson"
) -> np.ndarray:
    """Information about change rates that refreshing brings, a unit of time; shapes broadcast.

    At even intervals 1 / (r (exp(xi / r) - 1)). Under Poisson refresh the mean over
    exponential gaps, 2 (r^2 / xi^3) zeta(3, 1 + r / xi) with Hurwitz's zeta. The inverse is
    the variance of the maximum likelihood estimate times the observed time.
    """
    xi, r = floats("change_rates", change_rates), floats("refresh_rate", refresh_rate)
    check_range("change_rates", xi, zero=False)
    check_range("refresh_rate", r, zero=False)
    if one_of("refresh", refresh, ("poisson", "uniform")) == "uniform":
        return 1 / (xi * exprel(xi / r))
    return 2 * r**2 / xi**3 * zeta(3, 1 + r / xi)


def separation(gaps: ArrayLike, rate: float) -> np.ndarray:
    """Sums of min(1, w_k) exp(-xi w_k) over the first n gaps, for every n, (n,).

    A crawler can tell the rates from xi on from higher ones, with an error that tends to 0,
    if and only if this grows without limit.
    """
    w = _gaps(gaps)
    return np.cumsum(np.minimum(1, w) * np.exp(-positive("rate", rate) * w))


def best_test_error(gaps: ArrayLike, rate: float, other: float) -> tuple[np.ndarray, np.ndarray]:
    """Bounds on the error of the best test between two rates after the first n gaps, (n,) each.

    The chances that two rates give to a bit overlap by sqrt(p q) + sqrt((1 - p)(1 - q)), those
    of a history by the product B. If each rate is as likely as the other beforehand, the
    best test errs with probability between (1 - sqrt(1 - B^2)) / 2 and B / 2.
    """
    w = _gaps(gaps)
    p, q = (np.exp(-positive(n, x) * w) for n, x in (("rate", rate), ("other", other)))
    overlap = np.sqrt(p * q) + np.sqrt((1 - p) * (1 - q))
    b = np.exp(np.cumsum(np.log(np.minimum(overlap, 1))))
    return b**2 / (1 + np.sqrt(1 - b**2)) / 2, b / 2


def logarithmic_gaps(n: int, scale: float) -> np.ndarray:
    """Gaps scale ln(k + 1), k = 1 to n, on which learning hangs by a thread.

    Rates up to 1 / scale can be learned from them, higher ones cannot.
    """
    return positive("scale", scale) * np.log(np.arange(2, int(positive("n", n)) + 2))


def _gaps(gaps: ArrayLike) -> np.ndarray:
    w = floats("gaps", gaps)
    if w.ndim != 1 or not len(w):
        raise ValueError(f"gaps: shape {w.shape}; give a list of at least one gap")
    check_range("gaps", w, zero=True)
    return w
