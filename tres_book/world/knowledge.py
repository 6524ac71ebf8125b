"""What a policy makes of what it saw, and the value of each thing by that; compiled."""

import numpy as np

from tres_lib.numerics import compiled
from tres_lib.watching.beliefs import (
    RATES,
    expected_rate,
    find_pace,
    mean_index,
    outlook,
    page_index,
    posterior,
    see_age,
    see_arrivals,
    see_bit,
)
from tres_live.watching.engine import (
    chance,
    end_rate,
    given_up,
    hub_value,
    link_value,
    renew_prior,
    see_look,
    settle,
    shares,
)

from .arrays import BINS, DISCOVERY, FIFO, GRADIENT, INDEX, LONGEST, NODES, NUTCH, THOMPSON
from .events import HELD, power_scale, remaining

PAGE_MEMORY = 500  # relevant pages over which the value of a page is averaged
ITEM_WEIGHT = 3.0  # items; weight of the common mean in a hub's own
LINK_WEIGHT = 10.0  # links; weight of the scores of all hubs' links in a hub's own


@compiled
def rank_link(nodes, state, hubs, slots, m, i, t):
    """Return the value of a link at time t, by the policy's ranking."""
    if m[0].ranking == FIFO:
        return 1.0 + t - state.look[i]
    p = nodes.p[i] if m[0].known else relevance(nodes.score[i], m[0].counts, m[0].hits)
    if m[0].ranking == NUTCH or m[0].ranking == DISCOVERY:
        return p
    age = t - state.born[i]
    if not nodes.fades[i]:
        return link_value(p, m[0].page + m[0].own, m[0].end, 0.0, 0.0, age)
    h = nodes.host[i]
    decay = hubs.decay[h] / m[0].half_life
    if m[0].believed == 0.0:
        return link_value(p, hubs.item_value[h], decay, 0.0, 0.0, age)
    return p * hubs.item_value[h] * remaining(m[0].believed, decay, age)


@compiled
def rank_page(nodes, state, hubs, slots, m, i, t):
    """Return the value of a look at a held page at time t, by the policy's ranking."""
    age = t - state.look[i]
    if m[0].ranking == DISCOVERY:
        return -1.0
    if m[0].ranking == NUTCH:
        return 1.0 if age >= state.interval[i] else -1.0
    if m[0].ranking != INDEX:
        return 1.0 + age
    if m[0].known:
        return nodes.value[i] * page_index(age, nodes.rate[i], m[0].end)
    s = state.slot[i]
    if m[0].explore == THOMPSON:
        return nodes.value[i] * page_index(age, slots[s].rate, m[0].end)
    # Not `slots[s].zeta`, which is the same: with it runs took a fifth longer.
    return nodes.value[i] * slots[s].factor * mean_index(age, slots[s].post, m[0].end)


@compiled
def rank_hub(hubs, m, h, t):
    """Return the value of a look at a hub at time t, by the policy's ranking."""
    age = t - hubs.look[h]
    if m[0].ranking == NUTCH:
        return 1.0 if age >= hubs.interval[h] else -1.0
    if m[0].ranking != INDEX:
        return 1.0 + age
    if m[0].known:
        rate = hubs.arrival[h]
    elif m[0].levels:
        rate = expected_rate(hubs[h].pace, age)
    else:
        rate = hubs[h].gamma[0] / hubs[h].gamma[1]
    age = min(age, LONGEST)
    x = np.sqrt(age / LONGEST) * (NODES - 1)
    g = min(int(x), NODES - 2)
    slope = hubs[h].table[g] + (x - g) * (hubs[h].table[g + 1] - hubs[h].table[g])
    return rate * age * age * slope


@compiled
def fill_tables(hubs, m):
    """Tabulate each hub's index (3) for one link a day, over the square of the age."""
    price, page = max(m[0].price, 1e-9), m[0].page + m[0].own
    for h in range(len(hubs)):
        hub = hubs[h]
        hub.table[:] = 0.0
        decay = hub.decay / m[0].half_life
        _add_links(hub.table, hub.share[0], hub.p, hub.item_value, decay, m[0].believed, price)
        _add_links(hub.table, hub.share[1], hub.p, page, m[0].end, 0.0, price)


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
def renew(state, hubs, slots, m, values):
    """Work out daily what is slow to change: the prior, a page's value, the hubs' tables."""
    if m[0].known:
        if abs(m[0].price - m[0].tabled) < 0.01 * m[0].tabled:
            return
        at = np.log(max(m[0].price, 1e-3))
        m[0].page = np.interp(at, values[0], values[1])
        m[0].own = np.interp(at, values[0], values[2])
        m[0].tabled = m[0].price
    else:
        renew_beliefs(state, hubs, slots, m)
    fill_tables(hubs, m)


@compiled
def renew_beliefs(state, hubs, slots, m):
    """Work out daily what is learned of all pages, scores and hubs together."""
    m[0].end = end_rate(m[0].ends, m[0].exposure)
    m[0].page = m[0].page_sum / max(m[0].page_n, 1.0)
    outlook(m[0].end, m[0].fresh, m[0].same, m[0].alive)
    used = m[0].used
    renew_prior(slots[:used], hubs, m[0].prior)
    for s in range(used):
        if state.status[slots[s].page] == HELD:
            update_post(hubs, slots, m, s)
    centres = np.empty(BINS)
    for b in range(BINS):
        centres[b] = relevance((b + 0.5) / BINS, m[0].counts, m[0].hits)
    links = m[0].own_links / max(m[0].owners, 1.0)
    scores = m[0].own_scores + 0.05
    scores /= scores.sum()
    for _ in range(50):
        gain = np.maximum(centres * (m[0].page + m[0].own) - m[0].price, 0.0)
        m[0].own = min(links * (scores * gain).sum(), 5.0 * m[0].page)
    listed = np.full((2, BINS), 0.05)
    for h in range(len(hubs)):
        listed += hubs[h].seen
    listed /= listed.sum()
    mean = (1.0 + hubs.item_sum.sum()) / (1.0 + hubs.item_n.sum())
    hubs.item_value[:] = (hubs.item_sum + ITEM_WEIGHT * mean) / (hubs.item_n + ITEM_WEIGHT)
    for h in range(len(hubs)):
        hubs[h].p[:BINS] = centres
        hubs[h].share[:, :BINS] = shares(hubs[h].seen, listed, LINK_WEIGHT)


