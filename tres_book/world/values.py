"""The value of each thing that a policy may fetch, by what it knows or believes; compiled.

Interest in items fades exponentially or by a power law, which the live watch does not have; the
value of a hub is tabulated, since all hubs are ranked before each fetch.
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

from .arrays import BINS, DISCOVERY, FIFO, INDEX, LONGEST, NODES, NUTCH, THOMPSON
from .events import power_scale, remaining
from .levels import expected_rate


@compiled
def rank_link(f, i, t):
    """Return the value of a link at time t, by the policy's ranking."""
    common = f.common
    if common.ranking == FIFO:
        return 1.0 + t - f.state.look[i]
    score = f.nodes.score[i]
    p = f.nodes.p[i] if common.known else relevance(score, common.counts, common.hits)
    if common.ranking == NUTCH or common.ranking == DISCOVERY:
        return p
    age = t - f.state.born[i]
    if not f.nodes.fades[i]:
        return link_value(p, common.page + common.own, common.end, 0.0, 0.0, age)
    h = f.nodes.host[i]
    decay = f.hubs.decay[h] / common.half_life
    if common.believed == 0.0:
        return link_value(p, f.hubs.item_value[h], decay, 0.0, 0.0, age)
    return p * f.hubs.item_value[h] * remaining(common.believed, decay, age)


@compiled
def rank_page(f, i, t):
    """Return the value of a look at a held page at time t, by the policy's ranking."""
    common, age = f.common, t - f.state.look[i]
    if common.ranking == DISCOVERY:
        return -1.0
    if common.ranking != INDEX:
        return _waited(common.ranking, age, f.state.interval[i])
    if common.known:
        return f.nodes.value[i] * page_index(age, f.nodes.rate[i], common.end)
    slot = f.slots[f.state.slot[i]]
    if common.explore == THOMPSON:
        return f.nodes.value[i] * page_index(age, slot.rate, common.end)
    # Not `slot.zeta`, which is the same: with it runs took a fifth longer.
    return f.nodes.value[i] * slot.factor * mean_index(age, slot.post, common.end)


@compiled
def rank_hub(f, h, t):
    """Return the value of a look at a hub at time t, by the policy's ranking."""
    common, hub, age = f.common, f.hubs[h], t - f.hubs.look[h]
    if common.ranking != INDEX:
        return _waited(common.ranking, age, hub.interval)
    if common.known:
        rate = hub.arrival
    elif common.levels:
        rate = expected_rate(hub.pace, age)
    else:
        rate = hub.gamma[0] / hub.gamma[1]
    age = min(age, LONGEST)
    x = np.sqrt(age / LONGEST) * (NODES - 1)
    g = min(int(x), NODES - 2)
    slope = hub.table[g] + (x - g) * (hub.table[g + 1] - hub.table[g])
    return rate * age * age * slope


@compiled
def _waited(ranking, age, interval):
    """Return the value of a look by the days since the last one, or by Nutch's schedule."""
    if ranking == NUTCH:
        return 1.0 if age >= interval else -1.0
    return 1.0 + age


@compiled
def fill_tables(f):
    """Tabulate each hub's index (3) for one link a day, over the square of the age."""
    common = f.common
    price, page = max(common.price, 1e-9), common.page + common.own
    for h in range(len(f.hubs)):
        hub = f.hubs[h]
        hub.table[:] = 0.0
        decay = hub.decay / common.half_life
        _add_links(hub.table, hub.share[0], hub.p, hub.item_value, decay, common.believed, price)
        _add_links(hub.table, hub.share[1], hub.p, page, common.end, 0.0, price)


@compiled
def _add_links(table, shares, p, value, decay, power, price):
    """Add the links of a kind, whose interest fades exponentially, or by a power law."""
    ages = np.array([given_up(one, value, decay, 0.0, price) for one in p])
    if power != 0.0:
        scale = power_scale(power, decay)
        ages = scale * (np.maximum(p * value / price, 1.0) ** (1.0 / power) - 1.0)
    for g in range(NODES):
        age = LONGEST * max(g, 1e-3) ** 2 / (NODES - 1) ** 2
        if power == 0.0:
            gain = hub_value(shares, p, ages, value, decay, 0.0, 0.0, age)
        else:
            gain = (shares * p * value * _lost(power, scale, np.minimum(age, ages))).sum()
        table[g] += gain / age**2


@compiled
def _lost(k, scale, age):
    """Return F(w) - w f(w), with f = (1 + w / scale)^-k and F its integral, at ages w."""
    left = 1.0 + age / scale
    total = np.log(left) if k == 1.0 else (1.0 - left ** (1.0 - k)) / (k - 1.0)
    return scale * total - age * left**-k


@compiled
def relevance(score, counts, hits):
    """Return the probability of relevance at a score, between the posterior means of its bins."""
    x = score * BINS - 0.5
    b = int(min(max(np.floor(x), 0.0), BINS - 2))
    low = chance(b, BINS, counts[b], hits[b])
    high = chance(b + 1, BINS, counts[b + 1], hits[b + 1])
    return min(max(low + (x - b) * (high - low), 0.0), 1.0)
