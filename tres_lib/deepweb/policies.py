"""Policies: the literature's rules, chance and an oracle; and estimates of sizes.

Of responses by Zipf's law, of the whole database by captures.
"""

import heapq
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tres_webs import checks

from .kernel import DIGITS
from .learners import AS_PRINTED, RL
from .site import SearchSite
from .state import State

SHIFTS = (0.0, 1.0, 3.0, 10.0, 30.0, 100.0)


def chao1(acquired: int, once: int, twice: int) -> float:
    """Return the estimated size of a database, S + f1 (f1 - 1) / (2 (f2 + 1)).

    Of S acquired records f1 were in one response and f2 in two. It is a lower bound in the mean.

    References
    ----------
    A. Chao, Nonparametric estimation of the number of classes in a population, Scandinavian
    Journal of Statistics 11, 1984; in the bias-corrected form.

    Examples
    --------
    >>> chao1(acquired=10, once=4, twice=2)
    12.0
    """
    if once < 0 or twice < 0 or once + twice > acquired:
        raise ValueError(f"once={once}, twice={twice}: give counts from 0 on, at most {acquired}")
    return acquired + once * (once - 1) / (2 * (twice + 1))


class ZipfFit(NamedTuple):
    """Size of a response by the rank of its word: alpha (rank + beta)^-gamma."""

    alpha: float
    beta: float
    gamma: float
    r_squared: float

    def size(self, rank: ArrayLike) -> np.ndarray:
        """Return the expected sizes of the responses to words, by their ranks, of any shape."""
        return self.alpha * (np.asarray(rank, float) + self.beta) ** -self.gamma


def fit_zipf(rank: ArrayLike, size: ArrayLike) -> ZipfFit:
    """Fit the curve of Zipf and Mandelbrot to sizes (n,) by ranks (n,), from 1 on, in logarithms.

    Examples
    --------
    >>> fit = fit_zipf(rank=[1, 2, 4, 8], size=[80, 40, 20, 10])
    >>> round(fit.alpha), round(fit.gamma, 4), round(fit.r_squared, 4)
    (80, 1.0, 1.0)
    """
    r = checks.vector("rank", rank)
    target = np.log(checks.vector("size", size, size=len(r)))
    if r.min() < 1 or len(np.unique(r)) < 2:
        raise ValueError(f"rank={rank!r:.80}: give at least two different ranks from 1 on")
    fits = []
    for beta in SHIFTS:
        slope, constant = np.polyfit(np.log(r + beta), target, 1)
        missed = np.square(target - constant - slope * np.log(r + beta)).sum()
        fits.append((missed, np.exp(constant), beta, -slope))
    missed, alpha, beta, gamma = min(fits)
    spread = np.square(target - target.mean()).sum()
    r_squared = 1 - missed / spread if spread else float("nan")
    return ZipfFit(float(alpha), beta, float(gamma), float(r_squared))


def ranks(df: ArrayLike) -> np.ndarray:
    """Return the rank of each word by document frequency, from 1 on; ties keep their order."""
    return np.argsort(np.argsort(-np.asarray(df), kind="stable")) + 1


class Policy(Protocol):
    """What `surface` asks of a policy; an object serves one crawl.

    Its attribute ``expected_size``, if any, goes into the log: records expected of the last choice.
    """

    def choose(self, state: State) -> str | None:
        """Return a term that was not issued yet, or None if there is none left."""


class Random:
    """A random candidate of the `pool` of the highest DF, or of all."""

    def __init__(self, pool: int | None = None):
        self._pool = pool

    def choose(self, state: State) -> str | None:
        pool = state.pool(self._pool)
        return state.words[state.rng.choice(pool)] if len(pool) else None


class Greedy:
    """The candidate of the highest value, which a function gives by word; the first met on ties."""

    def __init__(self, value: Callable[[State], np.ndarray]):
        self._value = value

    def choose(self, state: State) -> str | None:
        pool = state.pool()
        if not len(pool):
            return None
        return state.words[pool[np.argmax(self._value(state)[pool].round(DIGITS))]]


def summed_tfidf(state: State) -> np.ndarray:
    """Return tf-idf, share times log(n / DF), summed over the acquired records (Madhavan, 2008)."""
    return state.weight * np.log(max(state.n, 1) / np.maximum(state.df, 1))


def harvest(state: State) -> np.ndarray:
    """Return the new records by Zipf's law, fitted to the sizes the site stated (Ntoulas, 2005)."""
    # Until two queries of different rank had matches, it is the frequency. A site that returns only
    # some matches is expected to return old and new ones alike.
    rank = ranks(state.df)
    stated = [(q, q.returned if q.total is None else q.total) for q in state.issued]
    matched = [(rank[q.word], total, q.returned) for q, total in stated if total]
    if len({r for r, _, _ in matched}) < 2:
        return state.df
    place, total, returned = np.array(matched, float).T
    size = fit_zipf(place, total).size(rank)
    most = returned.max() if (returned < total).any() else np.inf
    return np.minimum(size, most) * (1 - np.minimum(state.df / size, 1))


class Oracle:
    """The term with the most new records of all indexed words, asked at no cost: not optimal."""

    # A term's new records only get fewer, so the count of an earlier step is a bound.
    _bounds: list[tuple[int, str]] | None = None

    def choose(self, state: State) -> str | None:
        site = state.site
        if not isinstance(site, SearchSite):
            raise ValueError(f"site={site!r}: the oracle reads a SearchSite, no other")
        if self._bounds is None:
            most = site.max_results or len(site)
            self._bounds = [(-min(df, most), term) for term, df in site.vocabulary().items()]
            heapq.heapify(self._bounds)
        issued = {query.term for query in state.issued}
        while self._bounds:
            _, term = heapq.heappop(self._bounds)
            if term in issued:
                continue
            new = sum(i not in state.captures for i in site.query(term).ids)
            if not self._bounds or (-new, term) <= self._bounds[0]:
                return term
            heapq.heappush(self._bounds, (-new, term))
        return None


#: What makes each policy that `surface` takes by name.
POLICIES: dict[str, Callable[[], Policy]] = {
    "rl": RL,
    "rl-printed": partial(RL, AS_PRINTED),
    "random": Random,
    "frequency": partial(Greedy, attrgetter("df")),  # Barbosa and Freire, 2004
    "harvest": partial(Greedy, harvest),
    "tfidf": partial(Greedy, summed_tfidf),
    "oracle": Oracle,
}


def make_policy(policy: str | Policy | Callable[[], Policy]) -> Policy:
    """Return a new policy by its name or from what builds one, or the given object."""
    if isinstance(policy, str):
        return POLICIES[checks.one_of("policy", policy, list(POLICIES))]()
    made: Any = policy
    if callable(made) and (isinstance(made, type) or not hasattr(made, "choose")):
        made = made()
    if not hasattr(made, "choose"):
        raise ValueError(f"policy={policy!r}: give an object with choose(state) -> term or None")
    return made
