"""Pages to schedule where no real ones are at hand, their rates drawn from a stated law."""

from __future__ import annotations

import numpy as np

from .arguments import positive
from .histories import Histories, PageHistory

MIDDLE = 10**-0.5  # changes a day, about one in three days


def sample_pages(
    n: int, rng: np.random.Generator | int, *, decades: float = 3.0, tail: float = 2.0
) -> tuple[np.ndarray, np.ndarray]:
    """Change and request rates of n pages, independent of one another.

    Parameters
    ----------
    n : int
    rng : Generator or int
    decades : float
        The logarithm of a change rate is uniform over so many powers of ten around
        10^-0.5 a day; three are from one change in a hundred days to ten a day.
    tail : float
        Request rates are Pareto, at least 1 a day: a share x^-tail is above x.

    Returns
    -------
    change_rates, request_rates : (n,) a day

    Raises
    ------
    ValueError
    """
    size = int(positive("n", n))
    rng = np.random.default_rng(rng)
    spread = positive("decades", decades) / 2
    change_rates = MIDDLE * 10 ** rng.uniform(-spread, spread, size)
    return change_rates, 1 + rng.pareto(positive("tail", tail), size)


def sample_histories(n: int, rng: np.random.Generator | int, days: int = 98) -> Histories:
    """Histories such as the PoliteCrawling set has, of n pages by the law of `sample_pages`.

    A page is visited about once a day, at gaps of half a day to one and a half. As in that
    set, pages that never changed are left out; here the true rates of all others are known.

    Raises
    ------
    ValueError
    """
    rng = np.random.default_rng(rng)
    rates, importance = sample_pages(n, rng)
    gaps = rng.uniform(0.5, 1.5, (len(rates), int(positive("days", days))))
    changed = rng.random(gaps.shape) < -np.expm1(-rates[:, None] * gaps)
    kept = np.flatnonzero(changed.any(axis=1))
    histories = [PageHistory(int(i), 0.0, gaps[i], changed[i]) for i in kept]
    return Histories(histories, importance[kept], rates[kept])
