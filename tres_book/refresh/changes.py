"""Logs of all changes of pages, and of their signals, on which schedulers are replayed."""

import json
import os
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from tres_lib.refresh.estimators import estimate_change_rates
from tres_lib.refresh.simulate import sample_pages
from tres_webs.checks import count, generator, number, positive

from .signals import Signals

# The public PoliteCrawling set: tab-separated, without a header, of one URL_ID a line, an integer,
# and: its importance; the time of the first visit and a list [[days since the visit before, 1 if
# changed since], ...]; the change rate a day, for the few pages whose sitemap listed all changes.
IMPORTANCE = "urlid_imp.txt"
HISTORY = "urlid_offset_history.txt"
COMPLETE = "urlid_chrate_compl_obs_hist.txt"


@dataclass(frozen=True, eq=False)
class ChangeLog:
    """The changes of m pages from time 0 to the horizon."""

    request_rates: np.ndarray  # (m,)
    change_rates: np.ndarray  # (m,) the truth, or an estimate from the whole log
    horizon: float
    times: np.ndarray  # (n,) of all changes, by page, and a page's in order
    first: np.ndarray  # (m + 1,) where a page's begin, and the last ends
    signals: Signals = Signals()
    signal_times: np.ndarray = field(default_factory=lambda: np.zeros(0))  # (k,) in order
    signal_pages: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))  # (k,)


def draw_changes(
    n: int,
    rng: np.random.Generator | int,
    days: float = 365.0,
    precision: float = 1.0,
    recall: float = 0.0,
) -> ChangeLog:
    """Draw the changes and signals of n pages by `sample_pages`, both Poisson processes.

    Examples
    --------
    >>> log = draw_changes(100, rng=0, days=30, precision=0.8, recall=0.5)
    >>> len(log.first), bool(log.times.max() < 30)
    (101, True)
    """
    positive("days", days)
    number("precision", positive("precision", precision), 0, 1)
    number("recall", recall, 0, 1)
    law, drawing = generator("rng", rng).spawn(2)
    change_rates, request_rates = sample_pages(count("n", n), law)
    pages, times = _poisson(change_rates * days, days, drawing)
    drawing.random(n)  # stored runs drew here which pages have signals: all
    true = drawing.random(len(times)) < recall
    false = _poisson(recall * change_rates * (1 / precision - 1) * days, days, drawing)
    signal_times = np.concatenate([times[true], false[1]])
    order = np.argsort(signal_times)
    signal_pages = np.concatenate([pages[true], false[0]])[order]
    first, signals = np.searchsorted(pages, np.arange(n + 1)), Signals(precision, recall)
    known = request_rates, change_rates, days, times, first, signals
    return ChangeLog(*known, signal_times[order], signal_pages)


def _poisson(
    expected: np.ndarray, days: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return pages and times of events, by page and time."""
    pages = np.repeat(np.arange(len(expected)), rng.poisson(expected))
    return pages, days * (np.sort(pages + rng.random(len(pages))) - pages)


def load_histories(
    path: str | os.PathLike, limit: int | None = None, rng: np.random.Generator | int = 0
) -> ChangeLog:
    """Return changes that agree with the visits to the first `limit` pages of a folder.

    A visit that found a change tells that there was one since the visit before: one is placed
    between them at random. Shorter histories begin anew until the end of the longest. There are no
    signals, and rates that are not known are estimated from the whole history.

    References
    ----------
    A. Kolobov, Y. Peres, C. Lu and E. Horvitz, Staying up to date with online content changes
    using reinforcement learning for scheduling, NeurIPS 2019; the repository
    microsoft/Optimal-Freshness-Crawl-Scheduling has the set: 14 weeks of about 18 million URLs,
    without the pages that never changed in that time.
    """
    folder, rng = Path(path), generator("rng", rng)
    if not all((folder / name).is_file() for name in (IMPORTANCE, HISTORY, COMPLETE)):
        raise ValueError(f"path={str(path)!r}: give a folder with {IMPORTANCE} and its like")
    with open(folder / HISTORY, encoding="utf-8") as file:
        lines = [line.split("\t") for line in islice(file, limit)]
    visits = [np.array(json.loads(pairs), float).reshape(-1, 2) for _, _, pairs in lines]
    m, horizon = len(visits), max(float(of[:, 0].sum()) for of in visits)
    urls = [int(url) for url, _, _ in lines]
    importance, known = (_column(folder / name, urls) for name in (IMPORTANCE, COMPLETE))
    gaps, changed = np.concatenate(visits).T
    pages = np.repeat(np.arange(m), [len(of) for of in visits])
    rates = np.where(np.isnan(known), estimate_change_rates(changed == 1, gaps, pages, m), known)
    times = [_changes(of[:, 0], of[:, 1], horizon, rng) for of in visits]
    first = np.concatenate([[0], np.cumsum([len(some) for some in times])])
    return ChangeLog(importance, rates, horizon, np.concatenate(times), first)


def _changes(
    gaps: np.ndarray, changed: np.ndarray, horizon: float, rng: np.random.Generator
) -> np.ndarray:
    """Return times of changes until the horizon, as seen by visits that begin anew at their end."""
    found = (gaps.cumsum() - rng.random(len(gaps)) * gaps)[changed == 1]
    span = gaps.sum() if len(gaps) else horizon
    times = np.arange(np.ceil(horizon / span))[:, None] * span + found
    return times[times < horizon]


def _column(path: Path, urls: list[int]) -> np.ndarray:
    """Return the numbers of a file for these pages, NaN where it has none."""
    return pd.read_csv(path, sep="\t", header=None, index_col=0)[1].reindex(urls).to_numpy(float)
