"""Checks of arguments: a wrong one raises ValueError with its name, its value and the remedy."""

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def is_count(value: object) -> bool:
    """Return whether a value is an integer, of Python or numpy."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def count(name: str, value: Any, least: int = 1, most: float = math.inf) -> int:
    """Return the value as an int; ValueError unless it is a whole number within the limits."""
    if not is_count(value) or not least <= value <= most:
        limits = f"from {least} on" if math.isinf(most) else f"from {least} to {most}"
        raise ValueError(f"{name}={value!r}: give a whole number {limits}")
    return int(value)


def positive(name: str, value: float) -> float:
    """Return the value as a float; ValueError unless it is finite and above 0."""
    return number(name, value, 0, inside=True)


def number(
    name: str, value: float, low: float = -math.inf, high: float = math.inf, *, inside: bool = False
) -> float:
    """Return the value as a float; ValueError unless finite and within, or inside, the limits."""
    try:
        real = math.nan if isinstance(value, (str, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        real = math.nan
    if not math.isfinite(real) or not (low < real < high if inside else low <= real <= high):
        limits = f"between {low:g} and {high:g}, both {'excluded' if inside else 'included'}"
        if math.isinf(high):
            limits = f"above {low:g}" if inside else f"from {low:g} on"
        raise ValueError(f"{name}={value!r}: give a finite number {limits}")
    return real


def memory(name: str, value: Any, need: float) -> None:
    """Raise ValueError if what `value` asks for takes more bytes of memory than there are."""
    if need > (there := free_memory()):
        takes = f"takes about {need / 1e9:,.1f} GB of memory, and {there / 1e9:,.1f} GB are free"
        raise ValueError(f"{name}={value!r}: {takes}; give fewer")


def free_memory() -> float:
    """Return how many bytes of memory are free here; infinite where the system does not say."""
    free = math.inf
    with suppress(OSError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = 1024.0 * int(next(line for line in lines if "MemAvailable" in line).split()[1])
    with suppress(OSError, ValueError):  # of a container; without a limit it says "max"
        group = Path("/sys/fs/cgroup")
        most, used = ((group / f"memory.{name}").read_text() for name in ("max", "current"))
        free = min(free, int(most) - int(used))
    return free


def one_of(name: str, value: str, names: Sequence[str]) -> str:
    """Return the value; ValueError unless it is among the names."""
    if value not in names:
        raise ValueError(f"{name}={value!r}: give one of {', '.join(names)}")
    return value


def floats(name: str, values: ArrayLike) -> np.ndarray:
    """Return the values as float64, of any shape; ValueError if they are not numbers."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: not numbers ({error}); give an array of numbers") from error


def finite(name: str, values: ArrayLike) -> np.ndarray:
    """Return the values as an array of their type, any shape; ValueError unless finite numbers."""
    array = np.asarray(values)
    array = array if array.dtype.kind in "biuf" else floats(name, values)
    if not np.isfinite(array).all():
        raise ValueError(f"{name}={values!r:.80}: give finite numbers")
    return array


def numbers(name: str, values: ArrayLike, *, zero: bool = False) -> np.ndarray:
    """Return the values as float64, any shape; ValueError unless finite and above 0, or `zero`."""
    array = floats(name, values)
    # Two passes without a copy, for arrays of ten million numbers; NaN fails either test.
    low, high = (array.min(), array.max()) if array.size else (1.0, 1.0)
    if (low >= 0 if zero else low > 0) and high < math.inf:
        return array
    bad = ~(np.isfinite(array) & ((array >= 0) if zero else (array > 0)))
    where = np.argwhere(bad)[0].tolist()
    at = f" at {where}" if where else ""
    asked = "from 0 on" if zero else "above 0"
    raise ValueError(f"{name}={float(array[tuple(where)])!r}{at}: give finite numbers {asked}")


def vector(
    name: str, values: ArrayLike, *, size: int | None = None, zero: bool = False
) -> np.ndarray:
    """Return the values as float64, (n,), n at least 1; the same checks as `numbers`."""
    array = numbers(name, values, zero=zero)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name}: shape {array.shape}; give a list of at least one number")
    if size is not None and len(array) != size:
        raise ValueError(f"{name}: {len(array)} numbers; give {size}")
    return array


def texts(name: str, values: Iterable[str], least: int = 0) -> list[str]:
    """Return the values as a list; ValueError unless they are so many strings, and not one."""
    listed = None if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    if listed is None or not all(isinstance(value, str) for value in listed):
        raise ValueError(f"{name}={values!r}: give a list of texts")
    if len(listed) < least:
        raise ValueError(f"{name}={values!r}: give at least {least}")
    return listed


def generator(name: str, rng: Any) -> np.random.Generator:
    """Return the generator, or that of a seed; ValueError unless ints from 0 on."""
    if isinstance(rng, np.random.Generator):
        return rng
    parts = rng if isinstance(rng, list | tuple) and rng else [rng]
    spawned = isinstance(rng, np.random.SeedSequence)
    if not spawned and not all(is_count(part) and part >= 0 for part in parts):
        raise ValueError(f"{name}={rng!r}: give an int from 0 on or a numpy.random.Generator")
    return np.random.default_rng(rng)


def instance(name: str, value: object, kind: type) -> None:
    """Raise ValueError unless the value is of this class."""
    if not isinstance(value, kind):
        raise ValueError(f"{name}={value!r}: give a {kind.__name__}")


def members(name: str, value: object, *wanted: str) -> None:
    """Raise ValueError unless the value is an object with these methods, such as "fetch(url)"."""
    if isinstance(value, type) or not all(hasattr(value, call.split("(")[0]) for call in wanted):
        raise ValueError(f"{name}={value!r}: give an object with {', '.join(wanted)}")
