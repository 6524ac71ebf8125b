"""Samples walk down a tree, compiled. Loads numba."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def leaves(
    x: np.ndarray, feature: np.ndarray, threshold: np.ndarray, left: np.ndarray
) -> np.ndarray:
    """Leaf (n,) int64 that each row of x (n, n_features) comes to from node 0.

    An inner node sends x[feature] < threshold to its child `left`, the others to the next
    node; a leaf's feature is negative.
    """
    at = np.zeros(len(x), np.int64)
    for row in range(len(x)):
        node = at[row]
        while feature[node] >= 0:
            node = left[node] + (x[row, feature[node]] >= threshold[node])
        at[row] = node
    return at
