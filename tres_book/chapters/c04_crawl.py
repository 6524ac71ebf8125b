"""Chapter 04: one crawl, opened up. Its errors, its tree, its way through the web."""

from typing import Any

import numpy as np
import pandas as pd

from tres_lib.focused.features import FEATURES
from tres_lib.focused.tres.tree_frontier import TreeFrontier

from ..crawls import stored
from ..crawls.comparison import JUDGE, TRUTH, ahead
from ..intervals import summarise
from ..study.findings import of_table


def lead_over_best_first(ends: pd.DataFrame, judge: str) -> pd.DataFrame:
    """Return TRES less best-first in points, by topic, in crawls of full links without a limit."""
    free = ends[(ends["limit"] == "none") & (ends.get("muted", 0) == 0)]
    return summarise(
        ahead(free[free["policy"].isin(["tres", "best-first"])], judge), "topic", "lead"
    )


def figures() -> dict[str, Any]:
    """Return `lead_over_best_first` in long and short crawls."""
    long, short = stored.ends("second-free"), stored.ends("prospector-second-short")
    tables = {
        "long_by_classifier": lead_over_best_first(long, JUDGE),
        "long_by_truth": lead_over_best_first(long, TRUTH),
        "short_by_classifier": lead_over_best_first(short, JUDGE),
    }
    return {name: of_table(table, "topic") for name, table in tables.items()}


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
