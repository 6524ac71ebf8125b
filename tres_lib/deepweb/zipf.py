"""Response sizes by Zipf's law, on which the harvest-rate policy rests."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

SHIFTS = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0)


class ZipfFit(NamedTuple):
    """Size of a response by the rank of its word, alpha (rank + beta)^-gamma.

    r_squared is the share of the variance of log sizes that the curve explains.
    """

    alpha: float
    beta: float
    gamma: float
    r_squared: float

    def size(self, rank: ArrayLike) -> np.ndarray:
        """Expected size of the response to words of these ranks, counted from 1."""
        return self.alpha * (np.asarray(rank, float) + self.beta) ** -self.gamma


def fit_zipf(rank: ArrayLike, size: ArrayLike) -> ZipfFit:
    """Fit the curve of Zipf and Mandelbrot by least squares of logarithms.

    Parameters
    ----------
    rank, size : array_like, shape (n,)
        Ranks of words by their document frequency, from 1 on, at least two different ones, and
        sizes of responses, above 0.

    Raises
    ------
    ValueError
        If the values are not as described.
    """
    r, y = np.asarray(rank, float), np.asarray(size, float)
    if r.ndim != 1 or r.shape != y.shape or len(np.unique(r)) < 2:
        raise ValueError(f"rank, size: shapes {r.shape} and {y.shape}; give two ranks or more")
    if not (np.isfinite(r).all() and np.isfinite(y).all() and r.min() >= 1 and y.min() > 0):
        raise ValueError("rank, size: give finite ranks from 1 on, and sizes above 0")
    target, fits = np.log(y), []
    for beta in SHIFTS:
        slope, constant = np.polyfit(np.log(r + beta), target, 1)
        missed = np.square(target - constant - slope * np.log(r + beta)).sum()
        fits.append((missed, np.exp(constant), beta, -slope))
    missed, alpha, beta, gamma = min(fits)
    spread = np.square(target - target.mean()).sum()
    r_squared = 1 - missed / spread if spread else float("nan")
    return ZipfFit(float(alpha), beta, float(gamma), float(r_squared))


def ranks(df: ArrayLike) -> np.ndarray:
    """Rank of each word by document frequency, 1 for the highest; equal ones in their order."""
    df = np.asarray(df)
    places = np.empty(len(df), np.int64)
    places[np.argsort(-df, kind="stable")] = np.arange(1, len(df) + 1)
    return places
