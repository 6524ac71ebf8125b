"""What a watch believes of pages and links, and what a fetch is worth by that; compiled.

A page's belief is the likelihood of what was seen of its changes, on a grid of rates; its posterior
is that times a prior, which is learned daily from all pages. A relevant page brings, when new, what
is `passing`, fading with the half-life, and what is `lasting` until it ends. Pages and hosts are
records of any type that has the fields asked for: `pages.PAGE` and `links.HOST` in a watch.
"""

import numpy as np

from tres_lib.numerics import compiled

RATES = np.geomspace(0.0006, 10.0, 24)  # changes a day
AGES = np.geomspace(0.25, 365.0, 40)  # days until the next look, from which a plan chooses
MOST = 8.0  # times its index that a look may count for what it teaches
LOG_RANGE = np.log(1e9)  # of the ages that a server may name: a second to thirty years
SCORES = 10  # bins of a link's score
BINS = 2 * SCORES  # a link's score, and whether the page that it is on is relevant
HEAPS = 2 * BINS  # kinds of links: a bin's old ones and its new ones
PACES = np.geomspace(0.003, 30.0, 24)  # new links a day
LOG_PACES = np.log(PACES)
FIRST_PACES = PACES**-0.5 / (PACES**-0.5).sum()  # before any was seen: one in three days
KINDS = 5  # of pages: by the depth of their URL, from the front page on; the last: feeds
RANK_FACTOR = 1 / 3  # by which the chance of a link is lower a rank of its domain
SCORE_WEIGHT = 3.0  # links; weight of the raw score in the probability of relevance
HOST_WEIGHT = 20.0  # pages; weight of the common prior in that of a host
COMMON_WEIGHT = 3.0  # links; weight of all pages' links in those of one
KIND_WEIGHT = 4.0  # pages; weight of the first distribution of new links in that of a kind
FIRST_LIFE = 84.0  # days; how long a page is taken to last before any has ended
OPTIMISM = 0.1  # the mean of the top 10 % of the posterior of a page's link rate
SHORTEST, LONGEST = 1e-3, 1e3  # days between two looks
HALVINGS = 18  # of the logarithm of an age, to one in ten thousand

COMMON = np.dtype(
    [
        ("day", "i8"),  # of the last renewal
        ("keyed", "i8"),  # how often all pages were keyed, and the price of the last time
        ("keyed_price", "f8"),
        ("price", "f8"),
        ("winners", "f8"),  # looks that the price has followed
        ("fading", "f8"),  # rate at which a new page's interest fades, a day
        ("lasting", "f8"),  # the share of it that stays
        ("end", "f8"),  # rate at which pages end, a day
        ("ends", "f8"),
        ("exposure", "f8"),  # days of pages, in which so many have ended
        ("importance", "f8"),  # sum over relevant pages, and their number
        ("relevant", "f8"),
        ("domains", "i8"),  # that had relevant pages on that day
        ("page", "f8"),  # value of an old relevant page
        ("leads", "f8"),  # and what the links on a relevant page bring beyond their price
        ("prior", "f8", len(RATES)),  # of change rates
        ("paces", "f8", (KINDS, len(PACES))),  # of new links a day, by the kind of page
        ("counts", "f8", (BINS, 2)),  # links that were fetched, by bin, old and new
        ("hits", "f8", (BINS, 2)),  # and how many of them led to a new relevant page
        ("links", "f8", BINS),  # links that were seen, by bin
    ]
)
"""What holds for all pages; it is an array of one, so that compiled code can change it."""


def new_common(half_life: float, lasting: float) -> np.ndarray:
    """Return what a watch that has seen nothing takes to hold for all pages."""
    common = np.zeros(1, COMMON)
    common["day"], common["page"], common["end"] = -1, 1.0, 1 / 84
    common["fading"], common["lasting"] = np.log(2) / half_life, lasting
    common["prior"], common["paces"] = 1 / len(RATES), FIRST_PACES
    return common


@compiled
def see_bit(likelihood, gap, changed):
    """Multiply a likelihood by that of a change, or of none, in a gap of so many days."""
    for k in range(len(likelihood)):
        same = np.exp(-RATES[k] * gap)
        likelihood[k] *= max(1.0 - same if changed else same, 1e-12)
    likelihood /= likelihood.max()


@compiled
def see_age(likelihood, age, trust, gap=np.inf):
    """Multiply a likelihood by that of a last change so many days ago, as somebody says."""
    # With the probability `trust` it was then; else the age has nothing to do with the page, and
    # its density is log-uniform. That there was a change in the last `gap` days is certain.
    for k in range(len(likelihood)):
        noise = (1.0 - trust) * -np.expm1(-RATES[k] * gap) / (age * LOG_RANGE)
        likelihood[k] *= max(trust * RATES[k] * np.exp(-RATES[k] * age) + noise, 1e-12)
    likelihood /= likelihood.max()


