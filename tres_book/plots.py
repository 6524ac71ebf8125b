"""House style, and lines and bars with intervals: tables in, matplotlib axes out.

Each function draws on the axes `ax`, by default those of a new figure, and returns them.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from tres_webs.extras import optional

from .intervals import Range, mean_interval, summarise
from .policies import policy_styles

with optional("book"):
    import matplotlib.pyplot as plt
    import seaborn as sns
    from matplotlib.axes import Axes

# At 7.5 inches a figure fills a report's 60rem column and its text can be read on a phone.
WIDTH = 7.5
GREY = "#6b7280"
POLICY_COLOURS = {name: p["colour"] for name, p in policy_styles().items() if "colour" in p}


def use_style() -> None:
    """Set the house style of figures and show table cells as they are: call it at the top."""
    pd.set_option("display.max_colwidth", None)
    # What a page says between dollar signs is no mathematics.
    pd.set_option("display.html.use_mathjax", False, "styler.html.mathjax", False)
    warnings.filterwarnings("ignore", "The figure layout has changed to tight")  # by facets
    rc = {
        "figure.figsize": (WIDTH, WIDTH * 0.5),
        "figure.dpi": 130,
        "figure.constrained_layout.use": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "legend.frameon": False,
        "grid.color": "#e5e7eb",
    }
    sns.set_theme(context="notebook", style="whitegrid", palette="colorblind", rc=rc)


def colours(names: Sequence[str]) -> dict[str, str]:
    """Return a colour a name: a policy's own, else the next of the colour-blind palette."""
    spare = iter(sns.color_palette("colorblind", len(names) or 1).as_hex())
    return {name: POLICY_COLOURS.get(name) or next(spare) for name in names}


def interval(values: ArrayLike, within: Range | None = None) -> tuple[float, float]:
    """Return the 95 % t-interval of a mean, for ``errorbar=`` of seaborn's functions.

    It is the value itself for a single run, NaN without any; NaN counts as no run. For `within` see
    `mean_interval`: `share` is this with (0, 1).
    """
    runs = np.asarray(values, dtype=float)
    runs = runs[~np.isnan(runs)]
    mean, low, high = mean_interval(runs, within=within) if len(runs) else (np.nan,) * 3
    return (mean, mean) if len(runs) < 2 else (low, high)


share = partial(interval, within=(0, 1))


def line_with_band(
    data: pd.DataFrame,
    x: str,
    y: str,
    by: str = "policy",
    ax: Axes | None = None,
    errorbar: Callable = interval,
) -> Axes:
    """Draw the mean of `y` over `x` for each `by`, columns, with its 95 % interval over runs."""
    names = list(data[by].unique())
    groups = {"hue": by, "hue_order": names, "palette": colours(names)}
    style = {"errorbar": errorbar, "err_kws": {"lw": 0}}
    ax = ax or plt.subplots()[1]
    return legend_above(sns.lineplot(data, x=x, y=y, ax=ax, **groups, **style))


def pareto(data: pd.DataFrame, x: str, y: str, ax: Axes | None = None, front: str = "tres") -> Axes:
    """Draw two objectives, of which more is better, with 95 % intervals over runs.

    Rows are runs, with columns policy, limit, x and y. A staircase bounds what the means of the
    policy `front` dominate. The axes fit the means, so the longest intervals are cut.
    """
    ax = ax or plt.subplots()[1]
    keys = ["policy", "limit"]
    points = summarise(data, keys, x).merge(summarise(data, keys, y), on=keys)
    paint = colours(list(points["policy"].unique()))
    for policy, part in points.groupby("policy", sort=False):
        style: dict[str, Any] = {"fmt": "none", "ecolor": paint[policy], "lw": 0.8, "alpha": 0.4}
        # Half of an interval: Student's is symmetric.
        half = {f"{way}err": part[f"mean_{way}"] - part[f"low_{way}"] for way in "xy"}
        ax.errorbar(part["mean_x"], part["mean_y"], **half, **style)
    groups = {"hue": "policy", "style": "limit", "palette": paint}
    sns.scatterplot(points, x="mean_x", y="mean_y", ax=ax, s=40, zorder=3, **groups)
    own = points[points["policy"] == front].sort_values("mean_x")
    best = own["mean_y"][::-1].cummax()[::-1]
    stairs = [0, *own["mean_x"], *own["mean_x"][-1:]], [*best[:1], *best, 0]
    ax.plot(*stairs, color=paint.get(front), lw=1.2, drawstyle="steps-pre", zorder=1)
    ax.fill_between(*stairs, color=paint.get(front), alpha=0.06, lw=0, step="pre")
    right, top = 1.08 * points[["mean_x", "mean_y"]].max()
    ax.set(xlabel=x, ylabel=y, xlim=(0, right or 1), ylim=(0, top or 1))
    return legend_above(ax)


def over_time(steps: pd.DataFrame, y: str) -> sns.FacetGrid:
    """Draw the mean of a rate by step, a panel a topic and limit, bands of 95 % over webs."""
    paint = colours(list(steps["policy"].unique()))
    by: dict[str, Any] = {"hue": "policy", "palette": paint, "row": "limit", "col": "topic"}
    style: dict[str, Any] = {"errorbar": share, "err_kws": {"lw": 0}, "height": 2.8}
    grid = sns.relplot(steps, kind="line", x="step", y=y, **by, **style)
    return grid.set(ylim=(0, 1)).set_titles("{col_name}, limit {row_name}")


def pareto_panels(data: pd.DataFrame, x: str, y: str, front: str = "tres") -> sns.FacetGrid:
    """Draw `pareto` a panel a topic, with one legend."""
    panels = {"height": 3.6, "aspect": 1.5, "sharex": False, "sharey": False}
    grid = sns.FacetGrid(data, row="topic", **panels)
    for (row, _, _), part in grid.facet_data():
        ax: Any = pareto(part, x, y, ax=grid.axes[row, 0], front=front)
        handles, labels = ax.get_legend_handles_labels()
        ax.get_legend().remove()
    grid.add_legend(dict(zip(labels, handles, strict=True)))
    grid.tight_layout(h_pad=2)
    return grid.set_titles("{row_name}")


def legend_above(ax: Axes) -> Axes:
    """Put the legend over the plot, where it takes no width on a narrow screen."""
    place: dict[str, Any] = {"bbox_to_anchor": (0, 1.02), "loc": "lower left", "borderaxespad": 0}
    ax.legend(**place, ncols=4, fontsize="small")
    return ax
