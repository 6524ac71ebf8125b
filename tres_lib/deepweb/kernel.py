"""What a query will bring, from the queries before it: equations 4, 8 to 11 and Theorem 2.

T stands for the queries that were issued, C for the candidates, S_i for the records acquired so
far. A response's size |S_R(a)| counts the records that the site hands out for the query a.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def ridf(tf: ArrayLike, df: ArrayLike, n: int) -> np.ndarray | float:
    """Residual inverse document frequency, -log2(DF / n) + log2(1 - exp(-TF / n)) (Eq. 9).

    It is high for a word that comes in clusters: that is in fewer records than as many
    occurrences, spread at random, would be in.

    Parameters
    ----------
    tf, df : array_like, shape (...)
        Occurrences of each word, and records that contain it; a word that is in none has 0.
    n : int
        Number of records, at least 1.

    Raises
    ------
    ValueError
        If 0 <= df <= min(tf, n) does not hold.
    """
    tf, df = (np.asarray(_finite(name, x), float) for name, x in (("tf", tf), ("df", df)))
    if not n >= 1:
        raise ValueError(f"n={n!r}: give the number of records, at least 1")
    if (df < 0).any() or (df > tf).any() or (df > n).any():
        raise ValueError(
            f"df={_short(df)}, tf={_short(tf)}, n={n}: a word is in at most n records, and "
            "occurs at least once in each"
        )
    absent = df == 0
    expected = -np.expm1(-np.where(absent, 1, tf) / n)
    values = np.where(absent, 0.0, np.log2(expected * n / np.where(absent, 1, df)))
    return values if values.ndim else float(values)


def gaussian_kernel(x: ArrayLike, y: ArrayLike, sigma: float) -> np.ndarray | float:
    """exp(-|x - y|^2 / (2 sigma^2)), for statistical features (Eq. 10).

    Parameters
    ----------
    x, y : array_like, shape (n, d) or (d,), and (m, d) or (d,)
        Rows of features.
    sigma : float
        Width, above 0.

    Returns
    -------
    array (n, m), of each row of x with each of y; without the axis of what has one row only
    in the form (d,), so a float for two of them.

    Raises
    ------
    ValueError
        If the features are not finite, differ in number, or sigma is not positive.
    """
    if not (np.isfinite(sigma) and sigma > 0):
        raise ValueError(f"sigma={sigma!r}: give a positive width")
    a, b = _rows(x, y)
    squares = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T
    return _as_given(np.exp(-np.maximum(squares, 0) / (2 * sigma * sigma)), x, y)


def linear_kernel(x: ArrayLike, y: ArrayLike) -> np.ndarray | float:
    """x . y, for linguistic and HTML features (Section 4.1); shapes as in `gaussian_kernel`.

    Raises
    ------
    ValueError
        If the features are not finite or differ in number.
    """
    a, b = _rows(x, y)
    return _as_given(a @ b.T, x, y)


def hybrid_kernel(kernels: Sequence[ArrayLike], weights: Sequence[float]) -> np.ndarray | float:
    """Convex mix of kernels of one shape (Eq. 11).

    Raises
    ------
    ValueError
        If the weights are negative, do not add up to 1, or are not one a kernel.
    """
    w = np.asarray(_finite("weights", weights), float)
    if w.ndim != 1 or len(w) != len(kernels) or (w < 0).any() or not np.isclose(w.sum(), 1):
        raise ValueError(
            f"weights={weights!r}: give {len(kernels)}, one a kernel, from 0 on, with the sum 1"
        )
    values = [np.asarray(kernel, float) for kernel in kernels]
    if len({value.shape for value in values}) > 1:
        shapes = [value.shape for value in values]
        raise ValueError(f"kernels: shapes {shapes}; give kernels of the same queries")
    mixed = sum(weight * value for weight, value in zip(w, values, strict=True))
    return mixed if np.ndim(mixed) else float(mixed)


def estimate_sizes(kernel: ArrayLike, sizes: ArrayLike, k: int | None = None) -> np.ndarray | float:
    """Response sizes of candidates, as the kernel's mean of those observed (Eq. 8).

    Parameters
    ----------
    kernel : array_like, shape (C, T) or (T,)
        Similarity, from 0 on, of each candidate to each issued query.
    sizes : array_like, shape (T,)
        Observed response sizes |S_R(t)|; any other property of issued queries will do as well.
    k : int, optional
        Use the k most similar queries only.

    Returns
    -------
    array (C,), or a float for a kernel (T,). A candidate that is like none gets the plain mean.

    Raises
    ------
    ValueError
        If no query was issued, shapes differ, values are negative or not finite, or k < 1.
    """
    weights = np.atleast_2d(np.asarray(_finite("kernel", kernel), float))
    observed = np.asarray(_finite("sizes", sizes), float)
    if observed.ndim != 1 or not len(observed) or weights.shape[1:] != observed.shape:
        raise ValueError(
            f"kernel, sizes: shapes {np.shape(kernel)} and {observed.shape}; give (C, T) and (T,) "
            "with at least one issued query"
        )
    if (weights < 0).any() or (observed < 0).any():
        raise ValueError("kernel, sizes: a value is below 0; similarities and sizes are not")
    if k is not None:
        weights = _nearest(weights, k)
    highest = weights.max(axis=1, keepdims=True)
    weights = np.where(highest > 0, weights / np.where(highest > 0, highest, 1), 1.0)
    estimates = weights @ observed / weights.sum(axis=1)
    return estimates if np.ndim(kernel) > 1 else float(estimates[0])


def reward(sizes: ArrayLike, df: ArrayLike) -> np.ndarray | float:
    """New records in a response, |S_R(a)| - DF(s_i, a) (Eq. 4), which is |D| times the reward.

    It takes every acquired record that contains the word to be in the response. That is so where
    the site searches the full text and hands out all that it finds.

    Parameters
    ----------
    sizes, df : array_like, shape (...)
        Response sizes, and acquired records that contain the word.

    Raises
    ------
    ValueError
        If a value is not finite, or the shapes do not broadcast.
    """
    new = _finite("sizes", sizes) - _finite("df", df)
    return new if np.ndim(new) else float(new)


def q_values(rewards: ArrayLike, df: ArrayLike, acquired: float) -> np.ndarray:
    """Q(a) = r(a) + max_{b != a} [r(b) - DF(b) / |S_i| r(a)], looking one step ahead (Theorem 2).

    Parameters
    ----------
    rewards : array_like, shape (C,)
        Immediate rewards (up to a common factor, which Q then has, too).
    df : array_like, shape (C,)
        Acquired records that contain the word.
    acquired : float
        |S_i|, above 0.

    Returns
    -------
    array (C,); a single candidate's is its reward, for nothing can follow it.

    Raises
    ------
    ValueError
        If the arrays are no pairs of finite values, or nothing has been acquired.

    Notes
    -----
    The max is over straight lines in r(a), so only candidates on the upper envelope of all
    lines can attain it: C log C operations in place of C^2.
    """
    r, d = np.asarray(_finite("rewards", rewards), float), _finite("df", df)
    if not acquired > 0:
        raise ValueError(f"acquired={acquired!r}: give the number of acquired records, above 0")
    if r.ndim != 1 or r.shape != d.shape:
        raise ValueError(f"rewards, df: shapes {r.shape} and {d.shape}; give (C,) for both")
    if len(r) < 2:
        return r.copy()
    slope = d / acquired
    lines = _envelope(slope, r)
    follow = (r[lines] - slope[lines] * r[:, None]).max(axis=1)
    for own in lines:  # a query does not follow itself
        others = r - slope * r[own]
        others[own] = -np.inf
        follow[own] = others.max()
    return r + follow


def _envelope(slope: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Rows of the lines height - slope x that are highest at some x: an upper convex hull."""
    order = np.lexsort((-height, slope))
    points = list(zip(slope[order].tolist(), height[order].tolist(), order.tolist(), strict=True))
    hull: list[tuple[float, float, int]] = []
    for point in points:
        if hull and hull[-1][0] == point[0]:
            continue  # same slope, not higher
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) >= 0:
            hull.pop()
        hull.append(point)
    return np.array([row for _, _, row in hull])


