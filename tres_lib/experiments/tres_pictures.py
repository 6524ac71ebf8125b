"""Tables for pictures of a crawl: its tree in words, its way from site to site."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..focused.features import FEATURES

if TYPE_CHECKING:
    import pandas as pd

    from ..focused.tres.tree_frontier import TreeFrontier


def tree_in_words(tree: TreeFrontier, depth: int = 3) -> pd.DataFrame:
    """The top of a tree, its splits in words.

    Returns
    -------
    DataFrame
        Indexed by node, parents first, left before right; columns ``parent`` (NaN at the
        root), ``text`` and ``mean`` (mean reward of the experiences below, 0 without any).
    """
    nodes = tree.nodes()
    top = nodes[nodes["depth"] <= depth].copy()
    cut = top["leaf"] | (top["depth"] == depth)
    rules = [
        f"{FEATURES[f]}\n< {c:.2g}?" if not end else f"{n:,} links\nreward {r:.2f}"
        for f, c, end, n, r in zip(
            top["feature"], top["threshold"], cut, top["frontier"], top["mean_reward"], strict=True
        )
    ]
    top["text"] = rules
    top["mean"] = top["mean_reward"].fillna(0.0)
    top["parent"] = top["parent"].where(top["parent"] >= 0, np.nan)
    order = sorted(top.index, key=lambda node: (top.loc[node, "depth"], node))
    return top.loc[order, ["parent", "text", "mean"]]


def site_map(log: pd.DataFrame, most: int = 120) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Steps between sites, and the sites, of the domains that a crawl visited most.

    Returns
    -------
    links : DataFrame
        Columns ``source``, ``target`` (domains) and ``steps`` (fetches that went this way).
    sites : DataFrame
        Indexed by domain: ``pages`` fetched and ``harvest``, the share of them rewarded.
    """
    import pandas as pd

    visits = log.groupby("domain")["reward"]
    sites = pd.DataFrame({"pages": visits.size(), "harvest": visits.mean()})
    sites = sites.sort_values("pages", ascending=False, kind="stable").head(most)
    source = log["parent"].map(dict(zip(log["url"], log["domain"], strict=True)))
    pairs = pd.DataFrame({"source": source, "target": log["domain"]})
    pairs = pairs[pairs["source"].isin(sites.index) & pairs["target"].isin(sites.index)]
    pairs = pairs[pairs["source"] != pairs["target"]]
    return pairs.value_counts().rename("steps").reset_index(), sites
