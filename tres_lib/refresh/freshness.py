"""How often to look again when change rates are known: the share of requests served fresh.

Page i changes at rate xi_i, is asked for at rate zeta_i (a share w_i of all requests) and is
refreshed at rate rho_i; all rates are a unit of time, and the rho_i add up to the bandwidth R.
Refreshing at random moments (a Poisson process), the share of requests that find the latest
version is F = sum w_i rho_i / (rho_i + xi_i). At even intervals it is
F = sum w_i (rho_i / xi_i) (1 - exp(-xi_i / rho_i)), which is more for the same bandwidth.

Either F is concave. A first little bandwidth is worth zeta_i / xi_i on page i, so at the
optimum the pages with a ratio up to some lambda, the marginal worth of bandwidth, are given up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import gammainc

from .arguments import REFRESH, numbers, one_of, positive, requests

SETTLED = 1e-12  # of the bandwidth: what is left over without harm
TIED = 1e-12  # ratios that differ by less, relatively, are equal
# u and P(2, u) for a first, quick search; beyond 40 P is 1 in double precision.
COARSE_U = np.geomspace(1e-20, 40, 16384)
COARSE_P = gammainc(2, COARSE_U)
POLISH = 2  # Newton steps from there; the second is left with rounding only


def freshness(
    rates: ArrayLike,
    change_rates: ArrayLike,
    request_rates: ArrayLike,
    refresh: str = "poisson",
) -> float:
    """Share of requests that are served with the latest version, in the long run.

    Parameters
    ----------
    rates : (m,) refreshes a unit of time, at least 0
    change_rates : (m,) changes a unit of time, above 0
    request_rates : (m,) requests a unit of time, at least 0; only their proportions matter
    refresh : "poisson" or "uniform"
        Refreshing at random moments or at even intervals.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
    """
    xi = numbers("change_rates", change_rates)
    zeta = requests(request_rates, len(xi))
    rho = numbers("rates", rates, size=len(xi), zero=True)
    return float(page_freshness(rho, xi, refresh) @ (zeta / zeta.sum()))


def page_freshness(rates: np.ndarray, change_rates: np.ndarray, refresh: str) -> np.ndarray:
    """Share of time for which each page is fresh, in the long run; arrays broadcast."""
    if one_of("refresh", refresh, REFRESH) == "poisson":
        return rates / (rates + change_rates)
    with np.errstate(divide="ignore"):
        u = change_rates / rates
    return -np.expm1(-u) / u  # 0 at u = inf


def optimal_rates(
    change_rates: ArrayLike,
    request_rates: ArrayLike,
    bandwidth: float,
    refresh: str = "poisson",
) -> np.ndarray:
    """Refresh rates of the greatest freshness for a bandwidth.

    Poisson refresh: rho_i = (s sqrt(zeta_i xi_i) - xi_i)^+ with s = 1 / sqrt(lambda), where s
    solves sum rho_i = R, a convex and piecewise linear equation. Newton's method from the
    right never leaves the right side, each step drops pages for good, and it ends exactly.

    Uniform intervals: rho_i = xi_i / u_i with P(2, u_i) = lambda xi_i / zeta_i, P the
    regularised incomplete gamma function. lambda is found with a table of its inverse, then
    corrected with the inverse itself. A page so close to the threshold that lambda cannot tell
    its rate in double precision gets the bandwidth that is left.

    Parameters
    ----------
    change_rates : (m,) changes a unit of time, above 0
    request_rates : (m,) requests a unit of time, at least 0; only their proportions matter
    bandwidth : refreshes a unit of time, above 0
    refresh : "poisson" or "uniform"

    Returns
    -------
    (m,) float64
        At least 0; they add up to the bandwidth.

    Raises
    ------
    ValueError

    References
    ----------
    Y. Azar, E. Horvitz, E. Lubetzky, Y. Peres and D. Shahaf, Tractable near-optimal policies
    for crawling, PNAS 115(32), 2018, for Poisson refresh. J. Cho and H. Garcia-Molina,
    Effective page refresh policies for web crawlers, ACM TODS 28(4), 2003, for even intervals.
    """
    xi = numbers("change_rates", change_rates)
    zeta = requests(request_rates, len(xi))
    bandwidth = positive("bandwidth", bandwidth)
    solve = {"poisson": _poisson, "uniform": _uniform}[one_of("refresh", refresh, REFRESH)]
    rates, worth = solve(xi, zeta, bandwidth)
    return _spend_all(rates, xi, zeta, bandwidth, worth)


def _poisson(xi: np.ndarray, zeta: np.ndarray, bandwidth: float) -> tuple[np.ndarray, float]:
    """Rates, which may miss the bandwidth by rounding, and lambda."""
    a = zeta * xi
    np.sqrt(a, out=a)
    kept_a, kept_xi = a, xi
    while True:
        s = (bandwidth + kept_xi.sum()) / kept_a.sum()
        keep = kept_a * s > kept_xi
        if keep.all() or not keep.any():
            break
        kept_a, kept_xi = kept_a[keep], kept_xi[keep]
    a *= s
    a -= xi
    return np.maximum(a, 0, out=a), s**-2.0


def _uniform(xi: np.ndarray, zeta: np.ndarray, bandwidth: float) -> tuple[np.ndarray, float]:
    """Rates, which may miss the bandwidth near a threshold, and lambda."""
    ratio = zeta / xi
    # Giving one page everything leaves bandwidth a worth that the optimum cannot fall below.
    least, most = (ratio * gammainc(2, xi / bandwidth)).max(), ratio.max()
    kept = np.flatnonzero(ratio > least)
    x, r = xi[kept], ratio[kept]

    def excess(log_worth: float) -> float:
        return float((x / _coarse_u(np.exp(log_worth) / r)).sum() - bandwidth)

    ends, worth = (np.log(least) - 1e-3, np.log(most) + 1e-3), least
    if excess(ends[0]) > 0:
        worth = np.exp(brentq(excess, *ends, xtol=1e-6))
    for _ in range(POLISH):
        p = worth / r
        on = p < 1
        u = _inverse(p[on])
        found = x[on] / u
        with np.errstate(divide="ignore", over="ignore"):  # an infinite slope means: no step
            slope = (found / (u**2 * np.exp(-u) * r[on])).sum()  # -d sum(rho) / d lambda
        if slope > 0:
            worth = np.clip(worth + (found.sum() - bandwidth) / slope, least, most)
    rates = np.zeros(len(xi))
    rates[kept[on]] = found
    return rates, worth


def _coarse_u(p: np.ndarray) -> np.ndarray:
    """Solve P(2, u) = p to about 1e-5, relatively; infinite where p is above 1."""
    return np.interp(p, COARSE_P, COARSE_U, right=np.inf)


def _inverse(p: np.ndarray) -> np.ndarray:
    """`scipy.special.gammaincinv(2, p)` for 0 < p < 1 in half the time."""
    u = _coarse_u(p)
    for _ in range(2):
        u -= (gammainc(2, u) - p) * np.exp(u) / u
    return u


def _spend_all(
    rates: np.ndarray, xi: np.ndarray, zeta: np.ndarray, bandwidth: float, worth: float
) -> np.ndarray:
    """Rates that add up to the bandwidth: what is missing goes to the pages at the margin.

    These are the pages with zeta / xi closest to lambda, in proportion to their change rates,
    which is optimal among pages of one ratio.
    """
    total = rates.sum()
    if total > bandwidth:
        rates *= bandwidth / total
    rest = bandwidth - min(total, bandwidth)
    if rest > SETTLED * bandwidth:
        ratio = zeta / xi
        nearest = ratio[np.abs(ratio - worth).argmin()]
        margin = np.abs(ratio - nearest) <= TIED * nearest
        rates[margin] += rest * xi[margin] / xi[margin].sum()
    return rates