@compiled
def see_look(page, gap, changed, age, trust):
    """Take in whether a page has changed in a gap of days, last before so many as is said."""
    if changed and 0.0 < age < gap:
        see_age(page.likelihood, age, trust, gap)
    else:
        see_bit(page.likelihood, gap, changed)
    page.visits += 1


@compiled
def posterior(prior, likelihood, out):
    """Write the posterior to `out`; return the probability of what was seen, up to a factor."""
    out[:] = prior * likelihood
    total = out.sum()
    out /= total
    return total


@compiled
def renew_prior(pages, hosts, prior):
    """Learn priors of change rates, in common and by host, from all relevant pages (an EM step)."""
    total = np.full(len(prior), 1.0 / len(prior))
    for h in range(len(hosts)):
        hosts[h].prior[:] = 0.0
    post = np.empty(len(prior))
    for r in range(len(pages)):
        if pages[r].visits > 0 and pages[r].importance > 0.0:
            posterior(prior, pages[r].likelihood, post)
            total += post
            hosts[pages[r].host].prior[:] += post
    prior[:] = total / total.sum()
    for h in range(len(hosts)):
        own = hosts[h].prior + HOST_WEIGHT * prior
        hosts[h].prior[:] = own / own.sum()


@compiled
def renew_paces(pages, common):
    """Learn from all pages how many new links a day the pages of each kind have."""
    paces = np.zeros((KINDS, len(PACES)))
    for r in range(len(pages)):
        if pages[r].visits > 0:
            paces[pages[r].kind] += paces_of(pages[r], common[0].paces[pages[r].kind])
    for k in range(KINDS):
        own = paces[k] + KIND_WEIGHT * FIRST_PACES
        common[0].paces[k] = own / own.sum()


@compiled
def paces_of(page, prior):
    """Return the posterior of a page's new links a day on the grid, as a Poisson process."""
    post = page.arrivals * LOG_PACES - page.watched * PACES
    post = prior * np.exp(np.maximum(post - post.max(), -600.0))
    return post / post.sum()


@compiled
def pace(page, common):
    """Return the new links a day that a page may have: the mean of its posterior's top tenth."""
    # So the watch explores: a page that may be a hub is looked at early, which moves its posterior.
    post = paces_of(page, common[0].paces[page.kind])
    mean, left = 0.0, OPTIMISM
    for k in range(len(PACES) - 1, -1, -1):
        mean += min(post[k], left) * PACES[k] / OPTIMISM
        left -= min(post[k], left)
    return mean


@compiled
def end_rate(ends, exposure):
    """Return the rate at which pages end, a day, of which so many have in these days of pages."""
    return (1.0 + ends) / (FIRST_LIFE + exposure)


@compiled
def page_index(age, xi, delta):
    """Return index (2) of a page with one request a day; see `tres_lib.ours.refresh_index`."""
    return _gained(xi * age, _early(delta * age)) / (xi + delta)


@compiled
def mean_index(age, weights, delta, stale=0.0):
    """Return the mean of index (2) over rates on the grid, for one request a day."""
    # With the probability `stale` somebody else has seen a change since the last look: the page is
    # as likely to be stale as one that was not looked at for -ln(1 - stale) / rate days longer.
    longer = -np.log1p(-stale)
    early = _early(delta * age)
    total = 0.0
    for k in range(len(weights)):
        total += weights[k] * _gained(RATES[k] * age + longer, early) / (RATES[k] + delta)
    return total


@compiled
def _gained(u, early):
    gone = np.exp(-u)
    fresh = 1.0 - (1.0 + u) * gone if u > 1e-3 else u * u * (0.5 - u * (1 / 3 - u / 8))
    return fresh + u * gone * early


@compiled
def _early(y):
    return 1.0 + np.expm1(-y) / y if y > 1e-3 else y * (0.5 - y / 6)


@compiled
def outlook(delta, fresh, same, alive):
    """Fill the tables (age, rate) of a plan: fresh time, probability of no change, survival."""
    for a in range(len(AGES)):
        alive[a] = np.exp(-delta * AGES[a])
        fresh[a] = -np.expm1(-(RATES + delta) * AGES[a]) / (RATES + delta)
        same[a] = np.exp(-RATES * AGES[a])


