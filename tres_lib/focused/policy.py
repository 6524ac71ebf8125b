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


@dataclass(frozen=True)
class Context:
    """What a crawl offers the policy that it builds.

    Attributes
    ----------
    n_features, budget : int
        Width of x, and fetches that the crawl may make.
    features : callable
        ids (n,) -> x (n, n_features) float32 of these actions, as of now.
    truth : callable or None
        ids (n,) -> whether each action's page is relevant, (n,) bool, if the web knows. Only the
        oracle may ask.
    links : callable
        ids (n,) -> n links of the actions that are being added. Only `Policy.add` may ask.
    search : SearchEngine or None
    is_live, live : callable or None
        ids (n,) -> whether each action can still be chosen, (n,) bool; of a single id, bool.
        () -> ids of all that can, (n,) int64, oldest first.
    urls, sites, numbers : callable
        ids (n,) -> numbers of the URLs that the actions lead to, dense from 0 on. Numbers of URLs
        (n,) -> numbers of their domains, dense too. n strings -> numbers of these URLs, -1 for
        one never met. All (n,) int32.
    proba : callable
        Texts -> probabilities (n,) by the classifier of pages.
    cap : callable
        Step, from 1 on -> MAX, the most pages of a domain; infinite without a limit.
    own_classifier : bool
        Whether the caller gave that, for a topic of their own: policies then use `Transition.p`.
    ignored_classifier : bool
        Whether the caller gave a classifier of their own for a topic of the book, which a policy
        that trains another does not use.
    """

    rng: np.random.Generator
    n_features: int
    budget: int
    features: Callable[[np.ndarray], np.ndarray]
    truth: Callable[[np.ndarray], np.ndarray] | None = None
    links: Callable[[np.ndarray], list[Link]] = _not_offered
    topic: Topic | None = None
    search: Any = None
    is_live: Callable[[Any], Any] | None = None
    live: Callable[[], np.ndarray] | None = None
    urls: Callable[[np.ndarray], np.ndarray] = _not_offered
    sites: Callable[[np.ndarray], np.ndarray] = _not_offered
    numbers: Callable[[list[str]], np.ndarray] = _not_offered
    proba: Callable[[list[str]], np.ndarray] = _not_offered
    cap: Callable[[int], float] = lambda step: np.inf
    own_classifier: bool = False
    ignored_classifier: bool = False


@dataclass(frozen=True)
class Transition:
    """An action taken, with its reward and the actions that it led to.

    Attributes
    ----------
    id, x : int, (n_features,) float32
        The action, and its features when it was taken.
    reward : float
        1 if the page is relevant, 0 if it is not or could not be fetched.
    next_x : (m, n_features) float32
        Features of the actions found on the page; with the action chosen next they form A~ of
        Section 2.4.2, over which the target's maximum is taken.
    page : Page or None
        None if it could not be fetched.
    p : float
        The classifier's probability that the page is relevant; NaN without a page.
    """

    id: int
    x: np.ndarray
    reward: float
    next_x: np.ndarray
    page: Page | None = None
    p: float = float("nan")


class Policy:
    """All that `crawl` asks of a policy. Only `choose` must be written.

    A step is: `suggest` (and `add` of what it returned), `choose`, `drop` of the actions that end
    with the choice, the fetch, `drop` again after a redirect, `learn`, `add`. With several pages
    in flight other choices may come between. Seeds come first, as transitions with reward 1 that
    the policy did not choose. The frontier tells what can be chosen (`Context.live`), so only a
    policy that keeps actions of its own needs `add` and `drop`. A policy need not subclass this;
    missing members get these defaults.

    Attributes
    ----------
    q : float
        Value of the last choice, for the log.
    evaluations, n_queries : int
        Values computed so far in order to choose, and queries sent to a search engine.
    limited : bool
        Whether a limit of its own, on the links of a domain, has kept out a link.
    reads_features : bool
        Whether it reads features 3 to 5 of links, which are costly; else they are 0.

    Examples
    --------
    A policy that takes the newest link, which ``crawl(..., policy=Newest)`` builds:

    >>> class Newest(Policy):
    ...     def __init__(self, context):
    ...         self.context = context
    ...     def choose(self, step):
    ...         return self.context.live()[-1]
    """

    q: float = float("nan")
    evaluations: int = 0
    n_queries: int = 0
    limited: bool = False
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
        """Return the id of a live action, at a step from 1 to the budget; at least one is live.

        `crawl` raises ValueError for an id of any other action.
        """
        raise NotImplementedError

    def learn(self, transition: Transition) -> None:
        """Learn from an action taken, or a seed; `add` of its next actions follows."""

    def drop(self, ids: list[int]) -> None:
        """Forget actions that ended: their URL was fetched, or their domain is at its cap.

        There is at least one; right after `choose` the chosen action is among them.
        """

    def hear(self, page: Page, reward: float) -> None:
        """Take in that the next `add` has links of a page that another shard fetched.

        The page has its address, and those of its links that lead to this shard. Default: nothing.
        Only sharded crawls ask for this and for what follows.
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
    "tres-pretrained": ".tres.pretrained:tres_pretrained",
    "tree-random": ".tres.crawlers:TreeRandom",
    "random": ".baselines.simple:Random",
    "sync": ".tres.crawlers:Sync",
    "async": ".baselines.async_sarsa:HanAsync",
    "tres-async": ".tres.crawlers:TresAsync",
    "ache": ".baselines.ache:Ache",
    "ache-global": ".baselines.ache:ache_global",
    "seedfinder": ".baselines.seedfinder:SeedFinder",
    "seedfinder-global": ".baselines.seedfinder:seedfinder_global",
    "prospector": ".prospector.prospector:Prospector",
    "prospector-flat": ".prospector.prospector:prospector_flat",
    "best-first": ".baselines.simple:BestFirst",
    "parent": ".baselines.simple:Parent",
    "embedding": ".baselines.simple:Embedding",
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
    elif (isinstance(policy, type) or not hasattr(policy, "choose")) and callable(policy):
        try:
            signature(policy).bind(context)
        except TypeError as error:
            what = "a class or function must take a Context, as in def __init__(self, context)"
            raise ValueError(f"policy={policy_name(policy)}: {error}; {what}") from error
        made = policy(context)
    if not hasattr(made, "choose"):
        raise ValueError(
            f"policy={policy!r}: give an object with the method choose(step), what builds one "
            f"from a Context, or one of {', '.join(POLICIES)}"
        )
    return cast(Policy, made)


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
