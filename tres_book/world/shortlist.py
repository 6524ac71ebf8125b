"""Which things may win next, compiled.

Only things that come near the last winner are ranked at each tick. Indices of known pages grow
and those of links fall, so a bound on the rest is at hand: once no winner exceeds it, all are
ranked again.
"""

from typing import NamedTuple

import numpy as np

from tres_lib.numerics import compiled

from .arrays import FIFO, HUBS, INDEX, LINKS, PAGES
from .events import DONE, HELD, LINK, settle
from .values import rank_hub, rank_link, rank_page

NEAR = 0.85  # of the last winner's value: what is ranked at each tick
RANKED = 0.25  # days until all is ranked again
DROPPED = 0.03  # of the price: a link of less value is forgotten
STATUS = LINK, HELD  # of what may be fetched: links, and known pages


class Lists(NamedTuple):
    """Links, held pages and hubs, a row each: all, those near, their value; sizes and limits.

    All hubs are always near. `usual` is the value that just wins, for each group of `group`.
    """

    all: np.ndarray
    near: np.ndarray
    value: np.ndarray
    size: np.ndarray
    near_size: np.ndarray
    ready: np.ndarray
    limit: np.ndarray
    usual: np.ndarray
    group: np.ndarray


def make_lists(n: int, hubs: int, group: tuple[int, int, int]) -> Lists:
    """Return lists for n pages and these hubs, where groups of kinds of fetch share bandwidth."""
    all, near = np.zeros((2, 3, n), np.int64)
    size, near_size, ready = np.zeros((3, 3), np.int64)
    near[HUBS, :hubs], ready[HUBS] = np.arange(hubs), hubs
    value, limit, usual = np.zeros((3, n)), np.zeros(3), np.full(3, 1e18)
    return Lists(all, near, value, size, near_size, ready, limit, usual, np.array(group))


@compiled
def append(lists, arm, i):
    """Put a thing on a list, and among those near, where it stays until all are ranked."""
    lists.all[arm, lists.size[arm]] = i
    lists.size[arm] += 1
    if lists.near_size[arm] < lists.near.shape[1]:
        lists.near[arm, lists.near_size[arm]] = i
        lists.near_size[arm] += 1


@compiled
def _value(f, arm, i, t):
    return rank_link(f, i, t) if arm == LINKS else rank_page(f, i, t)


@compiled
def rank_all(f, lists, arm, t, least):
    """Rank all things of an arm, forget what is over, and keep those near the best."""
    size = 0
    best = 0.0
    grows = arm == PAGES or f.common.ranking == FIFO
    for n in range(lists.size[arm]):
        i = lists.all[arm, n]
        if arm == PAGES and f.state.end[i] <= t and f.state.status[i] == HELD:
            settle(f, i, t)
            f.state.status[i] = DONE
            f.common.ends += 1
        if f.state.status[i] != STATUS[arm]:
            continue
        value = _value(f, arm, i, t + RANKED if grows else t)
        if arm == LINKS and f.common.ranking == INDEX and value < DROPPED * f.common.price:
            f.state.status[i] = DONE
            continue
        lists.all[arm, size] = i
        lists.value[arm, size] = value
        size += 1
        best = max(best, value)
    lists.size[arm] = size
    lists.limit[arm] = least if least > 0 else NEAR * min(best, lists.usual[lists.group[arm]])
    near = 0
    for n in range(size):
        if lists.value[arm, n] >= lists.limit[arm]:
            lists.near[arm, near] = lists.all[arm, n]
            near += 1
    lists.near_size[arm] = near


@compiled
def _rank_near(f, lists, arm, t, busy):
    """Return the largest value of the things near, after computing all; -1 for those busy."""
    best = -1.0
    size = 0
    for n in range(lists.near_size[arm]):
        i = lists.near[arm, n]
        if f.state.status[i] != STATUS[arm] or (arm == PAGES and f.state.end[i] <= t):
            continue
        value = _value(f, arm, i, t)
        if busy[f.nodes.host[i]] > t:
            value = -1.0
        lists.near[arm, size] = i
        lists.value[arm, size] = value
        size += 1
        best = max(best, value)
    lists.near_size[arm] = size
    return best


@compiled
def rank(f, lists, best, t, busy):
    """Compute the values of all that may win now, and the best of each kind."""
    best[HUBS] = -1.0
    for h in range(len(f.hubs)):
        lists.value[HUBS, h] = rank_hub(f, h, t) if busy[h] <= t else -1.0
        best[HUBS] = max(best[HUBS], lists.value[HUBS, h])
    for arm in (LINKS, PAGES):
        best[arm] = _rank_near(f, lists, arm, t, busy)
    for arm in (LINKS, PAGES):
        most = 0.0
        for other in range(3):
            if lists.group[other] == lists.group[arm]:
                most = max(most, best[other])
        if f.common.floor == 0.0 and most < lists.limit[arm]:
            rank_all(f, lists, arm, t, 0.0)
            best[arm] = _rank_near(f, lists, arm, t, busy)
        lists.ready[arm] = lists.near_size[arm]
