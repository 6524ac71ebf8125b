"""Chapter 04: one crawl, opened up. Its errors, its tree, its way through the web."""

from typing import Any

import numpy as np
import pandas as pd

from tres_lib.focused.features import FEATURES
from tres_lib.focused.tres.tree_frontier import TreeFrontier

from ..crawls import stored
from ..intervals import paired, summarise
from ..study.findings import of_table


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
