"""Two objectives at once: domination, the Pareto front and the hypervolume (Fig. 3 of TRES).

More is better in both. In the study a point is a crawler's harvest rate and its relevant
domains. Both lie in [0, 1] if domains are counted for each page asked for, and so does the
hypervolume: 1 is a crawl whose every page is relevant and of a new domain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def dominates(first: ArrayLike, second: ArrayLike) -> np.ndarray:
    """Whether `first` is at least as good as `second` in all objectives and better in one.

    Parameters
    ----------
    first, second : array, shape (..., d)
        Points; they broadcast. ``dominates(a[:, None], b)`` compares all pairs.

    Returns
    -------
    array of bool, shape (...)
    """
    first, second = np.asarray(first, float), np.asarray(second, float)
    return (first >= second).all(axis=-1) & (first > second).any(axis=-1)


def front(points: ArrayLike) -> np.ndarray:
    """Which points no other point dominates; equal points do not dominate one another.

    Parameters
    ----------
    points : array, shape (n, 2)

    Returns
    -------
    array of bool, shape (n,)

    Raises
    ------
    ValueError
        If the points are not finite pairs.
    """
    points = _pairs(points)
    return ~dominates(points[:, None], points).any(axis=0)


def hypervolume(points: ArrayLike, reference: tuple[float, float] = (0.0, 0.0)) -> float:
    """Area that the points dominate above a reference point.

    Parameters
    ----------
    points : array, shape (n, 2)
        A point below the reference in an objective adds nothing; no points have no area.
    reference : pair of float

    Raises
    ------
    ValueError
        If the points are not finite pairs.

    References
    ----------
    E. Zitzler and L. Thiele, Multiobjective evolutionary algorithms: a comparative case study
    and the strength Pareto approach, IEEE Transactions on Evolutionary Computation 3(4), 1999.
    """
    sides = np.maximum(_pairs(points) - np.asarray(reference, float), 0)
    x, y = sides[np.argsort(-sides[:, 0], kind="stable")].T
    heights = np.maximum.accumulate(y)
    return float(x @ np.diff(heights, prepend=0.0))


def _pairs(points: ArrayLike) -> np.ndarray:
    pairs = np.asarray(points, float)
    if pairs.size == 0:
        return np.zeros((0, 2))
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.isfinite(pairs).all():
        raise ValueError(f"points: shape {pairs.shape}; give n pairs of finite numbers")
    return pairs
