"""The Lagrangian bound of what any crawler can serve, and the price of a fetch.

For any price lambda, J <= D(lambda) = lambda B + sum_h max_w (R_h(w; lambda) - lambda)^+ / w, where
R_h is what a look at hub h brings after w days, net of the fetches of its links and of the later
looks at the pages found. D is convex; its least value is the bound, and where it lies the price.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import betaincinv

from ..checks import positive
from .index import hub_index, page_value
from .parameters import Parameters

HALVINGS = 60
LONGEST = 1e4  # days between looks at a hub; beyond it no look pays
PRICES = np.geomspace(1e-3, 1e3, 121)  # the grid on which pages are valued


class World(Hashable, Protocol):
    """What `relaxation` asks of a world of hubs, such as the book's simulated one.

    Attributes
    ----------
    parameters : Parameters
    arrival, decay, worth : (H,) array
        New links a day of each hub, the rate at which their items fade, and an item's requests.
    """

    @property
    def parameters(self) -> Parameters: ...  # noqa: D102
    @property
    def arrival(self) -> np.ndarray: ...  # noqa: D102
    @property
    def decay(self) -> np.ndarray: ...  # noqa: D102
    @property
    def worth(self) -> np.ndarray: ...  # noqa: D102

    def link_law(self, n: int = ..., /) -> np.ndarray:
        """Return n equally likely values of a link's relevance at each hub, (H, n)."""

    def own_link_law(self, n: int = ..., /) -> np.ndarray:
        """Return equally likely values of the relevance of a relevant page's own links, (n,)."""


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The solution of the relaxed problem.

    Attributes
    ----------
    bound : float
        Requests a day that no policy exceeds on average.
    price : float
        Requests that one more fetch would serve.
    split : tuple of float
        Fetches a day of links, of known pages and of hubs; they add up to the bandwidth.
    intervals : (H,) array
        Days between looks at each hub, inf for hubs that do not pay.
    """

    bound: float
    price: float
    split: tuple[float, float, float]
    intervals: np.ndarray


def relaxation(world: World, bandwidth: float) -> Relaxation:
    """Solve the relaxed problem of a world whose links arrive at their mean rates.

    Parameters
    ----------
    world : World
        Interest counts as exponential with the same half-life, and arrivals as steady.
    bandwidth : float
        Fetches a day, above 0.

    Returns
    -------
    Relaxation
    """
    return _solved(world, positive("bandwidth", bandwidth))


@lru_cache(maxsize=8)  # a large world takes seconds, and a search for the best split asks often
def _solved(world: World, bandwidth: float) -> Relaxation:
    laws = Links(world)

    def dual(log_price: float) -> float:
        return np.exp(log_price) * bandwidth + laws.gains(np.exp(log_price))[0].sum()

    found = minimize_scalar(dual, bounds=np.log(PRICES[[0, -1]]), method="bounded")
    price = float(np.exp(found.x))
    intervals = laws.gains(price)[1]
    links = laws.fetches(price, intervals)
    hubs = float((1 / intervals).sum())
    return Relaxation(float(found.fun), price, (links, bandwidth - links - hubs, hubs), intervals)


class Links:
    """The laws of the hubs' links: worth when new (H, n), rate of fading, and weights."""

    def __init__(self, world: World, n: int = 32) -> None:
        law = world.parameters
        p = world.link_law(n)
        ones = np.ones_like(p)
        self.world = world
        self.p = np.hstack([p, p])
        self.item = np.hstack([ones, 0 * ones]) > 0
        self.decay = np.hstack([world.decay[:, None] * ones, law.end_rate * ones])
        weights = np.hstack([law.item_share * ones, (1 - law.item_share) * ones])
        self.weights = weights / n
        self.items = np.hstack([world.worth[:, None] * p, 0 * p])

    def worth(self, price: float) -> np.ndarray:
        """Return the worth when new of each link of the sample, (H, 2 n)."""
        value, own = page_worth(self.world.parameters, price)
        return self.items + np.where(self.item, 0.0, self.p * (value + own))

    def gains(self, price: float) -> tuple[np.ndarray, np.ndarray]:
        """Return max_w (R_h - lambda)^+ / w of each hub, and the days w at which it is reached."""
        worth = self.worth(price)
        low = np.full(len(worth), np.log(1e-6))
        high = np.full(len(worth), np.log(LONGEST))
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            above = self.index(np.exp(middle), worth, price) >= price
            low = np.where(above, low, middle)
            high = np.where(above, middle, high)
        days = np.where(high < np.log(LONGEST), np.exp(high), np.inf)
        left = np.maximum(worth * np.exp(-self.decay * np.minimum(days, LONGEST)[:, None]), 0)
        gain = self.world.arrival * (self.weights * np.maximum(left - price, 0)).sum(axis=1)
        return np.where(np.isinf(days), 0.0, gain), days

    def index(self, age: np.ndarray, worth: np.ndarray, price: float) -> np.ndarray:
        """Return the hubs' indices (3) at their ages (H,)."""
        return hub_index(age, self.world.arrival, worth, self.decay, price, self.weights)

    def fetches(self, price: float, days: np.ndarray) -> float:
        """Return the links fetched a day, those of found pages included."""
        law = self.world.parameters
        worth = self.worth(price)
        with np.errstate(divide="ignore"):
            end = np.maximum(np.log(worth / price), 0) / self.decay
        open_days = np.minimum(end, days[:, None])
        rate = self.world.arrival[:, None] * self.weights / days[:, None]
        alive = -np.expm1(-law.end_rate * open_days) / law.end_rate
        found = (rate * np.where(self.item, 0.0, self.p * alive)).sum()
        p = self.world.own_link_law()
        good = p * sum(page_worth(law, price)) > price
        each = law.links * good.mean()
        return float((rate * open_days).sum() + each * found / (1 - law.links * (p * good).mean()))


def page_worth(parameters: Parameters, price: float) -> tuple[float, float]:
    """Return V and O: what a relevant page and what its own links are worth, in requests.

    Parameters
    ----------
    parameters : Parameters
    price : float
        Requests that a fetch costs; between 0.001 and 1000.
    """
    value, own = worth_table(parameters)
    at = np.log(price)
    grid = np.log(PRICES)
    return float(np.interp(at, grid, value)), float(np.interp(at, grid, own))


@lru_cache(maxsize=16)
def worth_table(law: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """Return V and O at each of `PRICES`, integrated over the law of pages by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(24)
    weights = weights / weights.sum()
    sigma = law.request_spread
    zeta = law.request_rate * np.exp(sigma * nodes - sigma**2 / 2)
    legendre, spread = np.polynomial.legendre.leggauss(48)
    low, high = law.change_decades
    xi = 10 ** (low + (high - low) * (legendre + 1) / 2)
    values = page_value(zeta[:, None], xi, law.end_rate, PRICES[:, None, None])
    value = weights @ (values @ (spread / 2)).T
    c = law.concentration
    p = betaincinv(c * law.locality, c * (1 - law.locality), (np.arange(64) + 0.5) / 64)
    own = np.zeros(len(PRICES))
    for _ in range(200):  # a contraction, as a page has fewer than one relevant new link
        gain = p * (value + own)[:, None] - PRICES[:, None]
        own = law.links * np.maximum(gain, 0).mean(axis=1)
    return value, own
