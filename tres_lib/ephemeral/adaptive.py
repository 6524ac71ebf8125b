"""Crawling while arrival rates are learnt from what crawls find, the paper's future work.

A crawl takes all items, so after m epochs it finds a Poisson number of them with mean m times the
rate: a Gamma prior stays a Gamma. The index is linear in the rate, so a learner ranks by rate times
the index for one item per epoch.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from ..checks import generator, numbers, one_of
from .index import orbit_index
from .simulate import simulate
from .sources import Sources, listed


@dataclass
class Belief:
    """The Gamma distributions of N rates, by shape and rate."""

    items: np.ndarray  # (N,) seen, the prior's included
    epochs: np.ndarray  # (N,) watched, the prior's included
    rng: np.random.Generator
    turn: int = 0  # number of the present epoch, from 1 on

    @property
    def mean(self) -> np.ndarray:
        """Expected rates, (N,)."""
        return self.items / self.epochs


def optimistic(belief: Belief, index: np.ndarray) -> np.ndarray:
    """Rank as if a rate were its posterior's quantile at 1 - 1 / (t + 1), which rises with time."""
    return gammaincinv(belief.items, 1 - 1 / (belief.turn + 1)) / belief.epochs * index


def thompson(belief: Belief, index: np.ndarray) -> np.ndarray:
    """Rank as if the rates were a draw from their posterior (Thompson sampling)."""
    return belief.rng.gamma(belief.items) / belief.epochs * index


def epsilon_decay(belief: Belief, index: np.ndarray) -> np.ndarray:
    """Rank by certainty equivalence, but with probability 1 / sqrt(t) at random."""
    explores = belief.rng.random() < 1 / np.sqrt(belief.turn)
    return belief.rng.random(len(index)) if explores else belief.mean * index


#: How `Adaptive` ranks the sources, by name.
STRATEGIES: dict[str, Callable[[Belief, np.ndarray], np.ndarray]] = {
    "certainty": lambda belief, index: belief.mean * index,  # as if the rates were their means
    "optimistic": optimistic,
    "thompson": thompson,
    "epsilon-decay": epsilon_decay,
}


class Adaptive:
    """A policy for `simulate` that does not know how often content arrives.

    Of the sources' arrivals only u / arrivals is used, an item's utility at its epoch's end. The
    prior has expected arrivals per epoch, a number or (N,), and epochs of watching, both above 0.

    Examples
    --------
    >>> from tres_lib import ephemeral
    >>> sources = ephemeral.source([1.0, 3.0], decay=0.2, arrival_rate=[2.0, 0.1])
    >>> learner = ephemeral.Adaptive(sources, "thompson", prior=(1.0, 1.0))
    >>> run = ephemeral.simulate(sources, 1, 50, policy=learner, stochastic=True, rng=0)
    >>> run.crawled.shape
    (50, 1)
    """

    def __init__(
        self,
        sources: Sources,
        strategy: str,
        prior: tuple[float, float],
        rng: np.random.Generator | int = 0,
    ):
        self._rank = STRATEGIES[one_of("strategy", strategy, tuple(STRATEGIES))]
        sources = listed(sources)
        if sources.arrivals is None or np.any(sources.arrivals <= 0):
            raise ValueError("sources: arrivals must be given, above 0, for an item's utility")
        mean, weight = (numbers(f"prior={prior!r}", value) for value in prior)
        epochs = np.broadcast_to(weight, len(sources)).copy()
        self.belief = Belief(mean * epochs, epochs, generator("rng", rng))
        self._alpha = sources.alpha
        self._utility = sources.u / sources.arrivals

    def __call__(self, x: np.ndarray, age: np.ndarray) -> np.ndarray:
        """Return priorities (N,) by the sources' ages (N,); states x are not used."""
        self.belief.turn += 1
        return self._rank(self.belief, orbit_index(age, self._alpha, self._utility))

    def learn(self, crawled: np.ndarray, found: np.ndarray, elapsed: np.ndarray) -> None:
        """Add the items found in crawled sources (M,), and the epochs in which they arrived."""
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
    """Return the reward lost by each epoch, (epochs,), against the index with known rates.

    Both policies meet the same arrivals and see neither of them before a crawl. The seed is that of
    the arrivals and, in another stream, of the strategy (see `simulate` and `Adaptive`).
    """
    arrivals, choices = np.random.SeedSequence(seed).spawn(2)
    learner = Adaptive(sources, strategy, prior, np.random.default_rng(choices))

    def reward(policy: str | Adaptive) -> np.ndarray:
        rng = np.random.default_rng(arrivals)
        return simulate(sources, crawls_per_epoch, epochs, policy, True, rng, observed=False).reward

    return np.cumsum(reward("whittle") - reward(learner))
