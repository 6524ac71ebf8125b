"""Simulation of a policy in a world, and the bound of what that very world could have given."""

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from tres_webs.checks import number, one_of, positive

from .arrays import COMMON, SLOT, STATE, Field, K, make_hubs, records
from .bound import PRICES, Relaxation, relaxation, value_table
from .contest import run
from .events import (
    DONE,
    HELD,
    ITEM,
    LINK,
    PAGE,
    fetch,
    finish,
    look,
    look_hub,
    own_links,
    settle,
    start,
)
from .rules import EXPLORATIONS, POLICIES, RANKINGS, Look, Policy, Rule, Seen
from .shortlist import make_lists
from .world import World

STEP = 0.01  # days; larger bandwidths fetch several things at once
# By ranking: groups of (links, pages, hubs) that share out the bandwidth, and their shares.
ARMS: dict[str, tuple[tuple[int, int, int], tuple[float, ...]]] = {
    "index": ((0, 0, 0), (1.0,)),
    "half": ((0, 1, 1), (0.5, 0.5)),
    "discovery": ((0, 1, 1), (0.8, 0.2)),
}


@dataclass(frozen=True, eq=False)
class Run:
    """What a policy served, a day, between warm-up and horizon."""

    served: float  # requests fresh and on topic: all, by items and by pages
    of_items: float
    of_pages: float
    fetches: tuple[float, float, float]  # of links, known pages and hubs
    price: float  # at the end, in requests
    table: np.ndarray  # (days, 5): when a day began, the price, and fetches of the day before


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
    compiled = rule if isinstance(rule, Rule) else Rule(rates="known")
    f = field(world, compiled, bandwidth, (warm_up, horizon), delay, rng)
    if not isinstance(rule, Rule):
        Driver(rule, f).run()
        return _result(f.common, np.zeros((0, 5)))
    f.common.price = relaxation(world, bandwidth).price if rule.price == "solved" else 1.0
    return _compiled(f, rule, world)


