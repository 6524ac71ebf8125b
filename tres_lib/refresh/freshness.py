"""Freshness, the share of requests served with a page's latest version, and its optimum.

Page i changes at rate xi_i, is requested at rate zeta_i (a share w_i of all requests) and is
refreshed at rate rho_i. All rates are per unit of time, and the rho_i add up to the bandwidth R.
Refreshing at random moments (a Poisson process) gives F = sum w_i rho_i / (rho_i + xi_i).
Refreshing at even intervals gives F = sum w_i (rho_i / xi_i) (1 - exp(-xi_i / rho_i)), which is
more for the same bandwidth. Both are concave. The optimum gives up the pages whose ratio
zeta_i / xi_i is at most the multiplier lambda, the marginal value of bandwidth.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import exprel, gammainc, gammainccinv, gammaincinv

from tres_webs.checks import one_of, positive, vector

REFRESH = ("poisson", "uniform")
SETTLED = 1e-12  # of the bandwidth: what is left over without harm
TIED = 1e-12  # ratios that differ by less, relatively, are equal
NODES = 16_384  # of the spline; enough for P(2, u) to about 1e-14, relatively
LAST_NODE = 38.0  # beyond it p is 1 in double precision


def freshness(
    rates: ArrayLike, change_rates: ArrayLike, request_rates: ArrayLike, refresh: str = "poisson"
) -> float:
    """Return the share of requests served with the latest version in the long run, 0 to 1.

    Rates, (m,), are refreshes per unit of time; for the rest see `optimal_rates`.

    Examples
    --------
    >>> freshness([2, 0], change_rates=[2, 5], request_rates=[1, 3])
    0.125
    """
    xi, zeta = page_rates(change_rates, request_rates)
    rho = vector("rates", rates, size=len(xi), zero=True)
    if one_of("refresh", refresh, REFRESH) == "poisson":
        fresh = rho / (rho + xi)
    else:
        with np.errstate(divide="ignore"):
            fresh = exprel(-xi / rho)
    return float(fresh @ (zeta / zeta.sum()))


def page_rates(change_rates: ArrayLike, request_rates: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Return both as (m,) float64; ValueError unless some page has requests."""
    xi = vector("change_rates", change_rates)
    zeta = vector("request_rates", request_rates, size=len(xi), zero=True)
    if not zeta.any():
        raise ValueError("request_rates: all are 0; at least one page must be requested")
    return xi, zeta


def fresh_after(
    fresh: np.ndarray, rates: np.ndarray, change_rates: np.ndarray, t: ArrayLike
) -> np.ndarray:
    """Return the probability that a page is fresh a time t later; shapes broadcast."""
    # Under Poisson refresh it solves p' = rho (1 - p) - xi p.
    rest = rates / (rates + change_rates)
    return rest + (fresh - rest) * np.exp(-(rates + change_rates) * t)


def fresh_time(
    fresh: np.ndarray, rates: np.ndarray, change_rates: np.ndarray, t: ArrayLike
) -> np.ndarray:
    """Return the expected time for which a page is fresh, the integral of `fresh_after`."""
    speed = rates + change_rates
    rest = rates / speed
    return rest * t + (fresh - rest) * -np.expm1(-speed * t) / speed


def optimal_rates(
    change_rates: ArrayLike, request_rates: ArrayLike, bandwidth: float, refresh: str = "poisson"
) -> np.ndarray:
    """Return the (m,) refresh rates of the greatest freshness, which add up to the bandwidth.

    Changes (above 0) and requests (at least 0, only proportions matter) are per unit of time, (m,),
    as is the bandwidth. Refresh is "poisson", at random moments, or "uniform", at even intervals. A
    page at the margin, whose rate lambda cannot tell, gets the bandwidth that is left.

    References
    ----------
    Y. Azar, E. Horvitz, E. Lubetzky, Y. Peres and D. Shahaf, Tractable near-optimal policies
    for crawling, PNAS 115(32), 2018, for Poisson refresh. J. Cho and H. Garcia-Molina,
    Effective page refresh policies for web crawlers, ACM TODS 28(4), 2003, for even intervals.

    Examples
    --------
    >>> optimal_rates([0.1, 1.0, 10.0], [1, 1, 1], bandwidth=2.0).round(3)
    array([0.645, 1.355, 0.   ])
    """
    xi, zeta = page_rates(change_rates, request_rates)
    bandwidth = positive("bandwidth", bandwidth)
    solve = _poisson if one_of("refresh", refresh, REFRESH) == "poisson" else _uniform
    return solve(xi, zeta, bandwidth)


