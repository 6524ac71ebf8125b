"""Simulation of a policy in a world, and the bound of what that very world could have given."""

from dataclasses import dataclass

import numpy as np

from tres_lib.numerics import compiled
from tres_webs.checks import one_of, positive

from . import events, policy
from .bound import page_values, relaxation
from .events import BINS, HAZARDS, HUBS, LEVELS, LINKS, PAGES, SAMPLE, Field, K, records
from .policy import RANKED, RANKINGS
from .world import World, nodes as nodes_of, quantiles

SPEED = 0.01  # at which the price moves
# By ranking: the groups of (links, pages, hubs) that share out the bandwidth, and their shares.
ARMS: dict[str, tuple[tuple[int, int, int], tuple[float, ...]]] = {
    "index": ((0, 0, 0), (1.0,)),
    "half": ((0, 1, 1), (0.5, 0.5)),
    "discovery": ((0, 1, 1), (0.8, 0.2)),
}


@dataclass(frozen=True)
class Rule:
    """A policy: the index, fixed shares of the bandwidth, or one of two that people use."""

    # What is fetched: what has the highest "index"; by "half" in turn the best link and what has
    # waited longest; by "discovery" in four of five fetches the likeliest link, else the hub that
    # waited longest.
    ranking: str = "index"
    # The world's rates, and the price is the relaxed problem's. Else rates are learnt, and the
    # price follows the repeats that win.
    known: bool = False
    # Of links, pages and hubs in the bandwidth; ranks are by index within each. None: the highest
    # index of all wins.
    shares: tuple[float, ...] | None = None
    modified: bool = False  # whether a look shows the time of the last change

    def __post_init__(self) -> None:
        one_of("ranking", self.ranking, RANKINGS)
        if self.shares is not None and (
            len(self.shares) != 3 or min(self.shares) < 0 or abs(sum(self.shares) - 1) > 1e-6
        ):
            raise ValueError(f"shares={self.shares!r}: give three numbers from 0 on that add to 1")


KNOWN = Rule(known=True)


@dataclass(frozen=True, eq=False)
class Run:
    """What a policy served, a day, between warm-up and horizon."""

    served: float  # requests fresh and on topic: all, by items and by pages
    of_items: float
    of_pages: float
    fetches: tuple[float, float, float]  # of links, known pages and hubs
    price: float  # at the end, in requests


def simulate(
    world: World,
    rule: Rule = KNOWN,
    bandwidth: float = 100.0,
    horizon: float = 300.0,
    warm_up: float = 120.0,
) -> Run:
    """Simulate a policy; equal worlds and horizons have the same events for every policy.

    The bandwidth is in fetches a day, horizon and warm-up in days, of which the latter do not
    count.

    Examples
    --------
    >>> run = simulate(World.sample(0), horizon=20, warm_up=10)
    >>> round(sum(run.fetches))
    100
    """
    bandwidth, horizon = positive("bandwidth", bandwidth), positive("horizon", horizon)
    if not 0 <= warm_up < horizon:
        raise ValueError(f"warm_up={warm_up!r}: give days from 0 to below the horizon, {horizon:g}")
    price = relaxation(world, bandwidth).price if rule.known else 1.0
    return _run(field(world, rule, bandwidth, (warm_up, horizon), price), rule)


def realised_bound(world: World, bandwidth: float, horizon: float, warm_up: float) -> float:
    """Return the Lagrangian bound for this sampled world.

    All whose index exceeds the price is fetched and paid for. The mean over worlds is the bound of
    the `relaxation`, in requests a day, but for the stock that a run begins with.
    """
    price = relaxation(world, bandwidth).price
    f = field(world, KNOWN, bandwidth, (warm_up, horizon), price)
    f.common.usual[:] = price
    free = _run(f, KNOWN, free=True)
    return free.served + price * (bandwidth - sum(free.fetches))


