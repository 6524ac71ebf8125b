"""A simulated world: hubs that list new links, pages that change, interest that ends or fades."""

from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtr

NTOULAS = "Ntoulas, Cho and Olston, WWW 2004"
CHO = "Cho and Garcia-Molina, VLDB 2000: 40 % change in a week, 23 % of .com in a day"
DEZSO = "Dezso et al., Physical Review E 73, 2006: half-life of a news item 36 hours"
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


def sourced(default: Any, source: str) -> Any:
    """Return a dataclass field with a default and where that comes from."""
    return field(default=default, metadata={"source": source})


@dataclass(frozen=True)
class Parameters:
    """What a `World` is drawn from; times are in days.

    They were fixed before any policy was run; "guess" marks what no source was found for.
    """

    # Least and largest log10 of a page's change rate.
    change_decades: tuple[float, float] = sourced((-3.0, 0.5), CHO)
    end_rate: float = sourced(0.0119, f"{NTOULAS}: 8 % of pages are replaced a week")
    arrival_exponent: float = sourced(1.5, "guess: Pareto exponent of a site's news a day")
    most_arrivals: float = sourced(25.0, "guess: largest rate of news of a site")
    item_share: float = sourced(0.85, "guess: news whose interest fades; the others are pages")
    half_life: float = sourced(1.5, DEZSO)
    half_life_spread: float = sourced(0.6, "guess: sigma of the sites' log half-lives")
    item_worth: float = sourced(3.0, "guess: median over sites of an item's mean requests")
    item_worth_spread: float = sourced(0.5, "guess: sigma of its logarithm over sites")
    item_spread: float = sourced(1.0, "guess: sigma of items' log requests within a site")
    request_rate: float = sourced(0.3, "guess: mean requests a day of a page")
    request_spread: float = sourced(1.0, "guess: sigma of pages' log request rates")
    hubs: int = sourced(40, "size of the experiment: hubs")
    stock: int = sourced(40, "guess: relevant pages held at the start, for each hub")
    hub_relevance: tuple[float, float] = sourced((1.2, 1.8), "guess: beta, hubs' relevance")
    concentration: float = sourced(4.0, "guess: beta, links' p around a hub's relevance")
    locality: float = sourced(0.44, "VitalWeb: share of a relevant page's links on topic")
    links: float = sourced(1.5, "guess: mean links of a relevant page that are new (Poisson)")
    score_power: float = sourced(0.6, "guess: scores are p to this power, so too high")

    @classmethod
    def sources(cls) -> dict[str, tuple[Any, str]]:
        """Return, by the name of each parameter, its default and its source."""
        return {f.name: (f.default, f.metadata["source"]) for f in fields(cls)}


@dataclass(frozen=True, eq=False)
class World:
    """Hubs with all that can be found from them; every event is a function of `seed`.

    A page links to pages that are of interest when a crawler reads it. What remains of their
    life, and their changes, are drawn by page, so that crawlers which read it at different
    times meet the same remainder. Arrays, (H,), are by hub.
    """

    arrival: np.ndarray  # links a day
    relevance: np.ndarray  # mean p
    item_value: np.ndarray  # mean requests of a relevant item when new
    decay: np.ndarray  # rate at which they fade
    seed: int
    parameters: Parameters

    @classmethod
    def sample(
        cls, rng: np.random.Generator | int, parameters: Parameters | None = None
    ) -> "World":
        """Draw a world.

        Examples
        --------
        >>> world = World.sample(0)
        >>> len(world.arrival), bool(world.arrival.max() <= 25)
        (40, True)
        """
        p, rng = parameters or Parameters(), np.random.default_rng(rng)
        n = p.hubs
        item_value = p.item_worth * np.exp(p.item_worth_spread * rng.standard_normal(n))
        half_life = p.half_life * np.exp(p.half_life_spread * rng.standard_normal(n))
        arrival = np.minimum(1 + rng.pareto(p.arrival_exponent, n), p.most_arrivals)
        relevance = rng.beta(*p.hub_relevance, n)
        # Without what was drawn here for bursts, the stored worlds would be others.
        rng.random(n), rng.standard_normal(n)
        seed = int(rng.integers(2**62))
        return cls(arrival, relevance, item_value, np.log(2) / half_life, seed, p)


@lru_cache(maxsize=2)  # many policies run in one world
def nodes(world: World, horizon: float) -> np.recarray:
    """Return all pages that a crawler could find in so many days, as records of `NODE`."""
    rng = np.random.default_rng([world.seed, 1])
    hubs = np.arange(world.parameters.hubs)
    stock = np.repeat(hubs, world.parameters.stock)
    hub = np.repeat(hubs, rng.poisson(world.arrival * horizon))
    birth = rng.uniform(0, horizon, len(hub))
    rng.random(len(hub))  # thinned them to bursts: see `World.sample`
    birth = birth[np.lexsort((birth, hub))]
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


def quantiles(parameters: Parameters, mean: float | np.ndarray, n: int) -> np.ndarray:
    """Return n quantiles of the probability that a link is on topic, by the mean of its page."""
    c = parameters.concentration
    return betaincinv(c * mean, c * (1 - mean), (np.arange(n) + 0.5) / n)


def _drawn(
    world: World, rng: np.random.Generator, host: np.ndarray, birth: np.ndarray, origin: str
) -> np.recarray:
    of, n = world.parameters, len(host)
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
    low, high = of.change_decades
    drawn.rate = 10 ** (low + (high - low) * ndtr(rng.standard_normal(n)))
    count = rng.poisson(of.links, n)
    drawn.life = rng.exponential(1 / of.end_rate, n)
    drawn.count = np.where(drawn.relevant & ~drawn.fades & (origin != "stock"), count, 0)
    return drawn


def _lognormal(noise: np.ndarray, sigma: float) -> np.ndarray:
    """Return numbers of mean 1, whose logarithm has deviation sigma."""
    return np.exp(sigma * noise - sigma**2 / 2)
