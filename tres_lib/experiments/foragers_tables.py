"""Tables of chapter 11: fleets compared web by web, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..study.intervals import mean_interval
from .foragers import TABLE_2

if TYPE_CHECKING:
    import pandas as pd

RUN = ["kind", "web_seed", "seed", "days", "rewiring", "reading", "news_signal"]
GRAPH = {  # Section 4.1: before, after the rewiring
    "in_exponent": (2.57, 2.57),
    "out_exponent": (1.3, 1.3),
    "clustering": (0.02, 0.003),
    "mean_distance": (7.2893, 8.2163),
}
NET_GAIN_OF_16 = 1_400  # score that 2 founders need to become 16: 100 for each new forager


def beside_paper(runs: pd.DataFrame) -> pd.DataFrame:
    """Return Table 2: means and standard deviations of the paper, 95 % intervals of ours.

    Rows are quantities; columns "RL, paper", "WL, paper" and one for each kind in `runs`, rows of
    `trial`. Runs of one web are not independent: they are averaged first, intervals are over webs.
    """
    import pandas as pd

    webs = runs.groupby(["kind", "web_seed"], sort=False)[list(TABLE_2)].mean()
    table = pd.DataFrame(
        {
            "RL, paper": [_number(m, s) for m, s, _, _ in TABLE_2.values()],
            "WL, paper": [_number(m, s) for _, _, m, s in TABLE_2.values()],
        },
        index=list(TABLE_2),
    )
    for kind in runs["kind"].unique():
        rows = webs.loc[kind]
        table[kind] = [_ours(rows[name]) for name in TABLE_2]
    return table


def _ours(values: pd.Series) -> str:
    mean, _, high = mean_interval(values)
    return _number(mean, high - mean)


def _number(mean: float, spread: float) -> str:
    digits = 0 if abs(mean) >= 100 else 2 if abs(mean) >= 1 else 4 if abs(mean) < 0.01 else 3
    return f"{mean:,.{digits}f} ± {spread:,.{digits}f}"


def whole_runs(windows: pd.DataFrame) -> pd.DataFrame:
    """Return one row per run, with its measures; ``foragers`` is the number at the end.

    Two are added: ``variation``, the coefficient of variation of the windows' download efficiency,
    and ``late_over_early``, its mean in the last third of the time over that in the first.
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
    """Return the logarithm of a measure's ratio, first over second, on each web, mean over seeds.

    Runs (`whole_runs`) that agree in ``web_seed``, ``seed`` and `by` are paired, one with the value
    `first` in the column, one with `second`. A run where the measure is 0 gives an infinite ratio
    and is not left out. Columns: those of `by`, ``web_seed`` and ``log_ratio``.

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


def ratio(
    runs: pd.DataFrame, measure: str, first: str = "WL", second: str = "RL"
) -> tuple[float, float, float]:
    """Return a measure's ratio, first over second: geometric mean over webs, 95 % interval."""
    logs = log_ratios(runs, measure, first, second)["log_ratio"]
    mean, low, high = np.exp(mean_interval(logs))
    return mean, low, high


def differences(
    runs: pd.DataFrame, measure: str, first: str = "WL", second: str = "RL"
) -> np.ndarray:
    """Return a measure's difference, first less second, on each web, mean over seeds: (webs,)."""
    means = runs.groupby(["kind", "web_seed"])[measure].mean()
    return (means[first] - means[second]).to_numpy()
