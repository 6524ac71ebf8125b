"""How long to explore, from the regret of explore-and-commit.

Refreshing all m pages at the same rate r = R / m loses D = F(best rates) - F(r) per unit of
time against the oracle. After a time tau the estimate of page i has a variance V_i / tau. The rates
that are best for estimates x lose at most 1/2 sum w_i (x_i - xi_i)^2 / (x_i xi_i) per unit of time.
That is about K / tau with K = 1/2 sum w_i V_i / xi_i^2. Over a time T the regret is about
tau D + K T / tau. Its least value, 2 sqrt(K D T), is at tau = sqrt(K T / D).
All this is for Poisson refresh.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tres_webs.checks import positive

from .estimators import information_rate
from .freshness import freshness, optimal_rates


@dataclass(frozen=True)
class ExplorationCosts:
    """What learning costs in freshness, by the constants of the module's docstring."""

    exploring: float  # D, per unit of time
    estimation_loss: float  # K

    def horizon(self, loss: float, time: float) -> float:
        """Return sqrt(loss T / D), and at most the time T."""
        return time if loss >= self.exploring * time else math.sqrt(loss * time / self.exploring)


def exploration_costs(
    change_rates: ArrayLike, request_rates: ArrayLike, bandwidth: float
) -> ExplorationCosts:
    """Return the constants D and K; for the arguments see `optimal_rates`."""
    best = optimal_rates(change_rates, request_rates, bandwidth)
    xi = np.asarray(change_rates, float)
    zeta = np.asarray(request_rates, float)
    w = zeta / zeta.sum()
    uniform = np.full(len(xi), bandwidth / len(xi))
    exploring = freshness(best, xi, zeta) - freshness(uniform, xi, zeta)
    variance = 1 / information_rate(xi, uniform)
    bound = 0.5 * float((w * variance / xi**2).sum())
    return ExplorationCosts(max(exploring, 0.0), bound)


def best_horizon(
    change_rates: ArrayLike, request_rates: ArrayLike, bandwidth: float, time: float
) -> float:
    """Return how long to explore by the bound: sqrt(K T / D), and at most T, the whole run's time.

    For the rates and the bandwidth see `optimal_rates`.

    Examples
    --------
    >>> round(best_horizon([0.1, 1.0, 10.0], [1, 1, 1], bandwidth=2.0, time=1_000.0), 1)
    347.1
    """
    time = positive("time", time)
    costs = exploration_costs(change_rates, request_rates, bandwidth)
    return costs.horizon(costs.estimation_loss, time)
