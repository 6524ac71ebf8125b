"""Robust means and profiles of policies over runs."""

import numpy as np
import pandas as pd
import pytest

from tres_book.study.profiles import interquartile_means, performance_profiles


def test_interquartile_means_and_their_intervals():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame(
        {"who": np.repeat(["a", "b"], 30), "topic": list("xyz") * 20, "n": rng.normal(5, 1, 60)}
    )
    runs.loc[0, "n"] = -1e6  # one bad run moves nothing
    table = interquartile_means(runs, "who", "n", "topic").set_index("who")
    assert (table["low"] < table["mean"]).all() and (table["mean"] < table["high"]).all()
    middle = np.sort(runs.loc[30:, "n"])[7:-7]
    assert table.loc["b", "mean"] == pytest.approx(middle.mean())
    assert abs(table["mean"] - 5).max() < 0.6 and table["n"].tolist() == [30, 30]
    pd.testing.assert_frame_equal(
        table, interquartile_means(runs, "who", "n", "topic").set_index("who")
    )


def test_interquartile_means_of_single_runs_have_no_interval():
    runs = pd.DataFrame({"who": "a", "topic": list("xyz"), "n": [1.0, 2.0, 6.0]})
    found = interquartile_means(runs, "who", "n", "topic").iloc[0]
    assert (found["n"], found["mean"]) == (3, 3.0)
    assert np.isnan(found["low"]) and np.isnan(found["high"])


def test_performance_profiles_and_their_intervals():
    runs = pd.DataFrame(
        {"who": "a", "topic": ["x"] * 10 + ["y"] * 10, "n": [*range(10), *[50] * 10]}
    )
    found = performance_profiles(runs, "who", "n", "topic", [0, 5, 20, 60]).set_index("n")
    assert found["share"].tolist() == [1.0, 0.75, 0.5, 0.0]
    # All runs of a topic reach 20 or none does: runs are drawn within topics, so that is certain.
    assert found.loc[[0, 20, 60], ["low", "high"]].to_numpy().tolist() == [
        [1, 1],
        [0.5, 0.5],
        [0, 0],
    ]
    # Of ten runs of x half reach 5: their number is binomial, and 95 % of it lies in 2 to 8.
    assert found.loc[5, ["low", "high"]].tolist() == [0.6, 0.9]


def test_performance_profiles_of_single_runs_have_no_interval():
    runs = pd.DataFrame({"who": "a", "topic": list("xyz"), "n": [1.0, 2.0, 6.0]})
    found = performance_profiles(runs, "who", "n", "topic", [2])
    assert found["share"].tolist() == [2 / 3]
    assert found[["low", "high"]].isna().all(axis=None)
