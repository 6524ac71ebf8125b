"""Arrays that grow: a frontier entry is a row, not an object."""

from __future__ import annotations

import numpy as np


def grown(array: np.ndarray, rows: int) -> np.ndarray:
    """`array` itself if it has that many rows, else a copy with an eighth more.

    New rows are zero. An eighth, not double: at 800,000 entries the slack would
    weigh as much as the entries.
    """
    if rows <= len(array):
        return array
    bigger = np.zeros((max(rows, len(array) + len(array) // 8 + 64), *array.shape[1:]), array.dtype)
    bigger[: len(array)] = array
    return bigger
