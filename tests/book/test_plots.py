"""Figures hold the numbers they were given."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot as plt

from tres_book import plots
from tres_book.crawls.variants import RIVALS
from tres_book.intervals import mean_interval
from tres_lib.focused import POLICIES

RUNS = pd.DataFrame(
    {
        "policy": ["tres"] * 4 + ["random"] * 4,
        "seed": [0, 0, 1, 1] * 2,
        "step": [2, 1] * 4,
        "topic": ["food", "sports"] * 4,
        "harvest": [0.8, 0.6, 0.6, 0.4, 0.2, 0.1, 0.0, 0.1],
    }
)


@pytest.fixture(autouse=True)
def style():
    plots.use_style()
    yield
    plt.close("all")


def test_dollar_signs_in_tables_are_no_mathematics():
    table = pd.DataFrame({"title": ["costs $5 to $10"]})
    assert "mathjax_ignore" in table._repr_html_() and "mathjax_ignore" in table.style.to_html()


def test_policies_keep_their_colours_and_others_get_distinct_ones():
    paint = plots.colours(["tres", "mine", "yours"])
    assert paint["tres"] == plots.POLICY_COLOURS["tres"]
    assert len(set(paint.values())) == 3


def test_crawling_policies_have_colours_of_their_own():
    paint = [plots.POLICY_COLOURS[name] for name in sorted({*POLICIES, *RIVALS})]
    assert len(set(paint)) == len(paint) == 19


def test_the_interval_for_seaborn():
    assert plots.interval([0.6, 0.4]) == mean_interval([0.6, 0.4])[1:]
    assert plots.interval(pd.Series([0.6, np.nan, 0.4])) == plots.interval([0.6, 0.4])
    assert plots.interval([3]) == (3.0, 3.0)
    assert np.isnan(plots.interval([])).all() and np.isnan(plots.interval([np.nan])).all()


def test_lines_are_means_over_runs_in_order_of_x_with_their_intervals():
    ax = plots.line_with_band(RUNS, "step", "harvest")
    tres = ax.get_lines()[0]
    np.testing.assert_array_equal(tres.get_xdata(), [1, 2])
    np.testing.assert_allclose(tres.get_ydata(), [0.5, 0.7])
    _, low, high = mean_interval([0.6, 0.4])
    ys = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert ys.min() == pytest.approx(low) and ys.max() == pytest.approx(
        mean_interval([0.8, 0.6])[2]
    )
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["tres", "random"]
