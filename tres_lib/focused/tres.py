"""TRES (Algorithm 4): Tree-Frontier and Double DQN; and its variant without the agent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .policies import Context, Transition
from .tree_frontier import TreeFrontier

if TYPE_CHECKING:
    from .agent import DDQNSettings


LEAST = {"min_split": 1, "explore_at_most": 0, "train_every": 1, "target_every": 1}


@dataclass(frozen=True)
class TresSettings:
    """Settings of `TRES` and `TreeRandom`.

    min_split : a leaf may split from its min_split-th experience on.
    explore : share of the budget spent on uniform choices among representatives...
    explore_at_most : ...but no more steps than this, the authors' 300.
    train_every : steps between training steps.
    target_every : steps between copies to the target network, at most a tenth of the budget.
    fresh_domains : whether actions are valued by their domain's counts as of now;
        if not, as of when they were found. The tree always routes by the latter.
        Measured: counts as of when found change the true harvest rate by +0.015, 95 % interval
        [-0.017, +0.046], over 12 pairs of crawls, so by the rule fixed before they are not
        the default (benchmarks/domain_features.py).
    agent : settings of the DDQN; its own target_every is set from the one here.
    """

    min_split: int = 5
    explore: float = 0.1
    explore_at_most: int = 300
    train_every: int = 3
    target_every: int = 500
    fresh_domains: bool = True
    agent: DDQNSettings | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.explore <= 1:
            raise ValueError(f"explore={self.explore}: must be a share of the budget, 0 to 1")
        for name, least in LEAST.items():
            if getattr(self, name) < least:
                raise ValueError(f"{name}={getattr(self, name)}: must be at least {least}")

    def exploration(self, budget: int) -> int:
        """Number of first steps that explore."""
        return min(self.explore_at_most, int(self.explore * budget))


class TreeRandom:
    """A uniform choice among the representatives of the tree's leaves ("TR" in Table 3)."""

    def __init__(self, context: Context, settings: TresSettings | None = None):
        self.settings = settings or TresSettings()
        self.tree = TreeFrontier(context.n_features, context.rng, self.settings.min_split)
        self._context = context
        self._inserted: dict[int, np.ndarray] = {}

    @property
    def n_leaves(self) -> int:
        return self.tree.n_leaves

    @property
    def n_nonempty(self) -> int:
        return self.tree.n_nonempty

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self.tree.add(ids, x)

    def choose(self, step: int) -> int:
        ids, x = self.tree.representatives()
        chosen = self._pick(ids, x, step)
        # The tree's experience is the sample as it stood in its leaf; drop will remove it.
        self._inserted = {int(ids[chosen]): x[chosen]}
        return int(ids[chosen])

    def learn(self, transition: Transition) -> None:
        # Seeds have never been in the tree.
        x = self._inserted.get(transition.id, transition.x)
        self.tree.add_experience(x, transition.reward)

    def drop(self, ids: list[int]) -> None:
        for action in ids:
            self.tree.pop(action)

    def _pick(self, ids: np.ndarray, x: np.ndarray, step: int) -> int:
        return int(self._context.rng.integers(len(ids)))


class TRES(TreeRandom):
    """The representative of the highest Q-value, once an exploration phase is over.

    A transition's next actions are the union of the links of the page fetched and
    the action chosen at the next step (Section 2.4.2), so each waits for that choice.
    """

    def __init__(self, context: Context, settings: TresSettings | None = None):
        from .agent import DDQN, DDQNSettings

        super().__init__(context, settings)
        every = min(self.settings.target_every, context.budget // 10) // self.settings.train_every
        agent = replace(self.settings.agent or DDQNSettings(), target_every=max(1, every))
        self.agent = DDQN(context.n_features, agent, context.rng)
        self.exploration = self.settings.exploration(context.budget)
        self.q = float("nan")
        self._waiting: list[Transition] = []

    def learn(self, transition: Transition) -> None:
        super().learn(transition)
        if not self.settings.fresh_domains:  # train on what the choice was valued by
            x = self._inserted.get(transition.id, transition.x)
            transition = replace(transition, x=x)
        self._waiting.append(transition)

    def _pick(self, ids: np.ndarray, x: np.ndarray, step: int) -> int:
        if step <= self.exploration:
            chosen = super()._pick(ids, x, step)
            x_chosen = self._valued(ids, x, slice(chosen, chosen + 1))
            self.q = self.agent.q(x_chosen)[0]
        else:
            x = self._valued(ids, x, slice(None))
            values = self.agent.q(x)
            chosen = int(values.argmax())
            self.q, x_chosen = values[chosen], x[chosen : chosen + 1]
        self._complete(x_chosen)
        if step % self.settings.train_every == 0:
            self.agent.train()
        return chosen

    def _valued(self, ids: np.ndarray, x: np.ndarray, which: slice) -> np.ndarray:
        """x by which the agent values actions."""
        return self._context.features(ids[which]) if self.settings.fresh_domains else x[which]

    def _complete(self, x_chosen: np.ndarray) -> None:
        """Hand the agent the transitions that waited for this choice."""
        for t in self._waiting:
            self.agent.observe(t.x, t.reward, np.concatenate([t.next_x, x_chosen]))
        self._waiting.clear()
