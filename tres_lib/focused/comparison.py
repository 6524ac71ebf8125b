"""Crawls side by side: tables from the logs of a sweep of `trial`.

Every function takes ``logs``, the rows of many crawls' logs with the columns
``topic``, ``policy`` and ``web_seed`` that name each crawl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

RUN = ["topic", "policy", "web_seed"]
UNLEARNT = ("oracle", "best-first", "bfs")  # policies that do not explore


def over_time(logs: pd.DataFrame, points: int = 40) -> pd.DataFrame:
    """Harvest so far at about ``points`` steps of each crawl.

    Adds the columns ``harvest rate`` (by the classifier), ``true harvest rate`` (by the web's
    truth) and ``relevant found`` (number, by the truth) to the rows that it keeps.
    """
    steps = _steps(logs)
    runs = [steps[column] for column in RUN]
    truth = steps["relevant_true"].astype(float)
    found = truth.groupby(runs, sort=False).cumsum()
    steps["harvest rate"] = steps.groupby(RUN, sort=False)["reward"].cumsum() / steps["step"]
    steps["relevant found"], steps["true harvest rate"] = found, found / steps["step"]
    return steps[steps["step"] % max(int(steps["step"].max()) // points, 1) == 0]


def at_the_end(logs: pd.DataFrame, exploration: int = 0) -> pd.DataFrame:
    """One row a crawl: its harvest in per cent by the classifier, by the truth and by both ways
    of counting exploration, its relevant domains, and its length.

    Columns: those of the run, ``by the classifier``, ``by the truth``, ``after exploring`` (by the
    classifier, without the first ``exploration`` steps), ``domains`` and ``pages``.
    """
    steps = _steps(logs)
    steps["truth"] = 100 * steps["relevant_true"].astype(float)
    steps["judged"] = 100 * steps["reward"]
    runs = steps.groupby(RUN, sort=False)
    later = steps[steps["step"] > exploration].groupby(RUN, sort=False)["judged"].mean()
    domains = steps[steps["reward"] > 0].groupby(RUN, sort=False)["domain"].nunique()
    table = runs.agg(judged=("judged", "mean"), truth=("truth", "mean"), pages=("step", "max"))
    table["after exploring"], table["domains"] = later, domains
    names = {"judged": "by the classifier", "truth": "by the truth"}
    return table.rename(columns=names).fillna({"domains": 0}).reset_index()


def errors_by_kind(logs: pd.DataFrame) -> pd.DataFrame:
    """Fetched pages by kind (rows) and by truth and judgement (columns)."""
    import pandas as pd

    steps = _steps(logs)
    truth, judged = steps["relevant_true"].astype(bool), steps["reward"] > 0
    outcome = np.select(
        [judged & truth, judged & ~truth, ~judged & truth],
        ["relevant", "judged relevant, is not", "judged irrelevant, is relevant"],
        "irrelevant",
    )
    table = pd.crosstab(steps["kind"], pd.Series(outcome, steps.index, name="outcome"))
    return table.assign(all=table.sum(axis=1)).sort_values("all", ascending=False)


def cold_starts(logs: pd.DataFrame, exploration: int) -> pd.DataFrame:
    """Crawls of the policies that explore, and those that met no relevant page meanwhile."""
    first = logs[(logs["step"] > 0) & (logs["step"] <= exploration)]
    first = first[~first["policy"].isin(UNLEARNT)]
    failed = first.groupby(RUN, sort=False)["reward"].sum() == 0
    table = failed.groupby("policy", sort=False).agg(["size", "sum"])
    return table.set_axis(["crawls", "met no relevant page while exploring"], axis=1)


def _steps(logs: pd.DataFrame) -> pd.DataFrame:
    return logs[logs["step"] > 0].copy()
