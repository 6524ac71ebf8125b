"""Policies that do not learn: the controls, and what a random or all-knowing crawler finds."""

from __future__ import annotations

from collections import deque

import numpy as np

from ..arrays import grown
from ..features import FEATURES
from ..policy import Context, Transition
from ..tres.leaf_samples import LeafSamples
from .priority_queue import Queue

ANCHOR_PROBABILITY = FEATURES.index("anchor probability")


class Fifo:
    """Breadth first: the action found first. Ids count up, so that is the lowest live one."""

    def __init__(self, context: Context):
        self._live = np.zeros(0, bool)
        self._first = 0

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if len(ids):
            self._live = grown(self._live, int(ids[-1]) + 1)
            self._live[ids] = True

    def choose(self, step: int) -> int:
        while not self._live[self._first]:
            self._first += 1
        return self._first

    def learn(self, transition: Transition) -> None:
        """Nothing to learn."""

    def drop(self, ids: list[int]) -> None:
        self._live[ids] = False


class Oracle(Fifo):
    """Truly relevant actions first, in order of discovery; without any, breadth first.

    It knows the truth about every page in reach, yet does not plan: an upper bound
    on what a greedy crawler can find, not on the best crawl.

    Raises
    ------
    ValueError
        If the web does not know which pages are relevant.
    """

    def __init__(self, context: Context):
        if context.truth is None:
            raise ValueError("policy='oracle' needs a web that knows the truth about the seeds")
        super().__init__(context)
        self._truth = context.truth
        self._relevant: deque[int] = deque()

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        super().add(ids, x)
        self._relevant.extend(ids[self._truth(ids)].tolist())

    def choose(self, step: int) -> int:
        while self._relevant and not self._live[self._relevant[0]]:
            self._relevant.popleft()
        return self._relevant[0] if self._relevant else super().choose(step)


class BestFirst:
    """The action whose anchor has the highest probability; among equals the oldest.

    A control that the paper lacks. It has nothing to tune, and learns nothing.
    """

    def __init__(self, context: Context):
        self.q, self.evaluations = float("nan"), 0
        self._queue = Queue()

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self.evaluations += len(ids)
        self._queue.add(ids, x[:, ANCHOR_PROBABILITY])

    def choose(self, step: int) -> int:
        action, self.q = self._queue.top()
        return action

    def learn(self, transition: Transition) -> None:
        """Nothing to learn."""

    def drop(self, ids: list[int]) -> None:
        self._queue.drop(ids)


class Linear(BestFirst):
    """The action of the highest mean of features, a fixed linear rule over what TRES sees.

    A control that the paper lacks. Equal weights on all features, which lie in [0, 1] and of
    which more is better, were set beforehand and never tuned. A score is brought up to date
    when it comes to the top of the queue: that suffices where it has fallen.
    """

    def __init__(self, context: Context):
        super().__init__(context)
        self._context = context

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self.evaluations += len(ids)
        self._queue.add(ids, x.mean(axis=1))

    def choose(self, step: int) -> int:
        while True:
            action, self.q = self._queue.top()
            score = self._context.features(np.array([action])).mean(axis=1)
            self.evaluations += 1
            if score[0] >= np.float32(self.q):
                return action
            self._queue.replace_top(score[0])


class Random:
    """Uniform over the frontier's actions."""

    def __init__(self, context: Context):
        self._rng = context.rng
        self._bag = LeafSamples()

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if len(ids):
            self._bag.add(ids, np.zeros(len(ids), np.int64))

    def choose(self, step: int) -> int:
        return int(self._bag.sample(self._rng)[0])

    def learn(self, transition: Transition) -> None:
        """Nothing to learn."""

    def drop(self, ids: list[int]) -> None:
        for action in ids:
            self._bag.remove(action)
