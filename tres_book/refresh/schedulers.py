"""Schedulers: which page to fetch at each moment at which one may be fetched.

One of your own is a class or function that takes a `Task` (docs/extend.md).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.optimize import brentq

from tres_lib.numerics import compiled, log
from tres_lib.refresh.estimators import BOUNDS
from tres_lib.refresh.policies import POLICIES, Observations, Policy, View
from tres_lib.refresh.simulate import checked

from .changes import ChangeLog
from .learnable import SECOND_ORDER
from .signals import Signals, table

NO_PAGE = -1  # what a scheduler chooses that lets the moment pass
MINUTE, HOUR = 1 / 1440, 1 / 24  # in days


@dataclass(frozen=True, eq=False)
class Task:
    """What a scheduler is given: m pages, of which it is to keep copies fresh."""

    request_rates: np.ndarray  # (m,)
    bandwidth: float  # fetches per unit of time, at even intervals
    horizon: float
    rng: np.random.Generator
    truth: ChangeLog  # for those that are said to know it: change rates, and how good signals are


class Scheduler(Protocol):
    """What `compare` asks of a policy; those that heed signals have `signalled(pages)`, too."""

    def choose(self, now: float) -> int:
        """Return the page to fetch now, or `NO_PAGE`."""

    def observe(self, page: int, now: float, changed: bool | None) -> None:
        """Take what the fetch showed: a change since the last one; None at the first."""


class Paced:
    """A policy that sets rates, which become even intervals: the page longest overdue comes next.

    At random, instead, a page is drawn in proportion to the rates, as the papers' models have it.
    """

    def __init__(self, policy: Policy, task: Task, at_random: bool = False):
        self._policy, self._task, self._at_random = policy, task, at_random
        self._seen: list[tuple[int, float, bool]] = []
        self._last = np.full(len(task.request_rates), -1e9)  # never fetched
        self._decide(0.0)

    def choose(self, now: float) -> int:
        if now >= self._until:
            self._decide(now)
        if self._at_random:
            return int(np.searchsorted(self._shares, self._task.rng.random(), "right"))
        return int(self._due.argmin())

    def observe(self, page: int, now: float, changed: bool | None) -> None:
        if changed is not None:
            self._seen.append((page, now - self._last[page], changed))
        self._last[page] = now
        self._due[page] += self._gaps[page]

    def _decide(self, now: float) -> None:
        task = self._task
        columns = np.array(self._seen, float).reshape(-1, 3).T
        seen = Observations(columns[0].astype(np.int32), columns[1], columns[2] > 0)
        kind = "poisson" if self._at_random else "uniform"
        known = task.request_rates, task.bandwidth, kind, BOUNDS, seen
        view = View(now, task.horizon, *known)
        rates, self._until = checked(self._policy(view), view)
        self._shares = rates[:-1].cumsum() / rates.sum()
        with np.errstate(divide="ignore"):
            self._gaps = 1 / rates
        self._due = np.maximum(self._last + self._gaps, now)
        never = (self._last < 0) & (rates > 0)
        self._due[never] = now


class HalveAndDouble:
    """The crawlers' rule: a page's interval shrinks if it had changed, else it grows.

    Pages are fetched when they are due, the longest overdue first. Intervals are in days. The
    interval shrinks towards the `shortest`. With `sync`, as in Nutch, an unchanged page's interval
    is at least the time since its last change seen, and it is due earlier by that share of it.
    """

    def __init__(
        self,
        task: Task,
        first: float = 1.0,
        grow: float = 0.5,
        shrink: float = 0.5,
        shortest: float = HOUR,
        longest: float = 14.0,
        sync: float = 0.0,
    ):
        m = len(task.request_rates)
        self._intervals, self._due, self._changed = np.full(m, first), np.zeros(m), np.zeros(m)
        self._grow, self._shrink, self._sync = 1 + grow, shrink, sync
        self._shortest, self._longest = shortest, longest

    def choose(self, now: float) -> int:
        page = int(self._due.argmin())
        return page if self._due[page] <= now else NO_PAGE

    def observe(self, page: int, now: float, changed: bool | None) -> None:
        interval = self._intervals[page]
        if changed:
            interval += self._shrink * (self._shortest - interval)
        elif changed is not None:
            interval *= self._grow
        if changed or changed is None:
            self._changed[page] = now
        unchanged = now - self._changed[page]
        if self._sync:
            interval = max(interval, unchanged)
        self._intervals[page] = min(interval, self._longest)
        self._due[page] = now + self._intervals[page] - self._sync * unchanged


class GreedyNcis:
    """The page of the greatest index (see `signals`), and none if that is below a price.

    It knows the change rates and how good the signals are; without signals it heeds age alone.
    """

    def __init__(self, task: Task, use_signals: bool = True, price: float = 0.0):
        m = len(task.request_rates)
        self._task, self._xi = task, task.truth.change_rates
        self._last, self._counts = np.full(m, -math.inf), np.zeros(m)
        with np.errstate(divide="ignore"):
            self._price = float(np.log(price))
        self.believe(task.truth.signals if use_signals else Signals())

    def believe(self, signals: Signals) -> None:
        """Take signals to be this good from now on."""
        self._alpha, self._step = self._xi * signals.silent, signals.step
        self._levels, self._values = table(signals)[:2]
        with np.errstate(divide="ignore"):
            self._scale = np.log(self._task.request_rates) - np.log(self._alpha)

    def signalled(self, pages: np.ndarray) -> None:
        np.add.at(self._counts, pages, 1)

    def choose(self, now: float) -> int:
        state = now, self._last, self._counts, self._alpha, self._step, self._scale
        page, index = _greatest(*state, self._levels, self._values)
        return page if index >= self._price else NO_PAGE

    def observe(self, page: int, now: float, changed: bool | None) -> None:
        self._last[page], self._counts[page] = now, 0


@compiled
def _greatest(now, last, counts, alpha, step, scale, levels, values):
    """Return the page of the greatest index, and the index's logarithm."""
    best, greatest = 0, -np.inf
    first, end = levels[0], len(levels) - 1
    per_node = (levels[end] - first) / end
    for page in range(len(last)):
        y = alpha[page] * (now - last[page]) + step * counts[page]
        at = end if y > 1e9 else (log(max(y, 1e-300)) - first) / per_node
        node = min(max(int(at), 0), end - 1)
        here = values[node]
        index = here + min(at - node, 1.0) * (values[node + 1] - here) + scale[page]
        if index > greatest:
            best, greatest = page, index
    return best, greatest


