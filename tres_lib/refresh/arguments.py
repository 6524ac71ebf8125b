"""Checks of arguments: what cannot be meant raises ValueError with the argument's name."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

REFRESH = ("poisson", "uniform")


def numbers(
    name: str, values: ArrayLike, *, size: int | None = None, zero: bool = False
) -> np.ndarray:
    """The values as float64, (n,): finite and above 0, or from 0 on if `zero` is allowed."""
    array = floats(name, values)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name}: shape {array.shape}; give a list of at least one number")
    if size is not None and len(array) != size:
        raise ValueError(f"{name}: {len(array)} numbers for {size} pages; give one a page")
    check_range(name, array, zero)
    return array


def floats(name: str, values: ArrayLike) -> np.ndarray:
    """The values as float64, of any shape."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: not numbers ({error}); give an array of numbers") from error


def check_range(name: str, array: np.ndarray, zero: bool) -> None:
    """Two passes without a copy, for arrays of ten million numbers; NaN fails either test."""
    low, high = (array.min(), array.max()) if array.size else (1.0, 1.0)
    if (low >= 0 if zero else low > 0) and high < math.inf:
        return
    bad = ~(np.isfinite(array) & ((array >= 0) if zero else (array > 0)))
    where = np.argwhere(bad)[0].tolist()
    asked = "at least 0" if zero else "above 0"
    raise ValueError(f"{name}: {array[tuple(where)]} at {where}; give finite numbers {asked}")


def positive(name: str, value: float) -> float:
    """The value as a finite float above 0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, (str, bool)) or not 0 < number < math.inf:
        raise ValueError(f"{name}={value!r}: give a finite number above 0")
    return number


def requests(values: ArrayLike, size: int) -> np.ndarray:
    """Request rates, (size,): a page may have none, but not all of them."""
    rates = numbers("request_rates", values, size=size, zero=True)
    if not rates.any():
        raise ValueError("request_rates: all are 0; at least one page must be asked for")
    return rates


def one_of(name: str, value: str, names: Sequence[str]) -> str:
    """The value, if it is among the names."""
    if value not in names:
        raise ValueError(f"{name}={value!r}: give one of {', '.join(names)}")
    return value


def rate_bounds(bounds: tuple[float, float]) -> tuple[float, float]:
    """Least and greatest change rate that are thought possible."""
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not 0 < low < high < math.inf:
        raise ValueError(f"bounds={bounds!r}: give two finite numbers, 0 < low < high")
    return low, high


def history(changed: ArrayLike, gaps: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Bits as bool and gaps as float64, of one shape."""
    bits, times = floats("changed", changed), floats("gaps", gaps)
    if bits.shape != times.shape:
        raise ValueError(f"changed: shape {bits.shape}, but gaps {times.shape}; give a bit a gap")
    if not np.isin(bits, (0, 1)).all():
        raise ValueError("changed: holds other values than 0 and 1; give a bit for each gap")
    check_range("gaps", times, zero=True)
    return bits.astype(bool), times
