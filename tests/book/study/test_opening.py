"""A chapter begins with one call, and from then on no figure tells more than seven lines apart."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

import seaborn as sns
from matplotlib import pyplot as plt

from tres_book import study
from tres_book.guard import FAINT, told_apart


@pytest.fixture(autouse=True)
def opened():
    with matplotlib.rc_context():
        yield study.open("02")
        plt.close("all")


def draw(lines, labels=True, **style):
    """Return a figure of so many lines, each in a colour of its own."""
    fig, ax = plt.subplots()
    for i, colour in enumerate(sns.color_palette("husl", lines)):
        ax.plot([0, 1, 2], [i, 0, i], label=f"line {i}" * labels, **({"color": colour} | style))
    if labels:
        ax.legend()
    return fig


def test_opening_gives_the_claims_and_the_table_of_the_chapter(opened):
    table = study.Claims.load().table("02-keyword-expansion")
    pd.testing.assert_frame_equal(opened.table(), table)
    pd.testing.assert_frame_equal(study.Claims.load().table("02"), table)
    assert len(table) > 1 and len(opened.verdicts()) > len(table)
    assert len(study.open("17").table()) != len(table)
    assert plt.rcParams["axes.titleweight"] == "bold"


@pytest.mark.parametrize("labels", [True, False])
def test_an_eighth_line_is_an_error(labels):
    draw(7, labels).canvas.draw()
    with pytest.raises(ValueError, match="it tells 8 lines apart"):
        draw(8, labels).canvas.draw()


def test_an_eighth_line_in_a_legend_is_an_error_though_each_has_its_panel():
    fig, axes = plt.subplots(1, 8)
    for i, ax in enumerate(axes):
        ax.plot([0, 1], [i, 0], color=plt.cm.tab10(i), label=f"line {i}")
    assert told_apart(fig) == 1
    fig.legend()
    with pytest.raises(ValueError, match="it tells 8 lines apart"):
        fig.canvas.draw()


def test_grey_lines_lines_across_the_axes_and_dots_do_not_count():
    fig = draw(7)
    ax = fig.axes[0]
    ax.axhline(1, color="black")
    ax.axvline(1, color="red")
    ax.plot([0, 2], [2, 2], color=FAINT)
    ax.plot([0, 2], [2, 2], "o", color="orange")
    assert told_apart(fig) == 7
    fig.canvas.draw()


def test_panels_of_seaborn_count_too():
    names = [f"policy {i}" for i in range(8)]
    table = pd.DataFrame({"x": [0, 1] * 16, "y": np.arange(32), "name": np.repeat(names, 4)})
    table["panel"] = np.tile(["a", "a", "b", "b"], 8)
    seven = table[table["name"] != "policy 7"]
    curves = {"x": "x", "y": "y", "hue": "name", "kind": "line"}
    assert told_apart(sns.relplot(seven, **curves, col="panel").figure) == 7
    assert told_apart(sns.relplot(seven[:12], **curves, style="panel").figure) == 6  # 3 times 2
    points = sns.catplot(seven, x="x", y="y", hue="name", kind="point")
    assert told_apart(points.figure) == 7  # their intervals are lines of the same colours
    with pytest.raises(ValueError, match="it tells 8 lines apart"):
        sns.relplot(table, **curves, col="panel").figure.canvas.draw()
