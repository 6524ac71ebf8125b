"""The value of looks and links under the current beliefs; compiled, for a million pages.

A page of importance 1 is asked for once a day while it is new. Of that a share lasts until the page
ends, the rest fades with the half-life. A page of unknown age is old.
"""

import numpy as np

from tres_lib.numerics import compiled
from tres_lib.watching.beliefs import RATES, mean_index, page_index

from .records import BINS, FIRST_PACES, KINDS, PACES, SCORES

SCORE_WEIGHT = 3.0  # links' worth of the raw score in the probability of relevance
COMMON_WEIGHT = 3.0  # links' worth of all pages' links in those of one
HOST_WEIGHT = 20.0  # pages' worth of the prior of all pages in that of a host
HOPE = 0.1  # a page is taken to list new links by this share of its posterior, the highest
KIND_WEIGHT = 4.0  # pages' worth of the first law of new links in that of a kind of page
LOG_PACES = np.log(PACES)
LOG_RANGE = np.log(1e9)  # of ages that a server may tell: a second to thirty years
SHORTEST, LONGEST = 1e-3, 1e3  # days between two looks
HALVINGS = 18  # of the logarithm of an age, to one in ten thousand


@compiled
def see_hint(likelihood, age, trust):
    """Multiply a likelihood by that of a page said to have changed last so many days ago.

    With the probability `trust` it did; else the age has nothing to do with the page, and has a
    log-uniform density.
    """
    noise = (1.0 - trust) / (age * LOG_RANGE)
    for k in range(len(likelihood)):
        likelihood[k] *= trust * RATES[k] * np.exp(-RATES[k] * age) + noise
    likelihood /= likelihood.max()


@compiled
def see_change(likelihood, gap, age, trust):
    """Multiply a likelihood by that of a change in a gap of days, the last said to be so long ago.

    As in `see_hint` the age is believed with the probability `trust`; the change was seen.
    """
    for k in range(len(likelihood)):
        noise = (1.0 - trust) * -np.expm1(-RATES[k] * gap) / (age * LOG_RANGE)
        likelihood[k] *= trust * RATES[k] * np.exp(-RATES[k] * age) + noise
    likelihood /= likelihood.max()


@compiled
def chances(common):
    """Return the probability that a link leads to a new relevant page, by bin, old and news."""
    p = np.empty((BINS, 2))
    for b in range(BINS):
        score = SCORE_WEIGHT * (b % SCORES + 0.5) / SCORES
        p[b] = (score + common[0].hits[b]) / (SCORE_WEIGHT + common[0].counts[b])
    return p


@compiled
def mean_importance(common):
    """Return the importance of a relevant page, on average."""
    return (1.0 + common[0].importance) / (1.0 + common[0].relevant)


@compiled
def news_worth(common):
    """Return what a relevant page is worth beyond what lasts, when it is new."""
    return mean_importance(common) * (1.0 - common[0].lasting) / common[0].fading


@compiled
def link_worth(common, p, news, age):
    """Return what fetching a link is worth, `age` days after it was new or found."""
    worth = (common[0].page + common[0].own) * np.exp(-common[0].end * age)
    if news:
        worth += news_worth(common) * np.exp(-common[0].fading * age)
    return p * worth


