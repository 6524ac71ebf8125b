"""Policies: which action of the frontier to take next. One loop serves them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from ..web.page import Link, Page
    from ..web.topic import Topic
    from .baselines.search_engine import SearchEngine


@dataclass(frozen=True)
class Context:
    """What a crawl offers the policy that it builds.

    Attributes
    ----------
    rng : numpy.random.Generator
        Source of the policy's randomness.
    n_features : int
        Width of x.
    budget : int
        Fetches that the crawl may make.
    features : callable
        ids (n,) -> x (n, n_features) float32 of these actions, as of now.
    truth : callable or None
        ids (n,) -> whether each action's page is relevant, (n,) bool. Only the oracle may
        ask. None where the web has no ground truth.
    links : callable or None
        ids (n,) -> n links of the actions that are being added. Only `Policy.add` may ask,
        for a frontier of a million entries keeps no anchors.
    topic : Topic or None
        What the crawl is about.
    search : SearchEngine or None
        A search engine over part of the web, if there is one.
    is_live : callable or None
        ids (n,) -> whether each action can still be chosen, (n,) bool; of a single id, bool.
    live : callable or None
        () -> ids of all actions that can be chosen, (n,) int64, oldest first.
    """

    rng: np.random.Generator
    n_features: int
    budget: int
    features: Callable[[np.ndarray], np.ndarray]
    truth: Callable[[np.ndarray], np.ndarray] | None = None
    links: Callable[[np.ndarray], list[Link]] | None = None
    topic: Topic | None = None
    search: SearchEngine | None = None
    is_live: Callable[[Any], Any] | None = None
    live: Callable[[], np.ndarray] | None = None


@dataclass(frozen=True)
class Transition:
    """An action taken, with its reward and the actions that it led to.

    Attributes
    ----------
    id : int
        The action.
    x : (n_features,) float32
        Its features when it was taken.
    reward : float
        1 if the page is relevant, 0 if it is not or could not be fetched.
    next_x : (m, n_features) float32
        Features of the actions found on the page; none on a dead end. With the action
        chosen next they are A~ (Section 2.4.2).
    page : Page or None
        The page; None if it could not be fetched.

    Examples
    --------
    >>> import numpy as np
    >>> links = np.zeros((2, 8), np.float32)
    >>> found = Transition(id=7, x=np.zeros(8, np.float32), reward=1.0, next_x=links)
    >>> found.reward, len(found.next_x), found.page
    (1.0, 2, None)
    """

    id: int
    x: np.ndarray
    reward: float
    next_x: np.ndarray
    page: Page | None = None


class Policy:
    """All that `crawl` asks of a policy. Only `choose` must be written.

    A step is: `suggest`, `choose`, the page is fetched, `drop`, `learn`, `add`. Seeds come
    first, as transitions with reward 1 that the policy did not choose. Inheritance is not
    needed: an object takes from here what it lacks.

    The frontier keeps track of what can be chosen (`Context.is_live`, `Context.live`), so
    that only a policy that keeps actions in a structure of its own needs `add` and `drop`.

    Attributes
    ----------
    q : float
        Value of the last choice, for the log. Default: NaN.
    evaluations : int
        Values computed so far in order to choose, for the log. Default: 0.
    n_queries : int
        Queries sent to a search engine so far. Default: 0.

    Examples
    --------
    A policy that takes the newest link, without state of its own:

    >>> class Newest(Policy):
    ...     def __init__(self, context):
    ...         self.context = context
    ...     def choose(self, step):
    ...         return self.context.live()[-1]

    It is used as ``crawl(..., policy=Newest)``. Another keeps a list:

    >>> class Oldest(Policy):
    ...     def __init__(self):
    ...         self.ids = []
    ...     def add(self, ids, x):
    ...         self.ids += ids.tolist()
    ...     def choose(self, step):
    ...         return self.ids[0]
    ...     def drop(self, ids):
    ...         self.ids = [i for i in self.ids if i not in ids]
    >>> policy = Oldest()
    >>> policy.add(np.arange(3), np.zeros((3, 8)))
    >>> policy.drop([0])
    >>> policy.choose(step=1)
    1
    """

    q: float = float("nan")
    evaluations: int = 0
    n_queries: int = 0

    @property
    def n_leaves(self) -> int:
        """Number of leaves of the policy's tree, for the log; 0 without a tree."""
        return 0

    @property
    def n_nonempty(self) -> int:
        """Number of leaves that hold live actions, for the log."""
        return 0

    @property
    def exhausted(self) -> bool:
        """Whether the policy will choose no more, which ends the crawl as an empty frontier does.

        Asked before each choice.
        """
        return False

    def suggest(self, step: int) -> list[str]:
        """Return URLs to become actions from the empty path, unless they were fetched already.

        Asked before each choice.
        """
        return []

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        """Take in new actions.

        Parameters
        ----------
        ids : (n,) int64
            Row numbers, dense from 0 on.
        x : (n, n_features) float32
        """

    def choose(self, step: int) -> int:
        """Return the id of a live action, at step 1, 2, ...; there is at least one."""
        raise NotImplementedError

    def learn(self, transition: Transition) -> None:
        """Learn from an action that was taken, by this policy or as a seed."""

    def drop(self, ids: list[int]) -> None:
        """Forget actions that have ended.

        Their URL was fetched (the chosen one is among them), or their domain is at its cap.
        """


