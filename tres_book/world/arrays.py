"""The records of a run: of nodes, hubs, what is believed of pages, and what is common."""

from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from tres_lib.watching import beliefs
from tres_lib.watching.beliefs import AGES, HAZARDS, LEVELS, RATES
from tres_lib.watching.rules import EXPLORATIONS, RANKINGS
from tres_live.watching import engine

from .world import World

LINKS, PAGES, HUBS = 0, 1, 2  # kinds of fetch
# How things are ranked, and how rates are explored.
INDEX, FIFO, NUTCH, DISCOVERY = map(RANKINGS.index, ("index", "fifo", "nutch", "discovery"))
EPSILON, THOMPSON, GRADIENT = map(EXPLORATIONS.index, ("epsilon", "thompson", "gradient"))
NODES = 48  # of a hub's table
LONGEST = 60.0  # days that it covers

BINS = 20  # of scores
SAMPLE = 32  # links that stand for those of a hub
K = len(RATES)

STATE = np.dtype(  # of a node in a run
    [
        ("status", np.int8),
        ("born", float),  # when it counts as new
        ("look", float),  # the last look, or when a link was seen
        ("change", float),  # the next change, the last one, and how many were drawn
        ("changed", float),
        ("drawn", np.int64),
        ("end", float),  # of interest
        ("slot", np.int64),  # of the record of beliefs
        ("interval", float),  # days until the next look, by Nutch's schedule
    ],
    align=True,
)
SLOT = np.dtype(  # what is believed of a page, with the names that the engine asks for
    [
        ("likelihood", np.float32, (K,)),  # of what was seen, by change rate
        ("post", np.float32, (K,)),
        ("page", np.int64),
        ("host", np.int32),
        ("looks", np.int32),
        ("importance", float),  # requests a day, and those that last: all
        ("zeta", float),
        ("factor", float),  # of its index, for what a look teaches
        ("rate", float),  # drawn from the posterior
    ],
    align=True,
)
HUB = np.dtype(
    [
        ("look", float),
        ("following", np.int64),  # its next link, and the end of the list
        ("stop", np.int64),
        ("decay", float),
        ("item_value", float),  # mean requests of a relevant item
        ("arrival", float),
        ("interval", float),
        ("item_n", float),
        ("item_sum", float),
        ("gamma", float, (2,)),
        ("level", float, (len(HAZARDS), len(LEVELS))),
        ("rates", float, (len(LEVELS),)),  # their distribution after a jump
        ("pace", float, (1 + 2 * len(HAZARDS),)),
        ("prior", float, (K,)),  # of its pages' change rates
        ("seen", float, (2, BINS)),  # links by kind and score
        ("p", float, (SAMPLE,)),
        ("share", float, (2, SAMPLE)),  # of items and pages, by p
        ("table", float, (NODES,)),
    ],
    align=True,
)
# Numba's cache knows a function by its own file; this name changes with any of these files.
FILES = [Path(beliefs.__file__), Path(engine.__file__), *sorted(Path(__file__).parent.glob("*.py"))]
STAMP = crc32(b"".join(file.read_bytes() for file in FILES))
COMMON = np.dtype(  # one record: the world's clockwork, the policy's settings, what is common
    [
        (f"code_{STAMP:08x}", np.int8),
        ("window", float, (2,)),
        ("of_items", float),  # requests that were served, and fetches of links, pages and hubs
        ("of_pages", float),
        ("fetches", float, (3,)),
        ("world", np.uint64),
        ("power", float),
        ("ranking", np.int64),
        ("explore", np.int64),
        ("known", bool),
        ("tracked", bool),
        ("levels", bool),
        ("modified", bool),
        ("believed", float),  # the exponent of interest, as the policy takes it
        ("half_life", float),
        ("memory", float),
        ("floor", float),
        ("step", float),
        ("per_tick", np.int64),
        ("delay", float),
        ("speed", float),  # at which the price moves
        ("seed", np.int64),
        ("price", float),
        ("tabled", float),  # the price by which hubs were tabulated last
        ("page", float),  # value of a relevant page, and of its own links
        ("own", float),
        ("page_sum", float),  # of the values of relevant pages, and their number
        ("page_n", float),
        ("owners", float),  # relevant pages that links led to, and their own links
        ("own_links", float),
        ("end", float),  # rate at which pages end, a day
        ("ends", float),
        ("exposure", float),  # days of pages, in which so many have ended
        ("log_odds", float),  # that a page changes like its hub's others, not like all
        ("used", np.int64),  # slots
        ("prior", float, (K,)),
        ("counts", float, (BINS,)),
        ("hits", float, (BINS,)),
        ("own_scores", float, (BINS,)),  # of relevant pages' own links
        ("fresh", float, (len(AGES), K)),
        ("same", float, (len(AGES), K)),
        ("alive", float, (len(AGES),)),
    ],
    align=True,
)


class Field(NamedTuple):
    """A run as compiled code has it: what is, what happened, and what the policy makes of it."""

    nodes: np.recarray
    state: np.recarray
    hubs: np.recarray
    slots: np.recarray
    common: np.record


def records(n: int, kind: np.dtype) -> np.recarray:
    """Return n records of zeros."""
    return np.zeros(n, kind).view(np.recarray)


def make_hubs(world: World, known: bool, interval: float) -> np.recarray:
    """Return what a policy knows of the hubs before its first fetch: all, or little."""
    n = SAMPLE if known else BINS
    hubs = records(world.parameters.hubs, HUB)
    hubs.decay = world.decay
    hubs.item_value = world.item_value if known else 1.0
    hubs.arrival = world.arrival
    hubs.interval = interval
    hubs.gamma = 1.0, 0.25
    hubs.level = 1 / len(HAZARDS) / len(LEVELS)
    hubs.rates = 0.5 * LEVELS**-0.5 / (LEVELS**-0.5).sum()
    hubs.pace = 1.0
    hubs.prior = 1 / K
    hubs.p[:, :n] = world.link_relevance(n) if known else (np.arange(n) + 0.5) / n
    item = world.parameters.item_share
    hubs.share[:, :, :n] = np.array([[item], [1 - item]]) / n
    return hubs
