"""Crawling while arrival rates are unknown: they are learnt from what crawls find.

The paper names this as future work; the estimators are this package's own. A crawl takes all items,
so after m epochs it finds a Poisson number of them with mean m times the rate: a Gamma prior
stays a Gamma. The index is linear in the rate, so a learner ranks by rate times the index
for one item an epoch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from .arguments import numbers
from .index import orbit_index
from .simulate import simulate
from .sources import Sources


@dataclass
class Belief:
    """What is known of N rates: items seen and epochs watched, the prior's included.

    Attributes
    ----------
    items, epochs : (N,) arrays
        Shape and rate of the Gamma distribution of each source's arrivals an epoch.
    rng : numpy.random.Generator
    turn : int
        Number of the present epoch, from 1 on.
    """

    items: np.ndarray
    epochs: np.ndarray
    rng: np.random.Generator
    turn: int = 0

    @property
    def mean(self) -> np.ndarray:
        """Expected rates (N,)."""
        return self.items / self.epochs


def certainty(belief: Belief, index: np.ndarray) -> np.ndarray:
    """Certainty equivalence: as if the rates were their means."""
    return belief.mean * index


def optimistic(belief: Belief, index: np.ndarray) -> np.ndarray:
    """As if a rate were its posterior's quantile at 1 - 1 / (t + 1), which rises with time."""
    return gammaincinv(belief.items, 1 - 1 / (belief.turn + 1)) / belief.epochs * index


def thompson(belief: Belief, index: np.ndarray) -> np.ndarray:
    """Thompson sampling: as if the rates were a draw from their posterior."""
    return belief.rng.gamma(belief.items) / belief.epochs * index


def epsilon_decay(belief: Belief, index: np.ndarray) -> np.ndarray:
    """Certainty equivalence, but with probability 1 / sqrt(t) sources at random."""
    explores = belief.rng.random() < 1 / np.sqrt(belief.turn)
    return belief.rng.random(len(index)) if explores else belief.mean * index


STRATEGIES: dict[str, Callable[[Belief, np.ndarray], np.ndarray]] = {
    "certainty": certainty,
    "optimistic": optimistic,
    "thompson": thompson,
    "epsilon-decay": epsilon_decay,
}


class Adaptive:
    """A policy for `simulate` that is not told how often content arrives.

    Parameters
    ----------
    sources : Sources with arrivals
        Their rates are not used: only what share of its utility an item keeps, and what an item
        is worth at the end of its epoch.
    strategy : str
        A name of `STRATEGIES`.
    prior : (mean, weight)
        Expected arrivals an epoch, a number or (N,), and how many epochs of watching that is worth.
    rng : numpy.random.Generator or int

    Raises
    ------
    ValueError
    """

    def __init__(
        self,
        sources: Sources,
        strategy: str,
        prior: tuple[float, float],
        rng: np.random.Generator | int = 0,
    ):
        if strategy not in STRATEGIES:
            raise ValueError(f"strategy={strategy!r}: use {', '.join(STRATEGIES)}")
        if sources.arrivals is None or np.any(sources.arrivals <= 0):
            raise ValueError("sources: arrivals must be given, above 0, to tell an item's worth")
        sources = sources.listed()
        mean, weight = (numbers(f"prior={prior!r}", value, above=True) for value in prior)
        epochs = np.broadcast_to(weight, len(sources)).copy()
        self.belief = Belief(mean * epochs, epochs, np.random.default_rng(rng))
        self._alpha, self._worth = sources.alpha, sources.u / sources.arrivals
        self._rank = STRATEGIES[strategy]

    def __call__(self, x: np.ndarray, age: np.ndarray) -> np.ndarray:
        """Priorities by the sources' ages; states are not looked at."""
        self.belief.turn += 1
        return self._rank(self.belief, orbit_index(age, self._alpha, self._worth))

    def learn(self, crawled: np.ndarray, found: np.ndarray, elapsed: np.ndarray) -> None:
        """Count the items that the crawls found, and the epochs in which they arrived."""
        self.belief.items[crawled] += found
        self.belief.epochs[crawled] += elapsed


def regret(
    sources: Sources,
    crawls_per_epoch: int,
    epochs: int,
    strategy: str,
    prior: tuple[float, float],
    seed: int = 0,
) -> np.ndarray:
    """What was lost so far, by epoch, against the Whittle index with the rates known.

    Both meet the same arrivals and see neither of them before a crawl.

    Parameters
    ----------
    sources, crawls_per_epoch, epochs : see `simulate`
    strategy, prior : see `Adaptive`
    seed : int
        Of the arrivals and, in another stream, of the strategy.

    Returns
    -------
    (epochs,) array

    Raises
    ------
    ValueError
    """
    arrivals, choices = np.random.SeedSequence(seed).spawn(2)
    learner = Adaptive(sources, strategy, prior, np.random.default_rng(choices))
    informed, learning = (
        simulate(
            sources,
            crawls_per_epoch,
            epochs,
            policy,
            stochastic=True,
            rng=np.random.default_rng(arrivals),
            observed=False,
        ).reward
        for policy in ("whittle", learner)
    )
    return np.cumsum(informed - learning)
