"""Chapter 04: one crawl, opened up. Its errors, its tree, its way through the web."""

from typing import Any

import numpy as np
import pandas as pd

from tres_lib.focused.features import FEATURES
from tres_lib.focused.tres.tree_frontier import TreeFrontier

from ..crawls import stored
from ..crawls.comparison import RUN
from ..intervals import paired, summarise
from ..study.findings import of_table

STRAIGHT = (  # do not explore first
    *("oracle", "prospector", "prospector-flat", "best-first", "parent", "linear"),
    *("bfs", "ache", "ache-global", "seedfinder", "seedfinder-global"),
)


def errors_by_kind(logs: pd.DataFrame) -> pd.DataFrame:
    """Count fetched pages by kind (rows), and by ground truth and classification (columns)."""
    steps = logs[logs["step"] > 0]
    truth = steps["relevant_true"].astype(bool)
    taken = steps["reward"] > 0
    sign = taken.map({True: "positive", False: "negative"})
    outcome = (taken == truth).map({True: "true ", False: "false "}) + sign
    table = pd.crosstab(steps["kind"], outcome.rename("outcome"))
    return table.assign(all=table.sum(axis=1)).sort_values("all", ascending=False)


def cold_starts(logs: pd.DataFrame, exploration: int) -> pd.DataFrame:
    """Count crawls of the policies that explore, and those that met no relevant page meanwhile."""
    first = logs[(logs["step"] > 0) & (logs["step"] <= exploration)]
    first = first[~first["policy"].isin(STRAIGHT)]
    failed = first.groupby(RUN, sort=False)["reward"].sum() == 0
    table = failed.groupby("policy", sort=False).agg(["size", "sum"])
    return table.set_axis(["crawls", "met no relevant page while exploring"], axis=1)


def lead_over_best_first(ends: pd.DataFrame, judge: str) -> pd.DataFrame:
    """Return TRES less best-first in points, by topic, in crawls of full links without a limit."""
    free = ends[(ends["limit"] == "none") & (ends.get("muted", 0) == 0)]
    own = free[free["policy"].isin(["tres", "best-first"])]
    pairs = paired(own, judge, ["topic", "web_seed"], {"policy": "best-first"})
    return summarise(pairs.assign(points=pairs[judge] - pairs["reference"]), "topic", "points")


def figures() -> dict[str, Any]:
    """Return `lead_over_best_first` in long and short crawls."""
    names = {"long": "second-free", "short": "prospector-second-short"}
    judges = {"classifier": "by the classifier", "truth": "by the truth"}
    return {
        f"{length}_by_{name}": of_table(lead_over_best_first(stored.ends(study), judge), "topic")
        for length, study in names.items()
        for name, judge in judges.items()
    }


def spreads(table: pd.DataFrame, by: list[str], columns: str, value: str) -> pd.DataFrame:
    """Return mean and range of runs too few for an interval in cells such as "62 (57 to 66)"."""
    found = table.groupby([*by, columns], sort=False)[value].agg(["mean", "min", "max"])
    cells = found.apply("{0[mean]:.0f} ({0[min]:.0f} to {0[max]:.0f})".format, axis=1)
    return cells.unstack(columns, sort=False)


def tree_in_words(tree: TreeFrontier, depth: int = 3) -> pd.DataFrame:
    """Return the top of a tree for `figures.tree`: each node's parent, text and mean reward."""
    nodes = tree.nodes()
    top = nodes[nodes["depth"] <= depth].copy()
    cut = top["leaf"] | (top["depth"] == depth)
    top["text"] = [
        f"{FEATURES[f]}\n< {c:.2g}?" if not end else f"{n:,} links\nreward {r:.2f}"
        for f, c, end, n, r in zip(
            top["feature"], top["threshold"], cut, top["frontier"], top["mean_reward"], strict=True
        )
    ]
    top["mean"] = top["mean_reward"].fillna(0.0)
    top["parent"] = top["parent"].where(top["parent"] >= 0, np.nan)
    return top.sort_values("depth", kind="stable")[["parent", "text", "mean"]]


def site_map(log: pd.DataFrame, most: int = 120) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a crawl's steps between the domains that it visited most, and these; `crawl_map`."""
    visits = log.groupby("domain")["reward"]
    sites = pd.DataFrame({"pages": visits.size(), "harvest": visits.mean()})
    sites = sites.sort_values("pages", ascending=False, kind="stable").head(most)
    source = log["parent"].map(dict(zip(log["url"], log["domain"], strict=True)))
    pairs = pd.DataFrame({"source": source, "target": log["domain"]})
    pairs = pairs[pairs["source"].isin(sites.index) & pairs["target"].isin(sites.index)]
    pairs = pairs[pairs["source"] != pairs["target"]]
    return pairs.value_counts().rename("steps").reset_index(), sites
