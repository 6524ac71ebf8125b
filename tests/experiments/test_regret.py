"""Constants of a run and its bounds, on measurements made up by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tres_lib.experiments import tres_regret as regret
from tres_lib.focused.tres import bounds


@pytest.fixture
def probed() -> pd.DataFrame:
    """Two runs of 8 steps, measured at 4 and 8; in the second L* is the root."""
    none = np.zeros(0)
    rows = [
        # topic, step, height, root and leaf variance, mean, expected, chosen, best, ratios
        ("a", 4, 2, 0.16, 0.04, 0.2, 0.5, 0.6, 1.0, [0.5, 0.9], [0.25, 1.0], [0.1, 0.2]),
        ("a", 8, 3, 0.10, 0.10, 0.3, 0.6, 0.7, 1.0, [0.5, 0.9, 1.2], [2, 1, 0.5], [0.1, 0.2, 0]),
        ("b", 4, 0, 0.2, 0.2, 0.1, 0.1, 0.1, 0.5, none, none, none),
        ("b", 8, 0, 0.0, 0.0, 0.1, 0.1, 0.1, 0.1, none, none, none),
    ]
    names = ["topic", "step", "height", "root_variance", "leaf_variance", "mean_q", "expected_q"]
    names += ["chosen_q", "best_q", "reward_ratio", "q_ratio", "correlation"]
    table = pd.DataFrame(rows, columns=names)
    table["leaf_size"], table["leaves"] = [5, 2, 9, 9], [3, 4, 1, 1]
    return table.assign(web_seed=0, steps=8, least_growth=-1.0, largest_growth=5.0)


def test_splits_on_the_path(probed):
    rows = regret.splits_on_the_path(probed)
    assert rows["topic"].unique().tolist() == ["a"]
    assert rows["split"].tolist() == [1, 2, 1, 2, 3]
    assert rows["reward_ratio"].tolist() == [0.5, 0.9, 0.5, 0.9, 1.2]
    assert rows["noise"].tolist() == pytest.approx([-0.25, 0.1, 1.5, 0.1, -0.7])


def test_decay(probed):
    # (0.04 / 0.16)^(1/2), 1^(1/3), the root itself, and no variance at all
    np.testing.assert_allclose(regret.decay(probed), [0.5, 1, 1, np.nan])


def test_constants(probed):
    table = regret.run_constants(probed).set_index("topic")
    a, b = table.loc["a"], table.loc["b"]
    assert (a["T"], a["D"], a["lambda"], a["h_max"]) == (8, 5, 1, 3)
    assert a["M_s"] == 2 and b["M_s"] == 8
    assert a["above log2"] == 1 and b["above log2"] == 0
    utilities = ["J", "J by Eq. 5", "J of the choices", "J*"]
    assert a[utilities].tolist() == pytest.approx([2, 4.4, 5.2, 8])
    assert b["J*"] == pytest.approx(2.4)


def test_bounds_of_runs(probed):
    table = regret.bounds_of_runs(probed, eps=0.1, gamma=0.5)
    assert len(table) == 12
    a = table[table["topic"] == "a"].set_index("bound")
    assert a["J - J*"].tolist() == pytest.approx([-6] * 6)
    assert a["by Eq. 5"].tolist() == pytest.approx([-3.6] * 6)
    assert a["limit"].tolist() == [1, 1, 1 / 8, 1 / 32, np.inf, np.inf]
    value = a["value"]
    assert value["range of Q"] == -16
    # per step: sqrt(4 * 0.04) and sqrt(1 * 0.1)
    assert value["spread of Q in L*"] == pytest.approx(-8 * (0.4 + 0.1**0.5) / 2)
    assert value["Theorem 3.b"] == bounds.regret_bound_b(8, 5, 0.1, 0.1)
    assert value["Theorem 3.c"] == bounds.regret_bound_c(8, 5, 0.1, 0.03)
    assert value["Theorem 3.a"] == bounds.regret_bound_a(8, 5, 0.1, 0.999, 2)
    heights = [2, 2, 2, 2, 2.25, 2.5, 2.75, 3]
    lemma = bounds.lemma_bound(heights, 5, 0.1, 0.999)
    assert value["Lemma 1, heights as measured"] == pytest.approx(lemma)


@given(st.lists(st.floats(0, 2), min_size=2, max_size=50))
def test_no_leaf_loses_more_than_its_spread(values):
    """(1 - 1/n) (best - mean of the others) <= sqrt(n - 1) sigma, which needs no probability."""
    n, q = len(values), np.sort(values)
    loss = (1 - 1 / n) * (q[-1] - q[:-1].mean())
    assert loss <= np.sqrt(n - 1) * q.std() + 1e-12


def test_assumptions_that_fail(probed):
    table = regret.check_assumptions(probed, eps=0.1)
    assert table["holds"].tolist() == ["no"] * 9
    assert table.loc["3.b: steps with height at least log2 t", "measured"] == "0%"
    # leaves 3 at step 4, one of which was there at first
    assert table.loc["3.a: steps that split a leaf", "measured"] == "at most 50%"
    # run a: 8 / 4 over 4 / 3; run b: 8 / 1 over 4 / 1
    assert table.loc["3.a: M_s at the end over M_s halfway", "measured"] == "2.00"


def test_assumptions_that_hold(probed):
    """Heights that keep up with t, and variances of Q that fall fast; 1 fails."""
    good = probed[probed["topic"] == "a"].assign(
        height=[5, 9], root_variance=1.0, leaf_variance=[1e-9, 1e-18], leaves=[5, 9]
    )
    paths = [[0.99] * h for h in good["height"]]
    good["reward_ratio"], good["correlation"] = paths, paths
    good["q_ratio"] = [[0.01] * h for h in good["height"]]
    table = regret.check_assumptions(good, eps=0.1)
    assert table.index[table["holds"] == "no"].tolist() == [
        "1: squared correlation of reward and split",
        "1 and 2 at once: mean ratio of V_R",
    ]
