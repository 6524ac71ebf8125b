"""A cache under a policy that sets rates: pages change, and refreshes show what has changed.

Both are Poisson processes; the cache is empty at first.
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tres_webs.checks import count, floats, generator, one_of, positive, vector

from .estimators import BOUNDS, rate_bounds
from .freshness import fresh_after, fresh_time, optimal_rates, page_rates
from .policies import POLICIES, Observations, Policy, View

MIDDLE = 10**-0.5  # changes per day of a drawn page, about one in three days
MOST_REFRESHES = 1e9  # of a run, which keeps them all
ROUNDING = 1e-9  # of the bandwidth, by which a policy may exceed it
NOTHING = Observations(np.zeros(0, np.int32), np.zeros(0), np.zeros(0, bool))


@dataclass(frozen=True, eq=False)
class Run:
    """The course of a simulation of m pages; for the first four fields see `simulate`."""

    change_rates: np.ndarray  # (m,)
    request_rates: np.ndarray  # (m,)
    bandwidth: float
    horizon: float
    starts: np.ndarray  # (k,) times of the policy's decisions
    rates: np.ndarray  # (k, m) refresh rates from then on
    fresh: np.ndarray  # (k, m) probability that a page is fresh then, given the rates before
    observed: Observations = field(repr=False)

    def regret(self, t: ArrayLike | None = None) -> float | np.ndarray:
        """Return the freshness lost against the oracle until times t, by default the end.

        It is the integral of the oracle's freshness less the policy's, both expected given their
        rates: 1 is as much as serving no request fresh for one unit of time.
        """
        at = self._times(self.horizon if t is None else t)
        flat = at.ravel()
        gained = self._gained(flat, self.starts, self.rates, self.fresh)
        zero = np.zeros((1, len(self.change_rates)))
        best = self._gained(flat, zero[0, :1], self._oracle[None], zero)
        lost = (best - gained).reshape(at.shape)
        return float(lost) if lost.ndim == 0 else lost

    def freshness(self, t: ArrayLike) -> np.ndarray:
        """Return the expected share of requests served fresh, 0 to 1, at times (n,)."""
        at = self._times(t)
        k = np.searchsorted(self.starts, at, "right") - 1
        since = (at - self.starts[k])[:, None]
        fresh = fresh_after(self.fresh[k], self.rates[k], self.change_rates, since)
        return fresh @ (self.request_rates / self.request_rates.sum())

    def _times(self, t: ArrayLike) -> np.ndarray:
        at = floats("t", t)
        if not ((at >= 0) & (at <= self.horizon)).all():
            raise ValueError(f"t={t!r}: give times from 0 to the horizon, {self.horizon:g}")
        return at

    @cached_property
    def _oracle(self) -> np.ndarray:
        return optimal_rates(self.change_rates, self.request_rates, self.bandwidth)

    def _gained(
        self, t: np.ndarray, starts: np.ndarray, rates: np.ndarray, fresh: np.ndarray
    ) -> np.ndarray:
        total = np.zeros(len(t))
        weights = self.request_rates / self.request_rates.sum()
        for start, end, rho, p in zip(starts, [*starts[1:], math.inf], rates, fresh, strict=True):
            inside = t > start
            spans, back = np.unique(np.minimum(t[inside], end) - start, return_inverse=True)
            shares = fresh_time(p, rho, self.change_rates, spans[:, None])
            total[inside] += (shares @ weights)[back]
        return total


def sample_pages(
    n: int, rng: np.random.Generator | int, *, decades: float = 3.0, tail: float = 2.0
) -> tuple[np.ndarray, np.ndarray]:
    """Draw change and request rates per day of n pages, two independent (n,) arrays.

    The logarithm of a change rate is uniform over so many decades around 10^-0.5 per day. Request
    rates are Pareto, at least 1 per day: a share x^-tail is above x.
    """
    count("n", n)
    rng = generator("rng", rng)
    spread = positive("decades", decades) / 2
    change_rates = MIDDLE * 10 ** rng.uniform(-spread, spread, n)
    return change_rates, 1 + rng.pareto(positive("tail", tail), n)


def simulate(
    policy: str | Policy,
    change_rates: ArrayLike,
    request_rates: ArrayLike,
    bandwidth: float,
    horizon: float,
    rng: np.random.Generator | int,
    bounds: tuple[float, float] = BOUNDS,
) -> Run:
    """Return the run of a policy on pages with these rates, event by event.

    ValueError if a policy sets rates that do not fit, or a time that is not ahead.

    Parameters
    ----------
    policy : str or callable
        A name in `POLICIES`, or a callable such as `ExploreCommit(100.0)` (see `policies`).
    change_rates, request_rates, bandwidth
        As for `optimal_rates`. The policy does not see the change rates.
    bounds : tuple of float
        Least and greatest change rate that policies think possible.

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
    if bandwidth * horizon > MOST_REFRESHES:
        product = f"bandwidth={bandwidth:g} for horizon={horizon:g}"
        raise ValueError(f"{product}: give a product of at most {MOST_REFRESHES:g} refreshes")
    view = View(0.0, horizon, zeta, bandwidth, "poisson", rate_bounds(bounds), NOTHING)
    if isinstance(policy, str):
        policy = POLICIES[one_of("policy", policy, tuple(POLICIES))](xi, view)
    if not callable(policy):
        raise ValueError(f"policy={policy!r}: give a name or a callable, policy(view)")
    # Two are spawned, as when requests were drawn as well: stored runs share one generator.
    pages = Pages(xi, generator("rng", rng).spawn(2)[0])
    fresh = np.zeros(len(xi))
    epochs = []
    while view.time < horizon:
        rates, until = checked(policy(view), view)
        epochs.append((view.time, rates, fresh))
        new = pages.advance(rates, view.time, until)
        fresh = fresh_after(fresh, rates, xi, until - view.time)
        view = replace(view, time=until, observed=view.observed + new)
    starts, plans, states = map(np.array, zip(*epochs, strict=True))
    return Run(xi, zeta, bandwidth, horizon, starts, plans, states, view.observed)


def checked(decision: tuple[ArrayLike, float], view: View) -> tuple[np.ndarray, float]:
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


class Pages:
    """Pages that change and are refreshed, in a cache that is empty at first."""

    def __init__(self, change_rates: np.ndarray, rng: np.random.Generator):
        self._xi = change_rates
        self._refreshing, self._changing = rng.spawn(2)
        self._last = np.full(len(change_rates), np.nan)  # time of the last refresh
        self._stale = np.full(len(change_rates), np.nan)  # time of the first change after it

    def advance(self, rates: np.ndarray, start: float, end: float) -> Observations:
        """Refresh from `start` to `end`; return what it showed."""
        refreshes = self._refreshing.poisson(rates * (end - start))
        pages = np.repeat(np.arange(len(rates), dtype=np.int32), refreshes)
        # Within a page the times are uniform. One sort of page + time orders them all.
        share = np.sort(pages + self._refreshing.random(len(pages))) - pages
        times = start + (end - start) * share
        stale = times + self._changing.standard_exponential(len(times)) / self._xi[pages]
        first = np.diff(pages, prepend=-1) != 0
        since = np.roll(times, 1)
        until = np.roll(stale, 1)
        since[first] = self._last[pages[first]]
        until[first] = self._stale[pages[first]]
        last = np.diff(pages, append=len(rates)) != 0
        self._last[pages[last]] = times[last]
        self._stale[pages[last]] = stale[last]
        again = ~np.isnan(since)  # a page's first refresh shows nothing
        return Observations(pages[again], (times - since)[again], (until <= times)[again])
