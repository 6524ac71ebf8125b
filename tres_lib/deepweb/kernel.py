"""The reward and Q-value of a query, estimated from earlier ones: Eqs. 4, 8 to 11, Theorem 2.

T stands for the issued queries, C for the candidates, S_i for the records acquired so far. The size
|S_R(a)| of a response counts the records that the site returns for the query a.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tres_webs import checks

DIGITS = 9  # to which values are rounded where one is chosen: the last ones differ by processor


def ridf(tf: ArrayLike, df: ArrayLike, n: int) -> np.ndarray | float:
    """Return the residual inverse document frequency, -log2(DF/n) + log2(1 - exp(-TF/n)) (Eq. 9).

    TF counts occurrences and DF, at most min(TF, n), the records with the word, of n in all. It is
    high for a word in fewer records than if its occurrences were spread at random, 0 without any.

    Examples
    --------
    >>> round(ridf(tf=8, df=4, n=16), 4)
    0.6543
    """
    occurrences = checks.numbers("tf", tf, zero=True)
    records = checks.numbers("df", df, zero=True)
    if not n >= 1:
        raise ValueError(f"n={n!r}: give the number of records, at least 1")
    if (records > occurrences).any() or (records > n).any():
        raise ValueError(f"df={df!r:.80}, tf={tf!r:.80}, n={n}: give df up to tf and n")
    absent = records == 0
    by_chance = -np.expm1(-np.where(absent, 1, occurrences) / n)
    return _plain(np.where(absent, 0.0, np.log2(by_chance * n / np.where(absent, 1, records))))


def gaussian_kernel(x: ArrayLike, y: ArrayLike, sigma: float) -> np.ndarray | float:
    """Return exp(-|x - y|^2 / (2 sigma^2)) of rows of features, (n, d) and (m, d): (n, m) (Eq. 10).

    Examples
    --------
    >>> round(gaussian_kernel([1, 2], [1, 4], sigma=2), 4)
    0.6065
    """
    checks.positive("sigma", sigma)
    a, b, shape = _rows(x, y)
    squares = (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T
    return _plain(np.exp(-np.maximum(squares, 0) / (2 * sigma * sigma)).reshape(shape))


def linear_kernel(x: ArrayLike, y: ArrayLike) -> np.ndarray | float:
    """Return x . y, shapes as in `gaussian_kernel`: for linguistic and HTML features (Section 4.1).

    Examples
    --------
    >>> linear_kernel([[1, 0], [2, 3]], [[1, 1]])
    array([[1.],
           [5.]])
    """
    a, b, shape = _rows(x, y)
    return _plain((a @ b.T).reshape(shape))


def hybrid_kernel(kernels: Sequence[ArrayLike], weights: Sequence[float]) -> np.ndarray | float:
    """Return the convex combination of kernels of one shape (Eq. 11); the weights have the sum 1.

    Examples
    --------
    >>> round(hybrid_kernel([1.0, 0.5, 0.0], weights=[0.5, 0.3, 0.2]), 4)
    0.65
    """
    w = checks.numbers("weights", weights, zero=True)
    if w.ndim != 1 or len(w) != len(kernels) or not np.isclose(w.sum(), 1):
        raise ValueError(f"weights={weights!r}: give {len(kernels)} (one per kernel), sum 1")
    values = [np.asarray(kernel, float) for kernel in kernels]
    shapes = [value.shape for value in values]
    if len(set(shapes)) > 1:
        raise ValueError(f"kernels: shapes {shapes}; give kernels of the same queries")
    return _plain(np.sum([weight * value for weight, value in zip(w, values, strict=True)], axis=0))


def estimate_sizes(kernel: ArrayLike, sizes: ArrayLike, k: int | None = None) -> np.ndarray | float:
    """Return the response sizes of candidates: means of the observed ones by the kernel (Eq. 8).

    The kernel, (C, T) or (T,), is each candidate's similarity to the issued queries of these sizes,
    (T,), or of another property; one similar to none gets the plain mean. With `k` only the k most
    similar ones count.

    Examples
    --------
    >>> round(estimate_sizes(kernel=[0.75, 0.25, 0.05], sizes=[40, 8, 100]), 4)
    35.2381
    """
    weights = np.atleast_2d(checks.numbers("kernel", kernel, zero=True))
    observed = checks.numbers("sizes", sizes, zero=True)
    if observed.ndim != 1 or not len(observed) or weights.shape[1:] != observed.shape:
        shapes = f"{np.shape(kernel)} and {observed.shape}"
        raise ValueError(f"kernel, sizes: shapes {shapes}; give (C, T) and (T,) with T above 0")
    if k is not None and checks.count("k", k) < len(observed):
        farther = np.argsort(-weights.round(DIGITS), axis=1, kind="stable")[:, k:]
        weights = weights.copy()
        np.put_along_axis(weights, farther, 0, axis=1)
    highest = weights.max(axis=1, keepdims=True)
    weights = np.where(highest > 0, weights / np.where(highest > 0, highest, 1), 1.0)
    estimates = weights @ observed / weights.sum(axis=1)
    return estimates if np.ndim(kernel) > 1 else float(estimates[0])


def reward(sizes: ArrayLike, df: ArrayLike) -> np.ndarray | float:
    """Return the new records in a response, |S_R(a)| - DF(s_i, a): |D| times the reward of Eq. 4.

    The response is taken to hold all acquired records with the word, of which DF is the number.

    Examples
    --------
    >>> reward(sizes=[60, 50, 20], df=[20, 5, 10])
    array([40., 45., 10.])
    """
    return _plain(np.asarray(_finite("sizes", sizes) - _finite("df", df)))


def q_values(rewards: ArrayLike, df: ArrayLike, acquired: float) -> np.ndarray:
    """Return Q(a) = r(a) + max_{b != a} [r(b) - DF(b) / |S_i| r(a)], one step ahead (Theorem 2).

    Rewards, (C,), may share a factor, as the Q-values then do; DF, (C,), counts the acquired
    records with the word, of |S_i| in all. A single candidate's Q-value is its reward.

    Examples
    --------
    >>> q_values(rewards=[40, 45, 10], df=[20, 5, 10], acquired=100)
    array([83. , 76. , 54.5])
    """
    r = _finite("rewards", rewards)
    d = _finite("df", df)
    checks.positive("acquired", acquired)
    if r.ndim != 1 or r.shape != d.shape:
        raise ValueError(f"rewards, df: shapes {r.shape} and {d.shape}; give (C,) for both")
    if len(r) < 2:
        return r.copy()
    # The maximum is over lines in r(a), attained on their upper envelope: C log C steps, not C^2.
    slope = d / acquired
    lines = _envelope(slope, r)
    follow = (r[lines] - slope[lines] * r[:, None]).max(axis=1)
    for own in lines:  # a query does not follow itself
        others = r - slope * r[own]
        others[own] = -np.inf
        follow[own] = others.max()
    return r + follow


def _envelope(slope: np.ndarray, height: np.ndarray) -> np.ndarray:
    """Return the rows of the lines height - slope x that are highest at some x: a convex hull."""
    order = np.lexsort((-height, slope))
    hull: list[tuple[float, float, int]] = []
    for point in zip(slope[order].tolist(), height[order].tolist(), order.tolist(), strict=True):
        if hull and hull[-1][0] == point[0]:
            continue  # parallel, and not higher
        while len(hull) > 1 and _hidden(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return np.array([row for _, _, row in hull])


def _hidden(a: tuple, b: tuple, c: tuple) -> bool:
    """Return whether the line b is nowhere above both a and c."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) >= 0


def _rows(x: ArrayLike, y: ArrayLike) -> tuple[np.ndarray, np.ndarray, tuple[int, ...]]:
    """Return both as rows of equally many finite features; and (n, m) without axes they lack."""
    a, b = (np.atleast_2d(_finite(name, rows)) for name, rows in {"x": x, "y": y}.items())
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise ValueError(f"x, y: shapes {np.shape(x)} and {np.shape(y)}; give equally many columns")
    return a, b, np.shape(x)[:-1] + np.shape(y)[:-1]


def _plain(values: np.ndarray) -> np.ndarray | float:
    return values if values.ndim else float(values)


def _finite(name: str, values: ArrayLike) -> np.ndarray:
    return checks.finite(name, checks.floats(name, values))
