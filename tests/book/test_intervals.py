"""Runs in pairs, and tables for readers."""

from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st
from scipy import stats

from tres_book.intervals import interval_table, mean_interval, paired
from tres_lib.numerics import share_interval

RUNS = pd.DataFrame(
    [
        ("tres", "none", 0, 90, 5),
        ("tres", "10", 0, 60, 50),
        ("ache", "none", 0, 50, 9),
        ("tres", "none", 1, 70, 6),
        ("ache", "none", 1, 60, 8),
        ("bfs", "5", 1, 10, 2),
    ],
    columns=["policy", "limit", "web_seed", "harvest", "domains"],
)


def test_runs_are_paired_by_their_surroundings():
    table = paired(RUNS, "harvest", ["limit", "web_seed"], {"policy": "tres"})
    assert table["policy"].tolist() == ["ache", "ache"]  # bfs has no tres at limit 5
    assert (table["reference"] - table["harvest"]).tolist() == [40, 10]
    assert table["domains"].tolist() == [9, 8]


def test_a_reference_may_stand_for_several_surroundings():
    table = paired(RUNS, "domains", ["web_seed"], {"policy": "tres", "limit": "none"})
    assert table["policy"].tolist() == ["tres", "ache", "ache", "bfs"]
    assert table["limit"].tolist() == ["10", "none", "none", "5"]
    assert table["reference"].tolist() == [5, 5, 6, 6]


@pytest.mark.parametrize("reference", [{"policy": "sync"}, {"policy": "tres"}])
def test_a_reference_must_be_one_run(reference):
    with pytest.raises(ValueError, match=r"reference: .* names \d rows, which must be one for"):
        paired(RUNS, "harvest", ["web_seed"], reference)


def test_a_table_may_have_two_rows_of_heads():
    """They and the rows stand as they first occur, not sorted."""
    data = pd.DataFrame(
        {
            "policy": ["tres", "tres", "ache"] * 2,
            "topic": ["food"] * 3 + ["art"] * 3,
            "measure": ["rate", "domains", "rate"] * 2,
            "value": [1.0, 250.4, 3, 4, 5, 6],
        }
    )
    table = interval_table(data, "policy", ["topic", "measure"], "value")
    assert table.columns.tolist() == [(t, m) for t in ("food", "art") for m in ("rate", "domains")]
    assert table.index.tolist() == ["tres", "ache"]
    assert table.loc["tres", "food"].tolist() == ["1.0 (one run)", "250 (one run)"]
    assert pd.isna(table.loc["ache", ("food", "domains")])


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


@given(st.lists(st.floats(0, 100), min_size=2, max_size=12))
def test_the_interval_of_a_share_holds_its_mean_and_stays_a_share(values):
    mean, low, high = mean_interval(values, within=(0, 100))
    assert 0 <= low <= mean + 1e-9 and mean - 1e-9 <= high <= 100
    assert mean == pytest.approx(np.mean(values))


def test_far_from_the_bounds_it_is_students():
    values = np.random.default_rng(0).normal(50, 1, 20)
    np.testing.assert_allclose(
        mean_interval(values, within=(0, 100)), mean_interval(values), rtol=1e-3
    )


def test_the_logit_interval_by_hand():
    mean, low, high = mean_interval([0.7, 0.9], within=(0, 1))
    half = 12.706204736 * 0.1  # t(0.975, 1) times the standard error
    log_odds = np.log(0.8 / 0.2) + np.array([-1, 1]) * half / (0.8 * 0.2)
    np.testing.assert_allclose([mean, low, high], [0.8, *(1 / (1 + np.exp(-log_odds)))])


def test_a_share_beyond_its_bounds_is_named():
    with pytest.raises(ValueError, match="from 0.5 to 1.5"):
        mean_interval([0.5, 1.5], within=(0, 1))


def test_a_range_by_group():
    runs = pd.DataFrame({"what": ["rate"] * 2 + ["sites"] * 2, "who": "bfs", "n": [1.0, 99, 1, 99]})
    table = interval_table(runs, "who", "what", "n", within={"rate": (0, 100)})
    assert table.loc["bfs", "rate"] == "50.0 [0.0, 100.0]"
    assert table.loc["bfs", "sites"] == "50.0 [-572.6, 672.6]"  # 50 +- 12.706 * 49


@given(st.integers(1, 40), st.data())
def test_the_interval_of_a_share_covers_it_in_95_of_100_samples(of, data):
    """By counting all samples of a population, of which `good` have the property."""
    sample, good = data.draw(st.integers(1, of)), data.draw(st.integers(0, of))
    covered = 0
    for found in range(max(0, sample - of + good), min(sample, good) + 1):
        low, high = share_interval(found, sample, of)
        assert low <= found / sample <= high
        covered += comb(good, found) * comb(of - good, sample - found) * (low <= good / of <= high)
    assert covered >= 0.95 * comb(of, sample)


def test_a_share_of_more_than_there_are_is_refused():
    with pytest.raises(ValueError, match="sample=5: give a whole number from 1 to 4"):
        share_interval(1, 5, 4)
    with pytest.raises(ValueError, match="found=6: give a whole number from 0 to 5"):
        share_interval(6, 5, 9)
