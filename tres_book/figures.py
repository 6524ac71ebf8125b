"""The pictures of single chapters: tables in, matplotlib axes out; `study.plots` has the style.

Each function returns the axes: `ax`, where there is such an argument, else those of a new figure.
"""

from collections.abc import Iterable
from itertools import count
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tres_lib.ephemeral import Run

from .plots import GREY, WIDTH, colours, interval

SEVEN, FAINT = 7, "#d1d5db"  # lines that a figure tells apart, and the colour of the others


def spotlight(names: Iterable[str]) -> dict[str, str]:
    """Return a colour for each of the first seven names, and a light grey for the others."""
    paint = colours(list(names))
    return {name: c if i < SEVEN else FAINT for i, (name, c) in enumerate(paint.items())}


def leads(table: pd.DataFrame) -> sns.FacetGrid:
    """Draw what TRES finds more than each other crawler, a panel a topic, a colour a judge.

    The table has a row a pair of crawls; drawn are means with 95 % intervals.
    """
    by: dict[str, Any] = {"x": "lead", "y": "policy", "hue": "judge", "col": "topic"}
    dots: dict[str, Any] = {"kind": "point", "linestyle": "none", "dodge": 0.35, "markersize": 3}
    grid = sns.catplot(table, **by, **dots, errorbar=interval, height=2.6, aspect=0.95)
    grid.refline(x=0, color="black").set(xlabel="TRES's lead, points", ylabel="")
    sns.move_legend(grid, "upper center", bbox_to_anchor=(0.5, 0), ncol=2, title=None)
    return grid.set_titles("{col_name}")


def supplies(
    shares: pd.DataFrame, leads: pd.DataFrame, real: Iterable[float], paper: float
) -> Figure:
    """Draw by supply, ``at``, the crawlers' shares of the best known and, below, TRES's leads.

    Tables as of chapter 06. On top stands who finds most, but for the oracle. Marked are the
    supplies of real topics, and the least of the paper's.
    """
    fig, axes = plt.subplots(2, sharex=True, figsize=(WIDTH, WIDTH * 0.85))
    best = shares.groupby("policy")["mean"].mean().sort_values(ascending=False)
    for name, colour in spotlight(best.index).items():
        part = shares[shares["policy"] == name]
        style: dict[str, Any] = {"zorder": 1} if colour == FAINT else {"label": name}
        axes[0].errorbar(part["at"], part["mean"], _arms(part), color=colour, capsize=2, **style)
    others = shares[shares["policy"] != "oracle"]
    for row in others.loc[others.groupby("at")["mean"].idxmax()].itertuples():
        above: dict[str, Any] = {"textcoords": "offset points", "rotation": 25, "fontsize": "small"}
        axes[0].annotate(row.policy, (row.at, 105), (-8, 2), **above)
    for judge, part in leads.groupby("judge", sort=False):
        axes[1].errorbar(part["at"], part["mean"], _arms(part), marker="o", capsize=2, label=judge)
    axes[1].axhline(0, color="black", lw=1)
    marks = list(real)
    ticks: dict[str, Any] = {"color": "black", "ms": 12, "clip_on": False, "label": "a real topic"}
    for ax in axes:
        ax.plot(marks, [0] * len(marks), "|", transform=ax.get_xaxis_transform(), **ticks)
        ax.axvspan(paper, shares["at"].max(), color=GREY, alpha=0.08, lw=0, label="TRES's paper")
        ax.legend(bbox_to_anchor=(1, 0.5), loc="center left")
    axes[0].set(ylabel="% of the best known", ylim=(0, 105))
    axes[1].set(
        xscale="log", xlabel="supply: pages on the topic a fetch", ylabel="TRES's lead, points"
    )
    return fig


def _arms(table: pd.DataFrame) -> np.ndarray:
    return np.abs(table[["low", "high"]].to_numpy().T - table["mean"].to_numpy())


def tree(nodes: pd.DataFrame) -> Axes:
    """Draw a binary tree: splits in words, leaves coloured by their mean reward.

    The nodes, parents before children, left before right, have columns parent (nan at the root),
    text (of the node) and mean (its mean reward, 0 to 1).
    """
    place = _tree_layout(nodes)
    depth = max(-y for _, y in place.values())
    ax = plt.subplots(figsize=(WIDTH, 1.2 + depth))[1]
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
    place: dict[object, tuple[float, float]] = {}
    leaves = count()

    def put(node: object, depth: int) -> float:
        xs = [put(child, depth + 1) for child in nodes.index[nodes["parent"] == node]]
        place[node] = (sum(xs) / len(xs) if xs else float(next(leaves)), -float(depth))
        return place[node][0]

    put(nodes.index[nodes["parent"].isna()][0], 0)
    return place


def evolution(run: Run, first: int = 0, last: int | None = None) -> Figure:
    """Draw the states that a run kept, by source, from epoch `first` to before `last`."""
    assert run.states is not None
    t = np.arange(len(run.reward))[first:last]
    parts = {}
    for i, state in enumerate(run.states[t].T, 1):
        crawled = (run.crawled[t] == i - 1).any(axis=1)
        label = f"source {i}: crawled in {crawled.mean():.0%} of these epochs"
        at = np.where(crawled, state, np.nan)
        parts[label] = pd.DataFrame({"epoch": t, "state": state, "crawled": at})
    table = pd.concat(parts, names=["source"]).reset_index("source")
    facets = {"row": "source", "hue": "source", "sharey": False, "dropna": True}
    panels = sns.FacetGrid(table, **facets, height=1.25, aspect=6, palette="colorblind")
    panels.map(plt.plot, "epoch", "state", lw=1.2)
    panels.map(plt.plot, "epoch", "crawled", marker="o", ls="", ms=4)
    panels.set_titles("{row_name}", size="small", fontweight="normal")
    return panels.set(ylim=(0, None), ylabel="state").figure
