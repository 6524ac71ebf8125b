"""Fleets compared web by web, from the rows of a sweep of `trial`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

RUN = ["kind", "web_seed", "seed", "days", "rewiring", "reading", "news_signal"]


def whole_runs(windows: pd.DataFrame) -> pd.DataFrame:
    """One row a run, with its measures; ``variation`` and ``late_over_early`` are added.

    Returns
    -------
    DataFrame
        ``variation`` is the coefficient of variation of the download efficiency of the windows,
        ``late_over_early`` its mean in the last third of the time over that in the first.
        ``foragers`` is the number at the end.
    """
    runs = windows.groupby(RUN, sort=False)
    table = runs.last()
    efficiency = (windows["finds"] / windows["downloads"]).groupby([windows[n] for n in RUN])
    share = windows["hours"] / (24 * windows["days"])
    late, early = (
        windows[chosen].groupby(RUN)[["finds", "downloads"]].sum()
        for chosen in (share > 2 / 3, share <= 1 / 3)
    )
    grown = (late["finds"] / late["downloads"]) / (early["finds"] / early["downloads"])
    return table.assign(
        variation=efficiency.std() / efficiency.mean(), late_over_early=grown
    ).reset_index()


def log_ratios(
    runs: pd.DataFrame,
    measure: str,
    first: str = "WL",
    second: str = "RL",
    by: Sequence[str] = (),
    column: str = "kind",
) -> pd.DataFrame:
    """Logarithm of a measure's ratio, first over second, on each web.

    Parameters
    ----------
    runs : DataFrame
        One row a run (`whole_runs`). Runs that agree in ``web_seed``, ``seed`` and `by` are paired.
    measure : str
        A positive measure; a run where it is 0 gives an infinite ratio and is not left out.
    first, second : str
        Values of `column`.
    by : sequence of str
        Columns that tell apart what is not to be mixed.
    column : str
        Of the values that are compared.

    Returns
    -------
    DataFrame
        One row for each of `by` and web, with ``log_ratio``, its mean over seeds.

    Raises
    ------
    ValueError
        If no runs can be paired.
    """
    keys = [*by, "web_seed", "seed"]
    pairs = runs[runs[column] == first].merge(
        runs[runs[column] == second], on=keys, suffixes=("", "_other")
    )
    if pairs.empty:
        raise ValueError(f"runs: none of {first} and {second} agree in {', '.join(keys)}")
    ratio = np.log(pairs[measure] / pairs[f"{measure}_other"])
    return (
        pairs.assign(log_ratio=ratio)
        .groupby(keys[:-1], sort=False)["log_ratio"]
        .mean()
        .reset_index()
    )


def differences(
    runs: pd.DataFrame, measure: str, first: str = "WL", second: str = "RL"
) -> np.ndarray:
    """A measure's difference, first less second, on each web, mean over seeds: (webs,)."""
    means = runs.groupby(["kind", "web_seed"])[measure].mean()
    return (means[first] - means[second]).to_numpy()