def _turn(a: tuple, b: tuple, c: tuple) -> float:
    """Above 0 where the way from a by b to c turns left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _nearest(weights: np.ndarray, k: int) -> np.ndarray:
    """The weights, 0 but for each row's k highest."""
    if not k >= 1:
        raise ValueError(f"k={k!r}: give the number of neighbours, at least 1")
    if k >= weights.shape[1]:
        return weights
    columns = np.argpartition(-weights, k - 1, axis=1)[:, :k]
    kept = np.zeros_like(weights)
    np.put_along_axis(kept, columns, np.take_along_axis(weights, columns, axis=1), axis=1)
    return kept


def _rows(x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.atleast_2d(_finite("x", x)), np.atleast_2d(_finite("y", y))
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise ValueError(
            f"x, y: shapes {np.shape(x)} and {np.shape(y)}; give rows with the same features"
        )
    return a, b


def _as_given(values: np.ndarray, x: ArrayLike, y: ArrayLike) -> np.ndarray | float:
    """(n, m) values without the axes that x and y do not have."""
    values = values if np.ndim(y) > 1 else values[:, 0]
    values = values if np.ndim(x) > 1 else values[0]
    return values if np.ndim(values) else float(values)


def _finite(name: str, values: ArrayLike) -> np.ndarray:
    array = np.asarray(values, float)
    if not np.isfinite(array).all():
        raise ValueError(f"{name}={_short(array)}: has values that are not finite")
    return array


def _short(values: np.ndarray) -> str:
    return np.array2string(values, threshold=6)
