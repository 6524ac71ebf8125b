"""Figures of trees and of crawls between sites: `study.plots.tree`, `study.plots.crawl_map`."""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

# At 7.5 inches a figure fills a report's 60rem column and its text can be read on a phone.
WIDTH = 7.5
GREY = "#6b7280"


def tree(nodes: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Draw a binary tree: splits in words, leaves coloured by their mean reward.

    Parameters
    ----------
    nodes : DataFrame
        Indexed by node, parents before children, left before right, with columns parent (nan at the
        root), text (of the node) and mean (its mean reward, 0 to 1).
    """
    place = _tree_layout(nodes)
    depth = max(-y for _, y in place.values())
    ax = ax or plt.subplots(figsize=(WIDTH, 1.2 + depth))[1]
    paint = sns.color_palette("YlGn", as_cmap=True)
    for node, row in nodes.iterrows():
        x, y = place[node]
        if not pd.isna(row["parent"]):
            px, py = place[row["parent"]]
            ax.plot([px, x], [py, y], color=GREY, lw=1, zorder=0)
        box = {"boxstyle": "round,pad=.35", "fc": paint(0.6 * row["mean"]), "ec": GREY, "lw": 0.8}
        ax.text(x, y, row["text"], ha="center", va="center", fontsize=9.5, bbox=box)
    ax.set(xlim=(-0.6, max(x for x, _ in place.values()) + 0.6), ylim=(-depth - 0.5, 0.5))
    ax.set_axis_off()
    return ax


def _tree_layout(nodes: pd.DataFrame) -> dict[object, tuple[float, float]]:
    """Place leaves side by side and every parent above the middle of its children."""
    children = {node: list(nodes.index[nodes["parent"] == node]) for node in nodes.index}
    place: dict[object, tuple[float, float]] = {}

    def put(node: object, depth: int) -> float:
        xs = [put(child, depth + 1) for child in children[node]]
        leaves = sum(not children[done] for done in place)
        place[node] = (sum(xs) / len(xs) if xs else float(leaves), -float(depth))
        return place[node][0]

    put(nodes.index[nodes["parent"].isna()][0], 0)
    return place


def crawl_map(
    links: pd.DataFrame, sites: pd.DataFrame, seed: int = 0, ax: Axes | None = None
) -> Axes:
    """Draw sites as dots, laid out by a seed, and the crawler's steps between them as lines.

    Parameters
    ----------
    links : DataFrame
        Columns source, target (site names) and steps (how often the crawler went this way).
    sites : DataFrame
        Indexed by site, with columns pages (fetched) and harvest (share relevant, 0 to 1).
    """
    ax = ax or plt.subplots(figsize=(WIDTH, WIDTH * 0.65))[1]
    graph = nx.from_pandas_edgelist(links, edge_attr="steps")
    graph.add_nodes_from(sites.index)
    place = nx.spring_layout(graph, weight="steps", seed=seed, k=2 / np.sqrt(max(len(graph), 1)))
    nx.draw_networkx_edges(graph, place, ax=ax, edge_color="#d1d5db", width=0.7)
    x, y = np.array([place[site] for site in sites.index]).T
    size = 12 + 90 * np.sqrt(sites["pages"] / sites["pages"].max())
    paint = {"c": sites["harvest"], "cmap": "YlGn", "vmin": 0, "vmax": 1}
    dots = ax.scatter(x, y, s=size, ec=GREY, lw=0.6, **paint)
    ax.figure.colorbar(dots, ax=ax, label="share of relevant pages", shrink=0.6)
    ax.set_axis_off()
    return ax
