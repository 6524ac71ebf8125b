"""TRES (Algorithm 4), and what is left of it without its agent or without its tree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..baselines.priority_queue import Queue
from ..policy import Context, Policy, Transition
from .leaf_samples import LeafSamples
from .learner import Learner, TresSettings
from .tree_frontier import TreeFrontier

if TYPE_CHECKING:
    from .ddqn import DDQN


class TreeRandom(Policy):
    """Choose uniformly among the representatives of the tree's leaves ("TR" in Table 3).

    Parameters
    ----------
    context : Context
    settings : TresSettings, optional
    """

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
        """Return actions to choose from, (k,), and their x, (k, n_features)."""
        return self.tree.representatives()

    def _pick(self, ids: np.ndarray, x: np.ndarray, step: int) -> int:
        """Return the place in `ids` of the action to take."""
        return int(self._context.rng.integers(len(ids)))


class TRES(TreeRandom):
    """Choose the representative of the highest Q-value, once an exploration phase is over.

    Parameters
    ----------
    context : Context
    settings : TresSettings, optional

    Attributes
    ----------
    tree : TreeFrontier
    agent : DDQN
    q : float
        Q-value of the last choice.
    evaluations : int
        Q-values computed so far in order to choose.
    """

    def __init__(self, context: Context, settings: TresSettings | None = None):
        super().__init__(context, settings)
        self.learner = Learner(context, self.settings)

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
    """Score a uniform sample of the frontier, as large as the tree has leaves with samples.

    The control for what the tree's *choice* of representatives adds (chapter 06): the
    tree grows as in TRES, yet only the number of its leaves is used.
    """

    def __init__(self, context: Context, settings: TresSettings | None = None):
        super().__init__(context, settings)
        self._all = LeafSamples()  # the whole frontier as one leaf, to draw from

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        super().add(ids, x)
        if len(ids):
            self._all.add(ids, np.zeros(len(ids), np.int64))

    def drop(self, ids: list[int]) -> None:
        super().drop(ids)
        for action in ids:
            self._all.remove(action)

    def _sample(self) -> tuple[np.ndarray, np.ndarray]:
        places = self._context.rng.choice(len(self._all), self.n_nonempty, replace=False)
        ids = self._all.members(0)[places].astype(np.int64)
        return ids, self._context.features(ids)


class Sync(Policy):
    """Choose the action of the highest Q-value in the whole frontier, the synchronous method.

    It has TRES's features, agent and settings, and no tree.

    Parameters
    ----------
    context : Context
    settings : TresSettings, optional
    """

    def __init__(self, context: Context, settings: TresSettings | None = None):
        self.settings = settings or TresSettings()
        self.learner = Learner(context, self.settings)
        self._context = context
        self._queue = Queue(context.is_live)

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self._queue.add(ids, np.zeros(len(ids)))

    def choose(self, step: int) -> int:
        if self.learner.explores(step):
            action = int(self._context.rng.choice(self._queue.live()))
            self.q = self._values(np.array([action]))[0]
        else:
            action, self.q = self._best()
        self.learner.chosen(self._context.features(np.array([action]))[0], step)
        return action

    def learn(self, transition: Transition) -> None:
        self.learner.learn(transition)

    def drop(self, ids: list[int]) -> None:
        self._queue.drop(ids)

    def _best(self) -> tuple[int, float]:
        """Return the action of the highest Q-value, and that value."""
        live = self._queue.live()
        values = self._values(live)
        best = int(values.argmax())
        return int(live[best]), values[best]

    def _values(self, ids: np.ndarray) -> np.ndarray:
        self.evaluations += len(ids)
        return self.learner.agent.q(self._context.features(ids))


class TresAsync(Sync):
    """Choose the link of the highest Q-value at discovery ("TRES_Async" in Table 4).

    The asynchronous method with TRES's features and agent: a link is scored once, when it is
    found. What was found while exploring is scored once more when that ends, for the network
    of the first steps knows nothing: a help that the source does not mention, meant for the
    method's good.
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
