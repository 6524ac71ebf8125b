"""The value of each thing that a policy may fetch, by what it knows or believes; compiled.

The value of a hub is tabulated, since all hubs are ranked before each fetch. Of links and pages
only those near the last winner are. Indices of pages grow and those of links fall, so a bound on
the rest is at hand: once no winner exceeds it, all are ranked again.
"""

import numpy as np

from tres_lib.numerics import compiled
from tres_live.watching.beliefs import (
    chance,
    given_up,
    hub_value,
    link_value,
    mean_index,
    page_index,
)

from .events import BINS, DONE, HAZARDS, HELD, HUBS, LINK, LINKS, NODES, PAGES, settle

RANKINGS = ("index", "half", "discovery")
INDEX, HALF, DISCOVERY = range(3)
LONGEST = 60.0  # days that a hub's table covers
RANKED = 0.25  # days until all is ranked again
NEAR = 0.85  # of the last winner's value: what is ranked at each tick
STATUS = LINK, HELD  # of what may be fetched: links, and known pages
DROPPED = 0.03  # of the price: a link of less value is forgotten


@compiled
def rank(f, arm, i, t):
    """Return the value of a link, page or hub at time t, or -1 if it is over."""
    if arm == HUBS:
        return rank_hub(f, i, t)
    if f.state.status[i] != STATUS[arm] or (arm == PAGES and f.state.end[i] <= t):
        return -1.0
    return rank_link(f, i, t) if arm == LINKS else rank_page(f, i, t)


@compiled
def rank_link(f, i, t):
    """Return the value of a link at time t, by the policy's ranking."""
    common, h = f.common, f.nodes.host[i]
    score = f.nodes.score[i]
    p = f.nodes.p[i] if common.known else relevance(score, common.counts, common.hits)
    if common.ranking == DISCOVERY:
        return p
    fades = f.nodes.fades[i]
    value = f.hubs.item_value[h] if fades else common.page + common.own
    decay = f.hubs.believed[h] if fades else common.end
    return link_value(p, value, decay, 0.0, 0.0, t - f.state.born[i])


@compiled
def rank_page(f, i, t):
    """Return the value of a look at a held page at time t, by the policy's ranking."""
    common, age = f.common, t - f.state.look[i]
    if common.ranking == DISCOVERY:
        return -1.0
    if common.ranking == HALF:
        return 1.0 + age
    if common.known:
        return f.nodes.value[i] * page_index(age, f.nodes.rate[i], common.end)
    slot = f.slots[f.state.slot[i]]
    return f.nodes.value[i] * slot.factor * mean_index(age, slot.post, common.end)


@compiled
def rank_hub(f, h, t):
    """Return the value of a look at a hub at time t, by the policy's ranking."""
    hub, age = f.hubs[h], t - f.hubs.look[h]
    if f.common.ranking != INDEX:
        return 1.0 + age
    rate = hub.arrival if f.common.known else expected_rate(hub.pace, age)
    age = min(age, LONGEST)
    x = np.sqrt(age / LONGEST) * (NODES - 1)
    g = min(int(x), NODES - 2)
    slope = hub.table[g] + (x - g) * (hub.table[g + 1] - hub.table[g])
    return rate * age * age * slope


@compiled
def expected_rate(pace, age):
    """Return the mean rate of new links over `age` days from the last look on."""
    rate = 0.0
    for z in range(len(HAZARDS)):
        mean = pace[1 + 2 * z] * pace[0]
        x = HAZARDS[z] * age
        stayed = -np.expm1(-x) / x if x > 1e-6 else 1.0
        rate += mean + (pace[2 + 2 * z] - mean) * stayed
    return rate


@compiled
def fill_tables(f):
    """Tabulate each hub's index (3) for one link a day, over the square of the age."""
    common = f.common
    price, page = max(common.price, 1e-9), common.page + common.own
    for h in range(len(f.hubs)):
        hub = f.hubs[h]
        hub.table[:] = 0.0
        _add_links(hub.table, hub.share[0], hub.p, hub.item_value, hub.believed, price)
        _add_links(hub.table, hub.share[1], hub.p, page, common.end, price)


@compiled
def _add_links(table, shares, p, value, decay, price):
    """Add the links of a kind."""
    ages = np.array([given_up(one, value, decay, 0.0, price) for one in p])
    for g in range(NODES):
        age = LONGEST * max(g, 1e-3) ** 2 / (NODES - 1) ** 2
        table[g] += hub_value(shares, p, ages, value, decay, 0.0, 0.0, age) / age**2


@compiled
def relevance(score, counts, hits):
    """Return the probability of relevance at a score, between the posterior means of its bins."""
    x = score * BINS - 0.5
    b = int(min(max(np.floor(x), 0.0), BINS - 2))
    low = chance(b, BINS, counts[b], hits[b])
    high = chance(b + 1, BINS, counts[b + 1], hits[b + 1])
    return min(max(low + (x - b) * (high - low), 0.0), 1.0)


@compiled
def rank_all(f, arm, t):
    """Rank all links, or pages; forget what is over, and note which are near the best."""
    common, state, best = f.common, f.state, 0.0
    size = 0
    for n in range(common.open):
        i = f.things[n]
        if arm == PAGES and state.status[i] == HELD and state.end[i] <= t:
            settle(f, i, t)
            state.status[i] = DONE
            common.ends += 1
        if state.status[i] == STATUS[arm]:
            f.value[n] = rank_link(f, i, t) if arm == LINKS else rank_page(f, i, t + RANKED)
            best = max(best, f.value[n])
            if arm == LINKS and common.ranking == INDEX and f.value[n] < DROPPED * common.price:
                state.status[i] = DONE
        if state.status[i] != DONE:
            f.things[size], f.near[size], f.value[size] = i, f.near[n], f.value[n]
            size += 1
    common.open = size
    common.limit[arm] = NEAR * min(best, common.usual[arm])
    if common.free:
        common.limit[arm] = common.price
    for n in range(size):
        if state.status[f.things[n]] == STATUS[arm]:
            f.near[n] = f.value[n] >= common.limit[arm]


@compiled
def find_best(f, t, best, what, group):
    """Write the highest value of each kind of fetch to `best`, and what has it to `what`."""
    best[HUBS] = -1.0
    for h in range(len(f.hubs)):
        value = rank_hub(f, h, t)
        if value > best[HUBS]:
            best[HUBS], what[HUBS] = value, h
    for arm in (LINKS, PAGES):
        _find_near(f, arm, t, best, what)
    for arm in (LINKS, PAGES):
        if best[group == group[arm]].max() < f.common.limit[arm]:
            rank_all(f, arm, t)
            _find_near(f, arm, t, best, what)


@compiled
def _find_near(f, arm, t, best, what):
    best[arm] = -1.0
    for n in range(f.common.open):
        i = f.things[n]
        if f.near[n]:
            value = rank(f, arm, i, t)
            if value > best[arm]:
                best[arm], what[arm] = value, i
