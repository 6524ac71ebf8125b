"""Where to split a leaf: variance reduction of the rewards (Eqs. 3 and 4)."""

from __future__ import annotations

import numpy as np

NOISE = 1e-12  # variance reductions closer than this are equal


def variance_reduction(rewards: np.ndarray, mask: np.ndarray) -> float:
    """Weighted variance reduction VR of a partition (Eq. 4), with population variances.

    Parameters
    ----------
    rewards : (n,) array
        Rewards of the experience samples in the parent P.
    mask : (n,) bool
        True for the samples of the left child L, False for those of R.

    Raises
    ------
    ValueError
        If the shapes differ or a child is empty.
    """
    rewards, mask = np.asarray(rewards, float), np.asarray(mask, bool)
    if rewards.shape != mask.shape or rewards.ndim != 1:
        raise ValueError(
            f"rewards {rewards.shape} and mask {mask.shape}: both must have the shape (n,)"
        )
    if mask.all() or not mask.any():
        raise ValueError(f"mask puts {mask.sum()} of {len(mask)} samples left: fill both children")
    left, right = rewards[mask], rewards[~mask]
    share = len(left) / len(rewards)
    return float(rewards.var() - share * left.var() - (1 - share) * right.var())


def best_split(x: np.ndarray, rewards: np.ndarray) -> tuple[float, int, float]:
    """The partition x[:, feature] < threshold of the highest variance reduction (Eqs. 3, 4).

    All features and all thresholds are tried; a threshold is a value that occurs, so
    that the comparison is exact. Among equals the first feature wins, then the smallest threshold.

    Parameters
    ----------
    x : (n, n_features) array
    rewards : (n,) array

    Returns
    -------
    reduction : float
        0 if no threshold leaves both children non-empty.
    feature : int
    threshold : float
    """
    x, rewards = np.asarray(x), np.asarray(rewards, float)
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
    best = reductions.max(initial=0.0)
    if best <= NOISE:
        return 0.0, -1, np.nan
    feature, place = np.unravel_index(np.argmax(reductions >= best - NOISE), reductions.shape)
    return float(best), int(feature), float(values[feature, place + 1])
