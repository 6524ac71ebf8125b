"""Tables of many crawls: the harvest over time, and what each found in the end.

Functions take ``logs``, the rows of many crawls' logs with the columns ``topic``, ``policy``,
``limit`` and ``web_seed`` that name each crawl, and ``stopped``.
"""

import pandas as pd

from ..loop import SPENT

RUN = ["topic", "policy", "limit", "web_seed"]
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
    "prospector": "Prospector",
    "best-first": "Best-First",
    "linear": "Linear",
    "bfs": "BFS",
    "oracle": "Oracle",
}


def crawler(policy: str, limit: str) -> str:
    """Return a policy with its limit as the paper writes it, such as TRES_5_2."""
    name = PRINTED.get(policy, policy)
    return name if limit == "none" else f"{name}_{limit}"


def over_time(logs: pd.DataFrame, points: int = 40) -> pd.DataFrame:
    """Return the harvest so far at about ``points`` steps of each crawl.

    The rows are those of the logs, with the columns ``harvest rate`` (by the classifier),
    ``true harvest rate`` (by the ground truth) and ``relevant found`` (number, by the truth).
    """
    steps = logs[logs["step"] > 0].copy()
    runs = [steps[column] for column in RUN]
    truth = steps["relevant_true"].astype(float)
    steps["harvest rate"] = steps.groupby(RUN, sort=False)["reward"].cumsum() / steps["step"]
    steps["relevant found"] = truth.groupby(runs, sort=False).cumsum()
    steps["true harvest rate"] = steps["relevant found"] / steps["step"]
    return steps[steps["step"] % max(int(steps["step"].max()) // points, 1) == 0]


def at_the_end(logs: pd.DataFrame, exploration: int = 0, budget: int | None = None) -> pd.DataFrame:
    """Return how much each crawl found, one row a crawl.

    TRES explores in the first `exploration` steps. With a `budget`, pages asked for, a crawl that
    ended early counts as having fetched the missing pages in vain, so that it cannot shine by a
    good start; the paper leaves such crawls blank. Without, a rate is over the pages fetched
    (Eq. 6).

    Columns: those of the run, ``crawler`` (policy and limit), harvest rates in per cent
    ``by the classifier``, ``by the truth`` and ``after exploring`` (by the classifier, without the
    first steps), ``domains`` and ``true domains`` (relevant ones by either; Eq. 7), ``pages``
    fetched and ``complete`` (the crawl did not run out of URLs).
    """
    taken = logs["step"] > 0
    relevant = logs["relevant_true"].astype(float)
    steps = logs.assign(found=logs["reward"].where(taken), truth=relevant.where(taken))
    steps["later"] = steps["found"].where(steps["step"] > exploration)
    runs = steps.groupby(RUN, sort=False)
    pages = runs["step"].max()
    means = 100 * runs[["found", "truth", "later"]].mean()
    rates = means[["found", "truth"]].mul(pages / pages.clip(lower=budget or 0), axis=0)
    table = rates.where(pages > 0, 0.0).set_axis(["by the classifier", "by the truth"], axis=1)
    table = table.assign(**{"after exploring": means["later"], "pages": pages})
    for name, column in {"domains": "found", "true domains": "truth"}.items():
        found = steps[steps[column] > 0].groupby(RUN, sort=False)["domain"].nunique()
        table[name] = found.reindex(table.index, fill_value=0)
    table["complete"] = runs["stopped"].first() == SPENT
    table = table.reset_index()
    names = [crawler(*pair) for pair in zip(table["policy"], table["limit"], strict=True)]
    return table.assign(crawler=names)