def realised_bound(
    world: World, bandwidth: float, solved: Relaxation, horizon: float, warm_up: float
) -> float:
    """Return the Lagrangian bound for this sampled world.

    All whose index exceeds the price is fetched and paid for.

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
    f = field(world, rule, bandwidth, (warm_up, positive("horizon", horizon)))
    f.common.price = f.common.floor = solved.price  # the floor: what exceeds it has no limit
    free = _compiled(f, rule, world)
    return free.served + solved.price * (bandwidth - sum(free.fetches))


def _compiled(f: Field, rule: Rule, world: World) -> Run:
    """Run a rule in a world at time 0, from the price in its record on."""
    group, shares = ARMS.get(rule.ranking, ARMS["index"])
    if rule.shares is not None:
        group, shares = (0, 1, 2), rule.shares
    values = np.array([np.log(PRICES), *value_table(world.parameters)])
    table = np.zeros((int(f.common.window[1]) + 2, 5))
    run(f, make_lists(len(f.nodes), len(f.hubs), group), np.array(shares), values, table)
    return _result(f.common, table[table[:, 0] > 0])


def _result(common: np.record, table: np.ndarray) -> Run:
    days = float(np.diff(common.window)[0])
    items, pages = float(common.of_items) / days, float(common.of_pages) / days
    links, looks, hubs = (common.fetches / days).tolist()
    return Run(items + pages, items, pages, (links, looks, hubs), float(common.price), table)


def field(
    world: World,
    rule: Rule,
    bandwidth: float,
    window: tuple[float, float],
    delay: float = 0.0,
    rng: int = 0,
) -> Field:
    """Return a world at time 0, and a policy that has seen the stock; days in the window count."""
    of, known = world.parameters, rule.rates == "known"
    common = records(1, COMMON)[0]
    common.window[:] = window
    common.per_tick = max(1, round(bandwidth * STEP))
    common.step, common.speed = common.per_tick / bandwidth, 0.01 / common.per_tick
    common.world, common.seed, common.delay = world.seed, rng, delay
    common.power, common.end, common.prior[:] = of.power, of.end_rate, 1 / K
    common.believed = 0.0 if rule.exponential else of.power
    common.known, common.tracked = known, rule.price == "tracked"
    common.ranking = RANKINGS.index(rule.ranking)
    common.explore = 0 if known else EXPLORATIONS.index(rule.explore)
    for name in ("levels", "modified", "half_life", "memory"):
        common[name] = getattr(rule, name)
    nodes = world.nodes(window[1])
    state, hubs = records(len(nodes), STATE), make_hubs(world, known, rule.first_interval)
    state.interval = rule.first_interval
    slots = records(1 if known else int((nodes.relevant & ~nodes.fades).sum()), SLOT)
    slots.likelihood = 1.0
    f = Field(nodes, state, hubs, slots, common)
    start(f, of.hubs * of.stock)
    return f


class Driver:
    """Stands between a policy that is a Python object and a world; ids are hubs, then nodes."""

    def __init__(self, policy: Policy, f: Field) -> None:
        self.policy = policy
        self.f = f
        self.ends: list[tuple[float, int]] = []
        self.busy = np.zeros(len(f.hubs))
        self.time = 0.0

    def run(self) -> None:
        """Run to the horizon."""
        self.policy.add([Seen(h, str(h), 1.0, h, False, 0.0) for h in range(len(self.busy))])
        stock = int((self.f.state.status == HELD).sum())
        self._seen(0, stock, -1)
        for i in range(stock):
            self._met(i, 0.0, 0.0, ())
        step, horizon = float(self.f.common.step), float(self.f.common.window[1])
        for tick in range(1, int(horizon / step) + 1):
            time = tick * step
            self._tell_ends(time)
            for _ in range(int(self.f.common.per_tick)):
                self.time = time
                chosen = self.policy.choose(time, self._free)
                if chosen is None:
                    break
                self._fetch(int(chosen), time)
        finish(self.f, horizon)

    def _free(self, host: str) -> bool:
        return bool(self.busy[int(host)] <= self.time)

    def _tell_ends(self, time: float) -> None:
        state = self.f.state
        while self.ends and self.ends[0][0] <= time:
            i = heappop(self.ends)[1]
            settle(self.f, i, time)
            state.status[i] = DONE
            gap = time - float(state.look[i])
            self.policy.learn(Look(len(self.busy) + i, time, gap, "page", ended=True))

    def _fetch(self, chosen: int, time: float) -> None:
        nodes, state, hubs, _, common = self.f
        i = chosen - len(hubs)
        status = state.status[i] if 0 <= i < len(state) else DONE
        if chosen < 0 or (i >= 0 and status not in (LINK, HELD)):
            raise ValueError(f"choose: {chosen}; return the id of a hub, a link or a held page")
        self.busy[chosen if i < 0 else nodes.host[i]] = time + float(common.delay)
        if i < 0:
            gap = time - float(hubs.look[chosen])
            first, last = look_hub(self.f, chosen, time)
            links = self._seen(first, last, chosen)
            self.policy.learn(Look(chosen, time, gap, "hub", links=links))
        elif status == HELD:
            gap, changed = time - float(state.look[i]), bool(look(self.f, i, time))
            modified = time - float(state.changed[i])
            self.policy.learn(Look(chosen, time, gap, "page", changed, modified))
        else:
            gap, outcome = time - float(state.born[i]), fetch(self.f, i, time)
            if outcome == PAGE:
                first, last = own_links(self.f, i, time)
                return self._met(i, time, gap, self._seen(first, last, -1))
            item, gone = outcome == ITEM, not nodes.fades[i] and time >= state.end[i]
            interest = float(nodes.value[i]) if item else 0.0
            self.policy.learn(
                Look(chosen, time, gap, "link", relevant=item, interest=interest, ended=gone)
            )

    def _met(self, i: int, time: float, gap: float, links: tuple[Seen, ...]) -> None:
        nodes, state = self.f.nodes, self.f.state
        heappush(self.ends, (float(state.end[i]), i))
        modified = time - float(state.changed[i])
        interest = float(nodes.value[i])
        met = Look(len(self.busy) + i, time, gap, "link", False, modified, True, interest, links)
        self.policy.learn(met)

    def _seen(self, first: int, last: int, hub: int) -> tuple[Seen, ...]:
        """Return the links of a range, as the policy sees them, after it has taken them in."""
        nodes = self.f.nodes
        columns = nodes.host, nodes.score, nodes.fades, self.f.state.born
        links = tuple(
            Seen(len(self.busy) + first + k, str(host), float(score), hub, bool(item), float(born))
            for k, (host, score, item, born) in enumerate(
                zip(*(column[first:last] for column in columns), strict=True)
            )
        )
        self.policy.add(links)
        return links
