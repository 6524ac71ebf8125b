"""The sources of the numerical section, and random ones beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..ephemeral.sources import Sources, source

MEAN_UTILITY = (1.0, 0.7, 0.2, 0.08)  # Table 1
DECAY = (0.7, 0.35, 0.7, 0.21)
ARRIVAL_RATE = 250.0
RANGES = {"mean_utility": (0.05, 1.0), "decay": (0.05, 1.0), "arrival_rate": (5.0, 500.0)}


def table_1(arrival_rate: ArrayLike = ARRIVAL_RATE) -> Sources:
    """The paper's four sources, with its arrival rate or another one."""
    return source(MEAN_UTILITY, DECAY, arrival_rate)


def random_sources(n: int, rng: np.random.Generator | int) -> Sources:
    """n sources with each parameter log-uniform in its range of `RANGES`."""
    low, high = np.log(list(RANGES.values())).T
    return source(*np.exp(np.random.default_rng(rng).uniform(low, high, (n, 3))).T)
