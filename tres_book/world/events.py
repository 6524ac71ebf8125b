"""The records of a run, and what happens in it, compiled.

The k-th change of a page is a hash of (seed, page, k), so that no policy moves another's luck.
"""

from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from tres_lib.numerics import compiled
from tres_live.watching import beliefs
from tres_live.watching.beliefs import AGES, RATES

LINKS, PAGES, HUBS = 0, 1, 2  # kinds of fetch
DONE = -1  # the status of a node that is neither an open link nor a held page
LEVELS = np.geomspace(0.03, 200.0, 48)  # new links a day, between which a hub's rate jumps
HAZARDS = np.array([0.001, 0.03, 0.1, 0.3])  # jumps a day of a hub's rate
NODES = 48  # of a hub's table
BINS = 20  # of scores
SAMPLE = 32  # links that stand for those of a hub
K = len(RATES)
WEYL, MIX_1, MIX_2 = (
    np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
S27, S30, S31, S11 = (np.uint64(n) for n in (27, 30, 31, 11))


def _record(*fields: tuple) -> np.dtype:
    """Return the type of a record; of each field its names, which share type and shape."""
    return np.dtype([(name, *of) for names, *of in fields for name in names.split()], align=True)


STATE = _record(  # of a node in a run
    ("status", np.int8),  # LINKS: open; PAGES: held; DONE: over, or not seen yet
    ("born look", float),  # when it counts as new; the last look
    ("change changed", float),  # the next change and the last one
    ("drawn", np.int64),  # how many changes were drawn
    ("end", float),  # of interest
    ("slot", np.int64),  # of the record of beliefs
)
SLOT = _record(  # what is believed of a page, with the names that `beliefs` asks for
    ("likelihood post", np.float32, (K,)),  # of what was seen, by change rate
    ("page", np.int64),
    ("host visits", np.int32),
    ("importance factor", float),  # requests a day; of its index, for what is learnt
)
HUB = _record(
    ("following stop", np.int64),  # its next link, and the end of the list
    ("look arrival decay", float),
    ("item_value item_n item_sum", float),  # mean requests; relevant ones so far
    ("level", float, (len(HAZARDS), len(LEVELS))),
    ("rates", float, (len(LEVELS),)),  # their distribution after a jump
    ("pace", float, (1 + 2 * len(HAZARDS),)),
    ("prior", float, (K,)),  # of its pages' change rates
    ("seen", float, (2, BINS)),  # links by kind and score
    ("p", float, (SAMPLE,)),
    ("share", float, (2, SAMPLE)),  # of items and pages, by p
    ("table", float, (NODES,)),
)
# Numba's cache knows a function by its own file; this name changes with any of these files.
FILES = [Path(beliefs.__file__), *sorted(Path(__file__).parent.glob("*.py"))]
STAMP = crc32(b"".join(file.read_bytes() for file in FILES))
COMMON = _record(  # one record: the world's clockwork, the policy's settings, what is common
    (f"code_{STAMP:08x}", np.int8),
    ("window", float, (2,)),
    ("of_items of_pages", float),  # requests that were served
    ("fetches", float, (3,)),  # of links, pages and hubs
    ("world", np.uint64),
    ("ranking open used", np.int64),  # open things, and slots
    ("known modified", bool),
    ("limit usual", float, (3,)),  # value of what is near, and that which just wins
    ("step price", float),  # days; now
    ("page own", float),  # value of a relevant page, and of its own links
    ("page_sum page_n", float),  # of the values of relevant pages, and their number
    ("owners own_links", float),  # relevant pages that links led to, and their links
    ("end", float),  # rate at which pages end, a day
    ("ends exposure", float),  # pages that ended, in so many days of pages
    ("log_odds", float),  # that a page changes like its hub's others, not like all
    ("prior", float, (K,)),
    ("counts hits own_scores", float, (BINS,)),  # the last: relevant pages' own links
    ("fresh same", float, (len(AGES), K)),
    ("alive", float, (len(AGES),)),
)


class Field(NamedTuple):
    """A run as compiled code has it: what is, what happened, and what the policy makes of it."""

    nodes: np.recarray
    state: np.recarray
    hubs: np.recarray
    slots: np.recarray
    common: np.record
    things: np.ndarray  # open links and held pages, the first `common.open`
    near: np.ndarray  # whether each of them is near the best


def records(n: int, kind: np.dtype) -> np.recarray:
    """Return n records of zeros."""
    return np.zeros(n, kind).view(np.recarray)


def start(f: Field, stock: int) -> None:
    """Let a crawler hold a fresh copy of the stock, the first of all nodes, at time 0."""
    f.state.status, f.state.born = DONE, np.nan_to_num(f.nodes.birth)
    listed = f.nodes.host[stock:][np.isfinite(f.nodes.birth[stock:])]
    places = stock + np.searchsorted(listed, np.arange(len(f.hubs) + 1))
    f.hubs.following, f.hubs.stop = places[:-1], places[1:]
    for i in range(stock):
        add(f, i)
        fetch(f, i, 0.0)
    f.common.of_items, f.common.of_pages, f.common.fetches[:] = 0, 0, 0


@compiled
def add(f, i):
    """Put a link on the list of what is open."""
    f.state.status[i] = LINKS
    f.things[f.common.open] = i
    f.near[f.common.open] = True
    f.common.open += 1


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
def _count(f, arm, t):
    """Count a fetch if it lies in the window of measurement; return whether it does."""
    inside = f.common.window[0] <= t < f.common.window[1]
    f.common.fetches[arm] += inside
    return inside


@compiled
def fetch(f, i, t):
    """Fetch a link at time t; return whether it led to an item or to a page that is there."""
    nodes, state = f.nodes, f.state
    counts = _count(f, LINKS, t)
    state.status[i] = DONE
    if nodes.fades[i]:
        if counts and nodes.relevant[i]:
            left = np.exp(-f.hubs.decay[nodes.host[i]] * (t - state.born[i]))
            f.common.of_items += nodes.value[i] * left
        return nodes.relevant[i]
    state.end[i] = state.born[i] + nodes.life[i]
    if t >= state.end[i] or not nodes.relevant[i]:
        return False
    state.status[i] = PAGES
    state.look[i] = t
    state.change[i] = state.born[i]
    _advance(f, i, t)
    if np.isnan(nodes.birth[i]) and state.changed[i] == state.born[i]:  # its last change is older
        state.changed[i] = t + np.log(uniform(f.common.world, i, -1)) / nodes.rate[i]
    for j in range(nodes.first[i], nodes.first[i] + nodes.count[i]):
        state.born[j] = t
        add(f, j)
    return True


@compiled
def _advance(f, i, t):
    """Let a page change until time t; return whether it did."""
    changed = f.state.change[i] <= t
    while f.state.change[i] <= t:
        f.state.changed[i] = f.state.change[i]
        u = uniform(f.common.world, i, f.state.drawn[i])
        f.state.change[i] -= np.log(u) / f.nodes.rate[i]
        f.state.drawn[i] += 1
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
    first = last = f.hubs.following[h]
    while last < f.hubs.stop[h] and f.state.born[last] <= t:
        add(f, last)
        last += 1
    f.hubs.following[h] = last
    f.hubs.look[h] = t
    return first, last
