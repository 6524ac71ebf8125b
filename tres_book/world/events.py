"""What a fetch brings in a simulated world, compiled: links, relevance, interest, changes.

The k-th change of a page is a hash of (seed, page, k), so that no policy moves another's luck.
"""

import numpy as np

from tres_lib.numerics import compiled

from .world import World

UNSEEN, LINK, HELD, DONE = 0, 1, 2, 3
ITEMS, PAGES = 0, 1  # of the sums; the numbers of fetches of links, pages and hubs follow
LINKS_ARM, PAGES_ARM, HUBS_ARM = 0, 1, 2
WEYL, MIX_1, MIX_2 = (
    np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
S27, S30, S31, S11 = (np.uint64(n) for n in (27, 30, 31, 11))


STATE = np.dtype(  # of a node in a run
    [
        ("status", np.int8),
        ("born", float),  # when it counts as new
        ("look", float),  # the last look, or when a link was found
        ("change", float),  # the next change, the last one, and how many were drawn
        ("changed", float),
        ("drawn", np.int64),
        ("end", float),  # of interest
        ("slot", np.int64),  # where what is believed of it is kept
        ("interval", float),  # days until the next look, by Nutch's schedule
    ],
    align=True,
)


def start(world: World, horizon: float, hubs: np.recarray, m: np.recarray) -> np.recarray:
    """Return the state of a crawler that holds a fresh copy of the stock at time 0."""
    nodes = world.nodes(horizon)
    law = world.parameters
    stock = law.hubs * law.stock
    listed = nodes.host[stock : stock + int(np.isfinite(nodes.birth[stock:]).sum())]
    places = stock + np.searchsorted(listed, np.arange(law.hubs + 1))
    hubs.following = places[:-1]
    hubs.stop = places[1:]
    state = np.zeros(len(nodes), STATE).view(np.recarray)
    state.born = np.nan_to_num(nodes.birth)
    for i in range(stock):
        fetch(nodes, state, hubs, m, i, 0.0)
    m[0].sums[:] = 0
    return state


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
def inside(m, begin, end):
    """Return how much of a time lies in the window of measurement."""
    return max(0.0, min(end, m[0].window[1]) - max(begin, m[0].window[0]))


@compiled
def counted(m, t):
    """Return whether a moment lies in the window of measurement."""
    return m[0].window[0] <= t < m[0].window[1]


@compiled
def fetch(nodes, state, hubs, m, i, t):
    """Fetch a link at time t; return 0 for off topic or gone, 1 for an item, 2 for a page."""
    if counted(m, t):
        m[0].sums[2] += 1
    state.status[i] = DONE
    if nodes.fades[i]:
        if not nodes.relevant[i]:
            return 0
        if counted(m, t):
            age = t - state.born[i]
            m[0].sums[ITEMS] += nodes.value[i] * remaining(
                m[0].power, hubs.decay[nodes.host[i]], age
            )
        return 1
    state.end[i] = state.born[i] + nodes.life[i]
    if t >= state.end[i] or not nodes.relevant[i]:
        return 0
    state.status[i] = HELD
    state.look[i] = t
    state.change[i] = state.born[i]
    if np.isnan(nodes.birth[i]):  # an old page, whose last change has an exponential age
        state.changed[i] = t + np.log(uniform(m[0].world, i, -1)) / nodes.rate[i]
    else:
        state.changed[i] = state.born[i]
    _draw(nodes, state, m, i)
    advance(nodes, state, m, i, t)
    return 2


@compiled
def _draw(nodes, state, m, i):
    u = uniform(m[0].world, i, state.drawn[i])
    state.change[i] -= np.log(u) / nodes.rate[i]
    state.drawn[i] += 1


@compiled
def advance(nodes, state, m, i, t):
    """Let a page change until time t; return whether it did."""
    if state.change[i] > t:
        return False
    while state.change[i] <= t:
        state.changed[i] = state.change[i]
        _draw(nodes, state, m, i)
    return True


@compiled
def settle(nodes, state, m, i, t):
    """Count the requests that the held copy of a page has served fresh until time t."""
    until = min(t, state.change[i], state.end[i])
    m[0].sums[PAGES] += nodes.value[i] * inside(m, state.look[i], until)


@compiled
def look(nodes, state, m, i, t):
    """Look at a held page at time t; return whether it has changed since the last look."""
    if counted(m, t):
        m[0].sums[3] += 1
    settle(nodes, state, m, i, t)
    changed = advance(nodes, state, m, i, t)
    state.look[i] = t
    return changed


@compiled
def look_hub(state, hubs, m, h, t):
    """Look at a hub at time t; return the first of its new links and the end of them."""
    if counted(m, t):
        m[0].sums[4] += 1
    first = hubs.following[h]
    last = first
    while last < hubs.stop[h] and state.born[last] <= t:
        state.status[last] = LINK
        last += 1
    hubs.following[h] = last
    hubs.look[h] = t
    return first, last


@compiled
def own_links(nodes, state, i, t):
    """Put the links of a page just fetched on record, as new at time t; return their range."""
    first = nodes.first[i]
    last = first + nodes.count[i]
    for j in range(first, last):
        state.status[j] = LINK
        state.born[j] = t
    return first, last


@compiled
def finish(nodes, state, m, t):
    """Count what all held copies have served until time t."""
    for i in range(len(state.status)):
        if state.status[i] == HELD:
            settle(nodes, state, m, i, t)
            state.status[i] = DONE
