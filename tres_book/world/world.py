"""A simulated world: hubs that list new links, pages that change, interest that ends or fades."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betaincinv, ndtr

from tres_lib.checks import one_of, positive
from tres_lib.watching.parameters import Parameters

KINDS = ("steady", "bursts", "daily")


# All pages that a crawler could find within a horizon: stock, then each hub's links by birth, then
# the links of relevant pages. A page's link has no birth: it counts from when the page is read.
NODE = np.dtype(
    [
        ("host", np.int32),  # the hub that it descends from
        ("fades", bool),  # whether its interest fades
        ("relevant", bool),
        ("birth", float),  # days, or NaN
        ("p", float),  # probability of relevance
        ("score", float),  # what a classifier makes of it
        ("value", float),  # an item's requests when new, or a page's a day
        ("rate", float),  # changes a day
        ("life", float),  # days until interest ends
        ("first", np.int64),  # its own links, and how many
        ("count", np.int64),
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class World:
    """Hubs with all that can be found from them; every event is a function of `seed`.

    A page links to pages that are of interest when a crawler reads it. What remains of their
    life, and their changes, are drawn by page, so that crawlers which read it at different
    times meet the same remainder.

    Attributes
    ----------
    kind : {"steady", "bursts", "daily"}
        Whether links arrive at constant rates, in bursts, or by a daily cycle.
    arrival, relevance, worth, decay, phase : (H,) array
        Of each hub: links a day, mean p, mean requests of a relevant item when new, the rate at
        which they fade, and when its first burst begins.
    change : (H,) array
        Normal score of a hub's part in its pages' change rates.
    """

    kind: str
    arrival: np.ndarray
    relevance: np.ndarray
    worth: np.ndarray
    decay: np.ndarray
    phase: np.ndarray
    change: np.ndarray
    seed: int
    parameters: Parameters

    @classmethod
    def sample(
        cls,
        rng: np.random.Generator | int,
        kind: str = "steady",
        parameters: Parameters | None = None,
    ) -> "World":
        """Draw a world.

        Examples
        --------
        >>> world = World.sample(0)
        >>> len(world.arrival), bool(world.arrival.max() <= 25)
        (40, True)
        """
        law = parameters or Parameters()
        one_of("kind", kind, KINDS)
        rng = np.random.default_rng(rng)
        n = law.hubs
        worth = law.item_worth * np.exp(law.item_worth_spread * rng.standard_normal(n))
        half_life = law.half_life * np.exp(law.half_life_spread * rng.standard_normal(n))
        return cls(
            kind=kind,
            arrival=np.minimum(1 + rng.pareto(law.arrival_exponent, n), law.most_arrivals),
            relevance=rng.beta(*law.hub_relevance, n),
            worth=worth,
            decay=np.log(2) / half_life,
            phase=rng.uniform(0, law.burst_period, n),
            change=rng.standard_normal(n),
            seed=int(rng.integers(2**62)),
            parameters=law,
        )

    def link_law(self, n: int = 32) -> np.ndarray:
        """Return n quantiles of the probability that a hub's link is on topic, (H, n)."""
        return self._quantiles(self.relevance[:, None], n)

    def own_link_law(self, n: int = 64) -> np.ndarray:
        """Return n quantiles of the probability that a relevant page's link is on topic, (n,)."""
        return self._quantiles(np.array(self.parameters.locality), n)

    def _quantiles(self, mean: np.ndarray, n: int) -> np.ndarray:
        c = self.parameters.concentration
        return betaincinv(c * mean, c * (1 - mean), (np.arange(n) + 0.5) / n)

    def nodes(self, horizon: float) -> np.recarray:
        """Return all pages that a crawler could find in so many days, as records of `NODE`."""
        return _nodes(self, positive("horizon", horizon))

    def intensity(self, hub: np.ndarray, time: np.ndarray) -> np.ndarray:
        """Return the rate of new links over its mean, at hubs (n,) and days (n,)."""
        law = self.parameters
        if self.kind == "daily":
            return 1 + law.daily_swing * np.sin(2 * np.pi * time)
        if self.kind == "bursts":
            inside = (time - self.phase[hub]) % law.burst_period < law.burst_days
            return law.quiet * np.where(inside, law.burst_factor, 1.0)
        return np.ones(len(time))


@lru_cache(maxsize=2)
def _nodes(world: World, horizon: float) -> np.recarray:
    law = world.parameters
    rng = np.random.default_rng([world.seed, 1])
    stock = np.repeat(np.arange(law.hubs), law.stock)
    hub, birth = _arrivals(world, horizon, rng)
    parts = [_drawn(world, rng, stock, np.zeros(len(stock)), "stock")]
    parts.append(_drawn(world, rng, hub, birth, "hub"))
    known = len(stock) + len(hub)
    last = parts[-1]
    while len(last):
        first = known + np.cumsum(last.count) - last.count
        last.first[:] = first
        host = np.repeat(last.host, last.count)
        last = _drawn(world, rng, host, np.full(len(host), np.nan), "page")
        known += len(host)
        parts.append(last)
    return np.concatenate(parts).view(np.recarray)


def _arrivals(
    world: World, horizon: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return hub and birth of the links of all hubs, by thinning, sorted by hub and birth."""
    days = np.linspace(0, max(1.0, world.parameters.burst_period), 10_001)
    peak = world.intensity(np.zeros(len(days), int), days).max()
    counts = rng.poisson(world.arrival * peak * horizon)
    hub = np.repeat(np.arange(len(counts)), counts)
    birth = rng.uniform(0, horizon, len(hub))
    kept = rng.random(len(hub)) * peak < world.intensity(hub, birth)
    order = np.lexsort((birth[kept], hub[kept]))
    return hub[kept][order], birth[kept][order]


def _drawn(
    world: World, rng: np.random.Generator, host: np.ndarray, birth: np.ndarray, origin: str
) -> np.recarray:
    law = world.parameters
    n = len(host)
    mean = world.relevance[host] if origin == "hub" else np.full(n, law.locality)
    p = rng.beta(law.concentration * mean, law.concentration * (1 - mean))
    relevant = (rng.random(n) < p) | (origin == "stock")
    item = (rng.random(n) < law.item_share) & (origin == "hub")
    noise = rng.standard_normal(n)
    interest = world.worth[host] * _lognormal(noise, law.item_spread)
    requests = law.request_rate * _lognormal(noise, law.request_spread)
    shared = law.change_by_hub
    score = np.sqrt(shared) * world.change[host] + np.sqrt(1 - shared) * rng.standard_normal(n)
    low, high = law.change_decades
    count = rng.poisson(law.links, n)
    drawn = np.zeros(n, NODE).view(np.recarray)
    drawn.host = host
    drawn.fades = item
    drawn.relevant = relevant
    drawn.birth = birth
    drawn.p = p
    drawn.score = p**law.score_power
    drawn.value = np.where(item, interest, requests)
    drawn.rate = 10 ** (low + (high - low) * ndtr(score))
    drawn.life = rng.exponential(1 / law.end_rate, n)
    drawn.count = np.where(relevant & ~item & (origin != "stock"), count, 0)
    return drawn


def _lognormal(noise: np.ndarray, sigma: float) -> np.ndarray:
    """Return numbers of mean 1, whose logarithm has deviation sigma."""
    return np.exp(sigma * noise - sigma**2 / 2)
