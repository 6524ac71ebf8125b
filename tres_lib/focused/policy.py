"""Policies: which action of the frontier to take next. One loop serves them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..checks import one_of
from ..web.page import Link, Page
from ..web.topic import Topic

if TYPE_CHECKING:
    import pandas as pd


def _not_offered(asked: Any) -> Any:
    raise ValueError("context: made by hand without this member, which `crawl` offers")


OfIds = Callable[[np.ndarray], np.ndarray]  # ids of actions (n,) -> something of each, (n, ...)
OfTexts = Callable[[list[str]], np.ndarray]  # (n,) -> (n,)


@dataclass(frozen=True)
class Context:
    """What a crawl offers the policy that it builds."""

    rng: np.random.Generator
    n_features: int  # width of x
    budget: int  # fetches that the crawl may make
    features: OfIds  # ids -> x (n, n_features) float32, as of now
    truth: OfIds | None = None  # ids -> whether the web calls them relevant, for the oracle alone
    links: Callable[[np.ndarray], list[Link]] = _not_offered  # of actions that are being added
    topic: Topic | None = None
    search: Any = None  # SearchEngine over part of the web, or None
    live: Callable[[], np.ndarray] | None = None  # all ids that can be chosen, oldest first
    urls: OfIds = _not_offered  # ids -> int32, numbers of the URLs they lead to, dense from 0 on
    sites: OfIds = _not_offered  # numbers of URLs -> int32, numbers of their domains, dense too
    numbers: OfTexts = _not_offered  # URLs -> int32, their numbers; -1 for one never met
    proba: OfTexts = _not_offered  # texts -> probabilities by the classifier of pages
    cap: Callable[[int], float] = lambda step: np.inf  # step from 1 on -> MAX, or infinity
    own_classifier: bool = False  # given for a topic of one's own: judge pages by `Transition.p`
    ignored_classifier: bool = False  # given for a topic of the book, where some train another


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
    """All that `crawl` asks of a policy. Only `choose` must be written.

    A step is: `suggest` (and `add` of what it returned), `choose` (or `take`), `drop` of the
    actions that end with the choice, the fetch, `drop` again after a redirect, `learn`, `add`. With
    several pages in flight other choices may come between. Seeds come first, as transitions with
    reward 1 that the policy did not choose. The frontier tells what can be chosen (`Context.live`),
    so only a policy that keeps actions of its own needs `add` and `drop`. A policy need not
    subclass this; missing members get these defaults.

    Examples
    --------
    >>> class Newest(Policy):
    ...     def __init__(self, context):
    ...         self.context = context
    ...     def choose(self, step):
    ...         return self.context.live()[-1]
    """

    q: float = float("nan")  # value of the last choice, for the log
    evaluations: int = 0  # values computed so far in order to choose
    n_queries: int = 0  # sent to a search engine
    limited: bool = False  # whether a limit of its own on a domain's links has kept out a link
    # Whether it reads features 3 to 5, which are costly; else they are 0.
    reads_features: bool = True

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
        """Whether the policy has no further choice, which ends the crawl."""
        return False

    def suggest(self, step: int) -> list[str]:
        """Return URLs to add before the choice of a step, as actions without parent."""
        return []

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        """Take in the new actions from a page, or from `suggest`. Default: nothing.

        `ids` (n,) int64 are row numbers, dense from 0 on in order of discovery, and x
        (n, n_features) float32 their features as of now; n may be 0.
        """

    def choose(self, step: int) -> int:
        """Return the id of a live action, at a step from 1 to the budget; at least one is live."""
        raise NotImplementedError

    def take(self, action: int, step: int) -> None:
        """Take note that a live action is next, of a course that is set. Default: nothing."""

    def learn(self, transition: Transition) -> None:
        """Learn from an action taken, or a seed; `add` of its next actions follows."""

    def drop(self, ids: list[int]) -> None:
        """Forget actions that ended: their URL was fetched, or their domain is at its cap.

        There is at least one; right after `choose` the chosen action is among them.
        """

    def hear(self, page: Page, reward: float) -> None:
        """Take in that the next `add` has links of a page that another shard fetched.

        The page has its address, and those of its links that lead to this shard. Sharded crawls
        alone ask for this and for what follows.
        """

    def lesson(self) -> Any:
        """Return what all shards may learn since the last call, in JSON's types. Default: None."""

    def teacher(self) -> Any:
        """Return what merges the lessons after each round, by ``teach(lessons)``. Default: None."""

    def heed(self, advice: Any) -> None:
        """Go on by the advice that the teacher gave after the last round. Default: nothing."""

    def explain(self, row: pd.Series) -> pd.DataFrame | None:
        """Return why it chose the page of a row of the log, as `Explanation.table`, or None."""


#: Where that is which makes each policy that `crawl` takes by name.
POLICIES = {  # name: module, from this package on, and what takes a Context; loaded when used
    "tres": ".tres.crawlers:TRES",
    "tres-pretrained": ".tres.crawlers:tres_pretrained",
    "tree-random": ".tres.crawlers:TreeRandom",
    "random": ".baselines.simple:Random",
    "sync": ".tres.crawlers:Sync",
    "async": ".baselines.async_sarsa:HanAsync",
    "tres-async": ".tres.crawlers:TresAsync",
    "ache": ".baselines.ache:Ache",
    "ache-global": ".baselines.ache:AcheGlobal",
    "seedfinder": ".baselines.seedfinder:SeedFinder",
    "seedfinder-global": ".baselines.seedfinder:SeedFinderGlobal",
    "sb": ".baselines.sb:SleepingBandit",
    "prospector": ".prospector.prospector:Prospector",
    "prospector-flat": ".prospector.prospector:prospector_flat",
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
