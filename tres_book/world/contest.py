"""The loop of a simulation, compiled: rank, fetch, learn."""

import numpy as np

from tres_lib.numerics import compiled
from tres_live.watching.engine import choose

from .arrays import EPSILON, NUTCH
from .events import HELD, fetch, finish, look, look_hub, own_links
from .knowledge import meet_page, renew, renew_beliefs, see_hub, see_link, see_page
from .shortlist import RANKED, append, rank, rank_all


@compiled
def _do_link(nodes, state, hubs, slots, m, lists, i, t):
    outcome = fetch(nodes, state, hubs, m, i, t)
    if not m[0].known:
        see_link(nodes, state, hubs, slots, m, i, t, outcome)
    if outcome != 2:
        return
    if not m[0].known:
        meet_page(nodes, state, hubs, slots, m, i, t)
    append(lists, 1, i)
    first, last = own_links(nodes, state, i, t)
    for j in range(first, last):
        state.look[j] = t
        append(lists, 0, j)


@compiled
def _do_page(nodes, state, hubs, slots, m, i, t):
    gap = t - state.look[i]
    changed = look(nodes, state, m, i, t)
    if m[0].ranking == NUTCH:
        state.interval[i] = _adapted(state.interval[i], changed)
    if not m[0].known:
        see_page(nodes, state, hubs, slots, m, i, t, gap, changed)


@compiled
def _adapted(interval, changed):
    """Return Nutch's next interval: 20 % less after a change, else 40 % more, within limits."""
    return min(max(interval * (0.8 if changed else 1.4), 60.0 / 86400.0), 90.0)


@compiled
def _do_hub(nodes, state, hubs, slots, m, lists, h, t):
    begin = hubs.look[h]
    first, last = look_hub(state, hubs, m, h, t)
    for j in range(first, last):
        state.look[j] = t
        append(lists, 0, j)
    if m[0].ranking == NUTCH:
        hubs.interval[h] = _adapted(hubs.interval[h], last > first)
    if not m[0].known:
        see_hub(nodes, state, hubs, slots, m, h, first, last, begin, t)


@compiled
def _take(nodes, state, hubs, slots, m, lists, arm, t, busy, arms):
    """Fetch the best thing of an arm unless its host is busy; return whether it was fetched."""
    k = np.argmax(lists.value[arm, : lists.ready[arm]])
    i, value = lists.near[arm, k], lists.value[arm, k]
    lists.value[arm, k] = -1.0
    host = i if arm == 2 else nodes.host[i]
    if busy[host] > t:
        return False
    busy[host] = t + m[0].delay
    arms[arm] += 1
    g = lists.group[arm]
    lists.usual[g] = min(max(value, 1e-9), 1.02 * lists.usual[g])
    if arm == 2:
        _do_hub(nodes, state, hubs, slots, m, lists, i, t)
    elif arm == 1:
        _do_page(nodes, state, hubs, slots, m, i, t)
    else:
        _do_link(nodes, state, hubs, slots, m, lists, i, t)
    if arm > 0 and m[0].tracked:
        m[0].price += (value - m[0].price) * m[0].speed
    return True


@compiled
def _explore(nodes, state, hubs, slots, m, lists, t, arms):
    """Look at a random known URL, if it is time to; return whether one was looked at."""
    if m[0].explore != EPSILON or np.random.random() >= 0.5 / np.sqrt(1.0 + t):
        return False
    k = np.random.randint(lists.size[1] + len(hubs))
    if k < len(hubs):
        _do_hub(nodes, state, hubs, slots, m, lists, k, t)
        arms[2] += 1
        return True
    i = lists.all[1, k - len(hubs)]
    if state.status[i] != HELD or state.end[i] <= t:
        return False
    _do_page(nodes, state, hubs, slots, m, i, t)
    arms[1] += 1
    return True


@compiled
def _start(nodes, state, hubs, slots, m, lists):
    """Take in the stock."""
    if not m[0].known:
        renew_beliefs(state, hubs, slots, m)
    for i in range(len(state.status)):
        if state.status[i] == HELD:
            append(lists, 1, i)
            if not m[0].known:
                meet_page(nodes, state, hubs, slots, m, i, 0.0)


@compiled
def run(nodes, state, hubs, slots, m, lists, shares, values, table):
    """Run a policy to the horizon.

    `values` has the logarithms of prices and, at each, the value of a page and of its links;
    `table` (days, 5) gets the day, the price, and the fetches of links, pages and hubs.
    """
    np.random.seed(m[0].seed)
    busy = np.zeros(len(hubs))
    best = np.empty(3)
    credit = shares.copy()
    arms = np.zeros(3)
    _start(nodes, state, hubs, slots, m, lists)
    ranked = 0.0
    day = 0
    for tick in range(1, int(m[0].horizon / m[0].step) + 1):
        t = tick * m[0].step
        if t >= day:
            renew(state, hubs, slots, m, values)
            table[day, 0] = t
            table[day, 1] = m[0].price
            table[day, 2:5] = arms
            arms[:] = 0.0
            day += 1
        if t >= ranked:
            m[0].exposure += lists.size[1] * RANKED
            for arm in range(2):
                rank_all(nodes, state, hubs, slots, m, lists, arm, t, m[0].floor)
            ranked = t + RANKED
        credit += shares * m[0].per_tick
        if _explore(nodes, state, hubs, slots, m, lists, t, arms):
            continue
        rank(nodes, state, hubs, slots, m, lists, best, t, busy)
        left = m[0].per_tick if m[0].floor == 0.0 else 1 << 40
        while left > 0:
            arm = choose(best, lists.group, shares, credit, m[0].floor)
            credit[np.argmax(credit)] -= 1.0  # it pays, even where another group goes first
            if arm < 0:
                break
            left -= _take(nodes, state, hubs, slots, m, lists, arm, t, busy, arms)
            if left > 0:
                ready = lists.value[arm, : lists.ready[arm]]
                best[arm] = ready.max() if len(ready) else -1.0
    finish(nodes, state, m, m[0].horizon)