POLICIES = {  # name: module, from this package on, and class; loaded when it is used
    "tres": ".tres.policies:TRES",
    "tree-random": ".tres.policies:TreeRandom",
    "random": ".baselines.simple:Random",
    "sync": ".tres.policies:Sync",
    "async": ".baselines.async_sarsa:HanAsync",
    "tres-async": ".tres.policies:TresAsync",
    "ache": ".baselines.ache:Ache",
    "seedfinder": ".baselines.seedfinder:SeedFinder",
    "best-first": ".baselines.simple:BestFirst",
    "linear": ".baselines.simple:Linear",
    "bfs": ".baselines.simple:Fifo",
    "oracle": ".baselines.simple:Oracle",
}


def make_policy(policy: str | Policy | Callable[[Context], Policy], context: Context) -> Policy:
    """Return the policy of that name, the one given, or the one that the factory builds.

    Raises
    ------
    ValueError
        If there is no such policy; the message lists the names.
    """
    made: object = policy
    if isinstance(policy, str):
        made = _class_named(policy)(context)
    elif isinstance(policy, type) or not hasattr(policy, "choose"):
        made = cast(Callable, policy)(context) if callable(policy) else policy
    if not hasattr(made, "choose"):
        raise ValueError(
            f"policy={policy!r}: give an object with the method choose(step), what builds one "
            f"from a Context, or one of {', '.join(POLICIES)}"
        )
    return cast(Policy, made)


def completed(policy: Policy) -> Policy:
    """Return the policy with defaults for the members of `Policy` that it lacks."""
    return policy if isinstance(policy, Policy) else cast(Policy, _Completed(policy))


class _Completed:
    """A policy that does not inherit from `Policy`, with the latter's defaults."""

    _defaults = Policy()

    def __init__(self, policy: object):
        self._policy = policy

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policy, name, getattr(self._defaults, name))


def _class_named(policy: str) -> Callable[[Context], Policy]:
    """Return the class of that name, loaded now: some need torch or sklearn."""
    if policy not in POLICIES:
        raise ValueError(f"policy={policy!r}: use one of {', '.join(POLICIES)}, or a Policy")
    module, name = POLICIES[policy].split(":")
    return getattr(import_module(module, __package__), name)


def policy_name(policy: object) -> str:
    """Return the name of a policy for the log: its own, or that of its class or function."""
    if isinstance(policy, str):
        return policy
    if isinstance(policy, partial):
        return policy_name(policy.func)
    return getattr(policy, "__qualname__", type(policy).__qualname__)
