"""How long to explore: what explore-and-commit loses before and after it commits.

Refreshing all m pages alike, at r = R / m, loses D = F(best rates) - F(r) a unit of time against
the oracle. It brings the estimate of page i a variance V_i / tau in time tau. Then the rates that
are best for estimates x lose at most 1/2 sum w_i (x_i - xi_i)^2 / (x_i xi_i) a unit of time, which
is about K / tau with K = 1/2 sum w_i V_i / xi_i^2. Over a time T all that is tau D + K T / tau:
least, 2 sqrt(K D T), at tau = sqrt(K T / D).

K is a bound. Where all errors are small, so that no page is given up or taken up by mistake, what
is lost is k / tau, with

    k = lambda^(3/2) sum c_i^2 V_i (1 / a_i - 1 / A),   c_i = (rho_i - xi_i) / (2 xi_i),

a_i = sqrt(w_i xi_i), and A the sum of the a_i, over the pages that the best rates refresh. All
this is for Poisson refresh.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .arguments import positive
from .freshness import freshness, optimal_rates
from .precision import information_rate


@dataclass(frozen=True)
class ExplorationCosts:
    """What a learner loses a unit of time.

    Attributes
    ----------
    exploring : D, freshness lost while all pages are refreshed alike
    erring : K, at most so much is lost after a time tau of exploring, times tau
    erring_slightly : k, so much is lost, times tau, as tau grows
    """

    exploring: float
    erring: float
    erring_slightly: float


def exploration_costs(
    change_rates: ArrayLike, request_rates: ArrayLike, bandwidth: float
) -> ExplorationCosts:
    """The constants D, K and k of these pages; arguments as for `optimal_rates`."""
    best = optimal_rates(change_rates, request_rates, bandwidth)
    xi, zeta = np.asarray(change_rates, float), np.asarray(request_rates, float)
    w, alike = zeta / zeta.sum(), np.full(len(xi), bandwidth / len(xi))
    exploring = freshness(best, xi, zeta) - freshness(alike, xi, zeta)
    variance = 1 / information_rate(xi, alike)
    erring = 0.5 * float((w * variance / xi**2).sum())
    slightly = _second_order(*(array[best > 0] for array in (best, xi, w, variance)))
    return ExplorationCosts(max(exploring, 0.0), erring, slightly)


def _second_order(rho: np.ndarray, xi: np.ndarray, w: np.ndarray, variance: np.ndarray) -> float:
    """k, from the pages that are refreshed."""
    a = np.sqrt(w * xi)
    root_of_worth = a.sum() / (rho.sum() + xi.sum())
    c = (rho - xi) / (2 * xi)
    return root_of_worth**3 * float((c**2 * variance * (1 / a - 1 / a.sum())).sum())


def best_horizon(
    change_rates: ArrayLike, request_rates: ArrayLike, bandwidth: float, time: float
) -> float:
    """How long to explore in a time T by the bound: sqrt(K T / D), and at most T.

    Parameters
    ----------
    change_rates, request_rates, bandwidth : see `optimal_rates`
    time : T, above 0

    Raises
    ------
    ValueError
    """
    time = positive("time", time)
    costs = exploration_costs(change_rates, request_rates, bandwidth)
    if costs.erring >= costs.exploring * time:
        return time
    return math.sqrt(costs.erring * time / costs.exploring)
