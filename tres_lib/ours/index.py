"""Indices of what a crawler may fetch: known pages, hubs and links, all in requests served.

A look at age w that brings R(w) at a price lambda is best repeated every argmax (R(w) - lambda)/w.
The first-order condition, read as a function of the age, is the Whittle index W = R - a R'.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import exprel, gammainc, gammaincinv

from tres_webs.checks import numbers

HALVINGS = 80  # of a bracket in log age; the last is below rounding
LOG_AGES = (-60.0, 60.0)  # in natural logarithms, relative to 1 / change rate
SMALL = 1e-2


def refresh_index(
    age: ArrayLike, request_rate: ArrayLike, change_rate: ArrayLike, end_rate: ArrayLike = 0.0
) -> np.ndarray:
    """Return the Whittle index of a look at a known page: (2) of the formulas.

    zeta [P(2, u) + u e^-u (1 - (1 - e^-y) / y)] / (xi + delta), where u = xi a and y = delta a: in
    requests that one look serves, by the age a in days since the last one. Requests (zeta), changes
    (xi), and the rate at which interest ends (delta), are per day. All broadcast.

    Examples
    --------
    >>> refresh_index([0, 1, 10], request_rate=2, change_rate=0.5).round(3)
    array([0.   , 0.361, 3.838])
    """
    age = numbers("age", age, zero=True)
    zeta = numbers("request_rate", request_rate, zero=True)
    xi = numbers("change_rate", change_rate, zero=True)
    delta = numbers("end_rate", end_rate, zero=True)
    total = xi + delta
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # No term is negative, so no digits are lost, however small or large u and y are.
        u = xi * age
        gained = gammainc(2, u) + u * np.exp(-u) * _early(delta * age)
        return np.where(total > 0, zeta * gained / total, 0.0)[()]


def _early(y: np.ndarray) -> np.ndarray:
    """Return 1 - (1 - e^-y) / y, from its series where that would cancel."""
    series = y / 2 * (1 - y / 3 * (1 - y / 4 * (1 - y / 5 * (1 - y / 6 * (1 - y / 7)))))
    return np.where(y < SMALL, series, 1 - exprel(-y))


def crossing_age(
    price: ArrayLike, request_rate: ArrayLike, change_rate: ArrayLike, end_rate: ArrayLike = 0.0
) -> np.ndarray:
    """Return the age at which a page's index reaches a price, inf if it never does.

    The price is in requests that a fetch must bring, at least 0; for the rest see `refresh_index`.

    Examples
    --------
    >>> crossing_age([1.0, 5.0], request_rate=2, change_rate=0.5).round(3)
    array([1.923,   inf])
    """
    price = numbers("price", price, zero=True)
    zeta = numbers("request_rate", request_rate, zero=True)
    xi = numbers("change_rate", change_rate, zero=True)
    delta = numbers("end_rate", end_rate, zero=True)
    price, zeta, xi, delta = np.broadcast_arrays(price, zeta, xi, delta)
    with np.errstate(divide="ignore", invalid="ignore"):
        reached = (xi > 0) & (zeta > 0) & (price * (xi + delta) < zeta)
        age = gammaincinv(2, np.where(reached, price * xi / zeta, 0.0)) / xi
    ends = reached & (delta > 0) & (price > 0)
    if ends.any():
        age = np.array(age)
        age[ends] = _bisected(price[ends], zeta[ends], xi[ends], delta[ends])
    return np.where(reached, age, np.where(price > 0, np.inf, 0.0))[()]


def _bisected(price: np.ndarray, *page: np.ndarray) -> np.ndarray:
    low = np.full(price.shape, LOG_AGES[0])
    high = np.full(price.shape, LOG_AGES[1])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = refresh_index(np.exp(middle) / page[1], *page) >= price
        low = np.where(above, low, middle)
        high = np.where(above, middle, high)
    return np.exp(high) / page[1]


def page_value(
    request_rate: ArrayLike, change_rate: ArrayLike, end_rate: ArrayLike, price: ArrayLike
) -> np.ndarray:
    """Return the value of a fresh copy from now on, net of its later looks: (2').

    It is in requests, on average, as the price of a later look. The end rate is above 0: interest
    that never ends has no finite value.

    Examples
    --------
    >>> page_value(0.3, [0.001, 0.05, 3.0], end_rate=0.0119, price=1.3).round(2)
    array([23.68, 11.45,  0.1 ])
    """
    zeta = numbers("request_rate", request_rate, zero=True)
    xi = numbers("change_rate", change_rate, zero=True)
    delta = numbers("end_rate", end_rate)
    price = numbers("price", price, zero=True)
    age = crossing_age(price, zeta, xi, delta)
    with np.errstate(invalid="ignore"):
        looked = price + zeta / delta * np.exp(-np.where(np.isinf(age), 0, xi * age))
    return np.where(np.isinf(age), zeta / (xi + delta), looked)[()]


def hub_index(
    age: ArrayLike,
    arrival_rate: ArrayLike,
    worth: ArrayLike,
    decay: ArrayLike,
    price: ArrayLike = 0.0,
    weights: ArrayLike | None = None,
) -> np.ndarray:
    """Return index (3) of a look at a hub, whose links cost a fetch each.

    Parameters
    ----------
    age, arrival_rate, price : array_like
        Days since the last look; links a day (Lambda); requests that the fetch of a link must
        bring, which is fetched while it brings more. All are at least 0, and broadcast against the
        other arguments without their last axis.
    worth, decay, weights : array_like, (..., n)
        A sample of the hub's links: the requests each brings when new; the rate at which it fades,
        above 0; weights that add up to 1, by default equal ones.

    Examples
    --------
    >>> hub_index([0.5, 1, 50], arrival_rate=4, worth=[3.0], decay=[0.5]).round(3)
    array([ 0.636,  2.165, 24.   ])
    >>> hub_index(50, arrival_rate=4, worth=[3.0], decay=[0.5], price=1.0).round(3).item()
    7.211
    """
    age = numbers("age", age, zero=True)[..., None]
    rate = numbers("arrival_rate", arrival_rate, zero=True)
    x = numbers("worth", worth, zero=True)
    mu = numbers("decay", decay)
    price = numbers("price", price, zero=True)[..., None]
    if not x.ndim or not mu.ndim:
        raise ValueError("worth, decay: numbers; give arrays whose last axis is a sample of links")
    with np.errstate(divide="ignore"):
        end = np.maximum(np.log(x) - np.log(price), 0) / mu  # the age s_j at which it is given up
    links = x / mu * gammainc(2, mu * np.minimum(age, end))
    if weights is None:
        return (rate * links.mean(axis=-1))[()]
    return (rate * (links * numbers("weights", weights, zero=True)).sum(axis=-1))[()]


def link_index(
    relevance: ArrayLike, worth: ArrayLike, decay: ArrayLike, age: ArrayLike
) -> np.ndarray:
    """Return the index of a link, p e^(-mu s) x: an arm that is pulled once.

    The relevance p is the probability that its page is on topic; the worth x the requests that a
    relevant page brings if fetched when new, its own links' included; mu the rate at which that
    fades with the age s, in days. All broadcast.

    Examples
    --------
    >>> link_index(0.5, worth=4.0, decay=0.5, age=[0.0, 2.0]).round(3)
    array([2.   , 0.736])
    """
    p = numbers("relevance", relevance, zero=True)
    if (p > 1).any():
        raise ValueError(f"relevance={float(p.max())!r}: give probabilities, from 0 to 1")
    x = numbers("worth", worth, zero=True)
    mu = numbers("decay", decay, zero=True)
    return (p * x * np.exp(-mu * numbers("age", age, zero=True)))[()]
