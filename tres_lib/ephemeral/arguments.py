"""What the arguments of this package must be."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def numbers(name: str, value: ArrayLike, least: float = 0.0, above: bool = False) -> np.ndarray:
    """The value as an array of finite numbers that are at least, or lie above, a bound."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    ends = (array.min(), array.max()) if array.size else (1.0, 1.0)
    enough = ends[0] > least if above else ends[0] >= least
    if not (enough and np.isfinite(ends).all()):
        wrong = ~np.isfinite(array) | (array <= least if above else array < least)
        shown = float(array[wrong][0]) if array.ndim else value
        asked = f"above {least:g}" if above else f"from {least:g} on"
        raise ValueError(f"{name}={shown!r}: give finite numbers {asked}")
    return array


def count(name: str, value: int, most: float = np.inf) -> int:
    """The value, if it is a whole number from 1 to `most`."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not 1 <= value <= most:
        limit = "from 1 on" if np.isinf(most) else f"from 1 to {most}, the number of sources"
        raise ValueError(f"{name}={value!r}: give a whole number {limit}")
    return int(value)


def weights_of(weights: ArrayLike | None, n: int) -> np.ndarray:
    """What a crawl of each of n sources costs; 1 by default."""
    if weights is None:
        return np.ones(n)
    array = numbers("weights", weights, above=True)
    if array.shape != (n,):
        raise ValueError(f"weights: shape {array.shape}; give one for each of {n} sources")
    return array


def budget(name: str, value: float, weights: np.ndarray) -> float:
    """The value, if it is a number above 0 that does not exceed what all crawls cost together."""
    amount, most = numbers(name, value, above=True), weights.sum()
    if amount.ndim or amount > most * (1 + 1e-12):
        raise ValueError(
            f"{name}={value!r}: give one number above 0, at most {most:g}, the cost of all sources"
        )
    return float(amount)
