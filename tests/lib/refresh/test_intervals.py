"""Intervals for change rates: by their definition, by counting, and at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tres_lib import refresh

GAPS = np.array([0.3, 1.2, 0.7, 2.5, 0.1, 0.9, 1.8, 0.4, 3, 0.6])
BITS = np.array([0, 1, 0, 1, 0, 1, 1, 0, 1, 0])


def test_band_ends_are_where_the_mean_leaves_the_band():
    low, high = refresh.confidence_interval(BITS, GAPS)
    b = math.sqrt(10 * math.log(40) / 2)
    assert np.exp(-low * GAPS).sum() == pytest.approx(5 + b)
    assert np.exp(-high * GAPS).sum() == pytest.approx(5 - b)
    assert low < refresh.estimate_change_rate(BITS, GAPS, "moments") < high


def test_hoeffding_by_its_formula():
    bits, gaps = np.tile(BITS, 200), np.tile(GAPS, 200)
    low, high = refresh.confidence_interval(bits, gaps, 0.1, "hoeffding", (0.01, 2.0))
    half = math.sqrt(2000 * math.log(20) / 2) / (gaps * np.exp(-2 * gaps)).sum()
    centre = refresh.estimate_change_rate(bits, gaps, "moments", (0.01, 2.0))
    assert (low, high) == pytest.approx((centre - half, centre + half))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 100)), min_size=1, max_size=50),
    st.floats(0.001, 0.5),
)
def test_intervals_hold_the_estimate_and_grow_with_confidence(history, delta):
    bits, gaps = np.array([b for b, _ in history]), np.array([w for _, w in history])
    estimate = refresh.estimate_change_rate(bits, gaps, "moments")
    for method in ("band", "hoeffding"):
        low, high = refresh.confidence_interval(bits, gaps, delta, method)
        assert refresh.BOUNDS[0] <= low <= estimate * (1 + 1e-9)
        assert estimate * (1 - 1e-9) <= high <= refresh.BOUNDS[1]
        wide = refresh.confidence_interval(bits, gaps, delta / 2, method)
        assert wide[0] <= low * (1 + 1e-9) and wide[1] >= high * (1 - 1e-9)


@pytest.mark.parametrize("method", ["band", "hoeffding"])
def test_95_percent_intervals_hold_the_true_rate_at_least_so_often(method):
    rng = np.random.default_rng(3)
    true, gaps = 0.6, rng.exponential(1, (300, 60))
    bits = rng.random(gaps.shape) < -np.expm1(-true * gaps)
    ends = [
        refresh.confidence_interval(b, g, 0.05, method) for b, g in zip(bits, gaps, strict=True)
    ]
    assert np.mean([low <= true <= high for low, high in ends]) >= 0.95


def test_edges():
    bounds = (0.1, 4.0)
    assert refresh.confidence_interval([1], [1.0], bounds=bounds) == bounds
    assert refresh.confidence_interval([0] * 9, [0.0] * 9, bounds=bounds) == bounds
    assert refresh.confidence_interval([1, 0], [1e9, 1e9], 0.05, "hoeffding", bounds) == bounds
    low, high = refresh.confidence_interval([1] * 1000, [1.0] * 1000, bounds=bounds)
    assert high == 4 and low > 1
    low, high = refresh.confidence_interval([0] * 1000, [1.0] * 1000, bounds=bounds)
    assert low == 0.1 and high < 0.2
