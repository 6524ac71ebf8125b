"""The benchmark of refresh: schedulers on the same pages, changes and bandwidth."""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import quantile_test

from tres_webs.checks import generator, members, one_of, positive

from .changes import ChangeLog
from .schedulers import NO_PAGE, SCHEDULERS, Scheduler, Task

Maker = str | Callable[[Task], Scheduler]
REFERENCE = "optimum"


@dataclass(frozen=True, eq=False)
class Replay:
    """What became of a log's pages under a scheduler."""

    fresh: np.ndarray  # (m,) share of the time for which each was fresh
    freshness: float  # share of requests that were served fresh, expected given the fetches
    slots: np.ndarray  # (n,) times at which a page could be fetched
    fetched: np.ndarray  # (n,) the page, or NO_PAGE


def replay(scheduler: Maker, log: ChangeLog, bandwidth: float | np.ndarray, rng: int = 0) -> Replay:
    """Return how fresh a scheduler keeps pages from an empty cache, one fetch a slot.

    `bandwidth` is the number of slots per unit of time, at even intervals, or the times of all
    slots, (n,), in order.
    """
    slots = np.asarray(bandwidth, float)
    if slots.ndim == 0:
        total = positive("bandwidth", float(slots))
        slots = np.arange(1, total * log.horizon + 1e-9) / total
    if isinstance(scheduler, str):
        scheduler = SCHEDULERS[one_of("policies", scheduler, tuple(SCHEDULERS))]
    rate = len(slots) / log.horizon
    task = Task(log.request_rates, rate, log.horizon, generator("rng", rng), log)
    chooser = scheduler(task)
    members("policies", chooser, "choose(now)", "observe(page, now, changed)")
    fetched, fresh = _run(chooser, log, slots)
    weights = log.request_rates / log.request_rates.sum()
    return Replay(fresh / log.horizon, float(fresh @ weights) / log.horizon, slots, fetched)


def _run(chooser: Scheduler, log: ChangeLog, slots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the page of each slot, and the time for which each page was fresh."""
    changes = [[*times.tolist(), math.inf] for times in np.split(log.times, log.first[1:-1])]
    following = [0] * len(changes)  # each page's next change
    last: list[float | None] = [None] * len(changes)
    fresh, fetched = np.zeros(len(changes)), np.full(len(slots), NO_PAGE)
    signalled = getattr(chooser, "signalled", None)
    heard = np.searchsorted(log.signal_times, slots, "right").tolist() if signalled else []
    taken = 0
    for slot, now in enumerate(slots.tolist()):
        if signalled and heard[slot] > taken:
            signalled(log.signal_pages[taken : heard[slot]])
            taken = heard[slot]
        page = chooser.choose(now)
        if page == NO_PAGE:
            continue
        fetched[slot] = page
        change, since = changes[page][following[page]], last[page]
        if since is not None:
            fresh[page] += min(change, now) - since
        chooser.observe(page, now, None if since is None else change <= now)
        following[page] = bisect_right(changes[page], now, following[page])
        last[page] = now
    for page, since in enumerate(last):
        if since is not None:
            fresh[page] += min(changes[page][following[page]], log.horizon) - since
    return fetched, fresh


def scores(
    policies: Sequence[Maker], log: ChangeLog, bandwidth: float, rng: int = 0
) -> pd.DataFrame:
    """Return a row a policy, with its ``freshness``, ``share`` of the optimum's and ``spent``.

    The optimum refreshes at the best even intervals for the log's change rates.
    """
    best = replay(REFERENCE, log, bandwidth).freshness
    rows = []
    for policy in policies:
        done = replay(policy, log, bandwidth, rng)
        name = policy if isinstance(policy, str) else getattr(policy, "__name__", repr(policy))
        spent = float((done.fetched != NO_PAGE).mean())
        rows.append((name, done.freshness, done.freshness / best, spent))
    return pd.DataFrame(rows, columns=["policy", "freshness", "share", "spent"])


def ranking(rows: pd.DataFrame, by: Sequence[str] = ("policy",)) -> pd.DataFrame:
    """Return medians of `scores` over logs, with the 95 % interval of the median share.

    The interval is between order statistics, so it needs six logs; with fewer it is NaN.
    """
    groups = rows.groupby(list(by), sort=False)
    table = groups[["share", "freshness", "spent"]].median()
    ends = [quantile_test(g).confidence_interval() for _, g in groups["share"]]
    table.insert(1, "low", [end.low for end in ends])
    table.insert(2, "high", [end.high for end in ends])
    return table.assign(n=groups.size())


def compare_refresh(
    policies: Sequence[Maker],
    histories: ChangeLog | Sequence[ChangeLog],
    bandwidth: float,
    *,
    rng: int = 0,
) -> pd.DataFrame:
    """Return how close policies come to the optimum, on the same pages, changes and bandwidth.

    Time begins with an empty cache, and one page can be fetched at each of so many even moments per
    unit of time as the bandwidth says. The optimum knows all change rates and heeds no signals.

    Parameters
    ----------
    policies : list of str or callable
        Names of `SCHEDULERS`, and callables that make a `Scheduler` of a `Task`.
    histories : ChangeLog, or a list of them
        Drawn by `draw_changes`, or read by `load_histories`.
    bandwidth : float
        Fetches of all pages together per unit of time.

    Returns
    -------
    DataFrame
        A row a policy: ``share``, its freshness over the optimum's, the median of the n histories,
        with its 95 % interval, ``low`` to ``high``; the median ``freshness``, the share of requests
        served with the latest version; and the share of the bandwidth that it ``spent``.

    Examples
    --------
    >>> from tres_book.refresh import draw_changes
    >>> logs = [draw_changes(50, seed, days=60) for seed in range(6)]
    >>> table = compare_refresh(["uniform", "stormcrawler"], logs, bandwidth=10)
    >>> bool((table["share"] < 1).all())
    True
    """
    logs = [histories] if isinstance(histories, ChangeLog) else list(histories)
    return ranking(pd.concat([scores(policies, log, bandwidth, rng) for log in logs]))
