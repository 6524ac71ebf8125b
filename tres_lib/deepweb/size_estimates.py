"""Estimates of sizes: of the whole database by captures, of responses by Zipf's law."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tres_webs import checks

SHIFTS = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0)


def chao1(acquired: int, once: int, twice: int) -> float:
    """Return the estimated size of a database, S + f1 (f1 - 1) / (2 (f2 + 1)).

    Of S acquired records f1 were in one response and f2 in two. It is a lower bound in the mean.

    References
    ----------
    A. Chao, Nonparametric estimation of the number of classes in a population, Scandinavian
    Journal of Statistics 11, 1984; in the bias-corrected form.

    Examples
    --------
    >>> chao1(acquired=10, once=4, twice=2)
    12.0
    """
    if once < 0 or twice < 0 or once + twice > acquired:
        raise ValueError(f"once={once}, twice={twice}: give counts from 0 on, at most {acquired}")
    return acquired + once * (once - 1) / (2 * (twice + 1))


class ZipfFit(NamedTuple):
    """Size of a response by the rank of its word: alpha (rank + beta)^-gamma."""

    alpha: float
    beta: float
    gamma: float
    r_squared: float

    def size(self, rank: ArrayLike) -> np.ndarray:
        """Return the expected sizes of the responses to words, by their ranks, of any shape."""
        return self.alpha * (np.asarray(rank, float) + self.beta) ** -self.gamma


def fit_zipf(rank: ArrayLike, size: ArrayLike) -> ZipfFit:
    """Fit the curve of Zipf and Mandelbrot to sizes (n,) by ranks (n,), from 1 on, in logarithms.

    Examples
    --------
    >>> fit = fit_zipf(rank=[1, 2, 4, 8], size=[80, 40, 20, 10])
    >>> round(fit.alpha), round(fit.gamma, 4), round(fit.r_squared, 4)
    (80, 1.0, 1.0)
    """
    r = checks.vector("rank", rank)
    target = np.log(checks.vector("size", size, size=len(r)))
    if r.min() < 1 or len(np.unique(r)) < 2:
        raise ValueError(f"rank={rank!r:.80}: give at least two different ranks from 1 on")
    fits = []
    for beta in SHIFTS:
        slope, constant = np.polyfit(np.log(r + beta), target, 1)
        missed = np.square(target - constant - slope * np.log(r + beta)).sum()
        fits.append((missed, np.exp(constant), beta, -slope))
    missed, alpha, beta, gamma = min(fits)
    spread = np.square(target - target.mean()).sum()
    r_squared = 1 - missed / spread if spread else float("nan")
    return ZipfFit(float(alpha), beta, float(gamma), float(r_squared))


def ranks(df: ArrayLike) -> np.ndarray:
    """Return the rank of each word by document frequency, from 1 on; ties keep their order."""
    return np.argsort(np.argsort(-np.asarray(df), kind="stable")) + 1
