"""The engine of a watch, compiled: what it learns of pages and links, and what they are worth.

The live watch drives it, and so do the simulated worlds of chapter 15. Pages and hosts are records
of any type that has the fields asked for; `records` has those of the live watch.

Links of one bin are equally likely to be relevant. A relevant one, when new, brings `news`, which
fade, and `lasting`, which stays until the page ends.
"""

import numpy as np

from tres_lib.numerics import compiled

from .beliefs import boost, page_index, posterior, see_age, see_bit

SCORE_WEIGHT = 3.0  # links; weight of the raw score in the probability of relevance
HOST_WEIGHT = 20.0  # pages; weight of the common prior in that of a host
FIRST_LIFE = 84.0  # days; how long a page is taken to last before any has ended


@compiled
def see_look(page, gap, changed, age, trust):
    """Take in whether a page has changed in a gap of days.

    `age` is how long ago it is said to have changed last, which is believed with the probability
    `trust`, and counts only if a change is seen and said to be of that gap; NaN: nothing is said.
    """
    if changed and 0.0 < age < gap:
        see_age(page.likelihood, age, trust, gap)
    else:
        see_bit(page.likelihood, gap, changed)
    page.looks += 1


@compiled
def settle(page, post, zeta, price, end, fresh, same, alive):
    """Set the factor of a look's index for what it teaches; return the page's value.

    `post` is the posterior of its change rate, `zeta` what it serves a day for long; the tables
    are those of `beliefs.outlook`.
    """
    factor, value = boost(post, zeta, price, end, fresh, same, alive)
    page.factor = factor
    return value


@compiled
def renew_prior(pages, hosts, prior):
    """Learn the prior of change rates from all relevant pages, and that of each host.

    This is one step of expectation maximisation; a host's own prior shrinks to the common one.
    """
    total = np.full(len(prior), 1.0 / len(prior))
    for h in range(len(hosts)):
        hosts[h].prior[:] = 0.0
    post = np.empty(len(prior))
    for r in range(len(pages)):
        if pages[r].looks > 0 and pages[r].importance > 0.0:
            posterior(prior, pages[r].likelihood, post)
            for k in range(len(prior)):
                total[k] += post[k]
                hosts[pages[r].host].prior[k] += post[k]
    prior[:] = total / total.sum()
    for h in range(len(hosts)):
        own = hosts[h].prior + HOST_WEIGHT * prior
        hosts[h].prior[:] = own / own.sum()


@compiled
def end_rate(ends, exposure):
    """Return the rate at which pages end, a day, of which so many have in these days of pages."""
    return (1.0 + ends) / (FIRST_LIFE + exposure)


@compiled
def chance(bin, bins, count, hits):
    """Return the probability that a link is relevant, by what those of its bin of scores were."""
    return (SCORE_WEIGHT * (bin + 0.5) / bins + hits) / (SCORE_WEIGHT + count)


@compiled
def link_value(p, news, fading, lasting, end, age):
    """Return the index of a link that is relevant with probability p, days after it was new."""
    return p * (lasting * np.exp(-end * age) + news * np.exp(-fading * age))


@compiled
def given_up(p, news, fading, lasting, price):
    """Return the age from which such a link brings less than the price; `lasting` is constant."""
    short = price - p * lasting
    return np.log(max(p * news / short, 1.0)) / fading if short > 0.0 else np.inf


@compiled
def shares(seen, listed, weight):
    """Return how a hub's new links are distributed over bins, by those seen on it and on all.

    `listed` is the distribution on all hubs; it counts like so many links of the hub's own.
    """
    return (seen + weight * listed) / (seen.sum() + weight)


@compiled
def hub_value(shares, p, ages, news, fading, lasting, end, age):
    """Return index (3) of a hub with one new link a day, net of the links' fetches.

    `shares`, `p` and `ages` have the links' share, chance and `given_up` age by bin.
    """
    total = 0.0
    for b in range(len(shares)):
        days = min(age, ages[b])
        if shares[b] > 0.0 and days > 0.0:
            saved = news * page_index(days, fading, 0.0)  # P(2, mu a) / mu
            if lasting > 0.0:
                saved += lasting * page_index(days, end, 0.0)
            total += shares[b] * p[b] * saved
    return total
