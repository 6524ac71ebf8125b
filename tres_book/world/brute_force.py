"""The indices against brute force: no interval between looks may be better than the index's."""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.optimize import minimize_scalar

from tres_lib.ephemeral.sources import source
from tres_lib.ours.index import crossing_age, hub_index, page_value

from ..orbits import orbit_index

DAYS = np.geomspace(1e-4, 1e4, 401)  # intervals tried first
LONGEST = 1e3  # days; a longer best interval hardly differs from none
LINKS = 8  # in the sample of a random hub


def page_gap(rng: np.random.Generator | int, n: int = 100) -> float:
    """Return the largest relative gap of (2), (2') to the best interval of n random pages.

    To it are compared `page_value`, and what intervals bring at which the index is at the price.
    """
    rng, gaps = np.random.default_rng(rng), [0.0]
    for _ in range(n):
        page = rng.lognormal(0, 1), 10 ** rng.uniform(-3, 0.5), 10 ** rng.uniform(-3, 0)
        price = rng.lognormal(0, 1)
        gain = partial(_page_gain, *page, price)
        best, days = _best(gain)
        age = float(crossing_age(price, *page))
        if days < LONGEST and np.isfinite(age):
            values = float(page_value(*page, price)), gain(age)
            gaps += [abs(value / best - 1) for value in values]
    return float(max(gaps))


def hub_gap(rng: np.random.Generator | int, n: int = 100) -> float:
    """Return the largest relative gap of (3) to the best interval between looks, n random hubs."""
    rng, gaps = np.random.default_rng(rng), [0.0]
    for _ in range(n):
        x, mu = rng.lognormal(1, 1, LINKS), rng.lognormal(-1, 0.7, LINKS)
        rate, price = rng.lognormal(), rng.uniform(0.1, 1.5)
        gain = partial(_hub_gain, x, mu, rate, price)
        best, days = _best(gain)
        if best > 0 and days < LONGEST:
            grid = np.geomspace(days / 3, days * 3, 100_001)
            reached = grid[np.searchsorted(hub_index(grid, rate, x, mu, price), price)]
            gaps.append(1 - gain(reached) / best)
    return float(max(gaps))


def limit_gap(epoch: float, age: float = 2.5) -> float:
    """Return the relative gap of chapter 10's index, in epochs of so many days, to a hub's (3)."""
    value, decay, arrivals = 2.0, 0.4, 3.0
    sources = source(value, decay, arrivals, period=epoch)
    index = orbit_index(age / epoch, sources.alpha, sources.u)
    return float(index / hub_index(age, arrivals, [value], [decay]) - 1)


def _page_gain(zeta: float, xi: float, delta: float, price: float, w: float) -> float:
    """Return what looks every w days bring in all, net of their price, from a fresh copy on."""
    fresh = -zeta * np.expm1(-(xi + delta) * w) / (xi + delta)
    return (fresh - price * np.exp(-delta * w)) / -np.expm1(-delta * w)


def _hub_gain(x: np.ndarray, mu: np.ndarray, rate: float, price: float, w: float) -> float:
    """Return what looks every w days bring a day, net of all fetches."""
    open_days = np.minimum(w, np.maximum(np.log(x / price), 0) / mu)
    links = -x * np.expm1(-mu * open_days) / mu - price * open_days
    return (rate * links.mean() - price) / w


def _best(gain: Callable[[float], float]) -> tuple[float, float]:
    """Return the largest value of a function of the days, and where it is reached."""
    k = int(np.argmax([gain(w) for w in DAYS]))
    low, high = np.log(DAYS[[max(k - 1, 0), min(k + 1, len(DAYS) - 1)]])
    loss, close = (lambda x: -gain(np.exp(x))), {"xatol": 1e-12}
    top = minimize_scalar(loss, bounds=(low, high), method="bounded", options=close)
    return -float(top.fun), float(np.exp(top.x))
