"""What a crawler believes of change rates and of rates of new links, on grids; compiled.

A page's belief is the likelihood of what was seen of it, on a grid of rates; its posterior is that
times a prior, which is learned from all pages (empirical Bayes), so that it can be renewed daily.
"""

import numpy as np

from tres_lib.numerics import compiled

RATES = np.geomspace(0.0006, 10.0, 24)  # changes a day
AGES = np.geomspace(0.25, 365.0, 40)  # days until the next look, from which a plan chooses
LEVELS = np.geomspace(0.03, 200.0, 48)  # new links a day
HAZARDS = np.array([0.001, 0.03, 0.1, 0.3])  # jumps a day of a hub's rate
CHUNK = 0.5  # days that count as one observation of a hub
MOST = 8.0  # times its index that a look may count for what it teaches
LOG_RANGE = np.log(1e9)  # of the ages that a server may name: a second to thirty years


@compiled
def page_index(age, xi, delta):
    """Return index (2) of a page with one request a day; see `index.refresh_index`."""
    return _gained(xi * age, _early(delta * age)) / (xi + delta)


@compiled
def mean_index(age, weights, delta, stale=0.0):
    """Return the mean of index (2) over rates on the grid, for one request a day.

    With the probability `stale` somebody else has seen a change since the last look: the page is as
    likely to be stale as one that has gone longer without a look, by -ln(1 - stale) / rate.
    """
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
def see_bit(likelihood, gap, changed):
    """Multiply a likelihood by that of a change, or of none, in a gap of so many days."""
    for k in range(len(likelihood)):
        same = np.exp(-RATES[k] * gap)
        likelihood[k] *= max(1.0 - same if changed else same, 1e-12)
    likelihood /= likelihood.max()


@compiled
def see_age(likelihood, age, trust, gap=np.inf):
    """Multiply a likelihood by that of a last change so many days ago, as somebody says.

    With the probability `trust` it was then; else the age has nothing to do with the page, and has
    a log-uniform density. That there was a change in the last `gap` days, if given, is certain.
    """
    for k in range(len(likelihood)):
        noise = (1.0 - trust) * -np.expm1(-RATES[k] * gap) / (age * LOG_RANGE)
        likelihood[k] *= max(trust * RATES[k] * np.exp(-RATES[k] * age) + noise, 1e-12)
    likelihood /= likelihood.max()


@compiled
def posterior(prior, likelihood, out):
    """Write the posterior to `out`; return the probability of what was seen, up to a factor."""
    total = 0.0
    for k in range(len(out)):
        out[k] = prior[k] * likelihood[k]
        total += out[k]
    out /= total
    return total


@compiled
def outlook(delta, fresh, same, alive):
    """Fill the tables (age, rate) of a plan: fresh time, probability of no change, survival."""
    for a in range(len(AGES)):
        alive[a] = np.exp(-delta * AGES[a])
        for k in range(len(RATES)):
            total = RATES[k] + delta
            fresh[a, k] = -np.expm1(-total * AGES[a]) / total
            same[a, k] = np.exp(-RATES[k] * AGES[a])


@compiled
def _even(weights, zeta, price, delta, fresh, alive):
    """Return what looks at even intervals bring, at the best of the intervals or with none."""
    best = 0.0
    for k in range(len(weights)):
        best += weights[k] * zeta / (RATES[k] + delta)
    for a in range(len(alive)):
        gain = 0.0
        for k in range(len(weights)):
            gain += weights[k] * fresh[a, k]
        best = max(best, (zeta * gain - price * alive[a]) / (1.0 - alive[a]))
    return best


@compiled
def plan(weights, zeta, price, delta, fresh, same, alive):
    """Return when to look next and the value of the page, by one step of lookahead.

    The bit seen then moves the belief, and thereafter looks come at even intervals that suit
    it. The age is inf if no look pays.
    """
    best = 0.0
    for k in range(len(weights)):
        best += weights[k] * zeta / (RATES[k] + delta)
    when = np.inf
    after = np.empty(len(weights))
    for a in range(len(alive)):
        gain = 0.0
        unchanged = 0.0
        for k in range(len(weights)):
            gain += weights[k] * fresh[a, k]
            after[k] = weights[k] * same[a, k]
            unchanged += after[k]
        value = zeta * gain - price * alive[a]
        if unchanged > 1e-9:
            later = _even(after / unchanged, zeta, price, delta, fresh, alive)
            value += alive[a] * unchanged * later
        if unchanged < 1.0 - 1e-9:
            changed = (weights - after) / (1.0 - unchanged)
            later = _even(changed, zeta, price, delta, fresh, alive)
            value += alive[a] * (1.0 - unchanged) * later
        if value > best:
            best = value
            when = AGES[a]
    return when, best


@compiled
def boost(weights, zeta, price, delta, fresh, same, alive):
    """Return the factor of a look's index for what it teaches, and the value of the page."""
    when, value = plan(weights, zeta, price, delta, fresh, same, alive)
    if when == np.inf:
        return 1.0, value
    index = zeta * mean_index(when, weights, delta)
    return min(max(price / max(index, 1e-12), 1.0), MOST), value


@compiled
def see_arrivals(level, rates, births, first, last, begin, end):
    """Update a hub's belief (hazard, level) by the births of its links from `begin` to `end`.

    At a jump the rate is drawn anew from the hub's distribution, which is learned as the time that
    it spent at each level; hazards that explain more gain weight.
    """
    chunks = max(1, int(np.ceil((end - begin) / CHUNK)))
    days = (end - begin) / chunks
    if days <= 0.0:
        return
    j = first
    for c in range(chunks):
        n = 0
        while j < last and (births[j] <= begin + (c + 1) * days or c == chunks - 1):
            n += 1
            j += 1
        _jump(level, rates, days)
        top = -np.inf
        for k in range(len(LEVELS)):
            top = max(top, n * np.log(LEVELS[k]) - LEVELS[k] * days)
        for k in range(len(LEVELS)):
            level[:, k] *= np.exp(max(n * np.log(LEVELS[k]) - LEVELS[k] * days - top, -600.0))
        level /= level.sum()
        for z in range(len(HAZARDS)):
            rates += days * level[z]


@compiled
def _jump(level, rates, days):
    total = rates.sum()
    for z in range(len(HAZARDS)):
        stay = np.exp(-HAZARDS[z] * days)
        moved = (1.0 - stay) * level[z].sum() / total
        for k in range(len(LEVELS)):
            level[z, k] = stay * level[z, k] + moved * rates[k]


@compiled
def find_pace(level, rates, pace):
    """Write a hub's mean rate, and each hazard's weight and current rate, to `pace`."""
    pace[0] = (rates * LEVELS).sum() / rates.sum()
    for z in range(len(HAZARDS)):
        pace[1 + 2 * z] = level[z].sum()
        pace[2 + 2 * z] = (level[z] * LEVELS).sum()


@compiled
def expected_rate(pace, age):
    """Return the mean rate of new links over `age` days from the last look on."""
    rate = 0.0
    for z in range(len(HAZARDS)):
        mean = pace[1 + 2 * z] * pace[0]
        x = HAZARDS[z] * age
        stayed = -np.expm1(-x) / x if x > 1e-6 else 1.0
        rate += mean + (pace[2 + 2 * z] - mean) * stayed
    return rate
