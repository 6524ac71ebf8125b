"""What a policy learns: from each fetch at once, and each day from all of them; compiled."""

import numpy as np

from tres_lib.numerics import compiled
from tres_live.watching import beliefs
from tres_live.watching.beliefs import (
    end_rate,
    posterior,
    renew_prior,
    see_look,
    settle,
    shares,
)

from .events import BINS, HAZARDS, HELD, ITEM, LEVELS, MISSED, K
from .values import relevance

PAGE_MEMORY = 500  # relevant pages over which the value of a page is averaged
ITEM_WEIGHT = 3.0  # items; weight of the common mean in a hub's own
LINK_WEIGHT = 10.0  # links; weight of the scores of all hubs' links in a hub's own
CHUNK = 0.5  # days that count as one observation of a hub


@compiled
def renew_beliefs(f):
    """Work out daily what is learned of all pages, scores and hubs together."""
    common, slots = f.common, f.slots[: f.common.used]
    common.end = end_rate(common.ends, common.exposure)
    common.page = common.page_sum / max(common.page_n, 1.0)
    beliefs.outlook(common.end, common.fresh, common.same, common.alive)
    renew_prior(slots, f.hubs, common.prior)
    for s in range(len(slots)):
        if f.state.status[slots[s].page] == HELD:
            _update_post(f, slots[s])
    _renew_links(f)


@compiled
def _renew_links(f):
    """Work out what links are likely to be and to bring: those of pages, and those of each hub."""
    common, hubs = f.common, f.hubs
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
        hubs[h].share[:, :BINS] = shares(hubs[h].seen, listed, LINK_WEIGHT)


@compiled
def _update_post(f, slot):
    """Work out the posterior of a page's change rate."""
    odds = 1.0 / (1.0 + np.exp(-f.common.log_odds))
    prior = (1.0 - odds) * f.common.prior + odds * f.hubs[slot.host].prior
    posterior(prior, slot.likelihood, slot.post)


@compiled
def _settle_page(f, slot):
    """Set the factor by which a look at a page exceeds its index; return the page's value."""
    common = f.common
    _update_post(f, slot)
    tables = (common.fresh, common.same, common.alive)
    post = slot.post.astype(np.float64)
    return settle(slot, post, slot.zeta, common.price, common.end, *tables)


@compiled
def meet_page(f, i, t):
    """Take in a relevant page just fetched."""
    common, slot = f.common, f.slots[f.common.used]
    f.state.slot[i] = common.used
    common.used += 1
    slot.page = i
    slot.host = f.nodes.host[i]
    slot.importance = slot.zeta = f.nodes.value[i]
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
    own = posterior(f.hubs[slot.host].prior, slot.likelihood, scratch)
    return np.log(own / posterior(f.common.prior, slot.likelihood, scratch))


@compiled
def see_page(f, i, t, gap, changed):
    """Take in a look at a held page."""
    common, slot = f.common, f.slots[f.state.slot[i]]
    before = _hub_odds(f, slot)
    see_look(slot, gap, changed, t - f.state.changed[i] if common.modified else np.nan, 1.0)
    gained = _hub_odds(f, slot) - before
    if slot.visits == 1:
        common.log_odds = min(max(common.log_odds + gained, -30.0), 30.0)
    _settle_page(f, slot)


@compiled
def see_hub(f, h, first, last, begin, end):
    """Take in the new links of a hub since its last look."""
    hub = f.hubs[h]
    for j in range(first, last):
        hub.seen[0 if f.nodes.fades[j] else 1, bin_of(f.nodes.score[j])] += 1
    see_arrivals(hub.level, hub.rates, f.state.born, first, last, begin, end)
    find_pace(hub.level, hub.rates, hub.pace)


@compiled
def see_link(f, i, t, outcome):
    """Take in what a link turned out to be; a page that is gone says nothing of its score."""
    common, nodes = f.common, f.nodes
    if outcome == MISSED and not nodes.fades[i] and t >= f.state.end[i]:
        return
    b = bin_of(nodes.score[i])
    common.counts[b] += 1
    if outcome == MISSED:
        return
    common.hits[b] += 1
    if outcome == ITEM:
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


@compiled
def see_arrivals(level, rates, births, first, last, begin, end):
    """Update a hub's belief (hazard, level) by the births of its links from `begin` to `end`.

    At a jump the rate is drawn anew from the hub's distribution, which is learned as the time that
    it spent at each level; hazards that explain more gain weight.
    """
    chunks = max(1, int(np.ceil((end - begin) / CHUNK)))
    days = (end - begin) / chunks
    if days <= 0.0:
        return
    j = first
    for c in range(chunks):
        n = 0
        while j < last and (births[j] <= begin + (c + 1) * days or c == chunks - 1):
            n += 1
            j += 1
        _jump(level, rates, days)
        seen = n * np.log(LEVELS) - LEVELS * days
        level *= np.exp(np.maximum(seen - seen.max(), -600.0))
        level /= level.sum()
        for z in range(len(HAZARDS)):
            rates += days * level[z]


@compiled
def _jump(level, rates, days):
    for z in range(len(HAZARDS)):
        stay = np.exp(-HAZARDS[z] * days)
        level[z] = stay * level[z] + (1.0 - stay) * level[z].sum() / rates.sum() * rates


@compiled
def find_pace(level, rates, pace):
    """Write a hub's mean rate, and each hazard's weight and current rate, to `pace`."""
    pace[0] = (rates * LEVELS).sum() / rates.sum()
    for z in range(len(HAZARDS)):
        pace[1 + 2 * z] = level[z].sum()
        pace[2 + 2 * z] = (level[z] * LEVELS).sum()
