"""The paper's figures, to stand beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

TABLE_2 = {  # quantity: mean of three runs and their standard deviation, RL, then WL
    "downloaded": (540_636, 9_840, 669_673, 9_580),
    "sent": (9_747, 98, 6_345, 385),
    "relevant": (2_419, 45, 3_107, 60),
    "found_urls": (31_092, 1_050, 33_116, 3_370),
    "download_efficiency": (0.0045, 0.0001, 0.0046, 0.0001),
    "sent_efficiency": (0.248, 0.003, 0.49, 0.031),
    "relative_found_url": (0.058, 0.001, 0.05, 0.006),
    "freshness": (0.7, 0.006, 0.74, 0.011),
    "age_hours": (1.79, 0.04, 1.56, 0.08),
}
GRAPH = {  # Section 4.1: before, after the rewiring
    "in_exponent": (2.57, 2.57),
    "out_exponent": (1.3, 1.3),
    "clustering": (0.02, 0.003),
    "mean_distance": (7.2893, 8.2163),
}
NET_GAIN_OF_16 = 1_400  # score that 2 founders need to become 16: 100 for each new forager


def beside_paper(runs: pd.DataFrame) -> pd.DataFrame:
    """Table 2: the paper's means and standard deviations, and ours with 95 % intervals over webs.

    Parameters
    ----------
    runs : DataFrame
        Rows of `trial`; columns ``kind``, ``web_seed`` and those of Table 2. Runs of one web are
        averaged first, for they are not independent.

    Returns
    -------
    DataFrame
        A row for each quantity; columns "RL, paper", "WL, paper" and one for each kind.
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
        table[kind] = [_number(*_mean_and_half(rows[name])) for name in TABLE_2]
    return table


def _mean_and_half(values: pd.Series) -> tuple[float, float]:
    from scipy.stats import t

    n = len(values)
    half = t.ppf(0.975, n - 1) * values.std() / n**0.5 if n > 1 else float("nan")
    return float(values.mean()), float(half)


def _number(mean: float, spread: float) -> str:
    digits = 0 if abs(mean) >= 100 else 2 if abs(mean) >= 1 else 4 if abs(mean) < 0.01 else 3
    return f"{mean:,.{digits}f} ± {spread:,.{digits}f}"
