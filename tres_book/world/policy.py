"""What a policy learns from its fetches, and what each fetch is worth by that; compiled.

The value of a hub is tabulated, since all hubs are ranked before each fetch. Of links and pages
only those near the last winner are. Indices of pages grow and those of links fall, so a bound on
the rest is at hand: once no winner exceeds it, all are ranked again.
"""

import numpy as np

from tres_lib.numerics import compiled
from tres_live.watching import beliefs

from .events import BINS, DONE, HAZARDS, HUBS, LEVELS, LINKS, NODES, PAGES, K, settle

RANKINGS = ("index", "half", "discovery")
INDEX, HALF, DISCOVERY = range(3)
LONGEST = 60.0  # days that a hub's table covers
RANKED = 0.25  # days until all is ranked again
NEAR = 0.85  # of the last winner's value: what is ranked at each tick
DROPPED = 0.03  # of the price: a link of less value is forgotten
PAGE_MEMORY = 500  # relevant pages over which the value of a page is averaged
ITEM_WEIGHT = 3.0  # items; weight of the common mean in a hub's own
LINK_WEIGHT = 10.0  # links; weight of the scores of all hubs' links in a hub's own
CHUNK = 0.5  # days that count as one observation of a hub


@compiled
def rank(f, i, t):
    """Return the value of a link or page at time t, or -1 if it is over."""
    if f.state.status[i] == LINKS:
        return rank_link(f, i, t)
    if f.state.status[i] == PAGES and f.state.end[i] > t:
        return rank_page(f, i, t)
    return -1.0


@compiled
def rank_link(f, i, t):
    """Return the value of a link at time t, by the policy's ranking."""
    common, h, fades = f.common, f.nodes.host[i], f.nodes.fades[i]
    p = f.nodes.p[i]
    if not common.known:
        p = relevance(f.nodes.score[i], common.counts, common.hits)
    if common.ranking == DISCOVERY:
        return p
    value = f.hubs.item_value[h] if fades else common.page + common.own
    decay = f.hubs.decay[h] if fades else common.end
    return beliefs.link_value(p, value, decay, 0.0, 0.0, t - f.state.born[i])


@compiled
def rank_page(f, i, t):
    """Return the value of a look at a held page at time t, by the policy's ranking."""
    common, age = f.common, t - f.state.look[i]
    if common.ranking == DISCOVERY:
        return -1.0
    if common.ranking == HALF:
        return 1.0 + age
    if common.known:
        return f.nodes.value[i] * beliefs.page_index(age, f.nodes.rate[i], common.end)
    slot = f.slots[f.state.slot[i]]
    return f.nodes.value[i] * slot.factor * beliefs.mean_index(age, slot.post, common.end)


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
        _add_links(hub.table, hub.share[0], hub.p, hub.item_value, hub.decay, price)
        _add_links(hub.table, hub.share[1], hub.p, page, common.end, price)


@compiled
def _add_links(table, shares, p, value, decay, price):
    """Add the links of a kind."""
    ages = np.array([beliefs.given_up(one, value, decay, 0.0, price) for one in p])
    for g in range(NODES):
        age = LONGEST * max(g, 1e-3) ** 2 / (NODES - 1) ** 2
        table[g] += beliefs.hub_value(shares, p, ages, value, decay, 0.0, 0.0, age) / age**2


@compiled
def relevance(score, counts, hits):
    """Return the probability of relevance at a score, between the posterior means of its bins."""
    x = score * BINS - 0.5
    b = int(min(max(np.floor(x), 0.0), BINS - 2))
    low = beliefs.chance(b, BINS, counts[b], hits[b])
    high = beliefs.chance(b + 1, BINS, counts[b + 1], hits[b + 1])
    return min(max(low + (x - b) * (high - low), 0.0), 1.0)


