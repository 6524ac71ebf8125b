"""Policies: from what a crawler knows at a time, the refresh rates until it thinks again.

A policy is any callable ``policy(view) -> (rates, until)``: the (m,) refresh rates from
``view.time`` on, and the time at which it wants to be asked again (inf: never). In ten lines::

    def half_and_half(view):
        alike = np.full(len(view.request_rates), view.bandwidth / len(view.request_rates))
        if view.time == 0:
            return alike, 50.0
        return (alike + view.best_rates(view.estimates())) / 2, 2 * view.time
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .arguments import positive
from .estimators import estimate_change_rates
from .exploration import best_horizon
from .freshness import optimal_rates

if TYPE_CHECKING:
    from .observations import Observations

LOOKS = 10  # refreshes of a page, on average, before the first estimate


@dataclass(frozen=True)
class View:
    """What a crawler knows when it decides.

    Attributes
    ----------
    time, horizon : now, and when the run ends
    request_rates : (m,) requests a unit of time
    bandwidth : refreshes a unit of time
    refresh : "poisson" or "uniform", how refreshes of a page follow one another
    bounds : least and greatest change rate
    observed : all bits so far
    """

    time: float
    horizon: float
    request_rates: np.ndarray
    bandwidth: float
    refresh: str
    bounds: tuple[float, float]
    observed: Observations

    @property
    def alike(self) -> np.ndarray:
        """The same refresh rate for all pages, (m,)."""
        return np.full(len(self.request_rates), self.bandwidth / len(self.request_rates))

    @property
    def warm_up(self) -> float:
        """Time in which refreshing all pages alike sees each of them `LOOKS` times."""
        return LOOKS / self.alike[0]

    def estimates(self, method: str = "mle") -> np.ndarray:
        """Change rates by all bits so far, (m,); pages without any get the others' median."""
        o, m = self.observed, len(self.request_rates)
        rates = estimate_change_rates(o.changed, o.gaps, o.pages, m, method, self.bounds)
        seen = np.bincount(o.pages, minlength=m) > 0
        rates[~seen] = np.median(rates[seen]) if seen.any() else math.sqrt(math.prod(self.bounds))
        return rates

    def best_rates(self, change_rates: np.ndarray) -> np.ndarray:
        """Refresh rates that would be optimal if these were the change rates, (m,)."""
        return optimal_rates(change_rates, self.request_rates, self.bandwidth, self.refresh)


Policy = Callable[[View], tuple[np.ndarray, float]]


@dataclass(frozen=True, eq=False)
class Fixed:
    """The same rates all along.

    Attributes
    ----------
    weights : (m,) shares of the bandwidth, up to a common factor; None for the optimum by
        `change_rates`, which is the oracle
    change_rates : (m,)
    """

    weights: np.ndarray | None = None
    change_rates: np.ndarray | None = None

    def __call__(self, view: View) -> tuple[np.ndarray, float]:
        if self.weights is None:
            return view.best_rates(self.change_rates), math.inf
        return self.weights * (view.bandwidth / self.weights.sum()), math.inf


@dataclass(frozen=True)
class ExploreCommit:
    """Refresh all pages alike for a while, then what is best by the estimates, for good.

    Attributes
    ----------
    horizon : how long to explore. None finds it on the way: it asks for the `best_horizon` at
        the estimates so far, explores until then, but at most doubles the time, and asks
        again, until the answer lies behind.
    """

    horizon: float | None = None

    def __post_init__(self) -> None:
        if self.horizon is not None:
            positive("horizon", self.horizon)

    def __call__(self, view: View) -> tuple[np.ndarray, float]:
        if view.time == 0:
            return view.alike, self.horizon or view.warm_up
        estimates = view.estimates()
        if self.horizon is None:
            wanted = best_horizon(estimates, view.request_rates, view.bandwidth, view.horizon)
            if view.time < wanted:
                return view.alike, min(wanted, 2 * view.time)
        return view.best_rates(estimates), math.inf


@dataclass(frozen=True)
class EpsilonGreedy:
    """What is best by the estimates, but for a share of the bandwidth that explores.

    It explores with all bandwidth for `View.warm_up`, then estimates anew after each
    doubling of the time. A share of 0 is greedy.

    Attributes
    ----------
    share : of the bandwidth, 0 to 1, spread over all pages alike
    decaying : the share is instead sqrt(warm-up / t) in the epoch that begins at t
    """

    share: float = 0.1
    decaying: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError(f"share={self.share!r}: give a number from 0 to 1")

    def __call__(self, view: View) -> tuple[np.ndarray, float]:
        if view.time == 0:
            return view.alike, view.warm_up
        share = math.sqrt(view.warm_up / view.time) if self.decaying else self.share
        best = view.best_rates(view.estimates())
        return share * view.alike + (1 - share) * best, 2 * view.time


@dataclass(frozen=True, eq=False)
class Truth:
    """What a policy by name may be told beyond its view: the oracle and two baselines need it."""

    change_rates: np.ndarray
    request_rates: np.ndarray
    bandwidth: float
    horizon: float

    def explore_commit(self, factor: float = 1.0) -> ExploreCommit:
        """Explore-and-commit at the theory's horizon, times a factor."""
        pages = (self.change_rates, self.request_rates, self.bandwidth)
        return ExploreCommit(factor * best_horizon(*pages, self.horizon))


POLICIES: dict[str, Callable[[Truth], Policy]] = {
    "oracle": lambda truth: Fixed(change_rates=truth.change_rates),
    "uniform": lambda truth: Fixed(np.ones(len(truth.request_rates))),
    "proportional-change": lambda truth: Fixed(truth.change_rates),
    "proportional-request": lambda truth: Fixed(truth.request_rates),
    "explore-commit": lambda truth: ExploreCommit(),
    "explore-commit-theory": lambda truth: truth.explore_commit(),
    "explore-commit-short": lambda truth: truth.explore_commit(1 / 4),
    "explore-commit-long": lambda truth: truth.explore_commit(4),
    "greedy-doubling": lambda truth: EpsilonGreedy(0.0),
    "epsilon": lambda truth: EpsilonGreedy(),
    "epsilon-decay": lambda truth: EpsilonGreedy(decaying=True),
}
