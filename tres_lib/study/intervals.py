"""Means with confidence intervals over repeated runs."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
        The bounds are nan for a single run.

    Raises
    ------
    ValueError
        If there are no values, or `level` is not between 0 and 1.

    Examples
    --------
    >>> mean, low, high = mean_interval([0.5, 0.7, 0.6])
    >>> print(f"{mean:.2f} [{low:.2f}, {high:.2f}]")
    0.60 [0.35, 0.85]
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


def summarise(data: pd.DataFrame, by: str | list[str], value: str) -> pd.DataFrame:
    """Return one row a group of runs with columns n, mean, low, high (see `mean_interval`).

    Parameters
    ----------
    data : DataFrame
        One row per run.
    by : str or list of str
        The columns that name a group; the groups keep the order in which they first occur.
    value : str
        The column to average.

    Raises
    ------
    ValueError
        If a column is missing.
    """
    by = _listed(by)
    missing = [column for column in [*by, value] if column not in data]
    if missing:
        raise ValueError(f"columns: no {missing}; the table has {', '.join(map(str, data))}")
    rows = [
        (*key, len(group), *mean_interval(group))
        for key, group in data.groupby(by, sort=False, dropna=False)[value]
    ]
    return pd.DataFrame(rows, columns=[*by, "n", "mean", "low", "high"])


def paired(
    data: pd.DataFrame, value: str, on: Sequence[str], reference: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the runs with a column "reference": what a reference reached in equal surroundings.

    Parameters
    ----------
    data : DataFrame
        One row per run.
    value : str
        The column to compare.
    on : sequence of str
        Columns that are equal in a pair, such as topic and web seed.
    reference : mapping
        The values that tell the reference's rows, such as ``{"policy": "tres"}``. The result has
        the other rows, less those without a reference.

    Raises
    ------
    ValueError
        If no row is the reference, or several are in the same surroundings.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": ["tres", "bfs"], "seed": [0, 0], "harvest": [0.5, 0.1]})
    >>> paired(runs, "harvest", on=["seed"], reference={"policy": "tres"})
      policy  seed  harvest  reference
    0    bfs     0      0.1        0.5
    """
    own = (data[list(reference)] == pd.Series(dict(reference))).all(axis=1)
    found = data.loc[own, [*on, value]].rename(columns={value: "reference"})
    if found.empty or found.duplicated(list(on)).any():
        raise ValueError(
            f"reference: {dict(reference)} names {len(found)} rows, which must be one for each "
            f"{', '.join(on)}; name more columns in `on` or in `reference`"
        )
    return data[~own].merge(found, on=list(on))


def interval_table(
    data: pd.DataFrame, rows: str | list[str], columns: str | list[str], value: str, digits: int = 1
) -> pd.DataFrame:
    """Return a table for readers, "mean [low, high]" in each cell (see `mean_interval`).

    Parameters
    ----------
    data : DataFrame
        One row per run.
    rows, columns : str or list of str
        The columns whose values head the rows and the columns, in the order of their occurrence.
    value : str
        The column to average.
    digits : int
        After the decimal point; means from 100 on have none.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": "tres", "topic": "food", "harvest": [0.5, 0.7, 0.6]})
    >>> interval_table(runs, "policy", "topic", "harvest", digits=2)
    topic                food
    policy
    tres    0.60 [0.35, 0.85]
    """
    rows, columns = (_listed(names) for names in (rows, columns))
    table = summarise(data, [*rows, *columns], value)
    table["cell"] = [_cell(r.mean, r.low, r.high, digits) for r in table.itertuples()]
    return table.pivot_table("cell", rows, columns, aggfunc="first", sort=False)


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _cell(mean: float, low: float, high: float, digits: int) -> str:
    digits = 0 if abs(mean) >= 100 else digits
    if np.isnan(low):
        return f"{mean:.{digits}f} (one run)"
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
