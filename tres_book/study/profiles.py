"""Robust comparisons of policies over runs: interquartile means and performance profiles.

R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville and M. G. Bellemare, Deep reinforcement
learning at the edge of the statistical precipice, NeurIPS 2021. The authors' package, rliable,
wants equally many runs in all strata, which these need not have.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import scipy

from ..intervals import check_columns, listed

RESAMPLES = 2_000  # of a bootstrap


def interquartile_means(
    data: pd.DataFrame, by: str | list[str], value: str, strata: str
) -> pd.DataFrame:
    """Return the mean of the middle half of each group's runs, with a 95 % bootstrap interval.

    It is less moved by single bad runs than the mean, and steadier than the median (Section 4.3).
    Runs are drawn with replacement among those of one stratum, such as a topic; the interval is
    nan where one has a single run. For the rest see `tres_book.intervals.summarise`.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": "tres", "topic": "food", "found": [1, 8, 9, 10, 11, 50]})
    >>> interquartile_means(runs, "policy", "found", "topic")[["policy", "n", "mean"]]
      policy  n  mean
    0   tres  6   9.5
    """
    rows = []
    for key, group, drawn in _drawn(data, by, value, strata):
        means = scipy.stats.trim_mean(drawn, 0.25, axis=1)
        rows.append((*key, len(group), scipy.stats.trim_mean(group, 0.25), *_bounds(means)))
    return pd.DataFrame(rows, columns=[*listed(by), "n", "mean", "low", "high"])


def performance_profiles(
    data: pd.DataFrame,
    by: str | list[str],
    value: str,
    strata: str,
    levels: Iterable[float] = range(101),
) -> pd.DataFrame:
    """Return the share of each group's runs that reach each level, with a 95 % bootstrap interval.

    A group whose profile is higher everywhere is better at any level asked for (Section 4.2). The
    result has a row a group and level: the columns `by`, `value` (the level), share, low and high.
    For the arguments see `interquartile_means`.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": "tres", "topic": "food", "found": [1, 8, 9, 10]})
    >>> performance_profiles(runs, "policy", "found", "topic", [0, 5, 10])["share"].tolist()
    [1.0, 0.75, 0.25]
    """
    asked = np.asarray([*levels], dtype=float)
    tables = []
    for key, group, drawn in _drawn(data, by, value, strata):
        some = np.where(np.isnan(drawn), np.nan, 1.0)
        low, high = np.array([_bounds((some * (drawn >= x)).mean(axis=1)) for x in asked]).T
        share = (group[:, None] >= asked).mean(axis=0)
        table = pd.DataFrame({value: asked, "share": share, "low": low, "high": high})
        tables.append(table.assign(**dict(zip(listed(by), key, strict=True))))
    return pd.concat(tables, ignore_index=True)[[*listed(by), value, "share", "low", "high"]]


def _drawn(
    data: pd.DataFrame, by: str | list[str], value: str, strata: str
) -> Iterator[tuple[tuple[Any, ...], np.ndarray, np.ndarray]]:
    """Yield each group's key, values (n,) and bootstrap samples (RESAMPLES, n).

    Samples are drawn with replacement within strata; they are nan where one has a single run.
    """
    by = listed(by)
    check_columns(data, by=by, value=[value], strata=[strata])
    for key, group in data.groupby(by, sort=False):
        draws = np.random.default_rng(0)
        parts = [part.to_numpy(float) for _, part in group.groupby(strata, sort=False)[value]]
        drawn = np.hstack([draws.choice(part, (RESAMPLES, len(part))) for part in parts])
        several = all(len(part) > 1 for part in parts)
        yield key, group[value].to_numpy(float), drawn if several else np.full_like(drawn, np.nan)


def _bounds(estimates: np.ndarray) -> np.ndarray:
    return np.quantile(estimates, [0.025, 0.975])
