"""Simulation of a policy in a world, and the bound of what that very world could have given."""

from dataclasses import dataclass

import numpy as np

from tres_lib.numerics import compiled
from tres_webs.checks import one_of, positive

from .bound import PRICES, relaxation, value_table
from .events import (
    BINS,
    COMMON,
    HAZARDS,
    HELD,
    HUB,
    HUBS,
    LEVELS,
    LINK,
    LINKS,
    PAGE,
    PAGES,
    SAMPLE,
    SLOT,
    STATE,
    Field,
    K,
    fetch,
    finish,
    look,
    look_hub,
    records,
    start,
)
from .learning import meet_page, renew_beliefs, see_hub, see_link, see_page
from .values import (
    RANKED,
    RANKINGS,
    fill_tables,
    find_best,
    rank,
    rank_all,
)
from .world import World, nodes as nodes_of

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
    known: bool = False  # the world's rates; else they are learnt
    tracked: bool = True  # the price follows the repeats that win; else it is the relaxed problem's
    # Of links, pages and hubs in the bandwidth; ranks are by index within each. None: the highest
    # index of all wins.
    shares: tuple[float, float, float] | None = None
    modified: bool = False  # whether a look shows the time of the last change
    half_life: float = 1.0  # what the index takes items' for, as a multiple of the true ones

    def __post_init__(self) -> None:
        one_of("ranking", self.ranking, RANKINGS)
        positive("half_life", self.half_life)
        if self.shares is not None and (
            len(self.shares) != 3 or min(self.shares) < 0 or abs(sum(self.shares) - 1) > 1e-6
        ):
            raise ValueError(f"shares={self.shares!r}: give three numbers from 0 on that add to 1")


KNOWN = Rule(known=True, tracked=False)


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
    f = field(world, rule, bandwidth, (warm_up, horizon))
    f.common.price = 1.0 if rule.tracked else relaxation(world, bandwidth).price
    return _run(f, rule, world)


def realised_bound(world: World, bandwidth: float, horizon: float, warm_up: float) -> float:
    """Return the Lagrangian bound for this sampled world.

    All whose index exceeds the price is fetched and paid for. The mean over worlds is the bound of
    the `relaxation`, in requests a day, but for the stock that a run begins with.
    """
    price = relaxation(world, bandwidth).price
    f = field(world, KNOWN, bandwidth, (warm_up, horizon))
    f.common.price, f.common.free = price, True
    free = _run(f, KNOWN, world)
    return free.served + price * (bandwidth - sum(free.fetches))


def field(world: World, rule: Rule, bandwidth: float, window: tuple[float, float]) -> Field:
    """Return a world at time 0, and a policy that has seen the stock; days in the window count."""
    of, known = world.parameters, rule.known
    common = records(1, COMMON)[0]
    common.window[:] = window
    common.step, common.world = 1 / bandwidth, world.seed
    common.end, common.prior[:], common.usual[:] = of.end_rate, 1 / K, np.inf
    common.ranking = RANKINGS.index(rule.ranking)
    common.known, common.tracked, common.modified = known, rule.tracked, rule.modified
    nodes = nodes_of(world, window[1])
    slots = records(1 if known else int((nodes.relevant & ~nodes.fades).sum()), SLOT)
    slots.likelihood = 1.0
    lists = (np.zeros(len(nodes), kind) for kind in (np.int64, bool, float))
    f = Field(nodes, records(len(nodes), STATE), _hubs(world, rule), slots, common, *lists)
    start(f, of.hubs * of.stock)
    return f


def _hubs(world: World, rule: Rule) -> np.recarray:
    """Return what a policy knows of the hubs before its first fetch: all, or little."""
    n = SAMPLE if rule.known else BINS
    hubs = records(world.parameters.hubs, HUB)
    hubs.decay, hubs.believed = world.decay, world.decay / rule.half_life
    hubs.item_value = world.item_value if rule.known else 1.0
    hubs.arrival = world.arrival
    hubs.level = 1 / len(HAZARDS) / len(LEVELS)
    hubs.rates = 0.5 * LEVELS**-0.5 / (LEVELS**-0.5).sum()
    hubs.pace = 1.0
    hubs.prior = 1 / K
    hubs.p[:, :n] = world.link_relevance(n) if rule.known else (np.arange(n) + 0.5) / n
    item = world.parameters.item_share
    hubs.share[:, :, :n] = np.array([[item], [1 - item]]) / n
    return hubs


