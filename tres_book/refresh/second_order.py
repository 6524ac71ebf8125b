"""Exploring as long as is best where all errors of estimates are small.

No page is then given up or taken up by mistake, and what is lost after a time tau is k / tau with

    k = lambda^(3/2) sum c_i^2 V_i (1 / a_i - 1 / A),   c_i = (rho_i - xi_i) / (2 xi_i),

a_i = sqrt(w_i xi_i), and A the sum of the a_i, over the pages that the best rates refresh. The
variances V_i and the bound, which is K / tau, are those of `tres_lib.refresh.exploration`.
"""

import numpy as np
from numpy.typing import ArrayLike

from tres_lib.refresh import (
    ExploreCommit,
    View,
    exploration_costs,
    information_rate,
    optimal_rates,
)


def small_error_loss(change_rates: ArrayLike, request_rates: ArrayLike, bandwidth: float) -> float:
    """Return the constant k; for the arguments see `optimal_rates`."""
    best = optimal_rates(change_rates, request_rates, bandwidth)
    xi = np.asarray(change_rates, float)
    zeta = np.asarray(request_rates, float)
    w = zeta / zeta.sum()
    variance = 1 / information_rate(xi, np.full(len(xi), bandwidth / len(xi)))
    rho, xi, w, variance = (array[best > 0] for array in (best, xi, w, variance))
    a = np.sqrt(w * xi)
    root_of_multiplier = a.sum() / (rho.sum() + xi.sum())
    c = (rho - xi) / (2 * xi)
    return root_of_multiplier**3 * float((c**2 * variance * (1 / a - 1 / a.sum())).sum())


def second_order_horizon(view: View, change_rates: np.ndarray) -> float:
    """Return how long to explore in the whole run: sqrt(k T / D), and at most T."""
    pages = change_rates, view.request_rates, view.bandwidth
    return exploration_costs(*pages).horizon(small_error_loss(*pages), view.horizon)


#: The policy "explore-commit-second-order" of the chapter.
SECOND_ORDER = ExploreCommit(wanted=second_order_horizon)
