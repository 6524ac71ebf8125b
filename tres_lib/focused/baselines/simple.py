"""Policies that do not learn: the controls, and what a random or all-knowing crawler finds."""

import numpy as np
import pandas as pd

from ..features import FEATURES
from ..policy import Blind, Context, Transition
from .priority_queue import Queued

ANCHOR_PROBABILITY = FEATURES.index("anchor probability")


class BreadthFirst(Queued, Blind):
    """The action found first."""

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self.queue.add(ids, self._priorities(ids, x))

    def figures(self) -> dict[str, float]:
        return {}  # a priority that is no estimate is no q

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.zeros(len(ids))


class Oracle(BreadthFirst):
    """Truly relevant actions first, then breadth first: a bound of crawlers that do not plan."""

    def __init__(self, context: Context):
        if context.truth is None:
            raise ValueError("policy='oracle' needs a web that knows the truth about the seeds")
        super().__init__(context)
        self._truth = context.truth

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return self._truth(ids)


class BestFirst(Queued):
    """The action whose anchor has the highest probability; our control."""

    def explain(self, row: pd.Series) -> pd.DataFrame:
        evidence = f"its anchor has a probability of {row['q']:.2f}"
        return pd.DataFrame({"feature": ["anchor"], "evidence": [evidence], "effect": [row["q"]]})

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return x[:, ANCHOR_PROBABILITY]


class Parent(Queued, Blind):
    """The action on the page of the highest probability, as in Craw4LLM (Yu et al. 2025)."""

    _probability = 1.0  # of a relevant page, as for what no page led to

    def learn(self, transition: Transition) -> None:
        self._probability = transition.p

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.full(len(ids), self._probability)


class Linear(Queued):
    """The action of the highest mean of features, a fixed linear rule over what TRES sees."""

    # Equal weights on features of which more is better were set beforehand and never tuned. A score
    # is brought up to date when it comes to the top, which suffices where it has fallen.
    def choose(self, step: int) -> int | None:
        while (action := super().choose(step)) is not None:
            score = self._context.frontier.features(np.array([action])).mean(axis=1)
            self.evaluations += 1
            if score[0] >= np.float32(self.q):
                break
            self.queue.replace_top(score[0])
        return action

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        return x.mean(axis=1)


class Random(Blind):
    """Uniform over the frontier's actions."""

    def __init__(self, context: Context):
        from ..tres.tree_frontier import LeafSamples  # with numba, which the others do not need

        self._rng = context.rng
        self._bag = LeafSamples()

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self._bag.add(ids, np.zeros(len(ids), np.int64))

    def choose(self, step: int) -> int:
        return int(self._bag.sample(self._rng)[0])

    def drop(self, ids: list[int]) -> None:
        for action in filter(self._bag.__contains__, ids):  # what rests is out already
            self._bag.remove(action)

    def rest(self, ids: list[int]) -> None:
        self.drop(ids)

    def wake(self, ids: list[int]) -> None:
        self._bag.add(np.array(ids), np.zeros(len(ids), np.int64))
