"""TRES (Algorithm 4), its variants without agent or tree, and their learning schedule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tres_webs.checks import count, number, one_of
from tres_webs.files import RESULTS

from ..baselines.simple import Queued
from ..features import FEATURES
from ..policy import Context, Policy, Transition
from .tree_frontier import TreeFrontier

if TYPE_CHECKING:
    from .ddqn import DDQN, DDQNSettings

STORED, ARRAYS = RESULTS / "q-network", "weights.safetensors"


@dataclass(frozen=True)
class TresSettings:
    """Settings of `TRES` and its variants.

    The authors train at each step at MAX <= 5, by ``DDQNSettings(batch=128)``, but not exploring.
    """

    min_split: int = 5  # least number of experiences in a leaf before it may split
    max_depth: int | None = None  # of the tree; the authors' 18
    min_child: float = (
        0.0  # share of a leaf's experiences in each child; the authors' Tree-Random .2
    )
    per_leaf: int = 1  # representatives drawn from each leaf; the paper draws one
    explore: float = 0.1  # share of the budget whose first steps choose uniformly
    explore_at_most: int = 300  # steps, as the authors' code
    train_exploring: bool = True  # or only after it
    train_every: int = 3  # crawl steps between training steps
    target_every: int = 500  # ...and between copies to the target network, at most budget / 10
    # The maximum is over the outlinks and the action chosen next, as in the paper, or "outlinks".
    target: str = "union"
    agent: DDQNSettings | None = None  # its target_every is replaced by the one here
    domain_features: bool = True  # whether x has its domain's history (6, 7); "NH" is without

    def __post_init__(self) -> None:
        number("explore", self.explore, 0, 1)
        count("explore_at_most", self.explore_at_most, 0)
        for name in ("min_split", "train_every", "target_every", "per_leaf"):
            count(name, getattr(self, name))
        one_of("target", self.target, ("union", "outlinks"))

    @property
    def n_features(self) -> int:
        """How many of the crawl's features the agent and the tree see, the first ones."""
        return len(FEATURES) - (0 if self.domain_features else 2)

    def view(self, x: np.ndarray) -> np.ndarray:
        """Return features (n, n_features) of those of the crawl, (n, 8)."""
        return x[:, : self.n_features]

    def exploration(self, budget: int) -> int:
        """Return how many steps explore, at the start of a crawl of `budget` fetches."""
        return min(self.explore_at_most, int(self.explore * budget))


