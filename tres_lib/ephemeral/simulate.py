"""Epoch by epoch: rank the sources, crawl the best, let the others grow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .arguments import count, numbers
from .arrivals import Arrivals, Law
from .limit import Limit, table
from .policies import POLICIES, Policy
from .sources import Sources


@dataclass(frozen=True, eq=False)
class Run:
    """What a policy did.

    Attributes
    ----------
    crawled : (epochs, M) int
        Sources crawled, ascending, from 0 on; with weights a row is filled up with -1.
    reward : (epochs,)
        Utility that the crawls of an epoch brought.
    states : (epochs, N), optional
        States before the crawls, if they were asked for.
    """

    crawled: np.ndarray
    reward: np.ndarray
    states: np.ndarray | None = None

    def cycle(self) -> tuple[float, int]:
        """Mean reward of the cycle that a deterministic run has come to, and its epochs.

        Only of a policy that looks at states and ages: one that remembers more, as "fixed-rates"
        does, may go on otherwise from the same states.

        Raises
        ------
        ValueError
            If the states were not kept, or the last one has not occurred before.
        """
        if self.states is None:
            raise ValueError("states: None; simulate with keep_states=True")
        same = np.flatnonzero((self.states[:-1] == self.states[-1]).all(axis=1))
        if not len(same):
            raise ValueError(f"epochs={len(self.reward)}: no cycle yet; simulate more")
        period = len(self.reward) - 1 - int(same[-1])
        return float(self.reward[-period:].mean()), period


def simulate(
    sources: Sources,
    crawls_per_epoch: float,
    epochs: int,
    policy: str | Policy = "whittle",
    stochastic: bool = False,
    rng: np.random.Generator | int | None = None,
    x0: str | ArrayLike = "u",
    *,
    weights: ArrayLike | None = None,
    utility: str | Law = "constant",
    observed: bool | ArrayLike = True,
    keep_states: bool = False,
) -> Run:
    """Crawl for some epochs by the dynamics of Eqs. 2 and 3, or 19 if stochastic.

    Parameters
    ----------
    sources : Sources of N sources
    crawls_per_epoch : int, or float with weights
        M, the sources crawled at each epoch, or what crawls may cost an epoch; see `Limit`.
    epochs : int
    policy : str or function
        A name of `POLICIES`, or a function of states (N,) and ages (N,), epochs since the last
        crawl was over, that returns priorities (N,). If it has a method
        ``learn(crawled, found, elapsed)``, it is told at each epoch which sources were crawled,
        how many items were found there, and over how many epochs they had gathered.
    stochastic : bool
        Poisson arrivals instead of their mean effect.
    rng : numpy.random.Generator or int, optional
        Draws the arrivals, whatever is crawled: runs with equal seeds meet the same arrivals.
    x0 : "u" or (N,)
        First states.
    weights : (N,), optional
        Cost of a crawl of each source (Eq. 5).
    utility : str or function
        Law of the items' utility if stochastic; see `Arrivals`.
    observed : bool or (N,) of bool
        If stochastic, whether the policy sees a source's state, or only what is to be expected
        by its age, which is the state of the deterministic model.
    keep_states : bool

    Returns
    -------
    Run

    Raises
    ------
    ValueError
    """
    sources, epochs = sources.listed(), count("epochs", epochs)
    limit = Limit(crawls_per_epoch, len(sources), weights)
    chosen = _policy(policy, sources, limit)
    arrivals = Arrivals(sources, utility, rng) if stochastic else None
    world = _World(sources, _start(x0, sources.u), arrivals, _mask(observed, len(sources)))
    crawls, reward, states = [], np.empty(epochs), []
    for t in range(epochs):
        crawled = limit.top(chosen(world.seen(), world.age))
        crawls.append(crawled)
        reward[t] = world.x[crawled].sum()
        if keep_states:
            states.append(world.x.copy())
        if hasattr(chosen, "learn"):
            chosen.learn(crawled, *world.news(crawled))
        world.advance(crawled)
    return Run(table(crawls), reward, np.array(states) if keep_states else None)


class _World:
    """The states of the sources, and what is known of them."""

    def __init__(
        self, sources: Sources, x0: np.ndarray, arrivals: Arrivals | None, observed: np.ndarray
    ):
        self._sources, self._arrivals, self._observed = sources, arrivals, observed
        self.x = x0.copy()
        self._expected = x0.copy() if arrivals and not observed.all() else None
        self.age, self._found = np.zeros(len(x0), int), np.zeros(len(x0), int)
        self._known = np.zeros(len(x0), bool)  # crawled before

    def seen(self) -> np.ndarray:
        """The states as a policy may know them."""
        if self._expected is None:
            return self.x
        return np.where(self._observed, self.x, self._expected)

    def news(self, crawled: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Items there since the last crawl, or the start, and the epochs they took to come."""
        return self._found[crawled], self.age[crawled] + self._known[crawled]

    def advance(self, crawled: np.ndarray) -> None:
        """Empty the crawled sources, and let an epoch pass."""
        self._found[crawled], self._known[crawled] = 0, True
        new, alpha = self._sources.u, self._sources.alpha
        if self._expected is not None:
            _pass(self._expected, crawled, alpha, new)
        if self._arrivals:
            new, items = self._arrivals.draw()
            self._found += items
        _pass(self.x, crawled, alpha, new)
        self.age += 1
        self.age[crawled] = 0


def _pass(x: np.ndarray, crawled: np.ndarray, alpha: np.ndarray, new: np.ndarray) -> None:
    """Eqs. 2 and 3, in place."""
    x *= alpha
    x[crawled] = 0
    x += new


def _policy(policy: str | Policy, sources: Sources, limit: Limit) -> Policy:
    if callable(policy):
        return policy
    if policy not in POLICIES:
        raise ValueError(f"policy={policy!r}: use {', '.join(POLICIES)}, or a function")
    return POLICIES[policy](sources, limit.crawls, limit.weights)


def _start(x0: str | ArrayLike, u: np.ndarray) -> np.ndarray:
    if isinstance(x0, str) and x0 == "u":
        return u
    x = numbers("x0", x0)
    if x.shape != u.shape:
        raise ValueError(f"x0: shape {x.shape}; give 'u', or a state for each of {len(u)} sources")
    return x


def _mask(observed: bool | ArrayLike, n: int) -> np.ndarray:
    mask = np.asarray(observed)
    if mask.dtype != bool or mask.shape not in ((), (n,)):
        raise ValueError(f"observed={observed!r}: give True, False, or one of them for each source")
    return np.broadcast_to(mask, n)
