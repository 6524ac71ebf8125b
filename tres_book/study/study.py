"""A study as data: many runs of one function. Chapters rest on this, so it rests on nothing."""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

Setting = Mapping[str, Any]
Parts = Mapping[str, tuple[Callable[..., Any], Sequence[Setting]]]  # trial and settings by part


@dataclass(frozen=True)
class Study:
    """Many runs of one function of a module, which returns a table or a mapping."""

    name: str  # of its file in results/
    function: Callable[..., Any]
    settings: Sequence[Setting]  # the function's keyword arguments, a mapping a run
    together: tuple[str, ...] = ()  # runs that share the values of these names follow each other
    columns: tuple[str, ...] = ()  # of the function's results, those to keep; default all
    # The relative difference by which fractions of a run (of a setting) may differ, made again.
    tolerance: float | Callable[[Setting], float] = 1e-9
    # The size of what a column compares that holds errors. These differ by their own size between
    # processors, and count as the same within the tolerance of this size.
    scales: Mapping[str, float] = field(default_factory=dict)
    repeats: Callable[[Setting], bool] | None = None  # if today's code makes such a run again
    under_way: bool = False  # its runs are still being made, so that it is no fault if all lack

    def keeps(self, column: str) -> bool:
        """Return whether the study keeps a column of the function's results."""
        return not self.columns or column in self.columns


def studies_of(chapter: str, parts: Parts, together: tuple[str, ...] = ()) -> dict[str, Study]:
    """Return a chapter's studies by part."""
    return {
        part: Study(f"{chapter}-{part}", function, settings, together)
        for part, (function, settings) in parts.items()
    }


def grid(**axes: Iterable[Any]) -> list[dict[str, Any]]:
    """Return a setting for each combination of the axes' values; the last axis varies fastest."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def facts_hash(facts: Mapping[str, Any]) -> str:
    """Return a hash of named values, but of ``hash``, however parquet or JSON has kept them."""
    plain = {name: _plain(value) for name, value in facts.items() if name != "hash"}
    there = {name: value for name, value in plain.items() if value is not None}
    return hashlib.sha256(json.dumps(there, sort_keys=True).encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    """Return a value as JSON takes it: parquet keeps whole numbers as fractions if one lacks."""
    if isinstance(value, list | tuple | np.ndarray):
        numbers = np.asarray(value)
        if numbers.dtype.kind in "biuf":
            return hashlib.sha256(numbers.astype(float).tobytes()).hexdigest()
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items() if one is not None}
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, int | float):
        return None if math.isnan(value) else float(value)
    return value
