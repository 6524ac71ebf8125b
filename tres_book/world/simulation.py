"""Simulation of a policy in a world, and the bound of what that very world could have given."""

from dataclasses import dataclass

import numpy as np

from tres_lib.checks import number, one_of, positive
from tres_lib.watching.bound import PRICES, Relaxation, relaxation, worth_table
from tres_lib.watching.rules import EXPLORATIONS, POLICIES, RANKINGS, Policy, Rule

from .arrays import MIND, K, make_hubs, make_slots
from .contest import run
from .events import start
from .own_policy import Driver
from .shortlist import make_lists
from .world import World

STEP = 0.01  # days; larger bandwidths fetch several things at once
ARMS: dict[
    str, tuple[tuple[int, int, int], tuple[float, ...]]
] = {  # groups of (links, pages, hubs) that share out the bandwidth, and their shares
    "index": ((0, 0, 0), (1.0,)),
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

    Examples
    --------
    >>> world = World.sample(0)
    >>> run = simulate(world, "one-index-known", horizon=20, warm_up=10)
    >>> round(sum(run.fetches))
    100
    """
    bandwidth = positive("bandwidth", bandwidth)
    horizon = positive("horizon", horizon)
    if not 0 <= warm_up < horizon:
        raise ValueError(f"warm_up={warm_up!r}: give days from 0 to below the horizon, {horizon:g}")
    number("delay", delay, 0)
    rule = POLICIES[one_of("policy", policy, [*POLICIES])] if isinstance(policy, str) else policy
    window = (warm_up, horizon)
    if not isinstance(rule, Rule):
        known = Rule(rates="known")
        nodes, state, hubs, _, m = _field(world, known, bandwidth, window, delay, rng)
        Driver(rule, nodes, state, hubs, m).run()
        return _result(m, np.zeros((0, 5)))
    solved = relaxation(world, bandwidth).price if rule.price == "solved" else 1.0
    return _compiled(world, rule, bandwidth, window, delay, rng, solved, 0.0)


def realised_bound(
    world: World, bandwidth: float, solved: Relaxation, horizon: float, warm_up: float
) -> float:
    """Return the Lagrangian bound for this sampled world.

    All that is worth the price is fetched and paid for.

    The arguments are those of `simulate`, and the `relaxation` of this world and bandwidth. The
    mean over worlds is `solved.bound`, in requests a day, but for the stock that a run begins with.

    Examples
    --------
    >>> world = World.sample(0)
    >>> bound = realised_bound(world, 100, relaxation(world, 100), horizon=20, warm_up=10)
    >>> simulate(world, "one-index-known", horizon=20, warm_up=10).served < 1.01 * bound
    True
    """
    rule = POLICIES["one-index-known"]
    window = (warm_up, positive("horizon", horizon))
    free = _compiled(world, rule, bandwidth, window, 0.0, 0, solved.price, solved.price)
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
    nodes, state, hubs, slots, m = _field(world, rule, bandwidth, window, delay, seed)
    m[0].price = price
    m[0].floor = floor
    group, shares = ARMS.get(rule.ranking, ARMS["index"])
    if rule.shares is not None:
        group, shares = (0, 1, 2), rule.shares
    worths = np.array([np.log(PRICES), *worth_table(world.parameters)])
    table = np.zeros((int(window[1]) + 2, 5))
    lists = make_lists(len(nodes), group)
    run(nodes, state, hubs, slots, m, lists, np.array(shares), worths, table)
    return _result(m, table[table[:, 0] > 0])


def _result(m: np.recarray, table: np.ndarray) -> Run:
    items, pages, links, looks, hubs = (m[0].sums / np.diff(m[0].window)).tolist()
    price = float(m[0].price)
    return Run(items + pages, items, pages, (links, looks, hubs), price, table)


def _field(
    world: World,
    rule: Rule,
    bandwidth: float,
    window: tuple[float, float],
    delay: float,
    seed: int,
) -> tuple[np.recarray, np.recarray, np.recarray, np.recarray, np.recarray]:
    """Return nodes, their state, hubs, room for beliefs, and the one record of settings."""
    known = rule.rates == "known"
    nodes = world.nodes(window[1])
    m = np.zeros(1, MIND).view(np.recarray)
    _settle(m[0], rule, bandwidth, window)
    m[0].world = world.seed
    m[0].power = world.parameters.power
    m[0].believed = 0.0 if rule.exponential else world.parameters.power
    m[0].end = world.parameters.end_rate
    m[0].delay = delay
    m[0].seed = seed
    hubs = make_hubs(world, known, rule.first_interval)
    state = start(world, window[1], hubs, m)
    state.interval = rule.first_interval
    slots = make_slots(1 if known else int((nodes.relevant & ~nodes.fades).sum()))
    return nodes, state, hubs, slots, m


def _settle(mind: np.record, rule: Rule, bandwidth: float, window: tuple[float, float]) -> None:
    """Write a rule as the compiled loop reads it."""
    mind.window[:] = window
    mind.ranking = RANKINGS.index(rule.ranking)
    mind.known = rule.rates == "known"
    mind.explore = 0 if mind.known else EXPLORATIONS.index(rule.explore)
    mind.tracked = rule.price == "tracked"
    mind.by_hub = rule.by_hub
    mind.levels = rule.levels
    mind.modified = rule.modified
    mind.half_life = rule.half_life
    mind.memory = rule.memory
    mind.horizon = window[1]
    mind.per_tick = max(1, round(bandwidth * STEP))
    mind.step = mind.per_tick / bandwidth
    mind.speed = 0.01 / mind.per_tick
    mind.prior[:] = 1 / K
