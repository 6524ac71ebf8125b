"""From one plan of refresh rates to the next: how fresh pages become, and on the way.

While the rates stay as they are, a page is fresh at time t with probability p(t). Under Poisson
refresh p' = rho (1 - p) - xi p. At even intervals with a random phase, the first refresh falls
uniformly into the first interval, and after that interval p stays at its long-run value.
Both are exact. All arrays broadcast against one another.
"""

from __future__ import annotations

import numpy as np

from .arguments import REFRESH, one_of
from .freshness import page_freshness


def fresh_after(
    fresh: np.ndarray, rates: np.ndarray, change_rates: np.ndarray, t: np.ndarray, refresh: str
) -> np.ndarray:
    """Probability of being fresh a time t later.

    Parameters
    ----------
    fresh : probability of being fresh at first
    rates, change_rates : refreshes and changes a unit of time
    t : time, at least 0
    refresh : "poisson" or "uniform"
    """
    rest = page_freshness(rates, change_rates, refresh)
    if one_of("refresh", refresh, REFRESH) == "poisson":
        return rest + (fresh - rest) * np.exp(-(rates + change_rates) * t)
    tau = np.minimum(t, _interval(rates))
    decay = np.exp(-change_rates * tau)
    return fresh * decay * (1 - rates * tau) + rates / change_rates * (1 - decay)


def fresh_time(
    fresh: np.ndarray, rates: np.ndarray, change_rates: np.ndarray, t: np.ndarray, refresh: str
) -> np.ndarray:
    """Expected time for which a page is fresh within a time t: the integral of `fresh_after`."""
    rest = page_freshness(rates, change_rates, refresh)
    if one_of("refresh", refresh, REFRESH) == "poisson":
        speed = rates + change_rates
        return rest * t + (fresh - rest) * -np.expm1(-speed * t) / speed
    tau = np.minimum(t, _interval(rates))
    decayed = -np.expm1(-change_rates * tau) / change_rates  # the integral of exp(-xi s)
    late = (decayed - tau * np.exp(-change_rates * tau)) / change_rates  # of s exp(-xi s)
    early = fresh * (decayed - rates * late) + rates / change_rates * (tau - decayed)
    return early + rest * (t - tau)


def _interval(rates: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return 1 / np.asarray(rates, float)
