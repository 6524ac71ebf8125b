"""The Lagrangian bound of what any crawler can serve, and the price of a fetch.

For any price lambda, J <= D(lambda) = lambda B + sum_h max_w (R_h(w; lambda) - lambda)^+ / w, where
R_h is what a look at hub h brings after w days, net of the fetches of its links and of the later
looks at the pages found. D is convex; its least value is the bound, and where it lies the price.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import minimize_scalar

from tres_lib.ours.index import hub_index, page_value
from tres_webs.checks import positive

from .world import Parameters, World, quantiles

HALVINGS = 60
LONGEST = 1e4  # days between looks at a hub; beyond it no look pays
OWN = 64  # links that stand for those of a relevant page
PRICES = np.geomspace(1e-3, 1e3, 121)  # the grid on which pages are valued


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The solution of the relaxed problem."""

    bound: float  # requests a day that no policy exceeds on average
    price: float  # requests that one more fetch would serve
    split: tuple[float, float, float]  # fetches a day of links, known pages, hubs: the bandwidth
    intervals: np.ndarray  # (H,) days between looks at each hub, inf for hubs that do not pay


@lru_cache(maxsize=8)
def relaxation(world: World, bandwidth: float) -> Relaxation:
    """Solve the relaxed problem of a world; the bandwidth is in fetches a day, above 0."""
    bandwidth = positive("bandwidth", bandwidth)
    links = Links(world)

    def dual(log_price: float) -> float:
        return np.exp(log_price) * bandwidth + links.gains(np.exp(log_price))[0].sum()

    least = minimize_scalar(dual, bounds=np.log(PRICES[[0, -1]]), method="bounded")
    price = float(np.exp(least.x))
    intervals = links.gains(price)[1]
    of_links, of_hubs = links.fetches(price, intervals), float((1 / intervals).sum())
    split = of_links, bandwidth - of_links - of_hubs, of_hubs
    return Relaxation(float(least.fun), price, split, intervals)


class Links:
    """Links that stand for each hub's: p of n, decay of n items and n pages, (H, 2 n), weights."""

    def __init__(self, world: World, n: int = 32) -> None:
        self.world = world
        self.p = quantiles(world.parameters, world.relevance[:, None], n)
        ones, items = np.ones_like(self.p), world.parameters.item_share
        self.decay = np.hstack([world.decay[:, None] * ones, world.parameters.end_rate * ones])
        self.weights = np.repeat([items, 1 - items], n) / n

    def values(self, price: float) -> np.ndarray:
        """Return the value of each link of the sample when new, (H, 2 n)."""
        page = sum(page_values(self.world.parameters, price))
        return np.hstack([self.world.item_value[:, None] * self.p, self.p * page])

    def gains(self, price: float) -> tuple[np.ndarray, np.ndarray]:
        """Return max_w (R_h - lambda)^+ / w of each hub, and the days w at which it is reached."""
        values, arrival = self.values(price), self.world.arrival
        given = self.decay, price, self.weights
        low = np.full(len(values), np.log(1e-6))
        high = np.full(len(values), np.log(LONGEST))
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            above = hub_index(np.exp(middle), arrival, values, *given) >= price
            low = np.where(above, low, middle)
            high = np.where(above, middle, high)
        days = np.where(high < np.log(LONGEST), np.exp(high), np.inf)
        left = np.maximum(values * np.exp(-self.decay * np.minimum(days, LONGEST)[:, None]), 0)
        gain = arrival * (self.weights * np.maximum(left - price, 0)).sum(axis=1)
        return np.where(np.isinf(days), 0.0, gain), days

    def fetches(self, price: float, days: np.ndarray) -> float:
        """Return the links fetched a day, those of relevant pages included."""
        world = self.world.parameters
        with np.errstate(divide="ignore"):
            end = np.maximum(np.log(self.values(price) / price), 0) / self.decay
        open_days = np.minimum(end, days[:, None])
        rate = self.world.arrival[:, None] * self.weights / days[:, None]
        alive = -np.expm1(-world.end_rate * open_days) / world.end_rate
        pages = (self.p * (rate * alive)[:, self.p.shape[1] :]).sum()
        p = quantiles(world, world.locality, OWN)
        good = p * sum(page_values(world, price)) > price
        own = world.links * good.mean() * pages / (1 - world.links * (p * good).mean())
        return float((rate * open_days).sum() + own)


def page_values(parameters: Parameters, price: float) -> tuple[float, float]:
    """Return V and O: requests that a relevant page and its own links bring, at a price.

    The price of a fetch, in requests, lies between 0.001 and 1000.
    """
    at, grid = np.log(price), np.log(PRICES)
    value, own = (float(np.interp(at, grid, table)) for table in value_table(parameters))
    return value, own


@lru_cache(maxsize=16)
def value_table(world: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """Return V and O at each of `PRICES`, integrated over the distribution of pages."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(24)
    weights = weights / weights.sum()
    sigma = world.request_spread
    zeta = world.request_rate * np.exp(sigma * nodes - sigma**2 / 2)
    legendre, spread = np.polynomial.legendre.leggauss(48)
    low, high = world.change_decades
    xi = 10 ** (low + (high - low) * (legendre + 1) / 2)
    values = page_value(zeta[:, None], xi, world.end_rate, PRICES[:, None, None])
    value = weights @ (values @ (spread / 2)).T
    p = quantiles(world, world.locality, OWN)
    own = np.zeros(len(PRICES))
    for _ in range(200):  # a contraction, as a page has fewer than one relevant new link
        gain = p * (value + own)[:, None] - PRICES[:, None]
        own = world.links * np.maximum(gain, 0).mean(axis=1)
    return value, own
