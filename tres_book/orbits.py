"""What chapter 10 sets beside the index: its form on the orbit, cycles of runs, and a rival."""

import numpy as np
from numpy.typing import ArrayLike

from tres_lib.ephemeral import Policy, Run, Sources, best_cycle, orbit, relaxation


def orbit_index(n: ArrayLike, alpha: ArrayLike, u: ArrayLike) -> np.ndarray:
    """Return the Whittle index of X_n, W_n = X_n - (n + 1) u alpha^(n + 1) (below Theorem 1)."""
    steps = np.add(n, 1)
    return orbit(n, alpha, u) - steps * u * np.power(alpha, steps, dtype=float)


def cycle(run: Run) -> tuple[float, int]:
    """Return the mean reward and the epochs of the cycle that a run of kept states ends in."""
    assert run.states is not None
    same = np.flatnonzero((run.states[:-1] == run.states[-1]).all(axis=1))
    if not len(same):
        raise ValueError(f"epochs={len(run.reward)}: no cycle yet; simulate more")
    period = len(run.reward) - 1 - int(same[-1])
    return float(run.reward[-period:].mean()), period


def lagrangian(sources: Sources, crawls: float) -> Policy:
    """Rank by the advantage of a crawl now over waiting, at the relaxed problem's price."""
    # With b the gain of the best cycle, waiting k epochs and then crawling earns x* - (x* - x)
    # alpha^k - k b. The best k stops when an epoch adds less than b (K. Avrachenkov, V. S. Borkar
    # and P. Shah, Lagrangian index policy for restless bandits with average reward, 2024).
    price = relaxation(sources, crawls).multiplier
    gain = best_cycle(sources, price)[1]
    log_alpha = np.log(np.maximum(sources.alpha, np.finfo(float).tiny))

    def advantage(x: np.ndarray, age: np.ndarray) -> np.ndarray:
        growth = sources.u - (1 - sources.alpha) * x
        with np.errstate(divide="ignore", invalid="ignore"):
            wait = np.where(growth > gain, np.ceil(np.log(gain / growth) / log_alpha), 1)
            wait = np.maximum(wait, 1)
            waited = wait * gain + growth * np.expm1(wait * log_alpha) / (1 - sources.alpha)
        return np.where(gain > 0, waited, x - price)

    return advantage
