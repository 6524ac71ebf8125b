"""Policies: from what a crawler knows at a time to refresh rates, until the next decision.

A policy is any callable ``policy(view) -> (rates, until)``: the (m,) refresh rates from
``view.time`` on, and the time of its next decision (inf: never)::

    def half_and_half(view):
        if view.time == 0:
            return view.uniform_rates, 50.0
        return (view.uniform_rates + view.best_rates(view.estimates())) / 2, 2 * view.time
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from tres_webs.checks import number, positive

from .estimators import estimate_change_rates
from .exploration import best_horizon
from .freshness import optimal_rates

Estimator = Callable[..., np.ndarray]
WARM_UP_REFRESHES = 10  # of a page, on average, before the first estimate


@dataclass(frozen=True, eq=False)
class Observations:
    """Change indicators of all pages, (n,), by epoch, and within an epoch by page and time."""

    pages: np.ndarray  # int32
    gaps: np.ndarray  # time since the page's last refresh
    changed: np.ndarray  # bool: whether it had changed since then

    def __add__(self, other: "Observations") -> "Observations":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Observations(*map(np.concatenate, pairs))


@dataclass(frozen=True)
class View:
    """What a crawler knows when it decides; for the arguments see `simulate`."""

    time: float  # now
    horizon: float
    request_rates: np.ndarray  # (m,)
    bandwidth: float
    refresh: str
    bounds: tuple[float, float]
    observed: Observations  # all change indicators so far

    @property
    def uniform_rates(self) -> np.ndarray:
        """Return the same refresh rate for all pages, (m,)."""
        return np.full(len(self.request_rates), self.bandwidth / len(self.request_rates))

    @property
    def warm_up(self) -> float:
        """Return the time in which uniform rates give a page `WARM_UP_REFRESHES` refreshes."""
        return WARM_UP_REFRESHES / self.uniform_rates[0]

    def estimates(self, method: str | Estimator = "mle") -> np.ndarray:
        """Return estimated change rates of all pages, (m,); see `estimate_change_rate`."""
        o = self.observed
        m = len(self.request_rates)
        estimate = (
            partial(estimate_change_rates, method=method) if isinstance(method, str) else method
        )
        rates = estimate(o.changed, o.gaps, o.pages, m, bounds=self.bounds)
        # A page without an indicator gets the median, or else the bounds' geometric mean.
        seen = np.bincount(o.pages, minlength=m) > 0
        rates[~seen] = np.median(rates[seen]) if seen.any() else math.sqrt(math.prod(self.bounds))
        return rates

    def best_rates(self, change_rates: np.ndarray) -> np.ndarray:
        """Return the optimal refresh rates for these change rates, (m,)."""
        return optimal_rates(change_rates, self.request_rates, self.bandwidth, self.refresh)

    def best_horizon(self, change_rates: np.ndarray) -> float:
        """Return how long to explore in the whole run, for Poisson refresh."""
        return best_horizon(change_rates, self.request_rates, self.bandwidth, self.horizon)


#: A policy: from what it is shown to refresh rates, (m,), and when to be asked again.
Policy = Callable[[View], tuple[np.ndarray, float]]


@dataclass(frozen=True, eq=False)
class Fixed:
    """The same rates all the time: shares of the bandwidth, or the optimum for change rates.

    Examples
    --------
    >>> from tres_lib import refresh
    >>> pages = {"change_rates": [0.1, 1.0], "request_rates": [1.0, 1.0], "bandwidth": 2}
    >>> run = refresh.simulate(Fixed(np.array([1.0, 3.0])), **pages, horizon=10, rng=0)
    >>> run.rates[-1]
    array([0.5, 1.5])
    """

    weights: np.ndarray | None = None  # (m,) up to a common factor, or instead
    change_rates: np.ndarray | None = None  # (m,)

    def __call__(self, view: View) -> tuple[np.ndarray, float]:
        """Return refresh rates and the time of the next decision."""
        if self.weights is not None:
            return self.weights * (view.bandwidth / self.weights.sum()), math.inf
        if self.change_rates is None:
            raise ValueError("weights=None: give weights or change_rates")
        return view.best_rates(self.change_rates), math.inf


@dataclass(frozen=True)
class ExploreCommit:
    """Uniform rates for a while, then the optimum for the estimates, for good.

    Without a horizon it explores until the `best_horizon` of estimates, made anew as time doubles.

    Examples
    --------
    >>> from tres_lib import refresh
    >>> pages = {"change_rates": [0.1, 1.0], "request_rates": [1.0, 1.0], "bandwidth": 2}
    >>> run = refresh.simulate(ExploreCommit(20), **pages, horizon=100, rng=0)
    >>> run.starts
    array([ 0., 20.])
    """

    horizon: float | None = None
    method: str | Estimator = "mle"  # of `estimate_change_rates`, or what is called like it
    wanted: Callable[[View, np.ndarray], float] = View.best_horizon  # by estimates

    def __post_init__(self) -> None:
        if self.horizon is not None:
            positive("horizon", self.horizon)

    def __call__(self, view: View) -> tuple[np.ndarray, float]:
        """Return refresh rates and the time of the next decision."""
        if view.time == 0:
            return view.uniform_rates, self.horizon or view.warm_up
        estimates = view.estimates(self.method)
        if self.horizon is None and view.time < (wanted := self.wanted(view, estimates)):
            return view.uniform_rates, min(wanted, 2 * view.time)
        return view.best_rates(estimates), math.inf


@dataclass(frozen=True)
class EpsilonGreedy:
    """The optimum for the estimates, except for a share of the bandwidth that explores.

    It explores with all bandwidth for `View.warm_up`, then estimates anew after each
    doubling of the time. A share of 0 is greedy.

    Examples
    --------
    >>> from tres_lib import refresh
    >>> pages = {"change_rates": [0.1, 1.0], "request_rates": [1.0, 1.0], "bandwidth": 2}
    >>> run = refresh.simulate(EpsilonGreedy(0.2), **pages, horizon=100, rng=0)
    >>> run.starts
    array([ 0., 10., 20., 40., 80.])
    """

    share: float = 0.1  # of the bandwidth, 0 to 1, spread evenly over all pages
    decaying: bool = False  # the share is instead sqrt(warm-up / t) in the epoch that begins at t

    def __post_init__(self) -> None:
        number("share", self.share, 0, 1)

    def __call__(self, view: View) -> tuple[np.ndarray, float]:
        """Return refresh rates and the time of the next decision."""
        if view.time == 0:
            return view.uniform_rates, view.warm_up
        share = math.sqrt(view.warm_up / view.time) if self.decaying else self.share
        best = view.best_rates(view.estimates())
        return share * view.uniform_rates + (1 - share) * best, 2 * view.time


#: What makes each policy that `simulate` takes by name, from the true change rates, (m,), and the
#: first view. The rates are used by `oracle` and `proportional-change`.
POLICIES: dict[str, Callable[[np.ndarray, View], Policy]] = {
    "oracle": lambda xi, view: Fixed(change_rates=xi),
    "uniform": lambda xi, view: Fixed(np.ones(len(xi))),
    "proportional-change": lambda xi, view: Fixed(xi),
    "proportional-request": lambda xi, view: Fixed(view.request_rates),
    "explore-commit": lambda xi, view: ExploreCommit(),
    "greedy-doubling": lambda xi, view: EpsilonGreedy(0.0),
    "epsilon": lambda xi, view: EpsilonGreedy(),
    "epsilon-decay": lambda xi, view: EpsilonGreedy(decaying=True),
}