@compiled
def best_link(common, since, day):
    """Return which of the newest links is worth most, and what; -1 if there is none.

    `since` has the day of the newest of each bin, not news and news in turn; NaN: none.
    """
    p = chances(common)
    best, most = -1, -1.0
    for k in range(len(since)):
        if not np.isnan(since[k]):
            worth = link_worth(common, p[k // 2, k % 2], k % 2 == 1, day - since[k])
            if worth > most or (worth == most and since[k] < since[best]):
                best, most = k, worth
    return best, most


@compiled
def link_ages(common, p):
    """Return, by bin, the age from which news on a hub is no longer worth its fetch."""
    ages = np.empty(BINS)
    fading = news_worth(common)
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
    """Return the new links a day that a page may have: the mean of its posterior's highest tenth.

    That is how the watch explores: where pages of a kind differ, each is looked at early, as it may
    be a hub; what it lists, or does not, then moves its posterior.
    """
    post = paces_of(page, common[0].paces[page.kind])
    mean, left = 0.0, HOPE
    for k in range(len(PACES) - 1, -1, -1):
        mean += min(post[k], left) * PACES[k] / HOPE
        left -= min(post[k], left)
    return mean


@compiled
def hub_worth(page, common, p, ages, rate, age):
    """Return the value of a look for the page's new links: index (3), net of their fetches."""
    fading = news_worth(common)
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
def page_worth(page, common, age):
    """Return the value of a look for the page's changes: the posterior mean of index (2)."""
    if page.zeta <= 0.0:
        return 0.0
    weights = common[0].prior * page.likelihood
    index = mean_index(age, weights / weights.sum(), common[0].end, page.told)
    return page.zeta * page.factor * index


@compiled
def look_worth(page, common, p, ages, rate, age):
    """Return what a look at a known URL is worth: the sum of its two roles."""
    return page_worth(page, common, age) + hub_worth(page, common, p, ages, rate, age)


@compiled
def find_due(pages, rows, common):
    """Compute when looks at these rows are worth the price; inf: never."""
    p = chances(common)
    ages = link_ages(common, p)
    for r in rows:
        pages[r].keyed = common[0].keyed
        rate = pace(pages[r], common)
        most = look_worth(pages[r], common, p, ages, rate, LONGEST)
        if pages[r].failures < 0 or most < common[0].price:
            pages[r].due = np.inf
            continue
        low, high = np.log(SHORTEST), np.log(LONGEST)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if look_worth(pages[r], common, p, ages, rate, np.exp(middle)) >= common[0].price:
                high = middle
            else:
                low = middle
        pages[r].due = max(pages[r].look + np.exp(high), pages[r].rest)


@compiled
def rank(pages, rows, common, day, busy, out):
    """Write what a look at each row is worth now; -1 if it rests or its host is busy."""
    p = chances(common)
    ages = link_ages(common, p)
    for k in range(len(rows)):
        r = rows[k]
        out[k] = -1.0
        if pages[r].failures >= 0 and pages[r].rest <= day and busy[pages[r].host] <= day:
            rate = pace(pages[r], common)
            out[k] = look_worth(pages[r], common, p, ages, rate, day - pages[r].look)


@compiled
def freshness(pages, common, day):
    """Return the probability that each page is there and as it was at the last look."""
    out = np.zeros(len(pages))
    for r in range(len(pages)):
        if pages[r].failures == 0:
            weights = common[0].prior * pages[r].likelihood
            same = np.exp(-(RATES + common[0].end) * (day - pages[r].look))
            out[r] = (1.0 - pages[r].told) * (weights * same).sum() / weights.sum()
    return out


@compiled
def renew_common(pages, common, by_host):
    """Learn the priors of change rates and of new links from all pages, and how fast pages end.

    The change rates and ends are those of relevant pages: hubs stand for ever, and their main text
    may. `by_host`, (hosts, rates), gets by what the prior of each host differs from that of all.
    """
    total = np.full(len(common[0].prior), 1.0 / len(common[0].prior))
    by_host[:] = 0.0
    paces = np.zeros((KINDS, len(PACES)))
    for r in range(len(pages)):
        if pages[r].looks > 0:
            if pages[r].importance > 0.0:
                post = common[0].prior * pages[r].likelihood
                post /= post.sum()
                total += post
                by_host[pages[r].host] += post
            paces[pages[r].kind] += paces_of(pages[r], common[0].paces[pages[r].kind])
    common[0].prior[:] = total / total.sum()
    for h in range(len(by_host)):
        own = by_host[h] + HOST_WEIGHT * common[0].prior
        by_host[h] = own / own.sum() / common[0].prior
    for k in range(KINDS):
        own = paces[k] + KIND_WEIGHT * FIRST_PACES
        common[0].paces[k] = own / own.sum()
    common[0].end = (1.0 + common[0].ends) / (84.0 + common[0].exposure)
