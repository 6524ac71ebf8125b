"""TRES (Algorithm 4): Tree-Frontier and Double DQN; and its variant without the agent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..policy import Context, Transition
from .learner import Learner, TresSettings
from .tree_frontier import TreeFrontier

if TYPE_CHECKING:
    from .ddqn import DDQN


class TreeRandom:
    """A uniform choice among the representatives of the tree's leaves ("TR" in Table 3)."""

    def __init__(self, context: Context, settings: TresSettings | None = None):
        self.settings = settings or TresSettings()
        self.tree = TreeFrontier(context.n_features, context.rng, self.settings.min_split)
        self._context = context
        self._chosen = -1
        self._inserted: dict[int, np.ndarray] = {}  # the chosen action's x as it stood in its leaf

    @property
    def n_leaves(self) -> int:
        return self.tree.n_leaves

    @property
    def n_nonempty(self) -> int:
        return self.tree.n_nonempty

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self.tree.add(ids, x)

    def choose(self, step: int) -> int:
        ids, x = self._sample()
        self._chosen = int(ids[self._pick(ids, x, step)])
        return self._chosen

    def learn(self, transition: Transition) -> None:
        # Seeds have never been in the tree.
        x = self._inserted.get(transition.id, transition.x)
        self.tree.add_experience(x, transition.reward)

    def drop(self, ids: list[int]) -> None:
        for action in ids:
            x = self.tree.pop(action)
            if action == self._chosen:
                self._inserted = {action: x}

    def _sample(self) -> tuple[np.ndarray, np.ndarray]:
        """Actions to choose from, (k,), and their x, (k, n_features)."""
        return self.tree.representatives()

    def _pick(self, ids: np.ndarray, x: np.ndarray, step: int) -> int:
        return int(self._context.rng.integers(len(ids)))


class TRES(TreeRandom):
    """The representative of the highest Q-value, once an exploration phase is over."""

    def __init__(self, context: Context, settings: TresSettings | None = None):
        super().__init__(context, settings)
        self.learner = Learner(context, self.settings)
        self.q, self.evaluations = float("nan"), 0

    @property
    def agent(self) -> DDQN:
        return self.learner.agent

    def learn(self, transition: Transition) -> None:
        super().learn(transition)
        if not self.settings.fresh_domains:  # train on what the choice was valued by
            x = self._inserted.get(transition.id, transition.x)
            transition = replace(transition, x=x)
        self.learner.learn(transition)

    def _sample(self) -> tuple[np.ndarray, np.ndarray]:
        draws = [self.tree.representatives() for _ in range(self.settings.per_leaf)]
        ids, x = zip(*draws, strict=True)
        return np.concatenate(ids), np.concatenate(x)

    def _pick(self, ids: np.ndarray, x: np.ndarray, step: int) -> int:
        explored = super()._pick(ids, x, step) if self.learner.explores(step) else None
        valued = slice(None) if explored is None else slice(explored, explored + 1)
        x = self._context.features(ids[valued]) if self.settings.fresh_domains else x[valued]
        values = self.agent.q(x)
        best = int(values.argmax())
        self.evaluations += len(values)
        self.q = values[best]
        self.learner.chosen(x[best], step)
        return best if explored is None else explored


class NoTree(TRES):
    """TRES that scores a uniform sample of the frontier, as large as the tree has full leaves.

    The control for what the tree's *choice* of representatives is worth (chapter 06): the
    tree grows as in TRES, yet only the number of its leaves is used.
    """

    def __init__(self, context: Context, settings: TresSettings | None = None):
        super().__init__(context, settings)
        self._live: list[int] = []  # in no order, so that dropping and drawing are quick
        self._place: dict[int, int] = {}

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        super().add(ids, x)
        for action in ids.tolist():
            self._place[action] = len(self._live)
            self._live.append(action)

    def drop(self, ids: list[int]) -> None:
        super().drop(ids)
        for action in ids:
            last = self._live.pop()
            place = self._place.pop(action)
            if last != action:
                self._live[place], self._place[last] = last, place

    def _sample(self) -> tuple[np.ndarray, np.ndarray]:
        places = self._context.rng.choice(len(self._live), self.n_nonempty, replace=False)
        ids = np.array([self._live[place] for place in places])
        return ids, self._context.features(ids)