def field(
    world: World, rule: Rule, bandwidth: float, window: tuple[float, float], price: float
) -> Field:
    """Return a world at time 0, and a policy that has seen the stock; days in the window count."""
    of, known = world.parameters, rule.known
    common = records(1, events.COMMON)[0]
    common.window[:], common.step, common.world = window, 1 / bandwidth, world.seed
    common.end, common.prior[:], common.usual[:] = of.end_rate, 1 / K, np.inf
    common.ranking = RANKINGS.index(rule.ranking)
    common.known, common.modified, common.price = known, rule.modified, price
    if known:
        common.page, common.own = page_values(of, price)
    n, hubs = SAMPLE if known else BINS, records(of.hubs, events.HUB)
    hubs.arrival, hubs.decay = world.arrival, world.decay
    hubs.item_value = world.item_value if known else 1.0
    hubs.level = 1 / len(HAZARDS) / len(LEVELS)
    hubs.rates = 0.5 * LEVELS**-0.5 / (LEVELS**-0.5).sum()
    hubs.pace, hubs.prior = 1.0, 1 / K
    centres = (np.arange(n) + 0.5) / n
    hubs.p[:, :n] = quantiles(of, world.relevance[:, None], n) if known else centres
    hubs.share[:, :, :n] = np.array([[of.item_share], [1 - of.item_share]]) / n
    nodes = nodes_of(world, window[1])
    slots = records(1 if known else int((nodes.relevant & ~nodes.fades).sum()), events.SLOT)
    slots.likelihood = 1.0
    things, near = np.zeros(len(nodes), np.int64), np.zeros(len(nodes), bool)
    f = Field(nodes, records(len(nodes), events.STATE), hubs, slots, common, things, near)
    events.start(f, of.hubs * of.stock)
    return f


def _run(f: Field, rule: Rule, free: bool = False) -> Run:
    """Run a rule from time 0 to the horizon."""
    group, shares = ((0, 1, 2), rule.shares) if rule.shares else ARMS[rule.ranking]
    run(f, np.array(group), np.array(shares), free)
    days = float(np.diff(f.common.window)[0])
    items, pages = float(f.common.of_items) / days, float(f.common.of_pages) / days
    links, refreshes, hubs = (f.common.fetches / days).tolist()
    return Run(items + pages, items, pages, (links, refreshes, hubs), float(f.common.price))


@compiled
def run(f, group, shares, free):
    """Run a policy to the horizon: rank, fetch, learn.

    `group` has the group of each kind of fetch. First comes the group with the most credit, what it
    has not spent of its share of the bandwidth; in a group the highest value wins, if it exceeds 0.
    """
    common = f.common
    best, what = np.empty(3), np.zeros(3, np.int64)
    credit = shares.copy()
    if not common.known:
        policy.renew_beliefs(f)
        for n in range(common.open):  # the stock
            policy.meet_page(f, f.things[n], 0.0)
    ranked = day = 0.0
    for tick in range(1, int(common.window[1] / common.step) + 1):
        t = tick * common.step
        if t >= day:
            if not common.known:
                policy.renew_beliefs(f)
            policy.fill_tables(f)
            day = np.inf if common.known else day + 1.0
        if t >= ranked:
            common.exposure += RANKED * (f.state.status == PAGES).sum()
            for kind in (LINKS, PAGES):
                policy.rank_all(f, kind, t)
            ranked = t + RANKED
        if free:
            _fetch_all(f, t)
            continue
        policy.find_best(f, t, best, what, group)
        credit += shares
        arm = -1
        for kind in range(3):
            if shares[group[kind]] > 0.0 and best[kind] > 0.0:
                value = credit[group[kind]], best[kind]
                if arm < 0 or value > (credit[group[arm]], best[arm]):
                    arm = kind
        credit[np.argmax(credit)] -= 1.0  # it pays, even where another group goes first
        if arm >= 0:
            common.usual[group == group[arm]] = min(max(best[arm], 1e-9), 1.02 * common.usual[arm])
            _do(f, arm, what[arm], t)
            if arm != LINKS and not common.known:
                common.price += (best[arm] - common.price) * SPEED
    for i in range(len(f.state)):
        if f.state.status[i] == PAGES:
            events.settle(f, i, common.window[1])


@compiled
def _fetch_all(f, t):
    """Fetch all that is worth more than the price; what that finds waits for the next tick."""
    waiting = f.common.open
    for h in range(len(f.hubs)):
        if policy.rank_hub(f, h, t) > f.common.price:
            _do(f, HUBS, h, t)
    for n in range(waiting):
        i = f.things[n]
        if f.near[n] and policy.rank(f, i, t) > f.common.price:
            _do(f, f.state.status[i], i, t)


@compiled
def _do(f, arm, i, t):
    """Fetch a hub, a link or a page, and learn from it."""
    learns = not f.common.known
    if arm == HUBS:
        begin = f.hubs.look[i]
        first, last = events.look_hub(f, i, t)
        if learns:
            policy.see_hub(f, i, first, last, begin, t)
    elif arm == PAGES:
        gap = t - f.state.look[i]
        changed = events.look(f, i, t)
        if learns:
            policy.see_page(f, i, t, gap, changed)
    else:
        hit = events.fetch(f, i, t)
        if learns:
            policy.see_link(f, i, t, hit)
        if learns and hit and not f.nodes.fades[i]:
            policy.meet_page(f, i, t)
