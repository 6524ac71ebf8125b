"""The priority queue of actions, against a sorted list."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from tres_lib.focused import Queue

PRIORITIES = st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=40)


def emptied(queue: Queue) -> list[tuple[int, float]]:
    found = []
    while len(queue):
        found.append(queue.top())
        queue.drop([found[-1][0]])
    return found


@given(PRIORITIES)
def test_the_highest_first_and_the_oldest_among_equals(priorities):
    queue = Queue()
    queue.add(np.arange(len(priorities)), np.array(priorities))
    expected = sorted(range(len(priorities)), key=lambda i: (-priorities[i], i))
    assert [action for action, _ in emptied(queue)] == expected


def test_scores_can_change():
    queue = Queue()
    queue.add(np.arange(3), np.array([3.0, 2.0, 1.0]))
    queue.replace_top(-1.0)
    assert queue.top() == (1, 2.0)
    queue.rescore(np.array([0.0, 1.0, 5.0]))
    assert [action for action, _ in emptied(queue)] == [2, 1, 0]
