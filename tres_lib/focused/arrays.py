"""Compact storage for a large frontier: arrays that grow, and numbers for strings."""

from __future__ import annotations

from array import array

import numpy as np


def grown(values: np.ndarray, rows: int) -> np.ndarray:
    """Return `values` itself if it has that many rows, else a copy with an eighth more.

    New rows are zero. An eighth, not double: at 800,000 entries the slack would
    weigh as much as the entries.
    """
    if rows <= len(values):
        return values
    bigger = np.zeros((max(rows, len(values) + len(values) // 8 + 64), *values.shape[1:]), values.dtype)
    bigger[: len(values)] = values
    return bigger


class Numbering:
    """Distinct strings, numbered from 0 on in order of arrival.

    A hash table of 4-byte numbers that looks the strings up in their list: with the
    list 17 to 25 bytes a string, where a dict and its integers take 62 to 85.
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._slots = array("i", bytes(4 * 64))  # number plus one, 0 if free; a power of two

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, number: int) -> str:
        return self._names[number]

    def find(self, name: str) -> int | None:
        """Return the number of a string, None if it has none."""
        held = self._slots[self._slot(name)]
        return held - 1 if held else None

    def add(self, name: str) -> int:
        """Number a string that has no number yet."""
        if 2 * len(self._names) >= len(self._slots):
            self._double()
        self._names.append(name)
        self._slots[self._slot(name)] = len(self._names)
        return len(self._names) - 1

    def _slot(self, name: str) -> int:
        """Return the slot that holds the string's number, or that will."""
        slots = self._slots
        names = self._names
        last = len(slots) - 1
        at = hash(name) & last
        while slots[at] and names[slots[at] - 1] != name:
            at = (at + 1) & last
        return at

    def _double(self) -> None:
        self._slots = array("i", bytes(8 * len(self._slots)))
        for number, name in enumerate(self._names):
            self._slots[self._slot(name)] = number + 1
