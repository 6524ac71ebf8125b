"""The values of links and known pages to the live watch; compiled, for a million pages.

A page of importance 1 is asked for once a day while it is new. Of that a share lasts until the page
ends, the rest fades with the half-life. A page of unknown age is old. A known URL is a page to
refresh and a hub of new links in one.
"""

import numpy as np

from tres_lib.numerics import compiled

from .beliefs import RATES, mean_index
from .engine import chance, given_up, hub_value, link_value, shares
from .records import BINS, FIRST_PACES, KINDS, PACES, RANK_FACTOR, SCORES

HEAPS = 2 * BINS  # kinds of links: a bin's old ones and its news
COMMON_WEIGHT = 3.0  # links; weight of all pages' links in those of one
KIND_WEIGHT = 4.0  # pages; weight of the first distribution of new links in that of a kind
HOPE = 0.1  # optimism: the mean of the top 10 % of the posterior of a page's link rate
LOG_PACES = np.log(PACES)
SHORTEST, LONGEST = 1e-3, 1e3  # days between two looks
HALVINGS = 18  # of the logarithm of an age, to one in ten thousand


@compiled
def chances(common):
    """Return the probability that a link leads to a new relevant page, by bin, old and news."""
    scores = np.arange(BINS).reshape((-1, 1)) % SCORES
    return chance(scores, SCORES, common[0].counts, common[0].hits)


@compiled
def link_terms(common):
    """Return what a relevant page brings when new, as the engine has it: news, and what lasts."""
    mean = (1.0 + common[0].importance) / (1.0 + common[0].relevant)
    fading, lasting = common[0].fading, common[0].page + common[0].own
    return mean * (1.0 - common[0].lasting) / fading, fading, lasting, common[0].end


@compiled
def best_link(common, since, day):
    """Return which of the newest links has the highest value, and that; -1 if there is none.

    `since` has the day of the newest of each rank of domains and bin, not news and news in turn;
    NaN: none.
    """
    p = chances(common)
    news, fading, lasting, end = link_terms(common)
    best, most = -1, -1.0
    for k in range(len(since)):
        if not np.isnan(since[k]):
            new, leads = k % 2, RANK_FACTOR ** (k // HEAPS)
            leads *= p[k % HEAPS // 2, new]
            value = link_value(leads, new * news, fading, lasting, end, day - since[k])
            if value > most or (value == most and since[k] < since[best]):
                best, most = k, value
    return best, most


@compiled
def hub_links(common):
    """Return the new links of hubs, as `hub_value` asks for them, and their shares by bin."""
    news, fading, lasting, end = link_terms(common)
    p = chances(common)[:, 1].copy()
    ages = np.array([given_up(one, news, fading, lasting, common[0].price) for one in p])
    listed = 0.1 + common[0].links
    return (p, ages, news, fading, lasting, end), listed / listed.sum()


@compiled
def paces_of(page, prior):
    """Return the posterior of a page's new links a day on the grid, as a Poisson process."""
    post = page.arrivals * LOG_PACES - page.watched * PACES
    post = prior * np.exp(np.maximum(post - post.max(), -600.0))
    return post / post.sum()


@compiled
def pace(page, common):
    """Return the new links a day that a page may have: the mean of its posterior's top tenth.

    That is how the watch explores: a page that may be a hub is looked at early, and what it then
    lists moves its posterior.
    """
    post = paces_of(page, common[0].paces[page.kind])
    mean, left = 0.0, HOPE
    for k in range(len(PACES) - 1, -1, -1):
        mean += min(post[k], left) * PACES[k] / HOPE
        left -= min(post[k], left)
    return mean


@compiled
def beliefs_of(page, common, listed):
    """Return what is believed of a page: its change rate, its new links a day and their bins."""
    weights = common[0].prior * page.likelihood
    mix = shares(page.seen, listed, COMMON_WEIGHT)
    return weights / weights.sum(), pace(page, common), mix


@compiled
def look_roles(page, post, rate, mix, links, age):
    """Return the value of a look for the page's changes, and for its new links."""
    refresh = 0.0
    if page.zeta > 0.0:
        refresh = page.zeta * page.factor * mean_index(age, post, links[-1], page.stale)
    return refresh, rate * hub_value(mix, *links, age)


@compiled
def find_due(pages, rows, common):
    """Compute when looks at these rows reach the price; inf: never."""
    links, listed = hub_links(common)
    price = common[0].price
    for r in rows:
        pages[r].keyed = common[0].keyed
        pages[r].due = np.inf
        post, rate, mix = beliefs_of(pages[r], common, listed)
        most = sum(look_roles(pages[r], post, rate, mix, links, LONGEST))
        if pages[r].failures < 0 or most < price:
            continue
        low, high = np.log(SHORTEST), np.log(LONGEST)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if sum(look_roles(pages[r], post, rate, mix, links, np.exp(middle))) >= price:
                high = middle
            else:
                low = middle
        pages[r].due = max(pages[r].look + np.exp(high), pages[r].rest)


@compiled
def rank(pages, rows, common, day, busy=None):
    """Return the value of a look at each row now, for its changes and for its new links, (2, n).

    Both are -1 if the page rests, or its host is busy: `busy` has the day from which it is free.
    """
    roles = np.full((2, len(rows)), -1.0)
    links, listed = hub_links(common)
    for k in range(len(rows)):
        page = pages[rows[k]]
        free = busy is None or busy[page.host] <= day
        if page.failures >= 0 and page.rest <= day and free:
            post, rate, mix = beliefs_of(page, common, listed)
            roles[:, k] = look_roles(page, post, rate, mix, links, day - page.look)
    return roles


@compiled
def freshness(pages, common, day):
    """Return the probability that each page is there and as it was at the last look."""
    out = np.zeros(len(pages))
    for r in range(len(pages)):
        if pages[r].failures == 0:
            weights = common[0].prior * pages[r].likelihood
            same = np.exp(-(RATES + common[0].end) * (day - pages[r].look))
            out[r] = (1.0 - pages[r].stale) * (weights * same).sum() / weights.sum()
    return out


@compiled
def renew_paces(pages, common):
    """Learn from all pages how many new links a day the pages of each kind have."""
    paces = np.zeros((KINDS, len(PACES)))
    for r in range(len(pages)):
        if pages[r].looks > 0:
            paces[pages[r].kind] += paces_of(pages[r], common[0].paces[pages[r].kind])
    for k in range(KINDS):
        own = paces[k] + KIND_WEIGHT * FIRST_PACES
        common[0].paces[k] = own / own.sum()
