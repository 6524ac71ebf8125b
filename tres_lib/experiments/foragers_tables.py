"""Tables of chapter 11: fleets compared web by web, beside the paper's figures."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..study.intervals import mean_interval
from .foragers import TABLE_2

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
    webs = runs.groupby(["kind", "web_seed"], sort=False)[list(TABLE_2)].mean()
    paper = [(_number(*given[:2]), _number(*given[2:])) for given in TABLE_2.values()]
    table = pd.DataFrame(paper, index=list(TABLE_2), columns=["RL, paper", "WL, paper"])
    for kind in runs["kind"].unique():
        table[kind] = [_ours(webs.loc[kind, name]) for name in TABLE_2]
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
    table = windows.groupby(RUN, sort=False).last()
    efficiency = (windows["finds"] / windows["downloads"]).groupby([windows[n] for n in RUN])
    share = windows["hours"] / (24 * windows["days"])
    late, early = (
        windows[chosen].groupby(RUN)[["finds", "downloads"]].sum()
        for chosen in (share > 2 / 3, share <= 1 / 3)
    )
    grown = (late["finds"] / late["downloads"]) / (early["finds"] / early["downloads"])
    variation = efficiency.std() / efficiency.mean()
    return table.assign(variation=variation, late_over_early=grown).reset_index()


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
    `first` in the column, one with `second`; ValueError if there are none. A run where the measure
    is 0 gives an infinite ratio. Columns: those of `by`, ``web_seed`` and ``log_ratio``.
    """
    keys = [*by, "web_seed", "seed"]
    one, other = (runs[runs[column] == value] for value in (first, second))
    pairs = one.merge(other, on=keys, suffixes=("", "_other"))
    if pairs.empty:
        raise ValueError(f"runs: none of {first} and {second} agree in {', '.join(keys)}")
    pairs["log_ratio"] = np.log(pairs[measure] / pairs[f"{measure}_other"])
    return pairs.groupby(keys[:-1], sort=False)["log_ratio"].mean().reset_index()


def ratio(
    runs: pd.DataFrame, measure: str, first: str = "WL", second: str = "RL"
) -> tuple[float, float, float]:
    """Return a measure's ratio, first over second: geometric mean over webs, 95 % interval."""
    mean, low, high = np.exp(mean_interval(log_ratios(runs, measure, first, second)["log_ratio"]))
    return mean, low, high


def differences(
    runs: pd.DataFrame, measure: str, first: str = "WL", second: str = "RL"
) -> np.ndarray:
    """Return a measure's difference, first less second, on each web, mean over seeds: (webs,)."""
    means = runs.groupby(["kind", "web_seed"])[measure].mean()
    return (means[first] - means[second]).to_numpy()
