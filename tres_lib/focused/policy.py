"""Policies: which action of the frontier to take next. One core serves them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tres_webs.checks import one_of
from tres_webs.page import Page
from tres_webs.topic import Topic

if TYPE_CHECKING:
    import pandas as pd

    from .frontier import Frontier


OfIds = Callable[[np.ndarray], np.ndarray]  # ids of actions (n,) -> something of each, (n, ...)
OfTexts = Callable[[list[str]], np.ndarray]  # (n,) -> (n,)


@dataclass(frozen=True)
class Context:
    """What a crawl offers the policy that it builds."""

    rng: np.random.Generator
    budget: int  # fetches that the crawl may make
    frontier: Frontier  # what can be chosen: `live`, `features`, `new_links`, ...
    topic: Topic
    proba: OfTexts  # texts -> probabilities by the classifier of pages
    cap: Callable[[int], float]  # step from 1 on -> MAX, or infinity
    truth: OfIds | None = None  # ids -> whether the web calls them relevant, for the oracle alone


@dataclass(frozen=True)
class Transition:
    """An action taken, with its reward and the actions that it led to."""

    id: int
    x: np.ndarray  # (n_features,) float32, when it was taken
    reward: float  # 1 if the page is relevant, 0 if it is not or could not be fetched
    # Features (m, n_features) float32 of the actions found on the page. With the action chosen next
    # they form A~ of Section 2.4.2, over which the target's maximum is taken.
    next_x: np.ndarray
    page: Page | None = None  # None if it could not be fetched
    p: float = float("nan")  # the classifier's probability that the page is relevant


class Policy:
    """All that a crawl asks of a policy. Only `choose` must be written; it need not subclass this.

    A step is: `suggest` (and `add` of what it returned), `choose`, `take`, `figures`, `drop` of the
    actions that end with the choice, the fetch, `drop` again after a redirect, `learn`, `add`. With
    several pages in flight other choices may come between. Seeds come first, as transitions with
    reward 1, neither added nor taken. Only a policy that keeps actions of its own, beside
    `Context.frontier`, needs `add`, `drop`, `rest` and `wake`.

    Examples
    --------
    >>> class Newest(Policy):
    ...     def __init__(self, context):
    ...         self.frontier = context.frontier
    ...     def choose(self, step):
    ...         return self.frontier.live()[-1]
    """

    def suggest(self, step: int) -> list[str]:
        """Return URLs to add before the choice of a step, as actions without parent."""
        return []

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        """Take in the new actions from a page, or from `suggest`: ids (n,), rising from 0 on.

        The features x, (n, 8) float32, are as of now; n may be 0.
        """

    def choose(self, step: int) -> int | None:
        """Return the id of a live action, at a step from 1 to the budget; None: it would take none.

        It may draw random numbers, but leaves nothing else behind: another action may be taken.
        """
        raise NotImplementedError

    def take(self, action: int, step: int) -> None:
        """Take note that an action is next, whoever chose it; it may never have been added."""

    def figures(self) -> dict[str, float]:
        """Return figures of the last choice for the log, of those that the policy has.

        ``q``: its value; ``leaves`` and ``nonempty_leaves`` of a tree; ``evaluations``: values
        computed so far; ``limited``: whether its own limit on a domain's links has kept one out.
        """
        return {}

    def learn(self, transition: Transition) -> None:
        """Learn from an action taken, or a seed; `add` of its next actions follows."""

    def drop(self, ids: list[int]) -> None:
        """Forget actions that ended: their URL was fetched, or their domain is at its cap.

        At least one, also such as rest; right after `take` its action is one, if it was added.
        """

    def rest(self, ids: list[int]) -> None:
        """Do not choose these actions of a domain until they `wake`: its host asks for a pause."""

    def wake(self, ids: list[int]) -> None:
        """Let actions be chosen again that were at rest and have not been dropped."""

    def explain(self, row: pd.Series) -> pd.DataFrame | None:
        """Return why it chose the page of a row of the log, as `Explanation.table`, or None."""


class Blind(Policy):
    """A policy that reads none of features 3 to 5, which are costly: for it they are 0."""


#: Where that is which makes each policy that `crawl` takes by name.
POLICIES = {  # name: module, whole or from here on, and what takes a Context; loaded when used
    "tres": ".tres.crawlers:TRES",
    "tres-pretrained": ".tres.crawlers:tres_pretrained",
    "tree-random": ".tres.crawlers:TreeRandom",
    "random": ".baselines.simple:Random",
    "sync": ".tres.crawlers:Sync",
    "async": ".baselines.async_sarsa:HanAsync",
    "tres-async": ".tres.crawlers:TresAsync",
    "ache": ".baselines.ache:Ache",
    "seedfinder": ".baselines.seedfinder:SeedFinder",
    "prospector": "tres_lib.ours.prospector.prospector:Prospector",
    "prospector-flat": "tres_lib.ours.prospector.prospector:prospector_flat",
    "best-first": ".baselines.simple:BestFirst",
    "parent": ".baselines.simple:Parent",
    "linear": ".baselines.simple:Linear",
    "bfs": ".baselines.simple:BreadthFirst",
    "oracle": ".baselines.simple:Oracle",
}


def make_policy(policy: str | Policy | Callable[[Context], Policy], context: Context) -> Policy:
    """Return the policy of that name, the one given, or the one that the factory builds."""
    made: object = policy
    if isinstance(policy, str):
        module, name = POLICIES[one_of("policy", policy, list(POLICIES))].split(":")
        made = getattr(import_module(module, __package__), name)(context)
    elif builds(policy):
        made = cast(Callable[[Context], Policy], policy)(context)
    if not hasattr(made, "choose"):
        raise ValueError(
            f"policy={policy!r}: give an object with the method choose(step), what builds one "
            f"from a Context, or one of {', '.join(POLICIES)}"
        )
    return cast(Policy, made)


def builds(policy: object) -> bool:
    """Return whether it builds a policy; ValueError if it does so from anything but a Context."""
    if not callable(policy) or (hasattr(policy, "choose") and not isinstance(policy, type)):
        return False
    try:
        signature(policy).bind(None)
    except TypeError as error:
        what = "a class or function must take a Context, as in def __init__(self, context)"
        raise ValueError(f"policy={policy_name(policy)}: {error}; {what}") from error
    return True


def as_policy(policy: Policy) -> Policy:
    """Return the policy with defaults for the members of `Policy` that it lacks."""
    return policy if isinstance(policy, Policy) else cast(Policy, _Completed(policy))


def as_given(policy: Policy) -> Policy:
    """Return the policy that `as_policy` was given."""
    return getattr(policy, "_policy", policy) if isinstance(policy, _Completed) else policy


class _Completed:
    _defaults = Policy()

    def __init__(self, policy: object):
        self._policy = policy

    def __getattr__(self, name: str) -> Any:
        return getattr(self._policy, name, getattr(self._defaults, name))


def policy_name(policy: object) -> str:
    """Return the name of a policy for the log: its own, or that of its class or function."""
    if isinstance(policy, str | partial):
        return policy if isinstance(policy, str) else policy_name(policy.func)
    return getattr(policy, "__qualname__", type(policy).__qualname__)