def paced(name: str, at_random: bool = False) -> Callable[[Task], Scheduler]:
    """Return what makes a scheduler of a policy that has a name in `POLICIES`."""

    def made(task: Task) -> Scheduler:
        rates = task.truth.change_rates
        return Paced(lambda view: POLICIES[name](rates, view)(view), task, at_random)

    return made


def lambda_crawl(view: View) -> tuple[np.ndarray, float]:
    """Set the rates that are best for the harmonic objective, by the estimates.

    They give no page up, and so need no exploration (A. Kolobov, Y. Peres, C. Lu and E. Horvitz,
    NeurIPS 2019). Estimates are made anew after each doubling of the time.
    """
    if view.time == 0:
        return view.uniform_rates, view.warm_up
    rates = harmonic_rates(view.estimates(), view.request_rates, view.bandwidth)
    return rates, 2 * view.time


def harmonic_rates(xi: np.ndarray, zeta: np.ndarray, bandwidth: float) -> np.ndarray:
    """Return the (m,) rates that maximise sum zeta_i ln(rho_i / (rho_i + xi_i)).

    A page's marginal value, zeta_i xi_i / (rho_i (rho_i + xi_i)), is the multiplier lambda.
    """

    def rates(log_multiplier: float) -> np.ndarray:
        b = zeta * np.exp(-log_multiplier)
        return 2 * b / (1 + np.sqrt(1 + 4 * b / xi))  # without cancellation

    most = float(np.log(zeta.sum() / bandwidth))  # rho_i is below zeta_i / lambda
    found = brentq(lambda log_m: rates(log_m).sum() - bandwidth, most - 60, most)
    return rates(found) * (bandwidth / rates(found).sum())


def lln(
    changed: np.ndarray, gaps: np.ndarray, pages: np.ndarray, m: int, bounds: tuple[float, float]
) -> np.ndarray:
    """Return the online estimates p I / (k + 1 - I), (m,), where refreshes are Poisson of rate p.

    Of a page's k refreshes I showed a change (K. Avrachenkov, K. Patil and G. Thoppe, 2022, arXiv
    2009.08142).
    """
    seen, found = np.bincount(pages, minlength=m), np.bincount(pages, changed, m)
    return np.clip(_rate(seen, gaps, pages) * found / (seen + 1 - found), *bounds)


def sa(
    changed: np.ndarray, gaps: np.ndarray, pages: np.ndarray, m: int, bounds: tuple[float, float]
) -> np.ndarray:
    """Return those that move y by a share (k + 1)^-3/4 towards o (y + p); see `lln`."""
    p = _rate(np.bincount(pages, minlength=m), gaps, pages)
    y, seen = np.zeros(m), np.zeros(m)
    for page, found in zip(pages, changed, strict=True):
        seen[page] += 1
        y[page] += seen[page] ** -0.75 * (found * (y[page] + p[page]) - y[page])
    return np.clip(y, *bounds)


def _rate(seen: np.ndarray, gaps: np.ndarray, pages: np.ndarray) -> np.ndarray:
    return seen / np.maximum(np.bincount(pages, gaps, len(seen)), np.finfo(float).tiny)


#: The schedulers that `compare` takes by name.
SCHEDULERS: dict[str, Callable[[Task], Scheduler]] = {
    # These five know the change rates, which no crawler does.
    "ncis": GreedyNcis,
    "greedy": lambda task: GreedyNcis(task, use_signals=False),
    "optimum": paced("oracle"),
    "optimum-random": paced("oracle", at_random=True),
    "proportional-change": paced("proportional-change"),
    # The others do not.
    "proportional-request": paced("proportional-request"),
    "uniform": paced("uniform"),
    "stormcrawler": HalveAndDouble,
    "nutch": lambda task: HalveAndDouble(task, 30.0, 0.4, 0.2, MINUTE, 90.0, sync=0.3),
    "explore-commit": paced("explore-commit"),
    "explore-commit-second-order": lambda task: Paced(SECOND_ORDER, task),
    "explore-commit-random": lambda task: Paced(SECOND_ORDER, task, at_random=True),
    "lln": lambda task: Paced(replace(SECOND_ORDER, method=lln), task, at_random=True),
    "sa": lambda task: Paced(replace(SECOND_ORDER, method=sa), task, at_random=True),
    "epsilon-decay": paced("epsilon-decay"),
    "lambdacrawl": lambda task: Paced(lambda_crawl, task),
}
