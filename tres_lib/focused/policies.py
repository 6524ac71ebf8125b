"""Policies: which action of the frontier to take next. One loop serves them all."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

import numpy as np

from .arrays import grown
from .bags import Bags
from .features import FEATURES
from .queue import Queue

if TYPE_CHECKING:
    from ..web import Link, Page, Topic
    from .search_engine import SearchEngine

ANCHOR_PROBABILITY = FEATURES.index("anchor probability")


@dataclass(frozen=True)
class Context:
    """What a crawl offers the policy that it builds.

    rng : source of the policy's randomness.
    n_features : width of x.
    budget : number of fetches the crawl may make.
    features : ids (n,) -> x (n, n_features) of live actions, as of now.
    truth : ids (n,) -> whether each action's page is relevant, (n,) bool. Only the
        oracle may ask. None where the web does not know.
    links : ids (n,) -> the links (n) of actions that are being added. Only `Policy.add`
        may ask, for a frontier of a million entries keeps no anchors.
    topic : what the crawl is about.
    search : a search engine over part of the web; None if there is none.
    """

    rng: np.random.Generator
    n_features: int
    budget: int
    features: Callable[[np.ndarray], np.ndarray]
    truth: Callable[[np.ndarray], np.ndarray] | None = None
    links: Callable[[np.ndarray], list[Link]] | None = None
    topic: Topic | None = None
    search: SearchEngine | None = None


@dataclass(frozen=True)
class Transition:
    """An action taken, and what came of it.

    id : the action.
    x : its features when it was taken, (n_features,) float32.
    reward : 1 if the page is relevant, 0 if not or if it could not be had.
    next_x : features of the actions found on the page, (m, n_features) float32; none
        on a dead end. With the action chosen next they are A~ (Section 2.4.2).
    page : what was fetched; None if it could not be had.
    """

    id: int
    x: np.ndarray
    reward: float
    next_x: np.ndarray
    page: Page | None = None


class Policy(Protocol):
    """What `crawl` asks of a policy.

    A step is: `choose`, the page is fetched, `drop`, `learn`, `add`. Seeds come first,
    as transitions with reward 1 that nobody chose. A policy may also tell the log
    about itself by attributes: ``q`` (value of the last choice), ``n_leaves``, ``n_nonempty``,
    ``evaluations`` (values computed so far in order to choose).

    Two more are optional. ``suggest(step) -> list of URLs`` is asked before each choice; those
    not yet fetched become actions from the empty path. ``exhausted``, if true before a
    choice, ends the crawl as an empty frontier does.
    """

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        """New actions: row numbers (n,), dense from 0 on, and features (n, n_features)."""

    def choose(self, step: int) -> int:
        """The id of a live action, at step 1, 2, ...; there is at least one."""

    def learn(self, transition: Transition) -> None:
        """What came of an action."""

    def drop(self, ids: list[int]) -> None:
        """Actions that are gone: their URL was fetched (the chosen one is among them), or
        their domain is at its cap."""


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
        self._bag = Bags()

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


POLICIES = {  # name: module and class
    "tres": ("tres", "TRES"),
    "tree-random": ("tres", "TreeRandom"),
    "random": ("policies", "Random"),
    "sync": ("treeless", "Sync"),
    "async": ("han", "HanAsync"),
    "tres-async": ("treeless", "TresAsync"),
    "ache": ("ache", "Ache"),
    "seedfinder": ("seedfinder", "SeedFinder"),
    "best-first": ("policies", "BestFirst"),
    "linear": ("policies", "Linear"),
    "bfs": ("policies", "Fifo"),
    "oracle": ("policies", "Oracle"),
}


def make_policy(policy: str | Policy | Callable[[Context], Policy], context: Context) -> Policy:
    """The policy of that name, the one given, or the one that the factory builds.

    Raises
    ------
    ValueError
        If there is no such policy; the message lists the names.
    """
    if isinstance(policy, str):
        return _named(policy)(context)
    if isinstance(policy, type) or not hasattr(policy, "choose"):
        if not callable(policy):
            raise ValueError(
                f"policy={policy!r}: needs the methods add, choose, learn and drop; "
                f"or use one of {', '.join(POLICIES)}"
            )
        policy = policy(context)
    missing = [name for name in ("add", "choose", "learn", "drop") if not hasattr(policy, name)]
    if missing:
        raise ValueError(f"policy={policy!r}: lacks the methods {', '.join(missing)}")
    return policy


def _named(policy: str) -> type:
    """The class of that name, loaded now: some need torch or sklearn."""
    if policy not in POLICIES:
        raise ValueError(f"policy={policy!r}: use one of {', '.join(POLICIES)}, or a Policy")
    module, name = POLICIES[policy]
    return getattr(import_module(f".{module}", __package__), name)


def policy_name(policy: object) -> str:
    """What the log of a crawl calls its policy: the name, or that of its class or function."""
    if isinstance(policy, str):
        return policy
    if isinstance(policy, partial):
        return policy_name(policy.func)
    return getattr(policy, "__qualname__", type(policy).__qualname__)
