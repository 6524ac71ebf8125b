"""A frontier ordered by priority, for policies that score an action once."""

from __future__ import annotations

import heapq

import numpy as np

from ..arrays import grown

SIGN = np.uint32(2**31)


class Queue:
    """Actions by priority, the highest first, among equals the one found first.

    Priorities are kept as float32. An action that is dropped stays in the heap until it
    comes up, so that dropping costs nothing.
    """

    def __init__(self):
        self._live = np.zeros(0, bool)
        self._heap: list[int] = []  # priority and id in one integer: a third of a tuple's memory

    def __len__(self) -> int:
        return int(np.count_nonzero(self._live))

    def live(self) -> np.ndarray:
        """Ids of all actions that can be chosen, (n,) int64, oldest first."""
        return np.flatnonzero(self._live)

    def add(self, ids: np.ndarray, priorities: np.ndarray) -> None:
        """Insert new actions, (n,) ids and (n,) priorities."""
        if len(ids):
            self._live = grown(self._live, int(ids.max()) + 1)
            self._live[ids] = True
            for key in _keys(ids, priorities):
                heapq.heappush(self._heap, key)

    def top(self) -> tuple[int, float]:
        """The first action and its priority; IndexError if there is none."""
        while not self._live[self._heap[0] % 2**32]:
            heapq.heappop(self._heap)
        rank, action = divmod(self._heap[0], 2**32)
        return action, _priority(rank)

    def replace_top(self, priority: float) -> None:
        """Give the first action another priority."""
        action, _ = self.top()
        heapq.heapreplace(self._heap, _keys(np.array([action]), np.array([priority]))[0])

    def rescore(self, priorities: np.ndarray) -> None:
        """Give all actions new priorities, in the order of `live`."""
        self._heap = _keys(self.live(), priorities)
        heapq.heapify(self._heap)

    def drop(self, ids: list[int]) -> None:
        """Actions that are gone; some of them may never have been added."""
        gone = np.asarray(ids, np.int64)
        self._live[gone[gone < len(self._live)]] = False


def _keys(ids: np.ndarray, priorities: np.ndarray) -> list[int]:
    """Integers that sort by falling priority, then by id."""
    positive_zeros = np.asarray(priorities, np.float32) + np.float32(0)
    bits = positive_zeros.view(np.uint32)
    # Read as integers, positive floats sort as they should and negative ones backwards.
    rising = np.where(bits & SIGN, ~bits, bits | SIGN)
    return (((~rising).astype(np.uint64) << np.uint64(32)) + ids.astype(np.uint64)).tolist()


def _priority(rank: int) -> float:
    """The priority that `_keys` packed into the upper half of a key."""
    rising = ~np.uint32(rank)
    bits = rising ^ SIGN if rising & SIGN else ~rising
    return float(bits.view(np.float32))
