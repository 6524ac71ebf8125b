"""Means and shares with confidence intervals."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy  # its parts load when they are used

from tres_webs.checks import floats

Range = tuple[float, float]
#: The range of a percentage, which no interval may leave.
PER_CENT: Range = (0, 100)
LEVEL = 0.95  # of confidence


def mean_interval(
    values: Iterable[float], *, within: Range | None = None
) -> tuple[float, float, float]:
    """Return the mean of independent runs and Student's 95 % confidence interval of that mean.

    Values, (n,), are one number a run; the bounds are nan for a single run. `within` has the least
    and largest value that there can be, such as (0, 100) for a share in per cent. The interval is
    then taken on the logit scale, by the delta method, and stays in between.

    Examples
    --------
    >>> mean, low, high = mean_interval([0.5, 0.7, 0.6])
    >>> print(f"{mean:.2f} [{low:.2f}, {high:.2f}]")
    0.60 [0.35, 0.85]
    >>> mean, low, high = mean_interval([99, 100, 80], within=(0, 100))
    >>> print(f"{mean:.0f} [{low:.0f}, {high:.0f}]")
    93 [15, 100]
    """
    x = floats("values", list(values) if isinstance(values, Iterable) else values)
    if x.ndim != 1 or x.size == 0:
        raise ValueError("values: none given; an interval needs at least one run")
    mean = float(x.mean())
    if x.size == 1:
        return mean, np.nan, np.nan
    half = scipy.stats.t.ppf((1 + LEVEL) / 2, x.size - 1) * x.std(ddof=1) / np.sqrt(x.size)
    if within is None:
        return mean, mean - float(half), mean + float(half)
    least, most = within
    if x.min() < least or x.max() > most:
        raise ValueError(f"values: from {x.min()} to {x.max()}, not all within {within}")
    if not half:
        return mean, mean, mean
    share = (mean - least) / (most - least)
    spread = half / (most - least) / (share * (1 - share))
    ends = scipy.special.logit(share) + [-spread, spread]
    low, high = least + (most - least) * scipy.special.expit(ends)
    return mean, float(low), float(high)


def summarise(
    data: pd.DataFrame,
    by: str | list[str],
    value: str,
    *,
    within: Range | Mapping[Any, Range] | None = None,
) -> pd.DataFrame:
    """Return one row a group of runs with columns n, mean, low, high (see `mean_interval`).

    Columns `by` name a group of the data's rows, one a run; groups stay in the order in which they
    first occur. A mapping `within` has the range of a group by a value in its columns.
    """
    by = listed(by)
    check_columns(data, by=by, value=[value])
    rows = [
        (*key, len(group), *mean_interval(group, within=_range(key, within)))
        for key, group in data.groupby(by, sort=False, dropna=False)[value]
    ]
    return pd.DataFrame(rows, columns=[*by, "n", "mean", "low", "high"])


def paired(
    data: pd.DataFrame, value: str, on: Sequence[str], reference: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the runs with a column "reference": what a reference reached in equal surroundings.

    Columns `on`, such as topic and web seed, are equal in a pair. Rows of the reference, of which
    each pair needs one (else ValueError), are left out, and those without a reference.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": ["tres", "bfs"], "seed": [0, 0], "harvest": [0.5, 0.1]})
    >>> paired(runs, "harvest", on=["seed"], reference={"policy": "tres"})
      policy  seed  harvest  reference
    0    bfs     0      0.1        0.5
    """
    if not isinstance(reference, Mapping):
        raise ValueError(f"reference={reference!r}: give a dict, such as {{'policy': 'tres'}}")
    check_columns(data, value=[value], on=on, reference=reference)
    own = (data[list(reference)] == pd.Series(dict(reference))).all(axis=1)
    best = data.loc[own, [*on, value]].rename(columns={value: "reference"})
    if best.empty or best.duplicated(list(on)).any():
        raise ValueError(
            f"reference: {dict(reference)} names {len(best)} rows, which must be one for each "
            f"{', '.join(on)}; name more columns in `on` or in `reference`"
        )
    return data[~own].merge(best, on=list(on))


def best_of(
    data: pd.DataFrame, value: str, group: Sequence[str], by: str = "policy"
) -> pd.DataFrame:
    """Return the rows of the policy, by its column, whose mean is the highest in each group.

    It is found on the rows on which it is then compared, which favours it.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": ["a", "b", "b"], "topic": "food", "found": [5, 4, 9]})
    >>> best_of(runs, "found", ["topic"])[["topic", "policy", "found"]]
      topic policy  found
    0  food      b      4
    1  food      b      9
    """
    keys = [*group, by]
    check_columns(data, value=[value], group=keys)
    means = data.groupby(keys, sort=False)[value].mean()
    best = means.groupby(list(group), sort=False).idxmax()
    return pd.DataFrame(best.tolist(), columns=keys).merge(data, on=keys)


def interval_table(
    data: pd.DataFrame,
    rows: str | list[str],
    columns: str | list[str],
    value: str,
    digits: int = 1,
    *,
    within: Range | Mapping[Any, Range] | None = None,
) -> pd.DataFrame:
    """Return a table for readers, "mean [low, high]" in each cell (see `mean_interval`).

    The values of columns `rows` and `columns` head them, in the order of their occurrence. Digits
    are those after the decimal point; means from 100 on have none. For the rest see `summarise`.

    Examples
    --------
    >>> runs = pd.DataFrame({"policy": "tres", "topic": "food", "harvest": [0.5, 0.7, 0.6]})
    >>> interval_table(runs, "policy", "topic", "harvest", digits=2)
    topic                food
    policy
    tres    0.60 [0.35, 0.85]
    """
    rows, columns = (listed(names) for names in (rows, columns))
    table = summarise(data, [*rows, *columns], value, within=within)
    table["cell"] = [_cell(r.mean, r.low, r.high, digits) for r in table.itertuples()]
    return table.pivot_table("cell", rows, columns, aggfunc="first", sort=False)


def _range(key: tuple, within: Range | Mapping[Any, Range] | None) -> Range | None:
    if isinstance(within, Mapping):
        return next((within[part] for part in key if part in within), None)
    return within


def listed(names: str | list[str]) -> list[str]:
    """Return the names of columns as a list, also a single one."""
    return list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]


def check_columns(data: pd.DataFrame, **columns: Iterable[str]) -> None:
    """Raise ValueError unless data is a table that has the columns which each argument names."""
    if not isinstance(data, pd.DataFrame):
        raise ValueError(f"data={data!r}: give a DataFrame")
    for name, wanted in columns.items():
        missing = [column for column in wanted if column not in data]
        if missing:
            there = ", ".join(map(str, data))
            raise ValueError(f"{name}, columns: no {missing}; the table has {there}")


def _cell(mean: float, low: float, high: float, digits: int) -> str:
    digits = 0 if abs(mean) >= 100 else digits
    if np.isnan(low):
        return f"{mean:.{digits}f} (one run)"
    return f"{mean:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
