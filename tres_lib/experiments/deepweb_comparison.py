"""Crawls compared: one row a run, from the logs of `trial`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..deepweb.surfacing import Costs

if TYPE_CHECKING:
    import pandas as pd

RUN = ["site", "seed", "policy"]


def summary(logs: pd.DataFrame) -> pd.DataFrame:
    """One row a run, of what its whole log shows.

    Parameters
    ----------
    logs : DataFrame
        Logs with the columns ``site``, ``seed`` and ``policy``, which name a run.

    Returns
    -------
    DataFrame
        Besides these: ``coverage``, its mean over the queries in %; ``final``, its last value;
        ``fruitless``, the share in % of queries in the second half that brought nothing new; and
        ``agreement``, Spearman's correlation of expected and true response sizes, nan where the
        policy expects none.
    """
    import pandas as pd

    rows = []
    for run, log in logs.groupby(RUN, sort=False):
        late = log[log["query"] > len(log) / 2]
        told = log[log["expected_size"].notna()]
        known = told["expected_size"].nunique() > 1 and told["returned"].nunique() > 1
        rows.append(
            {
                **dict(zip(RUN, run, strict=True)),
                "coverage": 100 * log["coverage"].mean(),
                "final": 100 * log["coverage"].iloc[-1],
                "fruitless": 100 * (late["new"] == 0).mean(),
                "agreement": told["expected_size"].corr(told["returned"], method="spearman")
                if known
                else np.nan,
            }
        )
    return pd.DataFrame(rows)


def gains(runs: pd.DataFrame, policy: str, others: Sequence[str], value: str) -> pd.DataFrame:
    """What a policy has more than the best of others, in each run.

    The best is, on each site, the one of the highest mean over seeds.

    Parameters
    ----------
    runs : DataFrame
        As `summary` gives it.
    policy : str
    others : sequence of str
    value : str
        A column, of which more is better.

    Returns
    -------
    DataFrame
        One row for each site and seed: ``site``, ``seed``, ``best`` (its name) and ``gain``.

    Raises
    ------
    ValueError
        If a policy has no runs.
    """
    missing = {policy, *others} - set(runs["policy"])
    if missing:
        raise ValueError(f"policy, others: no runs of {', '.join(sorted(missing))}")
    import pandas as pd

    tables = []
    for site, rows in runs.groupby("site", sort=False):
        wide = rows.pivot(index="seed", columns="policy", values=value)
        best = wide[list(others)].mean().idxmax()
        gain = (wide[policy] - wide[best]).rename("gain").reset_index()
        tables.append(gain.assign(site=site, best=best))
    return pd.concat(tables, ignore_index=True)[["site", "seed", "best", "gain"]]


def coverage_at_cost(logs: pd.DataFrame, costs: Costs, grid: Sequence[float]) -> pd.DataFrame:
    """Each run's coverage at the costs of a grid, had its queries cost so much.

    Parameters
    ----------
    logs : DataFrame
        As for `summary`.
    costs : Costs
    grid : sequence of float

    Returns
    -------
    DataFrame
        One row for each run and cost, with the columns ``cost`` and ``coverage`` (a share).
    """
    import pandas as pd

    tables = []
    for run, log in logs.groupby(RUN, sort=False):
        spent = costs.of(log["pages"], log["returned"]).cumsum().to_numpy()
        share = np.concatenate([[0.0], log["coverage"].to_numpy()])
        reached = share[np.searchsorted(spent, grid, side="right")]
        table = pd.DataFrame({"cost": grid, "coverage": reached})
        tables.append(table.assign(**dict(zip(RUN, run, strict=True))))
    return pd.concat(tables, ignore_index=True)
