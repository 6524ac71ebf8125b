"""What looks and links are worth to the live watch; compiled, for a million pages.

A page of importance 1 is asked for once a day while it is new. Of that a share lasts until the page
ends, the rest fades with the half-life. A page of unknown age is old. A known URL is a page to
refresh and a hub of new links in one.
"""

import numpy as np

from tres_lib.numerics import compiled
from tres_lib.watching.beliefs import RATES, mean_index, page_index

from .engine import chance
from .pages import BINS, FIRST_PACES, KINDS, PACES, SCORES

COMMON_WEIGHT = 3.0  # links; weight of all pages' links in those of one
KIND_WEIGHT = 4.0  # pages; weight of the first distribution of new links in that of a kind
HOPE = 0.1  # optimism: the mean of the top 10 % of the posterior of a page's link rate
LOG_PACES = np.log(PACES)
SHORTEST, LONGEST = 1e-3, 1e3  # days between two looks
HALVINGS = 18  # of the logarithm of an age, to one in ten thousand


@compiled
def chances(common):
    """Return the probability that a link leads to a new relevant page, by bin, old and news."""
    p = np.empty((BINS, 2))
    for b in range(BINS):
        for news in range(2):
            p[b, news] = chance(
                b % SCORES, SCORES, common[0].counts[b, news], common[0].hits[b, news]
            )
    return p


@compiled
def news_value(common):
    """Return what a relevant page is worth beyond what lasts, when it is new."""
    mean = (1.0 + common[0].importance) / (1.0 + common[0].relevant)
    return mean * (1.0 - common[0].lasting) / common[0].fading


@compiled
def link_value(common, p, news, age):
    """Return the value of a link that is relevant with probability p, days after it was new."""
    value = (common[0].page + common[0].own) * np.exp(-common[0].end * age)
    if news:
        value += news_value(common) * np.exp(-common[0].fading * age)
    return p * value


@compiled
def best_link(common, since, day):
    """Return which of the newest links is worth most, and what; -1 if there is none.

    `since` has the day of the newest of each bin, not news and news in turn; NaN: none.
    """
    p = chances(common)
    best, most = -1, -1.0
    for k in range(len(since)):
        if not np.isnan(since[k]):
            value = link_value(common, p[k // 2, k % 2], k % 2 == 1, day - since[k])
            if value > most or (value == most and since[k] < since[best]):
                best, most = k, value
    return best, most


@compiled
def link_ages(common, p):
    """Return, by bin, the age from which news on a hub is no longer worth its fetch."""
    ages = np.empty(BINS)
    fading = news_value(common)
    lasting = common[0].page + common[0].own
    for b in range(BINS):
        short = common[0].price - p[b, 1] * lasting
        if short <= 0.0:
            ages[b] = LONGEST
        else:
            ages[b] = max(np.log(max(p[b, 1] * fading / short, 1e-300)), 0.0) / common[0].fading
    return ages


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
def hub_value(page, common, p, ages, rate, age):
    """Return the value of a look for the page's new links: index (3), net of their fetches."""
    fading = news_value(common)
    lasting = common[0].page + common[0].own
    n = COMMON_WEIGHT + page.seen.sum()
    whole = BINS * 0.1 + common[0].links.sum()
    gain = 0.0
    for b in range(BINS):
        if ages[b] > 0.0:
            share = (COMMON_WEIGHT * (0.1 + common[0].links[b]) / whole + page.seen[b]) / n
            days = min(age, ages[b])
            saved = fading * page_index(days, common[0].fading, 0.0)  # P(2, mu a) / mu
            saved += lasting * page_index(days, common[0].end, 0.0)
            gain += share * p[b, 1] * saved
    return rate * gain


@compiled
def refresh_value(page, common, age):
    """Return the value of a look for the page's changes."""
    if page.zeta <= 0.0:
        return 0.0
    weights = common[0].prior * page.likelihood
    mean = mean_index(age, weights / weights.sum(), common[0].end, page.stale)
    return page.zeta * page.factor * mean


@compiled
def look_value(page, common, p, ages, rate, age):
    """Return the value of a look at a known URL: the sum of its two roles."""
    return refresh_value(page, common, age) + hub_value(page, common, p, ages, rate, age)


@compiled
def find_due(pages, rows, common):
    """Compute when looks at these rows are worth the price; inf: never."""
    p = chances(common)
    ages = link_ages(common, p)
    for r in rows:
        pages[r].keyed = common[0].keyed
        rate = pace(pages[r], common)
        most = look_value(pages[r], common, p, ages, rate, LONGEST)
        if pages[r].failures < 0 or most < common[0].price:
            pages[r].due = np.inf
            continue
        low, high = np.log(SHORTEST), np.log(LONGEST)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if look_value(pages[r], common, p, ages, rate, np.exp(middle)) >= common[0].price:
                high = middle
            else:
                low = middle
        pages[r].due = max(pages[r].look + np.exp(high), pages[r].rest)


@compiled
def rank(pages, rows, common, day, busy, roles):
    """Write what a look at each row is worth now for its changes and for its new links.

    `roles` is (2, n); both are -1 if the page rests or its host is busy.
    """
    p = chances(common)
    ages = link_ages(common, p)
    for k in range(len(rows)):
        page = pages[rows[k]]
        roles[:, k] = -1.0
        if page.failures >= 0 and page.rest <= day and busy[page.host] <= day:
            age = day - page.look
            roles[0, k] = refresh_value(page, common, age)
            roles[1, k] = hub_value(page, common, p, ages, pace(page, common), age)


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
