"""What can be learned of change rates, and how long exploring them pays where errors are small.

No page is then given up or taken up by mistake, and what is lost after a time tau is k / tau with

    k = lambda^(3/2) sum c_i^2 V_i (1 / a_i - 1 / A),   c_i = (rho_i - xi_i) / (2 xi_i),

a_i = sqrt(w_i xi_i), and A the sum of the a_i, over the pages that the best rates refresh. The
variances V_i and the bound, which is K / tau, are those of `tres_lib.refresh.exploration`.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import exprel

from tres_lib.refresh import (
    ExploreCommit,
    View,
    exploration_costs,
    information_rate,
    optimal_rates,
)
from tres_webs.checks import count, positive


def standard_error(rate: float, gaps: np.ndarray, method: str = "mle") -> float:
    """Return the standard error of an estimate from many refreshes, by the theory.

    For "mle" 1 / sqrt(information); for "moments" sqrt(sum p (1 - p)) / sum w p with p = exp(-xi
    w), xi the true change rate and w the gaps, (n,).
    """
    with np.errstate(divide="ignore"):
        if method == "mle":
            return float(1 / np.sqrt((gaps / (rate * exprel(rate * gaps))).sum()))
        p = np.exp(-rate * gaps)
        return float(np.sqrt((p * (1 - p)).sum()) / (gaps * p).sum())


def best_test_error(gaps: np.ndarray, rate: float, other: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (n,) lower and upper bounds on the error of the best test between two rates.

    After the first k gaps, k = 1 to n, both rates equally likely beforehand.
    """
    p, q = np.exp(-positive("rate", rate) * gaps), np.exp(-positive("other", other) * gaps)
    # Of an indicator's probabilities under the two rates; those of a history overlap by the product
    # B, and the best test errs between (1 - sqrt(1 - B^2)) / 2 and B / 2.
    overlap = np.sqrt(p * q) + np.sqrt((1 - p) * (1 - q))
    b = np.exp(np.cumsum(np.log(np.minimum(overlap, 1))))
    return b**2 / (1 + np.sqrt(1 - b**2)) / 2, b / 2


def logarithmic_gaps(n: int, scale: float) -> np.ndarray:
    """Return gaps on the edge of what can be learned, (n,): scale ln(k + 1), k = 1 to n."""
    # Rates up to 1 / scale can be learned, higher ones cannot.
    return positive("scale", scale) * np.log(np.arange(2, count("n", n) + 2))


def small_error_loss(change_rates: ArrayLike, request_rates: ArrayLike, bandwidth: float) -> float:
    """Return the constant k; for the arguments see `optimal_rates`."""
    best = optimal_rates(change_rates, request_rates, bandwidth)
    xi, zeta = np.asarray(change_rates, float), np.asarray(request_rates, float)
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
