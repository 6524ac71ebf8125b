"""The public PoliteCrawling set of visits to pages, as a log of changes."""

import json
import os
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from tres_lib.refresh.estimators import estimate_change_rates
from tres_webs.checks import generator

from .changes import ChangeLog
from .signals import Signals

# Tab-separated, without a header, of one URL_ID a line, an integer, and: its importance; the time
# of the first visit and a list [[days since the visit before, 1 if changed since], ...]; the change
# rate a day, for the few pages whose sitemap listed all changes.
IMPORTANCE = "urlid_imp.txt"
HISTORY = "urlid_offset_history.txt"
COMPLETE = "urlid_chrate_compl_obs_hist.txt"


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
    none = Signals(np.ones(m), np.zeros(m)), np.zeros(0), np.zeros(0, np.int64)
    return ChangeLog(importance, rates, horizon, np.concatenate(times), first, *none)


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
