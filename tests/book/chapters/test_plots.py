"""The pictures of the chapters hold the numbers they were given."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection, PathCollection

from tres_book import figures as plots
from tres_book.plots import pareto, use_style
from tres_book.study import mean_interval


@pytest.fixture(autouse=True)
def style():
    use_style()
    yield
    plt.close("all")


def runs(*rows):
    return pd.DataFrame(rows, columns=["policy", "limit", "harvest", "domains"])


def test_the_front_has_means_with_crosses_and_the_staircase_of_tres():
    ax = pareto(
        runs(
            ("tres", "none", 0.9, 10),
            ("tres", "10", 0.6, 50),
            ("tres", "5", 0.5, 40),  # dominated by the one before
            ("ache", "10", 0.2, 30),
            ("ache", "10", 0.4, 50),
        ),
        "harvest",
        "domains",
    )
    steps = next(line for line in ax.get_lines() if line.get_drawstyle() == "steps-pre")
    np.testing.assert_allclose(steps.get_xdata(), [0, 0.5, 0.6, 0.9, 0.9])
    np.testing.assert_allclose(steps.get_ydata(), [50, 50, 50, 10, 0])
    dots = next(part for part in ax.collections if isinstance(part, PathCollection)).get_offsets()
    np.testing.assert_allclose(dots, [[0.9, 10], [0.6, 50], [0.5, 40], [0.3, 40]])
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["policy", "tres", "ache", "limit", "none", "10", "5"]


def test_the_cross_of_a_point_is_its_intervals():
    ax = pareto(runs(("ache", "10", 1, 30), ("ache", "10", 3, 50)), "harvest", "domains")
    parts = [part for part in ax.collections if isinstance(part, LineCollection)]
    arms = np.vstack([arm for part in parts for arm in part.get_segments()])
    assert (arms[:, 0].min(), arms[:, 0].max()) == pytest.approx(mean_interval([1, 3])[1:])
    assert (arms[:, 1].min(), arms[:, 1].max()) == pytest.approx(mean_interval([30, 50])[1:])


def test_a_tree_puts_parents_between_their_children():
    nodes = pd.DataFrame(
        {
            "parent": [np.nan, 0, 0, 2, 2],
            "text": ["p < 0.5", "left", "k < 1", "a", "b"],
            "mean": [0.5, 0.1, 0.6, 0.4, 0.9],
        }
    )
    ax = plots.tree(nodes)
    place = {text.get_text(): text.get_position() for text in ax.texts}
    assert place["left"] == (0, -1) and place["a"] == (1, -2) and place["b"] == (2, -2)
    assert place["k < 1"] == (1.5, -1) and place["p < 0.5"] == (0.75, 0)


def test_a_tree_of_one_leaf():
    plots.tree(pd.DataFrame({"parent": [np.nan], "text": ["all"], "mean": [0.1]}))