@compiled
def plan(weights, zeta, price, delta, fresh, same, alive):
    """Return when to look next, inf if no look pays, and the page's value, by one step ahead.

    What is seen then moves the belief; thereafter looks come at even intervals that suit it.
    """
    best, when = (weights * zeta / (RATES + delta)).sum(), np.inf
    after = np.empty(len(weights))
    for a in range(len(alive)):
        after[:] = weights * same[a]
        unchanged = after.sum()
        value = zeta * (weights * fresh[a]).sum() - price * alive[a]
        if unchanged > 1e-9:
            then = _even(after / unchanged, zeta, price, delta, fresh, alive)
            value += alive[a] * unchanged * then
        if unchanged < 1.0 - 1e-9:
            changed = (weights - after) / (1.0 - unchanged)
            then = _even(changed, zeta, price, delta, fresh, alive)
            value += alive[a] * (1.0 - unchanged) * then
        if value > best:
            best = value
            when = AGES[a]
    return when, best


@compiled
def _even(weights, zeta, price, delta, fresh, alive):
    """Return what looks at even intervals bring, at the best of the intervals or with none."""
    best = (weights * zeta / (RATES + delta)).sum()
    for a in range(len(alive)):
        gain = 0.0
        for k in range(len(weights)):
            gain += weights[k] * fresh[a, k]
        best = max(best, (zeta * gain - price * alive[a]) / (1.0 - alive[a]))
    return best


@compiled
def settle(page, post, zeta, price, end, fresh, same, alive):
    """Set the factor of a look's index for what it teaches; return the page's value."""
    when, value = plan(post, zeta, price, end, fresh, same, alive)
    page.factor = 1.0
    if when < np.inf:
        index = zeta * mean_index(when, post, end)
        page.factor = min(max(price / max(index, 1e-12), 1.0), MOST)
    return value


@compiled
def chance(bin, bins, count, hits):
    """Return the probability that a link is relevant, by what those of its bin of scores were."""
    return (SCORE_WEIGHT * (bin + 0.5) / bins + hits) / (SCORE_WEIGHT + count)


@compiled
def chances(common):
    """Return the probability that a link leads to a new relevant page, by bin, old and new."""
    scores = np.arange(BINS).reshape((-1, 1)) % SCORES
    return chance(scores, SCORES, common[0].counts, common[0].hits)


@compiled
def link_value(p, passing, fading, lasting, end, age):
    """Return the index of a link that is relevant with probability p, days after it was new."""
    return p * (lasting * np.exp(-end * age) + passing * np.exp(-fading * age))


@compiled
def link_terms(common):
    """Return what a relevant page brings when new: what passes and what lasts."""
    mean = (1.0 + common[0].importance) / (1.0 + common[0].relevant)
    fading, lasting = common[0].fading, common[0].page + common[0].leads
    return mean * (1.0 - common[0].lasting) / fading, fading, lasting, common[0].end


@compiled
def best_link(common, since, day):
    """Return which of the newest links, by rank, bin, and old or new, is best, and its value."""
    p = chances(common)
    passing, fading, lasting, end = link_terms(common)
    best, most = -1, -1.0
    for k in range(len(since)):
        if not np.isnan(since[k]):
            new, leads = k % 2, RANK_FACTOR ** (k // HEAPS)
            leads *= p[k % HEAPS // 2, new]
            value = link_value(leads, new * passing, fading, lasting, end, day - since[k])
            if value > most or (value == most and since[k] < since[best]):
                best, most = k, value
    return best, most


@compiled
def given_up(p, passing, fading, lasting, price):
    """Return the age from which such a link brings less than the price; `lasting` is constant."""
    short = price - p * lasting
    return np.log(max(p * passing / short, 1.0)) / fading if short > 0.0 else np.inf


@compiled
def shares(seen, listed, weight):
    """Return how a hub's new links are distributed over bins, by those seen on it and on all."""
    return (seen + weight * listed) / (seen.sum() + weight)


@compiled
def hub_value(shares, p, ages, passing, fading, lasting, end, age):
    """Return index (3) of a hub with one new link a day, net of the links' fetches.

    `shares`, `p` and `ages` have the links' share, chance and `given_up` age by bin.
    """
    total = 0.0
    for b in range(len(shares)):
        days = min(age, ages[b])
        if shares[b] > 0.0 and days > 0.0:
            saved = passing * page_index(days, fading, 0.0)  # P(2, mu a) / mu
            if lasting > 0.0:
                saved += lasting * page_index(days, end, 0.0)
            total += shares[b] * p[b] * saved
    return total


@compiled
def hub_links(common):
    """Return the new links of hubs, as `hub_value` asks for them, and their shares by bin."""
    passing, fading, lasting, end = link_terms(common)
    p = chances(common)[:, 1].copy()
    ages = np.array([given_up(one, passing, fading, lasting, common[0].price) for one in p])
    listed = 0.1 + common[0].links
    return (p, ages, passing, fading, lasting, end), listed / listed.sum()


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