@compiled
def rank_all(f, arm, t):
    """Rank all links, or pages; forget what is over, and note which are near the best."""
    common, state, best = f.common, f.state, 0.0
    values = np.empty(common.open)
    size = 0
    for n in range(common.open):
        i = f.things[n]
        if arm == PAGES and state.status[i] == PAGES and state.end[i] <= t:
            settle(f, i, t)
            state.status[i] = DONE
            common.ends += 1
        if state.status[i] == arm:
            values[size] = rank_link(f, i, t) if arm == LINKS else rank_page(f, i, t + RANKED)
            best = max(best, values[size])
            if arm == LINKS and common.ranking == INDEX and values[size] < DROPPED * common.price:
                state.status[i] = DONE
        if state.status[i] != DONE:
            f.things[size], f.near[size] = i, f.near[n]
            size += 1
    common.open = size
    common.limit[arm] = NEAR * min(best, common.usual[arm])
    for n in range(size):
        if state.status[f.things[n]] == arm:
            f.near[n] = values[n] >= common.limit[arm]


@compiled
def find_best(f, t, best, what, group):
    """Write the highest value of each kind of fetch to `best`, and what has it to `what`."""
    best[HUBS] = -1.0
    for h in range(len(f.hubs)):
        value = rank_hub(f, h, t)
        if value > best[HUBS]:
            best[HUBS], what[HUBS] = value, h
    _find_near(f, t, best, what)
    for arm in (LINKS, PAGES):
        if best[group == group[arm]].max() < f.common.limit[arm]:
            rank_all(f, arm, t)
            _find_near(f, t, best, what)


@compiled
def _find_near(f, t, best, what):
    best[LINKS] = best[PAGES] = -1.0
    for n in range(f.common.open):
        i, arm = f.things[n], f.state.status[f.things[n]]
        if f.near[n] and arm != DONE:
            value = rank(f, i, t)
            if value > best[arm]:
                best[arm], what[arm] = value, i


@compiled
def renew_beliefs(f):
    """Work out daily what is learned of all pages, scores and hubs together."""
    common, hubs, slots = f.common, f.hubs, f.slots[: f.common.used]
    common.end = beliefs.end_rate(common.ends, common.exposure)
    common.page = common.page_sum / max(common.page_n, 1.0)
    beliefs.outlook(common.end, common.fresh, common.same, common.alive)
    beliefs.renew_prior(slots, hubs, common.prior)
    for s in range(len(slots)):
        if f.state.status[slots[s].page] == PAGES:
            _update_post(f, slots[s])
    centres = np.empty(BINS)
    for b in range(BINS):
        centres[b] = relevance((b + 0.5) / BINS, common.counts, common.hits)
    links = common.own_links / max(common.owners, 1.0)
    scores = common.own_scores + 0.05
    scores /= scores.sum()
    for _ in range(50):
        gain = np.maximum(centres * (common.page + common.own) - common.price, 0.0)
        common.own = min(links * (scores * gain).sum(), 5.0 * common.page)
    listed = np.full((2, BINS), 0.05)
    for h in range(len(hubs)):
        listed += hubs[h].seen
    listed /= listed.sum()
    mean = (1.0 + hubs.item_sum.sum()) / (1.0 + hubs.item_n.sum())
    hubs.item_value[:] = (hubs.item_sum + ITEM_WEIGHT * mean) / (hubs.item_n + ITEM_WEIGHT)
    for h in range(len(hubs)):
        hubs[h].p[:BINS] = centres
        hubs[h].share[:, :BINS] = beliefs.shares(hubs[h].seen, listed, LINK_WEIGHT)


@compiled
def _update_post(f, slot):
    """Work out the posterior of a page's change rate."""
    odds = 1.0 / (1.0 + np.exp(-f.common.log_odds))
    prior = (1.0 - odds) * f.common.prior + odds * f.hubs[slot.host].prior
    beliefs.posterior(prior, slot.likelihood, slot.post)


@compiled
def _settle_page(f, slot):
    """Set the factor by which a look at a page exceeds its index; return the page's value."""
    common = f.common
    _update_post(f, slot)
    tables = (common.fresh, common.same, common.alive)
    post = slot.post.astype(np.float64)
    return beliefs.settle(slot, post, slot.importance, common.price, common.end, *tables)


