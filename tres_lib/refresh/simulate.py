"""A cache under a policy: pages change, requests arrive, and refreshes show what has changed.

All three are Poisson processes, or refreshes come at even intervals. The cache is empty at
first. The policy sets refresh rates, sees their change indicators, and sets new ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..checks import floats, one_of, positive, vector
from .estimators import BOUNDS, rate_bounds
from .freshness import REFRESH, fresh_after, fresh_time, optimal_rates, page_rates
from .observations import Observations, Pages
from .policies import POLICIES, Policy, View

TICKS = 1_000  # at which requests are counted
ROUNDING = 1e-9  # of the bandwidth, by which a policy may exceed it


@dataclass(frozen=True, eq=False)
class Run:
    """The course of a simulation.

    Attributes
    ----------
    change_rates, request_rates : ndarray, (m,)
    bandwidth, horizon : float
    refresh : {"poisson", "uniform"}
    starts : ndarray, (k,)
        Times of the policy's decisions.
    rates : ndarray, (k, m)
        Refresh rates from then on.
    fresh : ndarray, (k, m)
        Probability that a page is fresh at that time, given the rates before.
    observed : Observations
        All change indicators.
    ticks : ndarray, (n,)
        Times at which requests were counted.
    served, asked : ndarray of int, (n,)
        Requests until then, served with the latest version and in all.
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
        """Return the freshness lost until a time against the oracle, both from an empty cache.

        Parameters
        ----------
        t : array_like of float, optional
            Times from 0 to the horizon, of any shape; by default the horizon.
        by : {"rates", "requests"}
            "rates" is the integral of the oracle's freshness less the policy's, both expected
            given their refresh rates, without the luck of single refreshes and requests.
            "requests" counts requests that were served fresh at `ticks`, interpolated between
            them, and divides by the rate of all requests; the oracle's are expected as before.

        Returns
        -------
        float, or ndarray of the shape of t
            In units of time: 1 is as much as serving no request fresh for a unit of time.

        Raises
        ------
        ValueError
            If a time is outside of the run, or `by` is unknown.
        """
        at = self._times(self.horizon if t is None else t)
        flat = at.ravel()
        if one_of("by", by, ("rates", "requests")) == "rates":
            gained = self._gained(flat, self.starts, self.rates, self.fresh)
        else:
            gained = np.interp(flat, self.ticks, self.served) / self.request_rates.sum()
        zero = np.zeros((1, len(self.change_rates)))
        best = self._gained(flat, zero[0, :1], self._oracle[None], zero)
        lost = (best - gained).reshape(at.shape)
        return float(lost) if lost.ndim == 0 else lost

    def freshness(self, t: ArrayLike) -> np.ndarray:
        """Return the expected share of requests served fresh at each time, (n,) for (n,)."""
        at = self._times(t)
        k = np.searchsorted(self.starts, at, "right") - 1
        since = (at - self.starts[k])[:, None]
        fresh = fresh_after(self.fresh[k], self.rates[k], self.change_rates, since, self.refresh)
        return fresh @ self._weights

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
        """Return the integral of expected freshness up to each t, epoch by epoch."""
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
    change_rates, request_rates, bandwidth
        As for `optimal_rates`. The policy does not see the change rates.
    horizon : float
        End of the run.
    rng : Generator or int
    refresh : {"poisson", "uniform"}
        Whether refreshes of a page come at random or at even intervals, whose phase is drawn
        anew with every decision. The oracle refreshes in the same way.
    bounds : tuple of float
        Least and greatest change rate that policies think possible.

    Returns
    -------
    Run

    Raises
    ------
    ValueError
        If an argument is out of its range, or a policy sets rates that are negative, do not
        fit the pages or exceed the bandwidth, or a time that is not ahead.

    Examples
    --------
    >>> pages = [0.02, 0.5, 8.0], [1, 1, 1]
    >>> run = simulate("explore-commit", *pages, bandwidth=1, horizon=500, rng=0)
    >>> run.regret() < simulate("uniform", *pages, bandwidth=1, horizon=500, rng=0).regret()
    True
    """
    xi, zeta = page_rates(change_rates, request_rates)
    bandwidth = positive("bandwidth", bandwidth)
    horizon = positive("horizon", horizon)
    one_of("refresh", refresh, REFRESH)
    nothing = Observations.joined([])
    view = View(0.0, horizon, zeta, bandwidth, refresh, rate_bounds(bounds), nothing)
    return _run(_policy(policy, xi, view), view, xi, np.random.default_rng(rng))


def _policy(policy: str | Policy, change_rates: np.ndarray, view: View) -> Policy:
    if isinstance(policy, str):
        return POLICIES[one_of("policy", policy, tuple(POLICIES))](change_rates, view)
    if not callable(policy):
        raise ValueError(f"policy={policy!r}: give a name or a callable, policy(view)")
    return policy


def _run(policy: Policy, view: View, xi: np.ndarray, rng: np.random.Generator) -> Run:
    """Run a policy from its first view on, epoch by epoch."""
    zeta = view.request_rates
    crawling, requesting = rng.spawn(2)
    pages = Pages(xi, view.refresh, crawling)
    clock = _Clock(view.horizon, zeta)
    fresh = np.zeros(len(xi))
    epochs = []
    while view.time < view.horizon:
        rates, until = _checked(policy(view), view)
        epochs.append((view.time, rates, fresh))
        new, intervals = pages.advance(rates, view.time, until)
        clock.add(*intervals)
        fresh = fresh_after(fresh, rates, xi, until - view.time, view.refresh)
        view = replace(view, time=until, observed=Observations.joined([view.observed, new]))
    clock.add(*pages.unfinished(view.horizon))
    starts, plans, states = map(np.array, zip(*epochs, strict=True))
    series = starts, plans, states, view.observed, *clock.count(requesting)
    return Run(xi, zeta, view.bandwidth, view.horizon, view.refresh, *series)


class _Clock:
    """Counts requests at even ticks.

    The requests served fresh between two ticks are a Poisson number. Its mean is the time for
    which pages were fresh, weighted by their request rates. So one number is drawn instead of
    the time of every request.
    """

    def __init__(self, horizon: float, request_rates: np.ndarray):
        self._ticks = np.linspace(0, horizon, TICKS + 1)
        self._rates = request_rates
        self._begun = np.zeros((2, TICKS + 1))  # by tick: weights, and weights times times

    def add(self, pages: np.ndarray, since: np.ndarray, until: np.ndarray) -> None:
        """Note that pages were fresh for some intervals of time."""
        for times, sign in ((since, 1), (until, -1)):
            tick = np.ceil(times * (TICKS / self._ticks[-1])).astype(np.int64)
            tick = np.minimum(tick, TICKS)  # a time that rounding puts behind the end
            weights = sign * self._rates[pages]
            self._begun[0] += np.bincount(tick, weights, TICKS + 1)
            self._begun[1] += np.bincount(tick, weights * times, TICKS + 1)

    def count(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ticks, requests served fresh until then, and requests until then."""
        weights, times = self._begun.cumsum(axis=1)
        fresh = np.diff(weights * self._ticks - times).clip(min=0)
        in_all = self._rates.sum() * np.diff(self._ticks)
        served = rng.poisson(fresh)
        stale = rng.poisson(np.maximum(in_all - fresh, 0))
        served, asked = (np.cumsum(np.concatenate([[0], a])) for a in (served, served + stale))
        return self._ticks, served, asked


def _checked(decision: tuple[ArrayLike, float], view: View) -> tuple[np.ndarray, float]:
    """Return the policy's rates, and the end of their epoch."""
    try:
        rates, until = decision
        until = float(until)
    except (TypeError, ValueError) as error:
        raise ValueError(f"policy: gave {decision!r}; give (rates, until)") from error
    rho = vector("rates of the policy", rates, size=len(view.request_rates), zero=True)
    if rho.sum() > view.bandwidth * (1 + ROUNDING):
        raise ValueError(f"rates of the policy: add up to {rho.sum():g}, above {view.bandwidth:g}")
    if not until > view.time:
        raise ValueError(f"until={until!r} of the policy: give a time after {view.time:g}")
    return rho, min(until, view.horizon)