def _poisson(xi: np.ndarray, zeta: np.ndarray, bandwidth: float) -> np.ndarray:
    # rho_i = (s sqrt(zeta_i xi_i) - xi_i)^+ with s = 1 / sqrt(lambda), s solving sum rho_i = R,
    # convex and piecewise linear: Newton's method from the right drops pages and ends exactly.
    a = zeta * xi
    np.sqrt(a, out=a)
    left_a, left_xi = a, xi
    while True:
        s = (bandwidth + left_xi.sum()) / left_a.sum()
        refreshed = left_a * s > left_xi
        if refreshed.all() or not refreshed.any():
            break
        left_a, left_xi = left_a[refreshed], left_xi[refreshed]
    a *= s
    a -= xi
    rates = np.maximum(a, 0, out=a)
    # The pages at the margin, with zeta / xi next to lambda, get what is missing, in proportion
    # to their change rates, which is optimal among pages of one ratio.
    total = rates.sum()
    if total > bandwidth:
        rates *= bandwidth / total
    rest = bandwidth - min(total, bandwidth)
    if rest > SETTLED * bandwidth:
        ratio = zeta / xi
        nearest = ratio[np.abs(ratio - s**-2.0).argmin()]
        margin = np.abs(ratio - nearest) <= TIED * nearest
        rates[margin] += rest * xi[margin] / xi[margin].sum()
    return rates


def _uniform(xi: np.ndarray, zeta: np.ndarray, bandwidth: float) -> np.ndarray:
    # rho_i = xi_i / u_i with P(2, u_i) = lambda xi_i / zeta_i, P the regularised incomplete gamma.
    # Pages of one ratio have one u, so they are solved as one page.
    ratio, group = np.unique(zeta / xi, return_inverse=True)
    ratio /= ratio[-1]
    change = np.bincount(group, xi)
    tried: dict[bool, tuple[float, np.ndarray]] = {}  # the closest to R from either side

    def excess(log_multiplier: float) -> float:
        """Return (sum rho - R) / (sum rho + R), which falls from about 1 to -1."""
        multiplier = np.exp(log_multiplier)
        first = np.searchsorted(ratio, multiplier, side="right")
        rates = 1 / inverse(multiplier / ratio[first:])  # refreshes per change
        total = float(rates @ change[first:])
        tried[total >= bandwidth] = total, rates
        return (total - bandwidth) / (total + bandwidth)

    # All bandwidth on one page leaves it a marginal value that lambda cannot fall below.
    least = (ratio * gammainc(2, change / bandwidth)).max()
    brentq(excess, np.log(least) - 1e-12, 0.0, xtol=1e-15, rtol=1e-15, maxiter=1_000)
    (above, more), (below, fewer) = tried[True], tried[False]
    rates = np.zeros(len(ratio))
    share = (bandwidth - below) / (above - below)
    rates[len(ratio) - len(more) :] += share * more
    rates[len(ratio) - len(fewer) :] += (1 - share) * fewer
    return rates[group] * xi


def inverse(p: np.ndarray) -> np.ndarray:
    """Solve P(2, u) = p for 0 < p < 1, as `scipy.special.gammaincinv`, but six times faster."""
    root = np.sqrt(p)
    y = np.log1p(root) - np.log1p(-p)
    return y * _spline()(y)


@cache
def _spline() -> Callable[[np.ndarray], np.ndarray]:
    """Return u / y as a function of y = -ln(1 - sqrt(p)), which is smooth for p from 0 to 1."""
    from scipy.interpolate import CubicSpline

    y = np.linspace(0, LAST_NODE, NODES)
    q = np.exp(-y[1:])  # 1 - sqrt(p); 1 - p = q (2 - q) keeps its digits near p = 1
    p = np.expm1(-y[1:]) ** 2
    u = np.where(p < 0.5, gammaincinv(2, p), gammainccinv(2, q * (2 - q)))
    return CubicSpline(y, np.concatenate([[np.sqrt(2)], u / y[1:]]))
