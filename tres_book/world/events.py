"""What a fetch brings in a simulated world, compiled: links, relevance, interest, changes.

The k-th change of a page is a hash of (seed, page, k), so that no policy moves another's luck.
"""

import numpy as np

from tres_lib.numerics import compiled

from .arrays import HUBS, LINKS, PAGES, Field

LINK, HELD, DONE = 1, 2, 3  # the status of a node; 0: not seen yet
MISSED, ITEM, PAGE = 0, 1, 2  # what a link led to: nothing on topic, or no longer, an item, a page
WEYL, MIX_1, MIX_2 = (
    np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
S27, S30, S31, S11 = (np.uint64(n) for n in (27, 30, 31, 11))


def start(f: Field, stock: int) -> None:
    """Let a crawler hold a fresh copy of the stock, the first of all nodes, at time 0."""
    f.state.born = np.nan_to_num(f.nodes.birth)
    listed = f.nodes.host[stock:][np.isfinite(f.nodes.birth[stock:])]
    places = stock + np.searchsorted(listed, np.arange(len(f.hubs) + 1))
    f.hubs.following, f.hubs.stop = places[:-1], places[1:]
    for i in range(stock):
        fetch(f, i, 0.0)
    f.common.of_items, f.common.of_pages, f.common.fetches[:] = 0, 0, 0


@compiled
def uniform(seed, i, k):
    """Return a number between 0 and 1 that is a function of three integers (SplitMix64)."""
    z = seed + np.uint64(i) * MIX_1 + np.uint64(k + 1) * WEYL
    for _ in range(2):
        z = (z ^ (z >> S30)) * MIX_1
        z = (z ^ (z >> S27)) * MIX_2
        z = z ^ (z >> S31)
    return (np.float64(z >> S11) + 0.5) / 9007199254740992.0


@compiled
def remaining(power, decay, age):
    """Return the share of an item's requests that are still to come at an age."""
    if power == 0.0:
        return np.exp(-decay * age)
    return (1.0 + age / power_scale(power, decay)) ** -power


@compiled
def power_scale(power, decay):
    """Return the scale, in days, of the power law that halves interest when `decay` does."""
    return np.log(2.0) / decay / (2.0 ** (1.0 / power) - 1.0)


@compiled
def _count(f, arm, t):
    """Count a fetch if it lies in the window of measurement; return whether it does."""
    inside = f.common.window[0] <= t < f.common.window[1]
    f.common.fetches[arm] += inside
    return inside


@compiled
def fetch(f, i, t):
    """Fetch a link at time t; return what it led to: MISSED, ITEM or PAGE."""
    nodes, state = f.nodes, f.state
    counts = _count(f, LINKS, t)
    state.status[i] = DONE
    if nodes.fades[i]:
        if not nodes.relevant[i]:
            return MISSED
        if counts:
            left = remaining(f.common.power, f.hubs.decay[nodes.host[i]], t - state.born[i])
            f.common.of_items += nodes.value[i] * left
        return ITEM
    state.end[i] = state.born[i] + nodes.life[i]
    if t >= state.end[i] or not nodes.relevant[i]:
        return MISSED
    state.status[i] = HELD
    state.look[i] = t
    state.change[i] = state.changed[i] = state.born[i]
    if np.isnan(nodes.birth[i]):  # an old page, whose last change has an exponential age
        state.changed[i] = t + np.log(uniform(f.common.world, i, -1)) / nodes.rate[i]
    _draw(f, i)
    _advance(f, i, t)
    return PAGE


@compiled
def _draw(f, i):
    u = uniform(f.common.world, i, f.state.drawn[i])
    f.state.change[i] -= np.log(u) / f.nodes.rate[i]
    f.state.drawn[i] += 1


@compiled
def _advance(f, i, t):
    """Let a page change until time t; return whether it did."""
    changed = f.state.change[i] <= t
    while f.state.change[i] <= t:
        f.state.changed[i] = f.state.change[i]
        _draw(f, i)
    return changed


@compiled
def settle(f, i, t):
    """Count the requests that the held copy of a page has served fresh until time t."""
    window, until = f.common.window, min(t, f.state.change[i], f.state.end[i])
    served = max(0.0, min(until, window[1]) - max(f.state.look[i], window[0]))
    f.common.of_pages += f.nodes.value[i] * served


@compiled
def look(f, i, t):
    """Look at a held page at time t; return whether it has changed since the last look."""
    _count(f, PAGES, t)
    settle(f, i, t)
    changed = _advance(f, i, t)
    f.state.look[i] = t
    return changed


@compiled
def look_hub(f, h, t):
    """Look at a hub at time t; return the first of its new links and the end of them."""
    _count(f, HUBS, t)
    first = f.hubs.following[h]
    last = first
    while last < f.hubs.stop[h] and f.state.born[last] <= t:
        f.state.status[last] = LINK
        f.state.look[last] = t
        last += 1
    f.hubs.following[h] = last
    f.hubs.look[h] = t
    return first, last


@compiled
def own_links(f, i, t):
    """Put the links of a page just fetched on record, as new at time t; return their range."""
    first = f.nodes.first[i]
    last = first + f.nodes.count[i]
    for j in range(first, last):
        f.state.status[j] = LINK
        f.state.born[j] = f.state.look[j] = t
    return first, last


@compiled
def finish(f, t):
    """Count what all held copies have served until time t."""
    for i in range(len(f.state)):
        if f.state.status[i] == HELD:
            settle(f, i, t)
            f.state.status[i] = DONE
