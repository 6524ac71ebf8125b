"""A simulated world: hubs that list new links, pages that change, interest that ends or fades."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betaincinv, ndtr

from tres_webs.checks import one_of, positive

from .bound import Parameters

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
    times meet the same remainder. Arrays, (H,), are by hub.
    """

    kind: str  # of `KINDS`: links arrive at constant rates, in bursts, or by a daily cycle
    arrival: np.ndarray  # links a day
    relevance: np.ndarray  # mean p
    item_value: np.ndarray  # mean requests of a relevant item when new
    decay: np.ndarray  # rate at which they fade
    phase: np.ndarray  # day on which the first burst begins
    change: np.ndarray  # normal score of the hub's part in its pages' change rates
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
        p = parameters or Parameters()
        one_of("kind", kind, KINDS)
        rng = np.random.default_rng(rng)
        n = p.hubs
        item_value = p.item_worth * np.exp(p.item_worth_spread * rng.standard_normal(n))
        half_life = p.half_life * np.exp(p.half_life_spread * rng.standard_normal(n))
        return cls(
            kind=kind,
            arrival=np.minimum(1 + rng.pareto(p.arrival_exponent, n), p.most_arrivals),
            relevance=rng.beta(*p.hub_relevance, n),
            item_value=item_value,
            decay=np.log(2) / half_life,
            phase=rng.uniform(0, p.burst_period, n),
            change=rng.standard_normal(n),
            seed=int(rng.integers(2**62)),
            parameters=p,
        )

    def link_relevance(self, n: int = 32) -> np.ndarray:
        """Return n quantiles of the probability that a hub's link is on topic, (H, n)."""
        return self._quantiles(self.relevance[:, None], n)

    def own_link_relevance(self, n: int = 64) -> np.ndarray:
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
        p = self.parameters
        if self.kind == "daily":
            return 1 + p.daily_swing * np.sin(2 * np.pi * time)
        if self.kind == "bursts":
            inside = (time - self.phase[hub]) % p.burst_period < p.burst_days
            return p.quiet * np.where(inside, p.burst_factor, 1.0)
        return np.ones(len(time))


@lru_cache(maxsize=2)
def _nodes(world: World, horizon: float) -> np.recarray:
    rng = np.random.default_rng([world.seed, 1])
    stock = np.repeat(np.arange(world.parameters.hubs), world.parameters.stock)
    hub, birth = _arrivals(world, horizon, rng)
    parts = [_drawn(world, rng, stock, np.zeros(len(stock)), "stock")]
    parts.append(_drawn(world, rng, hub, birth, "hub"))
    n = len(stock) + len(hub)
    last = parts[-1]
    while len(last):
        last.first[:] = n + np.cumsum(last.count) - last.count
        host = np.repeat(last.host, last.count)
        last = _drawn(world, rng, host, np.full(len(host), np.nan), "page")
        n += len(host)
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
    thinned = rng.random(len(hub)) * peak < world.intensity(hub, birth)
    hub, birth = hub[thinned], birth[thinned]
    order = np.lexsort((birth, hub))
    return hub[order], birth[order]


def _drawn(
    world: World, rng: np.random.Generator, host: np.ndarray, birth: np.ndarray, origin: str
) -> np.recarray:
    of = world.parameters
    n = len(host)
    mean = world.relevance[host] if origin == "hub" else np.full(n, of.locality)
    drawn = np.zeros(n, NODE).view(np.recarray)
    drawn.host, drawn.birth = host, birth
    drawn.p = rng.beta(of.concentration * mean, of.concentration * (1 - mean))
    drawn.score = drawn.p**of.score_power
    drawn.relevant = (rng.random(n) < drawn.p) | (origin == "stock")
    drawn.fades = (rng.random(n) < of.item_share) & (origin == "hub")
    noise = rng.standard_normal(n)
    interest = world.item_value[host] * _lognormal(noise, of.item_spread)
    requests = of.request_rate * _lognormal(noise, of.request_spread)
    drawn.value = np.where(drawn.fades, interest, requests)
    own = np.sqrt(1 - of.change_by_hub) * rng.standard_normal(n)
    low, high = of.change_decades
    shared = np.sqrt(of.change_by_hub) * world.change[host]
    drawn.rate = 10 ** (low + (high - low) * ndtr(shared + own))
    count = rng.poisson(of.links, n)
    drawn.life = rng.exponential(1 / of.end_rate, n)
    drawn.count = np.where(drawn.relevant & ~drawn.fades & (origin != "stock"), count, 0)
    return drawn


def _lognormal(noise: np.ndarray, sigma: float) -> np.ndarray:
    """Return numbers of mean 1, whose logarithm has deviation sigma."""
    return np.exp(sigma * noise - sigma**2 / 2)
