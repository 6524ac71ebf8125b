"""How an agent learns while it crawls: when it explores, what it is given, when it trains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..policy import Context, Transition

if TYPE_CHECKING:
    from .ddqn import DDQNSettings

LEAST = {"min_split": 1, "explore_at_most": 0, "train_every": 1, "target_every": 1, "per_leaf": 1}
TARGETS = ("union", "outlinks")


@dataclass(frozen=True)
class TresSettings:
    """Settings of `TRES` and its variants.

    min_split : a leaf may split from its min_split-th experience on.
    per_leaf : representatives drawn from each leaf; the paper draws one.
    explore : share of the budget spent on uniform choices among representatives...
    explore_at_most : ...but no more steps than this, the authors' 300.
    train_every : steps between training steps.
    target_every : steps between copies to the target network, at most a tenth of the budget.
    target : which actions the target's maximum is over: "union", the outlinks of the page
        fetched and the action chosen next, as in the paper, or "outlinks" alone.
    fresh_domains : whether actions are valued by their domain's counts as of now;
        if not, as of when they were found. The tree always routes by the latter.
        Measured: counts as of when found change the true harvest rate by +0.015, 95 % interval
        [-0.017, +0.046], over 12 pairs of crawls, so by the rule fixed before they are not
        the default (benchmarks/domain_features.py).
    agent : settings of the DDQN; its own target_every is set from the one here.
    """

    min_split: int = 5
    per_leaf: int = 1
    explore: float = 0.1
    explore_at_most: int = 300
    train_every: int = 3
    target_every: int = 500
    target: str = "union"
    fresh_domains: bool = True
    agent: DDQNSettings | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.explore <= 1:
            raise ValueError(f"explore={self.explore}: must be a share of the budget, 0 to 1")
        for name, least in LEAST.items():
            if getattr(self, name) < least:
                raise ValueError(f"{name}={getattr(self, name)}: must be at least {least}")
        if self.target not in TARGETS:
            raise ValueError(f"target={self.target!r}: use one of {', '.join(TARGETS)}")

    def exploration(self, budget: int) -> int:
        """Number of first steps that explore."""
        return min(self.explore_at_most, int(self.explore * budget))


class Learner:
    """A DDQN with its schedule, the same for `TRES` and the variants without its tree.

    A transition's next actions are the union of the links of the page fetched and
    the action chosen at the next step (Section 2.4.2), so each waits for that choice.

    Attributes
    ----------
    agent : DDQN
    exploration : int, number of first steps that explore
    """

    def __init__(self, context: Context, settings: TresSettings):
        from .ddqn import DDQN, DDQNSettings

        self.settings = settings
        every = min(settings.target_every, context.budget // 10) // settings.train_every
        agent = replace(settings.agent or DDQNSettings(), target_every=max(1, every))
        self.agent = DDQN(context.n_features, agent, context.rng)
        self.exploration = settings.exploration(context.budget)
        self._waiting: list[Transition] = []

    def explores(self, step: int) -> bool:
        """Whether the choice at this step is uniform."""
        return step <= self.exploration

    def learn(self, transition: Transition) -> None:
        """Take in what came of an action."""
        if self.settings.target == "outlinks":
            self.agent.observe(transition.x, transition.reward, transition.next_x)
        else:
            self._waiting.append(transition)

    def chosen(self, x: np.ndarray, step: int) -> None:
        """Complete the transitions that waited for this choice, (n_features,); train in turn."""
        for t in self._waiting:
            self.agent.observe(t.x, t.reward, np.concatenate([t.next_x, x[None]]))
        self._waiting.clear()
        if step % self.settings.train_every == 0:
            self.agent.train()
