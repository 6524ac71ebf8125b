"""Policies: which term to issue next. The literature's rules, chance and an oracle."""

import heapq
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any, Protocol

import numpy as np

from tres_webs import checks

from .kernel import DIGITS
from .learners import AS_PRINTED, RL
from .site import SearchSite
from .size_estimates import fit_zipf, ranks
from .state import State


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
