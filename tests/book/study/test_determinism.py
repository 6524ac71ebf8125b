"""The same seed gives the same table, and the intervals are those of the textbooks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

from tres_book.study import interval_table, mean_interval, summarise


def test_the_interval_by_hand():
    # Mean 4, standard deviation 2, n = 4: half width 3.182 * 2 / 2.
    mean, low, high = mean_interval([2, 4, 4, 6])
    spread = np.sqrt(8 / 3)
    assert mean == 4
    assert high - mean == pytest.approx(3.182446 * spread / 2)
    assert mean - low == pytest.approx(high - mean)


@pytest.mark.slow
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_the_interval_agrees_with_scipy(values):
    assume(np.std(values) > 0)
    low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    mean, ours_low, ours_high = mean_interval(values)
    assert ours_low <= mean <= ours_high
    assert (ours_low, ours_high) == pytest.approx((low, high), rel=1e-6, abs=1e-6)


def test_a_single_run_has_no_interval():
    mean, low, high = mean_interval([3.0])
    assert mean == 3.0 and np.isnan(low) and np.isnan(high)


def test_summaries_keep_the_order_of_the_groups():
    data = pd.DataFrame({"policy": ["b", "a", "b"], "topic": "x", "harvest": [1.0, 5.0, 3.0]})
    table = summarise(data, ["policy", "topic"], "harvest")
    assert table[["policy", "n", "mean"]].values.tolist() == [["b", 2, 2.0], ["a", 1, 5.0]]
    assert list(summarise(data, "policy", "harvest").columns) == [
        *("policy", "n", "mean", "low", "high")
    ]


def test_interval_table_is_written_for_readers():
    data = pd.DataFrame(
        {"policy": ["b", "b", "a", "a"], "topic": ["x"] * 4, "y": [1.0, 3.0, 2.0, 2.0]}
    )
    table = interval_table(data, "policy", "topic", "y")
    assert table.index.tolist() == ["b", "a"]  # as they occur, not sorted
    assert table.loc["b", "x"] == "2.0 [-10.7, 14.7]"  # 2 +- 12.706 * sqrt(2) / sqrt(2)
    assert interval_table(data[:1], "policy", "topic", "y").loc["b", "x"] == "1.0 (one run)"
