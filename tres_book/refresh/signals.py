"""Noisy signals of change: what a fetch of a page is worth, given its age and its signals.

The model is that of R. Busa-Fekete, J. Zimmert, A. Gyorgy and others, A scalable crawling algorithm
utilizing noisy change-indicating signals, WWW 2025 (arXiv 2502.02430). The formulas were derived
here, because the paper's own were not at hand.

A page changes at rate xi. A share of its changes, the *recall*, sends a signal, and of its signals
a share, the *precision*, is true; false ones come at random. So signals come at rate
gamma = recall xi / precision, and changes without a signal at rate alpha = (1 - recall) xi. Each
signal is true by chance, independently, so a time t and n signals after its last fetch the page is
fresh with probability exp(-y), where

    y = alpha t + b n,    b = -ln(1 - precision).

y grows evenly and jumps by b with each signal. Let a page of weight w be fetched when y passes a
level Y, and psi(Y) be the expected time until then, phi(Y) the expected fresh time. A price c a
fetch is best paid at the level that maximises (w phi - c) / psi. Raising the level adds time at
y = Y only, so phi' = exp(-Y) psi', and the derivative vanishes where c equals

    V(Y) = w (phi(Y) - exp(-Y) psi(Y)).

V rises with Y, from 0 to w / xi. It is the page's index: the price at which fetching it now is as
good as waiting. No page has to know of another. Without signals psi is Y / alpha, and V is
w P(2, Y) / xi, as for even intervals (see `freshness`). In general, with times in units of
1 / alpha, g = gamma / alpha, and Q_i(z) the probability that a Poisson number of mean z exceeds i,

    psi(Y) = 1 / g sum_i Q_i(g (Y - i b)),
    phi(Y) = 1 / (1 + g) sum_i ((1 - precision) g / (1 + g))^i Q_i((1 + g) (Y - i b)),

over the numbers of signals i with i b < Y: y < Y after a time t iff at most (Y - t) / b came.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import cumulative_trapezoid
from scipy.optimize import brentq
from scipy.special import gammainc

from tres_lib.refresh.freshness import page_rates
from tres_webs.checks import positive

LEAST, MOST = 1e-7, 36.0  # of the levels in a table; a page at the last is fresh in no double
NODES = 4_096
LEAST_SHARE = 1e-6  # of changes without a signal, and of false signals: no share is 0


class Signals(NamedTuple):
    """How good the signals of pages are."""

    precision: float = 1.0  # share of signals that are true
    recall: float = 0.0  # share of changes that send one; 0: there are no signals

    @property
    def silent(self) -> float:
        """The share of changes that send no signal."""
        return max(1 - self.recall, LEAST_SHARE)

    @property
    def step(self) -> float:
        """What a signal adds to y, the b above."""
        return -np.log(max(1 - self.precision, LEAST_SHARE)) if self.recall else 0.0


def passage(level: np.ndarray, signals: Signals) -> tuple[np.ndarray, np.ndarray]:
    """Return psi and phi, the expected time and fresh time until y passes a level, in 1 / alpha.

    Levels are of any shape, from 0 on.

    Examples
    --------
    >>> psi, phi = passage(np.array(1.0), Signals())  # without signals: a time of 1
    >>> print(f"{psi:.3f} {phi:.3f}")
    1.000 0.632
    """
    if not signals.step:
        return level, -np.expm1(-level)
    false = max(1 - signals.precision, LEAST_SHARE)
    g = (1 - signals.silent) / ((1 - false) * signals.silent)
    psi, phi = np.zeros(level.shape), np.zeros(level.shape)
    for i in range(int(level.max() / signals.step) + 1):
        left = np.maximum(level - i * signals.step, 0)
        psi += gammainc(i + 1, g * left) / g
        phi += gammainc(i + 1, (1 + g) * left) * (false * g / (1 + g)) ** i / (1 + g)
    return psi, phi


@cache
def table(signals: Signals) -> np.ndarray:
    """Return logarithms of levels, of V alpha / w, and psi and phi there, (4, `NODES`)."""
    levels = np.geomspace(LEAST, MOST, NODES)
    psi, phi = passage(levels, signals)
    logs = np.log(levels)
    # V is the integral of exp(-y) psi(y): the difference of two small numbers has no digits left.
    grown = cumulative_trapezoid(np.exp(-levels) * psi * levels, logs, initial=0)
    return np.array([logs, np.log(grown + levels[0] * psi[0] / 2), psi, phi])


def continuous_optimum(
    change_rates: ArrayLike, request_rates: ArrayLike, bandwidth: float, signals: Signals
) -> tuple[float, float]:
    """Return the greatest freshness under signals, and the price of a fetch that reaches it.

    Each page is fetched when its index passes the price, so that fetches add up to the bandwidth
    on average. No policy of that bandwidth is fresher. For the rates see `optimal_rates`.

    Examples
    --------
    >>> for signals in (Signals(), Signals(precision=0.9, recall=0.9)):
    ...     print(f"{continuous_optimum([0.1, 1, 10], [1, 1, 1], 2.0, signals)[0]:.2f}")
    0.55
    0.66
    """
    xi, zeta = page_rates(change_rates, request_rates)
    alpha = xi * signals.silent
    _, value, *times = table(signals)

    def rates(log_price: float) -> tuple[np.ndarray, np.ndarray]:
        """Return fetch rates and freshness of the pages, (m,), at a price."""
        with np.errstate(divide="ignore"):
            wanted = log_price + np.log(alpha) - np.log(zeta)
        rate, fresh = np.zeros(len(xi)), np.zeros(len(xi))
        page = np.flatnonzero(wanted < value[-1])
        time, gained = (np.interp(wanted[page], value, column) for column in times)
        rate[page], fresh[page] = alpha[page] / time, gained / time
        return rate, fresh

    most = np.log((zeta / xi).max())
    total = positive("bandwidth", bandwidth)
    log_price = brentq(lambda p: rates(p)[0].sum() - total, most - 60, most)
    return float(rates(log_price)[1] @ zeta / zeta.sum()), float(np.exp(log_price))