@compiled
def meet_page(f, i, t):
    """Take in a relevant page just fetched."""
    common, slot = f.common, f.slots[f.common.used]
    f.state.slot[i] = common.used
    common.used += 1
    slot.page, slot.host, slot.importance = i, f.nodes.host[i], f.nodes.value[i]
    if common.modified:
        if f.state.changed[i] > f.state.born[i] or np.isnan(f.nodes.birth[i]):
            beliefs.see_age(slot.likelihood, t - f.state.changed[i], 1.0)
        else:
            beliefs.see_bit(slot.likelihood, t - f.state.born[i], False)
        slot.visits += 1
    value = _settle_page(f, slot)
    if common.page_n >= PAGE_MEMORY:
        common.page_sum *= 1 - 1 / PAGE_MEMORY
        common.page_n *= 1 - 1 / PAGE_MEMORY
    common.page_sum += value
    common.page_n += 1


@compiled
def _hub_odds(f, slot):
    """Return the log-odds of what was seen of a page, by its hub's prior against the common."""
    scratch = np.empty(K)
    own = beliefs.posterior(f.hubs[slot.host].prior, slot.likelihood, scratch)
    return np.log(own / beliefs.posterior(f.common.prior, slot.likelihood, scratch))


@compiled
def see_page(f, i, t, gap, changed):
    """Take in a look at a held page."""
    common, slot = f.common, f.slots[f.state.slot[i]]
    before = _hub_odds(f, slot)
    age = t - f.state.changed[i] if common.modified else np.nan
    beliefs.see_look(slot, gap, changed, age, 1.0)
    gained = _hub_odds(f, slot) - before
    if slot.visits == 1:
        common.log_odds = min(max(common.log_odds + gained, -30.0), 30.0)
    _settle_page(f, slot)


@compiled
def see_hub(f, h, first, last, begin, end):
    """Take in the new links of a hub since its last look, and learn its rate from their births.

    At a jump the rate is drawn anew from the hub's distribution, which is learned as the time that
    it spent at each level; hazards that explain more gain weight.
    """
    hub = f.hubs[h]
    for j in range(first, last):
        hub.seen[0 if f.nodes.fades[j] else 1, bin_of(f.nodes.score[j])] += 1
    level, rates, pace = hub.level, hub.rates, hub.pace
    chunks = max(1, int(np.ceil((end - begin) / CHUNK)))
    days = (end - begin) / chunks
    if days <= 0.0:
        return
    j = first
    for c in range(chunks):
        n = 0
        while j < last and (f.state.born[j] <= begin + (c + 1) * days or c == chunks - 1):
            n += 1
            j += 1
        for z in range(len(HAZARDS)):
            stay = np.exp(-HAZARDS[z] * days)
            level[z] = stay * level[z] + (1.0 - stay) * level[z].sum() / rates.sum() * rates
        seen = n * np.log(LEVELS) - LEVELS * days
        level *= np.exp(np.maximum(seen - seen.max(), -600.0))
        level /= level.sum()
        for z in range(len(HAZARDS)):
            rates += days * level[z]
    pace[0] = (rates * LEVELS).sum() / rates.sum()
    for z in range(len(HAZARDS)):
        pace[1 + 2 * z] = level[z].sum()
        pace[2 + 2 * z] = (level[z] * LEVELS).sum()


@compiled
def see_link(f, i, t, hit):
    """Take in what a link turned out to be; a page that is gone says nothing of its score."""
    common, nodes = f.common, f.nodes
    if not hit and not nodes.fades[i] and t >= f.state.end[i]:
        return
    b = bin_of(nodes.score[i])
    common.counts[b] += 1
    common.hits[b] += hit
    if not hit:
        return
    if nodes.fades[i]:
        f.hubs.item_n[nodes.host[i]] += 1
        f.hubs.item_sum[nodes.host[i]] += nodes.value[i]
        return
    common.owners += 1
    common.own_links += nodes.count[i]
    for j in range(nodes.first[i], nodes.first[i] + nodes.count[i]):
        common.own_scores[bin_of(nodes.score[j])] += 1


@compiled
def bin_of(score):
    """Return the bin of a score."""
    return min(int(score * BINS), BINS - 1)