def _run(f: Field, rule: Rule, world: World) -> Run:
    """Run a rule in a world at time 0, from the price in its record on."""
    group, shares = ((0, 1, 2), rule.shares) if rule.shares else ARMS[rule.ranking]
    values = np.array([np.log(PRICES), *value_table(world.parameters)])
    run(f, np.array(group), np.array(shares), values)
    common = f.common
    days = float(np.diff(common.window)[0])
    items, pages = float(common.of_items) / days, float(common.of_pages) / days
    links, refreshes, hubs = (common.fetches / days).tolist()
    return Run(items + pages, items, pages, (links, refreshes, hubs), float(common.price))


@compiled
def run(f, group, shares, values):
    """Run a policy to the horizon: rank, fetch, learn.

    `values` has the logarithms of prices and, at each, the value of a page and of its links.
    """
    common = f.common
    best, what = np.empty(3), np.zeros(3, np.int64)
    credit = shares.copy()
    if not common.known:
        renew_beliefs(f)
        for n in range(common.open):  # the stock
            meet_page(f, f.things[n], 0.0)
    ranked, day = 0.0, 0
    for tick in range(1, int(common.window[1] / common.step) + 1):
        t = tick * common.step
        if t >= day:
            _renew(f, values)
            day += 1
        if t >= ranked:
            common.exposure += RANKED * (f.state.status == HELD).sum()
            for kind in (LINKS, PAGES):
                rank_all(f, kind, t)
            ranked = t + RANKED
        if common.free:
            _fetch_all(f, t)
            continue
        find_best(f, t, best, what, group)
        credit += shares
        arm = choose(best, group, shares, credit)
        credit[np.argmax(credit)] -= 1.0  # it pays, even where another group goes first
        if arm >= 0:
            common.usual[group == group[arm]] = min(max(best[arm], 1e-9), 1.02 * common.usual[arm])
            _do(f, arm, what[arm], t)
            if arm != LINKS and common.tracked:
                common.price += (best[arm] - common.price) * SPEED
    finish(f, common.window[1])


@compiled
def _renew(f, values):
    """Work out daily what is slow to change: the prior, a page's value, the hubs' tables."""
    common = f.common
    if common.known:
        if abs(common.price - common.tabled) < 0.01 * common.tabled:
            return
        at = np.log(max(common.price, 1e-3))
        common.page = np.interp(at, values[0], values[1])
        common.own = np.interp(at, values[0], values[2])
        common.tabled = common.price
    else:
        renew_beliefs(f)
    fill_tables(f)


@compiled
def choose(best, group, shares, credit):
    """Return which kind of fetch is next, of those whose best exceeds 0; or -1.

    `group` has the group of each kind, between which bandwidth is shared out. First comes the
    group with the most `credit`, what it has not spent of its share; in a group the best wins.
    """
    chosen = -1
    for kind in range(len(best)):
        if shares[group[kind]] == 0.0 or best[kind] <= 0.0:
            continue
        lead = credit[group[kind]] - credit[group[chosen]] if chosen >= 0 else 1.0
        if lead > 0.0 or (lead == 0.0 and best[kind] > best[chosen]):
            chosen = kind
    return chosen


@compiled
def _fetch_all(f, t):
    """Fetch all that is worth more than the price; what that finds waits for the next tick."""
    hubs = len(f.hubs)
    for k in range(hubs + f.common.open):
        arm, i = HUBS, k
        if k >= hubs:
            i = f.things[k - hubs]
            arm = LINKS if f.state.status[i] == LINK else PAGES
        if (k < hubs or f.near[k - hubs]) and rank(f, arm, i, t) > f.common.price:
            _do(f, arm, i, t)


@compiled
def _do(f, arm, i, t):
    """Fetch a hub, a link or a page, and learn from it."""
    learns = not f.common.known
    if arm == HUBS:
        begin = f.hubs.look[i]
        first, last = look_hub(f, i, t)
        if learns:
            see_hub(f, i, first, last, begin, t)
    elif arm == PAGES:
        gap = t - f.state.look[i]
        changed = look(f, i, t)
        if learns:
            see_page(f, i, t, gap, changed)
    else:
        outcome = fetch(f, i, t)
        if learns:
            see_link(f, i, t, outcome)
        if learns and outcome == PAGE:
            meet_page(f, i, t)
