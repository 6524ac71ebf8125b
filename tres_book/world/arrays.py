"""The records of a run: of nodes, hubs, what is believed of pages, and what is common."""

from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from tres_live.watching import beliefs
from tres_live.watching.beliefs import AGES, RATES

from .levels import HAZARDS, LEVELS
from .rules import EXPLORATIONS, RANKINGS
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


def _fields(kind: type, names: str, shape: tuple[int, ...] = ()) -> list[tuple]:
    """Return the fields of a record with these names, which all have one type and shape."""
    return [(name, kind, shape) for name in names.split()]


STATE = np.dtype(  # of a node in a run
    [
        *_fields(np.int8, "status"),
        *_fields(float, "born look"),  # when it counts as new; the last look, or a link was seen
        *_fields(float, "change changed"),  # the next change and the last one
        *_fields(np.int64, "drawn"),  # how many changes were drawn
        *_fields(float, "end"),  # of interest
        *_fields(np.int64, "slot"),  # of the record of beliefs
        *_fields(float, "interval"),  # days until the next look, by Nutch's schedule
    ],
    align=True,
)
SLOT = np.dtype(  # what is believed of a page, with the names that `beliefs` asks for
    [
        *_fields(np.float32, "likelihood post", (K,)),  # of what was seen, by change rate
        *_fields(np.int64, "page"),
        *_fields(np.int32, "host visits"),
        *_fields(float, "importance zeta"),  # requests a day, and those that last: all
        *_fields(float, "factor"),  # of its index, for what a look teaches
        *_fields(float, "rate"),  # drawn from the posterior
    ],
    align=True,
)
HUB = np.dtype(
    [
        *_fields(np.int64, "following stop"),  # its next link, and the end of the list
        *_fields(float, "look decay interval"),
        *_fields(float, "item_value"),  # mean requests of a relevant item
        *_fields(float, "arrival item_n item_sum"),
        *_fields(float, "gamma", (2,)),
        *_fields(float, "level", (len(HAZARDS), len(LEVELS))),
        *_fields(float, "rates", (len(LEVELS),)),  # their distribution after a jump
        *_fields(float, "pace", (1 + 2 * len(HAZARDS),)),
        *_fields(float, "prior", (K,)),  # of its pages' change rates
        *_fields(float, "seen", (2, BINS)),  # links by kind and score
        *_fields(float, "p", (SAMPLE,)),
        *_fields(float, "share", (2, SAMPLE)),  # of items and pages, by p
        *_fields(float, "table", (NODES,)),
    ],
    align=True,
)
# Numba's cache knows a function by its own file; this name changes with any of these files.
FILES = [Path(beliefs.__file__), *sorted(Path(__file__).parent.glob("*.py"))]
STAMP = crc32(b"".join(file.read_bytes() for file in FILES))
COMMON = np.dtype(  # one record: the world's clockwork, the policy's settings, what is common
    [
        *_fields(np.int8, f"code_{STAMP:08x}"),
        *_fields(float, "window", (2,)),
        *_fields(float, "of_items of_pages"),  # requests that were served
        *_fields(float, "fetches", (3,)),  # of links, pages and hubs
        *_fields(np.uint64, "world"),
        *_fields(np.int64, "ranking explore per_tick seed"),
        *_fields(bool, "known tracked levels modified"),
        *_fields(float, "power believed"),  # exponent of interest, and as the policy takes it
        *_fields(float, "half_life memory floor step delay"),
        *_fields(float, "speed"),  # at which the price moves
        *_fields(float, "price tabled"),  # now, and when hubs were tabulated last
        *_fields(float, "page own"),  # value of a relevant page, and of its own links
        *_fields(float, "page_sum page_n"),  # of the values of relevant pages, and their number
        *_fields(float, "owners own_links"),  # relevant pages that links led to, and their links
        *_fields(float, "end"),  # rate at which pages end, a day
        *_fields(float, "ends exposure"),  # pages that ended, in so many days of pages
        *_fields(float, "log_odds"),  # that a page changes like its hub's others, not like all
        *_fields(np.int64, "used"),  # slots
        *_fields(float, "prior", (K,)),
        *_fields(float, "counts hits own_scores", (BINS,)),  # the last: relevant pages' own links
        *_fields(float, "fresh same", (len(AGES), K)),
        *_fields(float, "alive", (len(AGES),)),
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
