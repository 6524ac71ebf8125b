"""A cache under a policy: pages change, requests come in, and refreshes show what has changed.

All three are Poisson processes, or refreshes come at even intervals. The cache is empty at
first. The policy sets refresh rates, sees the bits that they bring, and sets new ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .arguments import REFRESH, floats, numbers, one_of, positive, rate_bounds, requests
from .estimators import BOUNDS
from .freshness import optimal_rates
from .observations import Observations, Pages
from .policies import POLICIES, Policy, Truth, View
from .transient import fresh_after, fresh_time

TICKS = 1_000  # of the clock by which requests are counted
OVERDRAWN = 1e-9  # of the bandwidth: rounding that a policy is allowed


@dataclass(frozen=True, eq=False)
class Run:
    """What a policy did, and what came of it.

    Attributes
    ----------
    change_rates, request_rates : (m,)
    bandwidth, horizon : float
    refresh : "poisson" or "uniform"
    starts : (k,) times from which on rates were in force
    rates : (k, m) these refresh rates
    fresh : (k, m) probability that a page was fresh at that time, given the rates before
    observed : Observations
        All bits.
    ticks : (n,) times at which requests were counted
    served, asked : (n,) requests until then, served with the latest version and in all
    """

    change_rates: np.ndarray
    request_rates: np.ndarray
    bandwidth: float
    horizon: float
    refresh: str
    starts: np.ndarray
    rates: np.ndarray
    fresh: np.ndarray
    observed: Observations = field(repr=False)
    ticks: np.ndarray = field(repr=False)
    served: np.ndarray = field(repr=False)
    asked: np.ndarray = field(repr=False)

    def regret(self, t: ArrayLike | None = None, by: str = "rates") -> float | np.ndarray:
        """What was lost until a time against the oracle, both from an empty cache.

        Parameters
        ----------
        t : times from 0 to the horizon, of any shape; default the horizon
        by : "rates" or "requests"
            "rates", the default, is the integral of the oracle's freshness less the policy's,
            both expected given their refresh rates: what the policy is answerable for, without
            the luck of single refreshes and requests. "requests" counts requests that were
            served fresh at `ticks`, with straight lines between them, and divides by the rate of
            all requests; the oracle is expected to serve as many as before.

        Returns
        -------
        float, or array of the shape of t
            In units of time: 1 is as much as serving no request fresh for a unit of time.

        Raises
        ------
        ValueError
        """
        at = self._times(self.horizon if t is None else t)
        flat = at.ravel()
        if one_of("by", by, ("rates", "requests")) == "rates":
            had = self._gained(flat, self.starts, self.rates, self.fresh)
        else:
            had = np.interp(flat, self.ticks, self.served) / self.request_rates.sum()
        zero = np.zeros((1, len(self.change_rates)))
        best = self._gained(flat, zero[0, :1], self._oracle[None], zero)
        lost = (best - had).reshape(at.shape)
        return float(lost) if lost.ndim == 0 else lost

    def freshness(self, t: ArrayLike) -> np.ndarray:
        """Expected share of requests served fresh at each time, given the rates; (n,) for (n,)."""
        at = self._times(t)
        k = np.searchsorted(self.starts, at, "right") - 1
        since = (at - self.starts[k])[:, None]
        arguments = self.fresh[k], self.rates[k], self.change_rates, since, self.refresh
        return fresh_after(*arguments) @ self._weights

    def _times(self, t: ArrayLike) -> np.ndarray:
        at = floats("t", t)
        if not ((at >= 0) & (at <= self.horizon)).all():
            raise ValueError(f"t={t!r}: give times from 0 to the horizon, {self.horizon:g}")
        return at

    @cached_property
    def _oracle(self) -> np.ndarray:
        return optimal_rates(self.change_rates, self.request_rates, self.bandwidth, self.refresh)

    @cached_property
    def _weights(self) -> np.ndarray:
        return self.request_rates / self.request_rates.sum()

    def _gained(
        self, t: np.ndarray, starts: np.ndarray, rates: np.ndarray, fresh: np.ndarray
    ) -> np.ndarray:
        """Integral of expected freshness up to each t, epoch by epoch."""
        total = np.zeros(len(t))
        for start, end, rho, p in zip(starts, [*starts[1:], math.inf], rates, fresh, strict=True):
            inside = t > start
            spans, back = np.unique(np.minimum(t[inside], end) - start, return_inverse=True)
            shares = fresh_time(p, rho, self.change_rates, spans[:, None], self.refresh)
            total[inside] += (shares @ self._weights)[back]
        return total


def simulate(
    policy: str | Policy,
    change_rates: ArrayLike,
    request_rates: ArrayLike,
    bandwidth: float,
    horizon: float,
    rng: np.random.Generator | int,
    refresh: str = "poisson",
    bounds: tuple[float, float] = BOUNDS,
) -> Run:
    """Run a policy on pages with these rates, event by event.

    Parameters
    ----------
    policy : str or callable
        A name in `POLICIES`, or a callable such as `ExploreCommit(100.0)` (see `policies`).
    change_rates : (m,) changes a unit of time, above 0; the policy does not see them
    request_rates : (m,) requests a unit of time, at least 0
    bandwidth : refreshes a unit of time that the rates may add up to
    horizon : end of the run
    rng : Generator or int
    refresh : "poisson" or "uniform"
        Whether refreshes of a page come at random or at even intervals, whose phase is drawn
        anew with every decision. The oracle refreshes in the same way.
    bounds : least and greatest change rate that policies think possible

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        Also if a policy sets rates that are negative, do not fit the pages or exceed the
        bandwidth, or does not look ahead.
    """
    xi = numbers("change_rates", change_rates)
    zeta = requests(request_rates, len(xi))
    bandwidth, horizon = positive("bandwidth", bandwidth), positive("horizon", horizon)
    refresh, bounds = one_of("refresh", refresh, REFRESH), rate_bounds(bounds)
    decide = _policy(policy, Truth(xi, zeta, bandwidth, horizon))
    crawling, asking = np.random.default_rng(rng).spawn(2)
    pages, clock = Pages(xi, refresh, crawling), _Clock(horizon, zeta)
    time, fresh, observed = 0.0, np.zeros(len(xi)), Observations.joined([])
    starts, plans, states = [], [], []
    while time < horizon:
        view = View(time, horizon, zeta, bandwidth, refresh, bounds, observed)
        rates, until = _checked(decide(view), view)
        for series, item in ((starts, time), (plans, rates), (states, fresh)):
            series.append(item)
        new, *stretches = pages.advance(rates, time, until)
        clock.add(*stretches)
        observed = Observations.joined([observed, new])
        fresh = fresh_after(fresh, rates, xi, until - time, refresh)
        time = until
    clock.add(*pages.unfinished(horizon))
    series = np.array(starts), np.array(plans), np.array(states)
    return Run(xi, zeta, bandwidth, horizon, refresh, *series, observed, *clock.count(asking))


class _Clock:
    """Counts requests at even ticks.

    Given when pages were fresh, the requests that were served fresh between two ticks are a
    Poisson number, with the time for which pages were fresh, weighted by their request rates, as
    its mean. So that one number is drawn instead of every request's moment.
    """

    def __init__(self, horizon: float, request_rates: np.ndarray):
        self._ticks, self._rates = np.linspace(0, horizon, TICKS + 1), request_rates
        self._begun = np.zeros((2, TICKS + 1))  # by tick: weights, and weights times moments

    def add(self, pages: np.ndarray, since: np.ndarray, until: np.ndarray) -> None:
        """Note that pages were fresh for some stretches of time."""
        for moments, sign in ((since, 1), (until, -1)):
            tick = np.ceil(moments * (TICKS / self._ticks[-1])).astype(np.int64)
            tick = np.minimum(tick, TICKS)  # a moment that rounding puts behind the end
            weights = sign * self._rates[pages]
            self._begun[0] += np.bincount(tick, weights, TICKS + 1)
            self._begun[1] += np.bincount(tick, weights * moments, TICKS + 1)

    def count(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Ticks, requests served fresh until then, and requests until then."""
        weights, moments = self._begun.cumsum(axis=1)
        fresh = np.diff(weights * self._ticks - moments).clip(min=0)
        in_all = self._rates.sum() * np.diff(self._ticks)
        served = rng.poisson(fresh)
        stale = rng.poisson(np.maximum(in_all - fresh, 0))
        series = (np.cumsum(np.concatenate([[0], a])) for a in (served, served + stale))
        return self._ticks, *series


def _policy(policy: str | Policy, truth: Truth) -> Policy:
    if isinstance(policy, str):
        return POLICIES[one_of("policy", policy, tuple(POLICIES))](truth)
    if not callable(policy):
        raise ValueError(f"policy={policy!r}: give a name or a callable, policy(view)")
    return policy


def _checked(decision: tuple[ArrayLike, float], view: View) -> tuple[np.ndarray, float]:
    """The policy's rates, and until when they are in force."""
    try:
        rates, until = decision
        until = float(until)
    except (TypeError, ValueError) as error:
        raise ValueError(f"policy: gave {decision!r}; give (rates, until)") from error
    rho = numbers("rates of the policy", rates, size=len(view.request_rates), zero=True)
    if rho.sum() > view.bandwidth * (1 + OVERDRAWN):
        raise ValueError(f"rates of the policy: add up to {rho.sum():g}, above {view.bandwidth:g}")
    if not until > view.time:
        raise ValueError(f"until={until!r} of the policy: give a time after {view.time:g}")
    return rho, min(until, view.horizon)
