"""Crawls side by side: tables from the logs of a sweep of `trial`.

Every function takes ``logs``, the rows of many crawls' logs with the columns ``topic``, ``policy``,
``limit`` and ``web_seed`` that name each crawl, or ``ends``, which `at_the_end` makes of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..focused.loop import SPENT

if TYPE_CHECKING:
    import pandas as pd

RUN = ["topic", "policy", "limit", "web_seed"]
UNLEARNT = ("oracle", "best-first", "linear", "bfs", "ache", "seedfinder")  # do not explore first
POINT = ["by the classifier", "domains"]  # the two objectives of Fig. 3
PRINTED = {  # as the paper's tables call them; ours in the same manner
    "random": "Random",
    "tree-random": "Tree-Random",
    "ache": "ACHE",
    "seedfinder": "SeedFinder",
    "async": "Async",
    "tres": "TRES",
    "tres-async": "TRES_Async",
    "tres-svm": "TRES_SVM",
    "tres-nh": "TRES_NH",
    "tres-gamma-0": "TRES_Gamma-0",
    "tres-gamma-0.6": "TRES_Gamma-.6",
    "tres-gamma-0.99": "TRES_Gamma-.99",
    "tres-outlinks": "TRES_Outlinks",
    "tres-best-of-3": "TRES_Best-of-3",
    "tres-no-tree": "TRES_No-Tree",
    "sync": "Sync",
    "best-first": "Best-First",
    "linear": "Linear",
    "bfs": "BFS",
    "oracle": "Oracle",
}


def crawler(policy: str, limit: str) -> str:
    """A policy with its limit as the paper writes it, such as TRES_5_2."""
    name = PRINTED.get(policy, policy)
    return name if limit == "none" else f"{name}_{limit}"


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


def at_the_end(logs: pd.DataFrame, exploration: int = 0, budget: int | None = None) -> pd.DataFrame:
    """One row a crawl: how much it found.

    Parameters
    ----------
    logs : DataFrame
    exploration : int
        Steps in which TRES explores.
    budget : int, optional
        Pages asked for. A crawl that ended early then counts as having fetched the missing pages
        in vain, so that it cannot shine by a good start; the paper leaves such crawls blank.
        Default: a rate is over the pages fetched (Eq. 6).

    Returns
    -------
    DataFrame
        Columns: those of the run, ``crawler`` (policy and limit), harvest rates in per cent
        ``by the classifier``, ``by the truth`` and ``after exploring`` (by the classifier, without
        the first steps), ``domains`` and ``true domains`` (relevant ones by either; Eq. 7),
        ``pages`` fetched and ``complete`` (the crawl did not run out of URLs).
    """
    taken, relevant = logs["step"] > 0, logs["relevant_true"].astype(float)
    steps = logs.assign(judged=logs["reward"].where(taken), truth=relevant.where(taken))
    steps["later"] = steps["judged"].where(steps["step"] > exploration)
    runs = steps.groupby(RUN, sort=False)
    means, pages = 100 * runs[["judged", "truth", "later"]].mean(), runs["step"].max()
    rates = means[["judged", "truth"]].mul(pages / pages.clip(lower=budget or 0), axis=0)
    table = rates.where(pages > 0, 0.0).set_axis(["by the classifier", "by the truth"], axis=1)
    table = table.assign(**{"after exploring": means["later"], "pages": pages})
    for name, column in {"domains": "judged", "true domains": "truth"}.items():
        found = steps[steps[column] > 0].groupby(RUN, sort=False)["domain"].nunique()
        table[name] = found.reindex(table.index, fill_value=0)
    table["complete"] = runs["stopped"].first() == SPENT
    table = table.reset_index()
    names = [crawler(*pair) for pair in zip(table["policy"], table["limit"], strict=True)]
    return table.assign(crawler=names)


def table_form(ends: pd.DataFrame, truth: bool = False) -> pd.DataFrame:
    """The two columns of Table 3, ``harvest rate %`` and ``domains``, as rows.

    Parameters
    ----------
    ends : DataFrame
    truth : bool
        By the web's truth rather than by the classifier.

    Returns
    -------
    DataFrame
        Columns ``topic``, ``crawler``, ``web_seed``, ``measure`` and ``value``.
    """
    chosen = ["by the truth", "true domains"] if truth else POINT
    names = dict(zip(chosen, ["harvest rate %", "domains"], strict=True))
    keys = ["topic", "crawler", "web_seed"]
    return ends[[*keys, *chosen]].rename(columns=names).melt(keys, var_name="measure")


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
