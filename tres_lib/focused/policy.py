"""Policies: which action of the frontier to take next. One loop serves them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from ..web import Link, Page, Topic
    from .baselines.search_engine import SearchEngine


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
    module, name = POLICIES[policy].split(":")
    return getattr(import_module(module, __package__), name)


def policy_name(policy: object) -> str:
    """What the log of a crawl calls its policy: the name, or that of its class or function."""
    if isinstance(policy, str):
        return policy
    if isinstance(policy, partial):
        return policy_name(policy.func)
    return getattr(policy, "__qualname__", type(policy).__qualname__)
