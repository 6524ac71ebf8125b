"""Chapter 05: who finds more. TRES against the best other, the Pareto front (Fig. 3), other webs.

Most functions take ``ends``, one row a crawl as `at_the_end` makes it. Of both objectives, harvest
rate and relevant domains, more is better.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..crawls.comparison import POINT
from ..crawls.record import crawls_of
from ..crawls.sweeps import ALL_LIMITS, LONG, NO_LIMIT, SECOND, TOPICS, WEBS, Crawlers, plan
from ..intervals import best_of
from ..study.study import Study

# By the first law and on Wikispeedia; there ACHE and SeedFinder take the best of all links.
PAPER_AND_OURS: Crawlers = dict.fromkeys(
    (
        *("random", "tree-random", "ache-global", "seedfinder-global", "async", "tres"),
        *("prospector", "best-first", "linear", "oracle", "bfs", "tres-async", "sync"),
    ),
    NO_LIMIT,
)
# By the second law ACHE and SeedFinder have all limits, though the paper has blanks where ACHE ran
# dry. They are those of their authors, and *-global controls.
FAITHFUL: Crawlers = {
    **dict.fromkeys(("random", "tree-random"), NO_LIMIT),
    **dict.fromkeys(("ache", "seedfinder", "async", "tres"), ALL_LIMITS),
    "tres-each-step": ("5", "5_2"),
    **dict.fromkeys(("best-first", "prospector"), ALL_LIMITS),
    **dict.fromkeys(("ache-global", "seedfinder-global", "parent", "linear"), NO_LIMIT),
    **dict.fromkeys(("tres-async", "tres-pretrained", "prospector-flat", "bfs"), NO_LIMIT),
    "oracle": NO_LIMIT,
}
SLOW = ("sync",)  # scores the whole frontier at each step: twelve times the cost of tres
REAL: dict[str, Any] = {"web": "wikispeedia", "budget": 4_000, "epochs": LONG["epochs"]}
# No competitors of TRES: the oracle sees the ground truth, Prospector was made after the claims,
# and the others are TRES itself with one thing changed.
APART = ("oracle", "prospector", "prospector-flat", "tres-pretrained", "tres-each-step")
NINE = (  # topics besides the paper's: the first of data/own_topics.yaml
    *("architecture", "astronomy", "chemistry", "christianity", "film", "inland waters"),
    *("law", "literature", "mammals"),
)
OF_NINE = ("tree-random", "ache", "seedfinder", "async", "tres", "best-first", "prospector")
TRIVIAL = ("random", "bfs", "oracle")  # that they come last, or first, says little


def studies() -> dict[str, Study]:
    """Return the crawls of the paper's length, ``second-topics`` on `NINE` topics.

    ``table-3`` is by the first law, without a limit; ``table-3-sync`` has its slowest policy.
    """
    free = plan(PAPER_AND_OURS, TOPICS, WEBS, **LONG)
    plans = {
        "table-3": [s for s in free if s["policy"] not in SLOW],
        "table-3-sync": [s for s in free if s["policy"] in SLOW],
        "wikispeedia": plan(PAPER_AND_OURS, TOPICS, WEBS, **REAL),
        "second-free": plan(FAITHFUL, TOPICS, WEBS, NO_LIMIT, **SECOND),
        "second-5_2": plan(FAITHFUL, TOPICS, WEBS, ("5_2",), **SECOND),
        "second-topics": plan(
            dict.fromkeys(OF_NINE, NO_LIMIT), NINE, range(5), **SECOND | {"budget": 5_000}
        ),
        "second-limits": plan(FAITHFUL, TOPICS, range(5), ("100", "10", "5"), **SECOND),
    }
    return {name: crawls_of(name, settings) for name, settings in plans.items()}


def best_others(ends: pd.DataFrame, value: str, group: Sequence[str]) -> pd.DataFrame:
    """Return the runs of the crawler that competes best with TRES in each group; see `best_of`."""
    others = ends[~ends["policy"].isin(["tres", *APART])]
    return best_of(others, value, group, "crawler")


def dominated(ends: pd.DataFrame) -> pd.DataFrame:
    """Return the mean point of each competitor, and whether one of TRES dominates it (Fig. 3)."""
    keys = ["topic", "policy", "limit", "crawler"]
    points = ends[~ends["policy"].isin(APART)].groupby(keys, sort=False)[POINT].mean().reset_index()
    own = points["policy"] == "tres"
    others = points[~own].copy()
    beaten = dominates(points.loc[own, POINT].to_numpy()[:, None], others[POINT].to_numpy())
    alike = points.loc[own, "topic"].to_numpy()[:, None] == others["topic"].to_numpy()
    return others.assign(dominated=(beaten & alike).any(axis=0)).reset_index(drop=True)


def limit_steps(ends: pd.DataFrame) -> pd.DataFrame:
    """Return what each fall of TRES's limit changes in each web that ran with both limits."""
    own = ends[ends["policy"] == "tres"]
    limits = list(own["limit"].unique())
    runs = own.set_index(["topic", "web_seed", "limit"])[POINT].unstack("limit")
    runs = runs.loc[list(own["topic"].unique())]
    tables = []
    for step in zip(limits[:-1], limits[1:], strict=True):
        before, after = (runs.xs(limit, axis=1, level="limit") for limit in step)
        tables.append((after - before).dropna().assign(step=" to ".join(step)).reset_index())
    return pd.concat(tables, ignore_index=True)[["topic", "step", "web_seed", *POINT]]


def orders(ends: Mapping[str, pd.DataFrame], value: str = "by the classifier") -> pd.DataFrame:
    """Return the mean of a column by topic and policy (rows), on each of several webs (columns).

    Crawls without a limit count, of policies that crawled on all webs.
    """
    free = {name: table[table["limit"] == "none"] for name, table in ends.items()}
    by = ["topic", "policy"]
    means = {name: table.groupby(by, sort=False)[value].mean() for name, table in free.items()}
    return pd.concat(means, axis=1, join="inner")


def agreement(means: pd.DataFrame) -> pd.DataFrame:
    """Return by topic Kendall's tau-b of the policies' orders on the two webs of `orders`."""
    from scipy.stats import kendalltau

    rows = {}
    for topic, table in means.groupby("topic", sort=False):
        test = kendalltau(table.iloc[:, 0], table.iloc[:, 1])
        rows[topic] = {"tau": test.statistic, "p": test.pvalue, "policies": len(table)}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("topic")


def dominates(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return whether points (..., d) are as good as others in all objectives, better in one."""
    return np.asarray((first >= second).all(axis=-1) & (first > second).any(axis=-1))
