"""What can be learned of a change rate: standard errors, and the best test between two rates."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import exprel

from tres_lib.refresh.estimators import METHODS
from tres_webs.checks import count, one_of, positive, vector


def standard_error(rate: float, gaps: ArrayLike, method: str = "mle") -> float:
    """Return the standard error of an estimate from many refreshes, by the theory.

    For "mle" 1 / sqrt(information); for "moments" sqrt(sum p (1 - p)) / sum w p with p = exp(-xi
    w), xi the true change rate and w the gaps, (n,).
    """
    xi = positive("rate", rate)
    w = vector("gaps", gaps, zero=True)
    with np.errstate(divide="ignore"):
        if one_of("method", method, METHODS) == "mle":
            return float(1 / np.sqrt((w / (xi * exprel(xi * w))).sum()))
        p = np.exp(-xi * w)
        return float(np.sqrt((p * (1 - p)).sum()) / (w * p).sum())


def best_test_error(gaps: ArrayLike, rate: float, other: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (n,) lower and upper bounds on the error of the best test between two rates.

    After the first k gaps, k = 1 to n, both rates equally likely beforehand.
    """
    w = vector("gaps", gaps, zero=True)
    p = np.exp(-positive("rate", rate) * w)
    q = np.exp(-positive("other", other) * w)
    # Of an indicator's probabilities under the two rates; those of a history overlap by the product
    # B, and the best test errs between (1 - sqrt(1 - B^2)) / 2 and B / 2.
    overlap = np.sqrt(p * q) + np.sqrt((1 - p) * (1 - q))
    b = np.exp(np.cumsum(np.log(np.minimum(overlap, 1))))
    return b**2 / (1 + np.sqrt(1 - b**2)) / 2, b / 2


def logarithmic_gaps(n: int, scale: float) -> np.ndarray:
    """Return gaps on the edge of what can be learned, (n,): scale ln(k + 1), k = 1 to n."""
    # Rates up to 1 / scale can be learned, higher ones cannot.
    return positive("scale", scale) * np.log(np.arange(2, count("n", n) + 2))
