"""Simulation of a policy in a world, and the bound of what that very world could have given."""

from dataclasses import dataclass

import numpy as np

from ..checks import number, one_of, positive
from .bound import PRICES, Relaxation, relaxation, worth_table
from .engine import start
from .loop import make_lists, run
from .memory import DELTA, MIND, PRICE, K, make_hubs, make_slots
from .policies import EXPLORATIONS, POLICIES, RANKINGS, Policy, Rule
from .world import World

STEP = 0.01  # days; larger bandwidths fetch several things at once
ARMS = {  # groups of (links, pages, hubs) that share out the bandwidth, and their shares
    "half": ((0, 1, 1), (0.5, 0.5)),
    "discovery": ((0, 1, 1), (0.8, 0.2)),
}


@dataclass(frozen=True, eq=False)
class Run:
    """What a policy served, a day, between warm-up and horizon.

    Attributes
    ----------
    served, of_items, of_pages : float
        Requests a day served fresh and on topic: all, by items and by pages.
    fetches : tuple of float
        Fetches a day of links, known pages and hubs.
    price : float
        The price at the end, in requests.
    table : (days, 5) array
        Of each day: when it began, the price, and the fetches of the day before by kind.
    """

    served: float
    of_items: float
    of_pages: float
    fetches: tuple[float, float, float]
    price: float
    table: np.ndarray


def simulate(
    world: World,
    policy: str | Rule | Policy = "one-index",
    bandwidth: float = 100.0,
    horizon: float = 300.0,
    *,
    warm_up: float = 120.0,
    delay: float = 0.0,
    rng: int = 0,
) -> Run:
    """Simulate a policy; equal worlds and horizons have the same events for every policy.

    Parameters
    ----------
    world : World
    policy : str, Rule or Policy
        A name of `POLICIES`, a rule, or an object of the protocol `Policy`.
    bandwidth : float
        Fetches a day. Above 100 several things are fetched at once, every hundredth of a day.
    horizon, warm_up : float
        Days simulated, and days of them that do not count.
    delay : float
        Days that a host must rest after a fetch.
    rng : int
        Seed of what the policy itself draws.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the policy's name is unknown.

    Examples
    --------
    >>> world = World.sample(0)
    >>> run = simulate(world, "one-index-known", horizon=20, warm_up=10)
    >>> round(sum(run.fetches))
    100
    """
    bandwidth = positive("bandwidth", bandwidth)
    horizon = positive("horizon", horizon)
    number("warm_up", warm_up, 0, horizon, inside=False)
    number("delay", delay, 0)
    rule = POLICIES[one_of("policy", policy, [*POLICIES])] if isinstance(policy, str) else policy
    solved = relaxation(world, bandwidth).price
    return _compiled(world, rule, bandwidth, (warm_up, horizon), delay, rng, solved, 0.0)


def realised_bound(
    world: World, bandwidth: float, solved: Relaxation, horizon: float, warm_up: float
) -> float:
    """Return the bound with this world's luck: fetch all that is worth the price, and pay for it.

    Parameters
    ----------
    world, bandwidth, horizon, warm_up
        As for `simulate`.
    solved : Relaxation
        Of this world and bandwidth.

    Returns
    -------
    float
        Requests a day. Its mean over worlds is that of `solved.bound`.
    """
    rule = POLICIES["one-index-known"]
    price = solved.price
    free = _compiled(world, rule, bandwidth, (warm_up, horizon), 0.0, 0, price, price)
    return free.served + solved.price * (bandwidth - sum(free.fetches))


def _compiled(
    world: World,
    rule: Rule,
    bandwidth: float,
    window: tuple[float, float],
    delay: float,
    seed: int,
    price: float,
    floor: float,
) -> Run:
    known = rule.rates == "known"
    horizon = window[1]
    nodes = world.nodes(horizon)
    m = np.zeros(1, MIND).view(np.recarray)
    mind = m[0]
    mind.window[:] = window
    mind.world = world.seed
    mind.power = world.parameters.power
    mind.ranking = RANKINGS.index(rule.ranking)
    mind.explore = 0 if known else EXPLORATIONS.index(rule.explore)
    mind.known = known
    mind.tracked = rule.price == "tracked"
    mind.by_hub = rule.by_hub
    mind.levels = rule.levels
    mind.modified = rule.modified
    mind.exponential = rule.exponential
    mind.memory = rule.memory
    mind.floor = floor
    mind.horizon = horizon
    mind.per_tick = max(1, round(bandwidth * STEP))
    mind.step = mind.per_tick / bandwidth
    mind.delay = delay
    mind.speed = 0.01 / mind.per_tick
    mind.seed = seed
    mind.number[PRICE] = 1.0 if mind.tracked else price
    mind.number[DELTA] = world.parameters.end_rate
    mind.prior[:] = 1 / K
    hubs = make_hubs(world, known, rule.first_interval)
    state = start(world, horizon, hubs, m)
    state.interval = rule.first_interval
    slots = make_slots(1 if known else int((nodes.relevant & ~nodes.fades).sum()))
    group, shares = ARMS.get(rule.ranking, ((0, 0, 0), (1.0,)))
    if rule.shares is not None:
        group, shares = (0, 1, 2), rule.shares
    worths = np.array([np.log(PRICES), *worth_table(world.parameters)])
    table = np.zeros((int(horizon) + 2, 5))
    lists = make_lists(len(nodes))
    run(nodes, state, hubs, slots, m, lists, np.array(group), np.array(shares), worths, table)
    items, pages, *fetches = (m[0].sums / (horizon - window[0])).tolist()
    filled = table[: int(np.count_nonzero(table[:, 0]))]
    return Run(items + pages, items, pages, tuple(fetches), float(m[0].number[PRICE]), filled)