class Learner:
    """A DDQN with its schedule. Each transition waits for the next choice, which completes A~."""

    def __init__(self, context: Context, settings: TresSettings, weights: np.ndarray | None = None):
        from .ddqn import DDQN, DDQNSettings

        self.settings = settings
        every = min(settings.target_every, context.budget // 10) // settings.train_every
        agent = replace(settings.agent or DDQNSettings(), target_every=max(1, every))
        self.agent = DDQN(settings.n_features, agent, context.rng)
        if weights is not None:
            self.agent.start_from(weights)
        self.exploration = settings.exploration(context.budget)
        self._waiting: list[Transition] = []
        self._trained = 0  # the step

    def learn(self, transition: Transition) -> None:
        """Keep a transition, now or when the next choice has completed it."""
        if self.settings.target == "outlinks":
            self.agent.observe(transition.x, transition.reward, transition.next_x)
        else:
            self._waiting.append(transition)

    def chosen(self, x: np.ndarray, step: int) -> None:
        """Complete the waiting transitions by the choice x, (n_features,); train when due."""
        for t in self._waiting:
            self.agent.observe(t.x, t.reward, np.concatenate([t.next_x, x[None]]))
        self._waiting.clear()
        # After an error that was skipped there is another choice at the same step.
        waits = step <= self.exploration and not self.settings.train_exploring
        if step % self.settings.train_every == 0 and step > self._trained and not waits:
            self._trained = step
            self.agent.train()


def _viewed(transition: Transition, view: Callable[[np.ndarray], np.ndarray]) -> Transition:
    x, next_x = view(transition.x[None])[0], view(transition.next_x)
    return replace(transition, x=x, next_x=next_x)


class TreeRandom(Policy):
    """Choose uniformly among the representatives of the tree's leaves ("TR" in Table 3)."""

    def __init__(self, context: Context, settings: TresSettings | None = None):
        self.settings = settings or TresSettings()
        of_tree = self.settings.min_split, self.settings.max_depth, self.settings.min_child
        self.tree = TreeFrontier(self.settings.n_features, context.rng, *of_tree)
        self._context = context
        self._taken = -1
        self._at_rest: dict[int, np.ndarray] = {}  # x in the leaf, by id
        self.in_flight: dict[int, np.ndarray] = {}  # the same, of actions in flight

    def view(self, x: np.ndarray) -> np.ndarray:
        """Return features (n, n_features) as the policy sees those of the crawl, (n, 8)."""
        return self.settings.view(x)

    def features(self, ids: np.ndarray) -> np.ndarray:
        """Return x of actions as of now, (n, n_features)."""
        return self.view(self._context.frontier.features(ids))

    def figures(self) -> dict[str, float]:
        return {"leaves": self.tree.n_leaves, "nonempty_leaves": self.tree.n_nonempty}

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self.tree.add(ids, self.view(x))

    def choose(self, step: int) -> int:
        ids = self.candidates()
        return int(ids[self.pick(ids, step)])

    def take(self, action: int, step: int) -> None:
        self._taken = action

    def learn(self, transition: Transition) -> None:
        # Seeds have never been in the tree.
        x = self.in_flight.pop(transition.id, None)
        self.tree.add_experience(
            self.view(transition.x[None])[0] if x is None else x, transition.reward
        )

    def drop(self, ids: list[int]) -> None:
        for action in ids:
            x = self._at_rest.pop(action, None)
            x = self.tree.pop(action) if x is None else x
            if action == self._taken:  # `drop` comes right after `take`, before `learn`
                self.in_flight[action] = x

    def rest(self, ids: list[int]) -> None:
        self._at_rest.update({action: self.tree.pop(action) for action in ids})

    def wake(self, ids: list[int]) -> None:
        self.tree.add(np.array(ids), np.array([self._at_rest.pop(action) for action in ids]))

    def candidates(self) -> np.ndarray:
        """Return the actions to choose from, (k,)."""
        draws = [self.tree.representatives()[0] for _ in range(self.settings.per_leaf)]
        return np.concatenate(draws)

    def pick(self, ids: np.ndarray, step: int) -> int:
        """Return the place in `ids` of the action to take."""
        return int(self._context.rng.integers(len(ids)))


class TRES(TreeRandom):
    """Choose the representative of the highest Q-value, once an exploration phase is over.

    `weights` (m,) are the Q-network's first ones; by default random ones.
    """

    def __init__(
        self,
        context: Context,
        settings: TresSettings | None = None,
        weights: np.ndarray | None = None,
    ):
        super().__init__(context, settings)
        self.learner = Learner(context, self.settings, weights)
        self.q, self.evaluations = np.nan, 0
        self._picked, self._x = -1, np.zeros(0, np.float32)

    @property
    def agent(self) -> DDQN:
        return self.learner.agent

    def figures(self) -> dict[str, float]:
        return super().figures() | {"q": self.q, "evaluations": self.evaluations}

    def take(self, action: int, step: int) -> None:
        super().take(action, step)
        if action != self._picked:
            self._x = self.features(np.array([action]))[0]
            self.q = self.agent.q(self._x[None])[0]
        self.learner.chosen(self._x, step)

    def learn(self, transition: Transition) -> None:
        super().learn(transition)
        self.learn_values(transition)

    def learn_values(self, transition: Transition) -> None:
        """Give the agent a transition, as the policy sees it."""
        self.learner.learn(_viewed(transition, self.view))

    def pick(self, ids: np.ndarray, step: int) -> int:
        """Return the place of the highest Q-value, or a random one."""
        places = np.arange(len(ids))  # of the candidates; while exploring, of the random one alone
        if step <= self.learner.exploration:
            places = places[[super().pick(ids, step)]]
        # With the domains' counts as of now, though the tree routes by those of the insertion. The
        # latter gained 0.015 of true harvest rate, 95 % interval [-0.017, 0.046], in 12 pairs.
        candidates = self.features(ids[places])
        values = self.agent.q(candidates)
        best = int(values.argmax())
        self.evaluations += len(values)
        self.q = values[best]
        self._picked, self._x = int(ids[places[best]]), candidates[best]
        return int(places[best])


@lru_cache(maxsize=2)
def load(folder: Path = STORED) -> np.ndarray:
    """Return the stored weights of a Q-network, (m,) float32."""
    from safetensors.numpy import load_file

    if not (folder / ARRAYS).exists():
        raise ValueError("policy='tres-pretrained': no Q-network is stored; chapter 14 trains one")
    return load_file(folder / ARRAYS)["weights"]


def tres_pretrained(context: Context) -> TRES:
    """Return TRES from a Q-network trained on development webs: the fair twin of Prospector."""
    return TRES(context, weights=load())


class Sync(Queued):
    """TRES without a tree: choose the highest Q-value in the whole frontier, synchronously."""

    def __init__(self, context: Context, settings: TresSettings | None = None):
        super().__init__(context)
        self.settings = settings or TresSettings()
        self.learner = Learner(context, self.settings)

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        self.queue.add(ids, np.zeros(len(ids)))

    def choose(self, step: int) -> int:
        if step <= self.learner.exploration:
            action = int(self._context.rng.choice(self.queue.live()))
            self.q = self._values(np.array([action]))[0]
        else:
            action, self.q = self._best()
        self._picked = action
        return action

    def take(self, action: int, step: int) -> None:
        super().take(action, step)
        self.learner.chosen(self._features(np.array([action]))[0], step)

    def learn(self, transition: Transition) -> None:
        self.learner.learn(_viewed(transition, self.settings.view))

    def _features(self, ids: np.ndarray) -> np.ndarray:
        return self.settings.view(self._context.frontier.features(ids))

    def _best(self) -> tuple[int, float]:
        """Return the action of the highest Q-value, and that value."""
        live = self.queue.live()
        values = self._values(live)
        best = int(values.argmax())
        return int(live[best]), values[best]

    def _values(self, ids: np.ndarray) -> np.ndarray:
        self.evaluations += len(ids)
        return self.learner.agent.q(self._features(ids))


class TresAsync(Sync):
    """Choose the link of the highest Q-value at discovery ("TRES_Async" in Table 4).

    What was found while exploring is scored once more when that ends, because the network was
    untrained when they were scored. The source does not mention this; it favours the method.
    """

    _rescored = False

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        if len(ids):
            self.evaluations += len(ids)
            self.queue.add(ids, self.learner.agent.q(self.settings.view(x)))

    def choose(self, step: int) -> int:
        if step > self.learner.exploration and not self._rescored:  # its step may have been told
            self._rescored = True
            self.queue.rescore(self._values(self.queue.members()))
        return super().choose(step)

    def _best(self) -> tuple[int, float]:
        return self.queue.top()
