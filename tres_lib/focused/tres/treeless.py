"""TRES's agent and features without its tree: every action scored at each step, or only once."""

from __future__ import annotations

import numpy as np

from ..baselines.priority_queue import Queue
from ..policy import Context, Transition
from .learner import Learner, TresSettings


class Sync:
    """The synchronous method: the action of the highest Q-value in the whole frontier.

    It has TRES's features, agent and settings, and no tree.
    """

    def __init__(self, context: Context, settings: TresSettings | None = None):
        self.settings = settings or TresSettings()
        self.learner = Learner(context, self.settings)
        self.q, self.evaluations = float("nan"), 0
        self._context = context
        self._queue = Queue(context.is_live)

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self._queue.add(ids, np.zeros(len(ids)))

    def choose(self, step: int) -> int:
        explores = self.learner.explores(step)
        action, self.q = self._uniform() if explores else self._best()
        self.learner.chosen(self._context.features(np.array([action]))[0], step)
        return action

    def learn(self, transition: Transition) -> None:
        self.learner.learn(transition)

    def drop(self, ids: list[int]) -> None:
        self._queue.drop(ids)

    def _uniform(self) -> tuple[int, float]:
        action = self._context.rng.choice(self._queue.live())
        return int(action), self._values(np.array([action]))[0]

    def _best(self) -> tuple[int, float]:
        live = self._queue.live()
        values = self._values(live)
        best = int(values.argmax())
        return int(live[best]), values[best]

    def _values(self, ids: np.ndarray) -> np.ndarray:
        self.evaluations += len(ids)
        return self.learner.agent.q(self._context.features(ids))


class TresAsync(Sync):
    """The asynchronous method with TRES's features and agent ("TRES_Async" in Table 4).

    A link is scored once, when it is found, and the highest score is taken. What was found
    while exploring is scored once more when that ends, for the network of the first steps
    knows nothing: a help that the source does not mention, meant for the method's good.
    """

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if len(ids):
            self.evaluations += len(ids)
            self._queue.add(ids, self.learner.agent.q(x))

    def choose(self, step: int) -> int:
        if step == self.learner.exploration + 1:
            self._queue.rescore(self._values(self._queue.live()))
        return super().choose(step)

    def _best(self) -> tuple[int, float]:
        return self._queue.top()
