"""Five named sources as finite arms, for any package of restless bandits."""

import numpy as np

from ..checks import count, one_of
from .dynamic_programming import chain, orbit_states
from .sources import source

MEAN_UTILITY = (1.0, 0.7, 0.2, 0.08)  # Table 1
DECAY = (0.7, 0.35, 0.7, 0.21)
ARRIVAL_RATE = 250.0
#: The paper's four sources, and the first with half, all or half as much again new at each epoch.
INSTANCES = ("source-1", "source-2", "source-3", "source-4", "noisy")
Arm = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def instance(name: str, states: int = 40) -> Arm:
    """Return an arm as P0, P1, (n, n), and R0, R1, (n,): 0 to wait, 1 to crawl.

    Of a noisy arm the states are an even grid up to 1.5 x*, between which the next state is shared
    out; of the others the first states after a crawl, and x*.

    Examples
    --------
    >>> p0, p1, r0, r1 = instance("source-1", states=5)
    >>> p0[0].round(9).tolist(), p1[3].tolist(), r1.round(1).tolist()
    ([0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0], [179.8, 269.1, 313.4, 335.4, 357.1])
    """
    which = INSTANCES.index(one_of("name", name, INSTANCES)) % len(DECAY)
    n = count("states", states, 2)
    one = source(MEAN_UTILITY[which], DECAY[which], ARRIVAL_RATE)
    alpha, u, limit = float(one.alpha), float(one.u), float(one.limit)
    if name == "noisy":
        grid = np.linspace(0, 1.5 * limit, n)
        return chain(grid, alpha, u * np.array([0.5, 1.0, 1.5])).arm()
    return chain(orbit_states(alpha, u, [u], n - 1), alpha, u).arm()
