"""A guard on the figures of the chapters: none tells more than seven lines apart."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

SEVEN, FAINT = 7, "#d1d5db"  # lines that a figure tells apart, and the colour of the others
GUIDES = {FAINT, "#000000", "#ffffff"}  # white are the heads in seaborn's legends


def on() -> None:
    """Make it an error if a figure of pyplot, when drawn, tells more than `SEVEN` lines apart."""
    plt.rcParams["figure.hooks"] = [f"{__name__}:watch"]


def watch(figure: Figure) -> None:
    """Let a figure raise ValueError when it is drawn with too many lines."""

    def check(_: object) -> None:
        if (n := told_apart(figure)) > SEVEN:
            raise ValueError(f"figure: it tells {n} lines apart; leave some out or grey, {FAINT}")

    figure.canvas.mpl_connect("draw_event", check)


def told_apart(figure: Figure) -> int:
    """Return how many lines differ by colour or dashes, in the panel or the legend with most.

    Guides do not count: what is black, `FAINT` or crosses the panel, as of ``axhline``.
    """
    legends = filter(None, [*figure.legends, *(ax.get_legend() for ax in figure.axes)])
    groups = [legend.legend_handles for legend in legends]
    for ax in figure.axes:
        own = [line for line in ax.get_lines() if line.get_transform() == ax.transData]
        groups.append([line for line in own if np.size(line.get_xdata())])
    return max((len(set(map(_look, group)) - {None}) for group in groups), default=0)


def _look(artist: object) -> tuple[object, ...] | None:
    if not isinstance(artist, Line2D) or artist.get_linestyle() == "None":
        return None
    colour = to_hex(artist.get_color())
    return None if colour in GUIDES else (colour, artist.get_linestyle())
