"""The exact optimum of a few sources, by dynamic programming over their joint states.

A joint state is the sources' ages: 0 for those just crawled, the others on their orbits. At a cap a
source's age stays as it is and its state counts as x*, a little more than it is. So the optimum of
the capped problem is an upper bound, and the true optimum as soon as the best cycle crawls no
source at its cap; until then the caps that it uses are doubled.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..checks import count
from .dynamic_programming import best_cycle_mean
from .index import orbit
from .sources import Sources

MOST_SOURCES = 4
FIRST_CAP = 8
MOST_STATES = 4_000_000
CLOSE = 1e-13  # to x*, relative: then the cap makes no difference


def exact_optimum(sources: Sources, crawls_per_epoch: int) -> float:
    """Return the largest long-run reward per epoch with M of up to four sources crawled.

    Crawling fewer is never better: one more crawl takes less from that source's next crawl than it
    brings.

    Parameters
    ----------
    sources : Sources
    crawls_per_epoch : int
        M, from 1 to the number of sources.

    Raises
    ------
    ValueError
        If M is out of its range, there are more than four sources, or interest falls so slowly
        that the joint states are too many.

    Examples
    --------
    >>> from tres_lib import ephemeral
    >>> sources = ephemeral.Sources(alpha=[0.5, 0.5, 0.5], u=[4.0, 3.0, 1.0])
    >>> ephemeral.exact_optimum(sources, crawls_per_epoch=1)
    5.25
    """
    sources = sources.listed()
    n = len(sources)
    if n > MOST_SOURCES:
        raise ValueError(
            f"sources: {n} given, and joint states grow exponentially; give up to {MOST_SOURCES}, "
            "or use lagrangian_bound"
        )
    M = count("crawls_per_epoch", crawls_per_epoch, 1, n)
    caps = np.full(n, FIRST_CAP)
    while True:
        ages, reward, after = _joint(sources, M, caps)
        mean, states, actions = best_cycle_mean(reward, after)
        crawled = np.array(list(combinations(range(n), M)))[actions]
        capped = np.take_along_axis(ages[states] == caps, crawled, axis=1)
        used = np.unique(crawled[capped])
        if np.all(sources.alpha[used] ** caps[used] < CLOSE):
            return mean
        caps[used] *= 2


def _joint(sources: Sources, M: int, caps: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ages (S, N) of joint states, and reward and next state (A, S) of each action.

    States come in blocks, one for each set of M sources that may be at age 0; in a block
    the others' ages count up like the digits of a number.
    """
    n = len(caps)
    sets = list(combinations(range(n), M))
    blocks = [np.where(np.isin(range(n), crawled), 1, caps) for crawled in sets]
    sizes = [int(np.prod(block)) for block in blocks]
    if sum(sizes) > MOST_STATES:
        raise ValueError(
            f"sources: {sum(sizes):,} joint states, more than {MOST_STATES:,}; interest falls too "
            "slowly for the exact optimum, use lagrangian_bound"
        )
    starts = np.cumsum([0, *sizes[:-1]])
    ages = np.concatenate([_ages(crawled, caps) for crawled in sets])
    states = np.where(ages < caps, orbit(ages, sources.alpha, sources.u), sources.limit)
    reward = np.array([states[:, crawled].sum(axis=1) for crawled in sets])
    older = np.minimum(ages, caps - 1)  # the digit of age + 1, for ages from 1 on
    after = np.array(
        [
            start + np.ravel_multi_index(np.where(block > 1, older, 0).T, block)
            for start, block in zip(starts, blocks, strict=True)
        ]
    )
    return ages, reward, after


def _ages(crawled: tuple[int, ...], caps: np.ndarray) -> np.ndarray:
    """Return the ages of a block's states: 0 for those crawled, 1 to the cap for each other."""
    ranges = [[0] if i in crawled else range(1, cap + 1) for i, cap in enumerate(caps)]
    return np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, len(caps))
