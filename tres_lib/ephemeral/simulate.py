"""Simulation of crawls, epoch by epoch: rank the sources, crawl the best, let the others grow."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tres_webs.checks import count, one_of, vector

from .policies import POLICIES, Limit, Policy
from .sources import Arrivals, Sources, listed


@dataclass(frozen=True, eq=False)
class Run:
    """The crawls and rewards of a simulation."""

    crawled: np.ndarray  # (epochs, M) int, sources from 0 on, ascending; -1 fills a row up
    reward: np.ndarray  # (epochs,) utility collected in each epoch
    states: np.ndarray | None = None  # (epochs, N) before the crawls, with keep_states


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
    observed: bool | ArrayLike = True,
    keep_states: bool = False,
) -> Run:
    """Simulate a policy by the dynamics of Eqs. 2 and 3, or of Eq. 19 if stochastic.

    For `crawls_per_epoch` and `weights` see `Limit`.

    Parameters
    ----------
    policy : str or callable
        A name of `POLICIES`, or a `Policy` (see `policies`). Its method
        ``learn(crawled, found, elapsed)``, if any, gets at each epoch the sources crawled, the
        items found there, and the epochs over which they had gathered.
    stochastic : bool
        Poisson arrivals instead of their mean effect.
    rng : numpy.random.Generator or int, optional
        Draws the arrivals, whatever is crawled: runs with equal seeds meet the same arrivals.
    x0 : "u" or (N,) array_like
        First states.
    observed : bool or (N,) array_like of bool
        If stochastic, whether the policy sees a source's state, or only its expectation by age,
        which is the state of the deterministic model.

    Examples
    --------
    >>> sources = Sources(alpha=[0.5, 0.5, 0.5], u=[4.0, 3.0, 1.0])
    >>> run = simulate(sources, crawls_per_epoch=1, epochs=6)
    >>> run.crawled.ravel(), run.reward
    (array([0, 1, 0, 1, 0, 1]), array([4. , 4.5, 6. , 4.5, 6. , 4.5]))
    """
    sources = listed(sources)
    n = len(sources)
    epochs = count("epochs", epochs)
    limit = Limit(crawls_per_epoch, n, weights)
    if not callable(policy):
        make = POLICIES[one_of("policy", policy, [*POLICIES])]
        policy = make(sources, limit.crawls, limit.weights)
    arrivals = Arrivals(sources, rng) if stochastic else None
    mask = np.asarray(observed)
    if mask.dtype != bool or mask.shape not in ((), (n,)):
        raise ValueError(f"observed={observed!r}: give True, False, or one of them for each source")
    seen = np.broadcast_to(mask, n)
    start = sources.u if isinstance(x0, str) and x0 == "u" else x0
    x = np.array(vector("x0", start, size=n, zero=True))
    expected = x.copy() if arrivals and not seen.all() else None
    age = np.zeros(n, int)
    waiting = np.zeros(n, int)  # items since the last crawl, or the start
    met = np.zeros(n, bool)  # crawled before
    crawls = []
    states = []
    reward = np.empty(epochs)
    for t in range(epochs):
        crawled = limit.top(policy(x if expected is None else np.where(seen, x, expected), age))
        crawls.append(crawled)
        reward[t] = x[crawled].sum()
        if keep_states:
            states.append(x.copy())
        if hasattr(policy, "learn"):
            policy.learn(crawled, waiting[crawled], age[crawled] + met[crawled])
        new = sources.u
        if expected is not None:
            _grow(expected, crawled, sources.alpha, new)
        if arrivals:
            new, items = arrivals.draw()
            waiting[crawled] = 0
            waiting += items
        _grow(x, crawled, sources.alpha, new)
        met[crawled] = True
        age += 1
        age[crawled] = 0
    wide = max(map(len, crawls))
    rows = [np.pad(row, (0, wide - len(row)), constant_values=-1) for row in crawls]
    return Run(np.array(rows), reward, np.array(states) if keep_states else None)


def _grow(x: np.ndarray, crawled: np.ndarray, alpha: np.ndarray, new: np.ndarray) -> None:
    """Apply Eqs. 2 and 3 in place: empty the crawled sources, and let an epoch pass."""
    x *= alpha
    x[crawled] = 0
    x += new
