"""The sources of chapter 10: the paper's four, random ones, and ones of random arrivals."""

import numpy as np
from numpy.typing import ArrayLike

from tres_lib.ephemeral.dynamic_programming import ARRIVAL_RATE, DECAY, MEAN_UTILITY, Chain, chain
from tres_lib.ephemeral.sources import Arrivals, Sources, source

RANGES = {"mean_utility": (0.05, 1.0), "decay": (0.05, 1.0), "arrival_rate": (5.0, 500.0)}
DRAWS = 40_000  # of the utility that an epoch brings at random
OUTCOMES = 1_000  # equally likely ones, into which they are sorted


def table_1(arrival_rate: ArrayLike = ARRIVAL_RATE) -> Sources:
    """Return the paper's four sources, with its arrival rate or another one."""
    return source(MEAN_UTILITY, DECAY, arrival_rate)


def random_sources(n: int, rng: np.random.Generator | int) -> Sources:
    """Return n sources with each parameter log-uniform in its range of `RANGES`."""
    low, high = np.log(list(RANGES.values())).T
    return source(*np.exp(np.random.default_rng(rng).uniform(low, high, (n, 3))).T)


def noisy_chain(arrival_rate: float, decay: float, seed: int = 0, points: int = 251) -> Chain:
    """Return a source of items of utility 1 that arrive at random, on an even grid of states.

    It ends six standard deviations of a source never crawled above x*.
    """
    one, many = (source(utility, decay, arrival_rate) for utility in (1.0, np.ones(DRAWS)))
    drawn = Arrivals(many, seed).draw()[0]
    new = np.sort(drawn * (one.u / drawn.mean())).reshape(OUTCOMES, -1).mean(axis=1)
    spread = new.std() / np.sqrt(1 - one.alpha**2)
    return chain(np.linspace(0, one.limit + 6 * spread, points), float(one.alpha), new)
