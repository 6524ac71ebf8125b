"""Splits of the tree: the one of the highest variance reduction (Eqs. 3, 4), and walks by them."""

import numpy as np

from ...checks import finite
from ...numerics import compiled

NOISE = 1e-12  # variance reductions closer than this are equal


def variance_reduction(rewards: np.ndarray, mask: np.ndarray) -> float:
    """Return the weighted variance reduction VR of a partition (Eq. 4), of population variances.

    The parent P has experience samples of these rewards (n,); `mask` (n,) is True for those of the
    left child L, False for those of R. ValueError if a child is empty.

    Examples
    --------
    >>> variance_reduction([0, 0, 1, 1], [True, True, False, False])
    0.25
    """
    rewards = finite("rewards", rewards)
    mask = np.asarray(mask, bool)
    if rewards.shape != mask.shape or rewards.ndim != 1:
        raise ValueError(f"rewards {rewards.shape} and mask {mask.shape}: give both as (n,)")
    if mask.all() or not mask.any():
        raise ValueError(f"mask puts {mask.sum()} of {len(mask)} samples left: fill both children")
    left = rewards[mask]
    share = len(left) / len(rewards)
    return float(rewards.var() - share * left.var() - (1 - share) * rewards[~mask].var())


def best_split(x: np.ndarray, rewards: np.ndarray, least: float = 0.0) -> tuple[float, int, float]:
    """Find the partition x[:, feature] < threshold of the highest variance reduction (Eqs. 3, 4).

    Of samples x (n, n_features) with rewards (n,) all features are tried, and as thresholds all
    values that occur, so that comparisons are exact. Among equals the first feature wins, then the
    smallest threshold. Either side has at least the share `least` of the samples. Return reduction,
    feature and threshold; 0, -1 and NaN if none reduces it.

    Examples
    --------
    >>> best_split([[0.2], [0.4], [0.8], [0.9]], [0, 0, 1, 1])
    (0.25, 0, 0.8)
    """
    x = finite("x", x)
    rewards = finite("rewards", rewards)
    if rewards.ndim != 1 or x.ndim != 2 or len(x) != len(rewards):
        shapes = f"x {x.shape} and rewards {rewards.shape}"
        raise ValueError(f"{shapes}: give them as (n, n_features) and (n,)")
    n = len(rewards)
    if not n:
        return 0.0, -1, np.nan
    order = np.argsort(x.T, axis=1)
    values = np.take_along_axis(x.T, order, axis=1)
    # Of two children VR is (sum of centred rewards on the left)^2 / (|L| |R|).
    sums = np.cumsum((rewards - rewards.mean())[order[:, :-1]], axis=1)
    left = np.arange(1, n)
    reductions = sums**2 / (left * (n - left))
    reductions[values[:, :-1] == values[:, 1:]] = 0.0
    if least:
        reductions[:, np.minimum(left, n - left) < least * n] = 0.0
    best = reductions.max(initial=0.0)
    if best <= NOISE:
        return 0.0, -1, np.nan
    feature, place = np.unravel_index(np.argmax(reductions >= best - NOISE), reductions.shape)
    return float(best), int(feature), float(values[feature, place + 1])


@compiled
def walk(x: np.ndarray, feature: np.ndarray, threshold: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Return the leaf, (n,) int64, that each row of x comes to from node 0."""
    at = np.zeros(len(x), np.int64)
    for row in range(len(x)):
        node = at[row]
        while feature[node] >= 0:
            node = left[node] + (x[row, feature[node]] >= threshold[node])
        at[row] = node
    return at
