"""A hub's rate of new links on a grid of levels, between which it jumps; compiled."""

import numpy as np

from tres_lib.numerics import compiled

LEVELS = np.geomspace(0.03, 200.0, 48)  # new links a day
HAZARDS = np.array([0.001, 0.03, 0.1, 0.3])  # jumps a day of a hub's rate
CHUNK = 0.5  # days that count as one observation of a hub


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
