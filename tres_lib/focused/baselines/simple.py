"""Policies that do not learn: the controls, and what a random or all-knowing crawler finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...web.page import Page
from ..features import FEATURES
from ..policy import Context, Policy, Transition
from ..tres.leaf_samples import LeafSamples
from .priority_queue import Queued

if TYPE_CHECKING:
    import pandas as pd

ANCHOR_PROBABILITY = FEATURES.index("anchor probability")


class Ranked(Queued):
    """The action of the highest priority, which a subclass computes when an action is found."""

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if len(ids):
            self.queue.add(ids, self._priorities(ids, x))

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Return the priorities (n,) of actions ids (n,) with features x (n, n_features)."""
        raise NotImplementedError


class BreadthFirst(Ranked):
    """The action found first."""

    reads_features = False

    def choose(self, step: int) -> int:
        return self.queue.top()[0]  # a priority that is no estimate is no q

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.zeros(len(ids))


class Oracle(BreadthFirst):
    """Truly relevant actions first, in order of discovery; without any, breadth first.

    It knows the ground truth about every page in reach, yet does not plan: an upper bound
    on what a greedy crawler can find, not on the best crawl.
    """

    def __init__(self, context: Context):
        if context.truth is None:
            raise ValueError("policy='oracle' needs a web that knows the truth about the seeds")
        super().__init__(context)
        self._truth = context.truth

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return self._truth(ids)


class BestFirst(Ranked):
    """The action whose anchor has the highest probability, the oldest among equals; our control."""

    def explain(self, row: pd.Series) -> pd.DataFrame:
        import pandas as pd

        evidence = f"its anchor has a probability of {row['q']:.2f}"
        return pd.DataFrame({"feature": ["anchor"], "evidence": [evidence], "effect": [row["q"]]})

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        self.evaluations += len(ids)
        return x[:, ANCHOR_PROBABILITY]


class Parent(Ranked):
    """The action on the page of the highest probability, the oldest among equals.

    The classifier's probability of the linking page is the whole priority, as the page's score is
    in Craw4LLM (Yu et al. 2025): a control for policies that also read the link.
    """

    reads_features = False

    def learn(self, transition: Transition) -> None:
        self._probability = transition.p

    def hear(self, page: Page, reward: float) -> None:
        self._probability = reward

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        self.evaluations += len(ids)
        return np.full(len(ids), self._probability)


class Linear(Ranked):
    """The action of the highest mean of features, a fixed linear rule over what TRES sees.

    A control that the paper lacks. Equal weights on all features, which lie in [0, 1] and of
    which more is better, were set beforehand and never tuned. A score is brought up to date when
    it comes to the top of the queue: that suffices where it has fallen.
    """

    def choose(self, step: int) -> int:
        while True:
            action = super().choose(step)
            score = self._context.features(np.array([action])).mean(axis=1)
            self.evaluations += 1
            if score[0] >= np.float32(self.q):
                return action
            self.queue.replace_top(score[0])

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        self.evaluations += len(ids)
        return x.mean(axis=1)


class Random(Policy):
    """Uniform over the frontier's actions."""

    reads_features = False

    def __init__(self, context: Context):
        self._rng = context.rng
        self._bag = LeafSamples()

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self._bag.add(ids, np.zeros(len(ids), np.int64))

    def choose(self, step: int) -> int:
        return int(self._bag.sample(self._rng)[0])

    def drop(self, ids: list[int]) -> None:
        for action in ids:
            self._bag.remove(action)
