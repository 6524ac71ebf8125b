"""Arrays that grow: a frontier entry is a row, not an object."""

import numpy as np


def grown(values: np.ndarray, rows: int) -> np.ndarray:
    """Return `values` itself if it has that many rows, else a copy with an eighth more, of 0."""
    if rows <= len(values):
        return values
    # Not double: at 800,000 entries the slack would weigh as much as the entries.
    room = max(rows, len(values) + len(values) // 8 + 64)
    bigger = np.zeros((room, *values.shape[1:]), values.dtype)
    bigger[: len(values)] = values
    return bigger
