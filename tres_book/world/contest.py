"""The loop of a simulation, compiled: rank, fetch, learn."""

import numpy as np

from tres_lib.numerics import compiled

from .arrays import EPSILON, HUBS, LINKS, PAGES
from .events import HELD, PAGE, fetch, finish, look, look_hub, own_links
from .learning import meet_page, renew, renew_beliefs, see_hub, see_link, see_page
from .shortlist import RANKED, append, rank, rank_all


@compiled
def run(f, lists, shares, values, table):
    """Run a policy to the horizon.

    `values` has the logarithms of prices and, at each, the value of a page and of its links;
    `table` (days, 5) gets the day, the price, and the fetches of links, pages and hubs.
    """
    common = f.common
    np.random.seed(common.seed)
    busy = np.zeros(len(f.hubs))
    best = np.empty(3)
    credit = shares.copy()
    fetches = np.zeros(3)
    if not common.known:
        renew_beliefs(f)
    for i in range(len(f.state)):  # the stock
        if f.state.status[i] == HELD:
            append(lists, PAGES, i)
            if not common.known:
                meet_page(f, i, 0.0)
    ranked = 0.0
    day = 0
    for tick in range(1, int(common.window[1] / common.step) + 1):
        t = tick * common.step
        if t >= day:
            renew(f, values)
            table[day, 0] = t
            table[day, 1] = common.price
            table[day, 2:5] = fetches
            fetches[:] = 0.0
            day += 1
        if t >= ranked:
            common.exposure += lists.size[PAGES] * RANKED
            for arm in (LINKS, PAGES):
                rank_all(f, lists, arm, t, common.floor)
            ranked = t + RANKED
        credit += shares * common.per_tick
        if _explore(f, lists, t, fetches):
            continue
        rank(f, lists, best, t, busy)
        left = common.per_tick if common.floor == 0.0 else 1 << 40
        while left > 0:
            arm = choose(best, lists.group, shares, credit, common.floor)
            credit[np.argmax(credit)] -= 1.0  # it pays, even where another group goes first
            if arm < 0:
                break
            left -= _take(f, lists, arm, t, busy, fetches)
            if left > 0:
                ready = lists.value[arm, : lists.ready[arm]]
                best[arm] = ready.max() if len(ready) else -1.0
    finish(f, common.window[1])


@compiled
def _explore(f, lists, t, fetches):
    """Look at a random known URL, if it is time to; return whether one was looked at."""
    if f.common.explore != EPSILON or np.random.random() >= 0.5 / np.sqrt(1.0 + t):
        return False
    k = np.random.randint(lists.size[PAGES] + len(f.hubs))
    arm, i = HUBS, k
    if k >= len(f.hubs):
        arm, i = PAGES, lists.all[PAGES, k - len(f.hubs)]
        if f.state.status[i] != HELD or f.state.end[i] <= t:
            return False
    _do(f, lists, arm, i, t, fetches)
    return True


@compiled
def _take(f, lists, arm, t, busy, fetches):
    """Fetch the best thing of an arm unless its host is busy; return whether it was fetched."""
    k = np.argmax(lists.value[arm, : lists.ready[arm]])
    i, value = lists.near[arm, k], lists.value[arm, k]
    lists.value[arm, k] = -1.0
    host = i if arm == HUBS else f.nodes.host[i]
    if busy[host] > t:
        return False
    busy[host] = t + f.common.delay
    g = lists.group[arm]
    lists.usual[g] = min(max(value, 1e-9), 1.02 * lists.usual[g])
    _do(f, lists, arm, i, t, fetches)
    if arm != LINKS and f.common.tracked:
        f.common.price += (value - f.common.price) * f.common.speed
    return True


@compiled
def choose(best, group, shares, credit, floor):
    """Return which kind of fetch is next, of those whose best exceeds `floor`; or -1.

    `group` has the group of each kind, between which bandwidth is shared out. First comes the
    group with the most `credit`, what it has not spent of its share; in a group the best wins.
    """
    chosen = -1
    for kind in range(len(best)):
        if shares[group[kind]] == 0.0 or best[kind] <= floor:
            continue
        lead = credit[group[kind]] - credit[group[chosen]] if chosen >= 0 else 1.0
        if lead > 0.0 or (lead == 0.0 and best[kind] > best[chosen]):
            chosen = kind
    return chosen


@compiled
def _do(f, lists, arm, i, t, fetches):
    """Fetch a thing, learn from it, and put on the lists what it brings."""
    fetches[arm] += 1
    learns = not f.common.known
    first = last = 0  # of the links that it brings
    if arm == HUBS:
        begin = f.hubs.look[i]
        first, last = look_hub(f, i, t)
        f.hubs.interval[i] = _adapted(f.hubs.interval[i], last > first)
        if learns:
            see_hub(f, i, first, last, begin, t)
    elif arm == PAGES:
        gap = t - f.state.look[i]
        changed = look(f, i, t)
        f.state.interval[i] = _adapted(f.state.interval[i], changed)
        if learns:
            see_page(f, i, t, gap, changed)
    else:
        outcome = fetch(f, i, t)
        if learns:
            see_link(f, i, t, outcome)
        if outcome == PAGE:
            if learns:
                meet_page(f, i, t)
            append(lists, PAGES, i)
            first, last = own_links(f, i, t)
    for j in range(first, last):
        append(lists, LINKS, j)


@compiled
def _adapted(interval, changed):
    """Return Nutch's next interval: 20 % less after a change, else 40 % more, within limits."""
    return min(max(interval * (0.8 if changed else 1.4), 60.0 / 86400.0), 90.0)