@compiled
def update_post(hubs, slots, m, s):
    """Work out the posterior of a page's change rate."""
    odds = 1.0 / (1.0 + np.exp(-m[0].log_odds))
    prior = (1.0 - odds) * m[0].prior + odds * hubs[slots[s].host].prior
    posterior(prior, slots[s].likelihood, slots[s].post)


@compiled
def _settle_page(hubs, slots, m, s):
    """Set the factor by which a look at a page exceeds its index; return the page's value."""
    update_post(hubs, slots, m, s)
    tables = (m[0].fresh, m[0].same, m[0].alive)
    post = slots[s].post.astype(np.float64)
    value = settle(slots[s], post, slots[s].zeta, m[0].price, m[0].end, *tables)
    if m[0].explore != GRADIENT:
        slots[s].factor = 1.0
    if m[0].explore == THOMPSON:
        k = min(np.searchsorted(np.cumsum(slots[s].post), np.random.random()), len(RATES) - 1)
        slots[s].rate = RATES[k]
    return value


@compiled
def meet_page(nodes, state, hubs, slots, m, i, t):
    """Take in a relevant page just fetched."""
    s = m[0].used
    m[0].used += 1
    state.slot[i] = s
    slots[s].page = i
    slots[s].host = nodes.host[i]
    slots[s].importance = slots[s].zeta = nodes.value[i]
    if m[0].modified:
        if state.changed[i] > state.born[i] or np.isnan(nodes.birth[i]):
            see_age(slots[s].likelihood, t - state.changed[i], 1.0)
        else:
            see_bit(slots[s].likelihood, t - state.born[i], False)
        slots[s].looks += 1
    value = _settle_page(hubs, slots, m, s)
    if m[0].page_n >= PAGE_MEMORY:
        m[0].page_sum *= 1 - 1 / PAGE_MEMORY
        m[0].page_n *= 1 - 1 / PAGE_MEMORY
    m[0].page_sum += value
    m[0].page_n += 1


@compiled
def _hub_odds(hubs, slots, m, s):
    """Return the log-odds of what was seen of a page, by its hub's prior against the common."""
    scratch = np.empty(len(RATES))
    own = posterior(hubs[slots[s].host].prior, slots[s].likelihood, scratch)
    return np.log(own / posterior(m[0].prior, slots[s].likelihood, scratch))


@compiled
def see_page(nodes, state, hubs, slots, m, i, t, gap, changed):
    """Take in a look at a held page."""
    s = state.slot[i]
    before = _hub_odds(hubs, slots, m, s)
    see_look(slots[s], gap, changed, t - state.changed[i] if m[0].modified else np.nan, 1.0)
    gained = _hub_odds(hubs, slots, m, s) - before
    if slots[s].looks == 1:
        m[0].log_odds = min(max(m[0].log_odds + gained, -30.0), 30.0)
    _settle_page(hubs, slots, m, s)


@compiled
def see_hub(nodes, state, hubs, slots, m, h, first, last, begin, end):
    """Take in the new links of a hub since its last look."""
    for j in range(first, last):
        hubs[h].seen[0 if nodes.fades[j] else 1, bin_of(nodes.score[j])] += 1
    see_arrivals(hubs[h].level, hubs[h].rates, state.born, first, last, begin, end)
    find_pace(hubs[h].level, hubs[h].rates, hubs[h].pace)
    keep = m[0].memory ** (end - begin)
    hubs[h].gamma[0] = 1.0 + keep * (hubs[h].gamma[0] - 1.0) + (last - first)
    hubs[h].gamma[1] = 0.25 + keep * (hubs[h].gamma[1] - 0.25) + (end - begin)


@compiled
def see_link(nodes, state, hubs, slots, m, i, t, outcome):
    """Take in what a link turned out to be; a page that is gone says nothing of its score."""
    if outcome == 0 and not nodes.fades[i] and t >= state.end[i]:
        return
    b = bin_of(nodes.score[i])
    m[0].counts[b] += 1
    if outcome == 0:
        return
    m[0].hits[b] += 1
    if outcome == 1:
        hubs.item_n[nodes.host[i]] += 1
        hubs.item_sum[nodes.host[i]] += nodes.value[i]
        return
    m[0].owners += 1
    m[0].own_links += nodes.count[i]
    for j in range(nodes.first[i], nodes.first[i] + nodes.count[i]):
        m[0].own_scores[bin_of(nodes.score[j])] += 1


@compiled
def relevance(score, counts, hits):
    """Return the probability of relevance at a score, between the posterior means of its bins."""
    x = score * BINS - 0.5
    b = int(min(max(np.floor(x), 0.0), BINS - 2))
    low = chance(b, BINS, counts[b], hits[b])
    high = chance(b + 1, BINS, counts[b + 1], hits[b + 1])
    return min(max(low + (x - b) * (high - low), 0.0), 1.0)


@compiled
def bin_of(score):
    """Return the bin of a score."""
    return min(int(score * BINS), BINS - 1)
