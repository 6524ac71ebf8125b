"""Means with confidence intervals over repeated runs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy import stats


def mean_interval(values: Iterable[float], level: float = 0.95) -> tuple[float, float, float]:
    """Return the mean of independent runs and Student's confidence interval of that mean.

    Parameters
    ----------
    values : iterable of float, shape (n,)
        One number a run.
    level : float
        Confidence level, between 0 and 1.

    Returns
    -------
    mean, low, high : float
        The bounds are nan for a single run, about whose spread nothing is known.

    Raises
    ------
    ValueError
        If there are no values, or `level` is not between 0 and 1.
    """
    x = np.asarray(list(values), dtype=float)
    if x.size == 0:
        raise ValueError("values: none given; an interval needs at least one run")
    if not 0 < level < 1:
        raise ValueError(f"level: {level} is not between 0 and 1; 0.95 is usual")
    mean = float(x.mean())
    if x.size == 1:
        return mean, np.nan, np.nan
    half = stats.t.ppf((1 + level) / 2, x.size - 1) * x.std(ddof=1) / np.sqrt(x.size)
    return mean, mean - float(half), mean + float(half)


def summarise(
    data: pd.DataFrame, by: str | list[str], value: str, level: float = 0.95
) -> pd.DataFrame:
    """Return one row a group with columns n, mean, low, high (see `mean_interval`).

    Parameters
    ----------
    data : DataFrame
        One row a run.
    by : str or list of str
        The columns that name a group; the groups keep the order in which they first occur.
    value : str
        The column to average.
    level : float
        Confidence level.

    Raises
    ------
    ValueError
        If a column is missing.
    """
    by = [by] if isinstance(by, str) else list(by)
    missing = [column for column in [*by, value] if column not in data]
    if missing:
        raise ValueError(f"columns: no {missing}; the table has {', '.join(map(str, data))}")
    rows = []
    for key, group in data.groupby(by, sort=False, dropna=False)[value]:
        rows.append((*key, len(group), *mean_interval(group, level)))
    return pd.DataFrame(rows, columns=[*by, "n", "mean", "low", "high"])


def interval_table(
    data: pd.DataFrame, rows: str | list[str], columns: str, value: str, digits: int = 1
) -> pd.DataFrame:
    """Return a table for readers, "mean [low, high]" in each cell (see `mean_interval`).

    Parameters
    ----------
    data : DataFrame
        One row a run.
    rows, columns : str or list of str
        The columns whose values head the rows and the columns, in the order of their occurrence.
    value : str
        The column to average.
    digits : int
        After the decimal point.
    """
    rows = [rows] if isinstance(rows, str) else list(rows)
    table = summarise(data, [*rows, columns], value)
    table["cell"] = [_cell(r.mean, r.low, r.high, digits) for r in table.itertuples()]
    cells = table.set_index([*rows, columns])["cell"].unstack(columns)
    order = table[rows].drop_duplicates()
    index = pd.Index(order[rows[0]]) if len(rows) == 1 else pd.MultiIndex.from_frame(order)
    return cells.reindex(index=index, columns=table[columns].unique())


def _cell(mean: float, low: float, high: float, digits: int) -> str:
    if np.isnan(low):
        return f"{mean:.{digits}f} (one run)"
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
