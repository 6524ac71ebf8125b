"""Estimates of change rates: hand-worked ones, equal gaps, every edge, and a plain root finder."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import brentq

from tres_lib import refresh

METHODS = ("mle", "moments")
GAPS = [0.3, 1.2, 0.7, 2.5, 0.1, 0.9, 1.8, 0.4, 3, 0.6]
BITS = [0, 1, 0, 1, 0, 1, 1, 0, 1, 0]
HISTORY = st.lists(st.tuples(st.booleans(), st.floats(1e-3, 1e3)), min_size=1, max_size=40)


def equation(rate, bits, gaps, method):
    """The estimating equation as printed, decreasing in the rate."""
    if method == "mle":
        return (gaps[bits] / np.expm1(rate * gaps[bits])).sum() - gaps[~bits].sum()
    return np.exp(-rate * gaps).sum() - (~bits).sum()


def test_by_hand():
    assert refresh.estimate_change_rate(BITS, GAPS) == pytest.approx(0.9425203206, abs=1e-10)
    assert refresh.estimate_change_rate(BITS, GAPS, "moments") == pytest.approx(
        0.7876147623, abs=1e-10
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("ones", "n", "gap"), [(1, 2, 1.0), (3, 10, 7.0), (99, 100, 0.3)])
def test_equal_gaps_have_a_closed_form(method, ones, n, gap):
    bits = np.arange(n) < ones
    rate = refresh.estimate_change_rate(bits, np.full(n, gap), method)
    assert rate == pytest.approx(-np.log(1 - ones / n) / gap, rel=1e-11)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(HISTORY, st.sampled_from(METHODS))
def test_the_equation_is_solved_or_the_bound_is_on_the_solutions_side(history, method):
    bits, gaps = np.array([b for b, _ in history]), np.array([w for _, w in history])
    low, high = refresh.BOUNDS
    rate = refresh.estimate_change_rate(bits, gaps, method)
    with np.errstate(over="ignore"):
        if not bits.any() or equation(low, bits, gaps, method) <= 0:
            assert rate == low
        elif bits.all() or equation(high, bits, gaps, method) >= 0:
            assert rate == pytest.approx(high)
        else:
            root = brentq(equation, low, high, (bits, gaps, method), xtol=1e-14, rtol=1e-12)
            assert rate == pytest.approx(root, rel=1e-6)


@settings(max_examples=40, deadline=None)
@given(HISTORY, st.sampled_from(METHODS), st.integers(0, 39))
def test_one_more_change_never_lowers_an_estimate(history, method, place):
    bits, gaps = np.array([b for b, _ in history]), np.array([w for _, w in history])
    more = bits.copy()
    more[place % len(bits)] = True
    before, after = (refresh.estimate_change_rate(b, gaps, method) for b in (bits, more))
    assert after >= before * (1 - 1e-9)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(HISTORY, min_size=1, max_size=6), st.sampled_from(METHODS))
def test_many_pages_at_once_padded_or_flat_are_as_one_by_one(histories, method):
    alone = [
        refresh.estimate_change_rate([b for b, _ in h], [w for _, w in h], method)
        for h in histories
    ]
    width = max(map(len, histories))
    padded = np.array([h + [(False, 0.0)] * (width - len(h)) for h in histories])
    both = refresh.estimate_change_rates(padded[..., 0], padded[..., 1], method=method)
    assert both == pytest.approx(alone, rel=1e-9)
    flat = np.array([(b, w, page) for page, h in enumerate(histories) for b, w in h])
    order = np.random.default_rng(0).permutation(len(flat))
    bits, gaps, pages = flat[order].T
    found = refresh.estimate_change_rates(bits, gaps, pages.astype(int), method=method)
    assert found == pytest.approx(alone, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_edges(method):
    def rate(bits, gaps):
        return refresh.estimate_change_rate(bits, gaps, method, (0.01, 9.0))

    assert rate([1, 1, 1], [1.0, 2, 3]) == 9 and rate([1], [5.0]) == 9
    assert rate([0, 0], [1.0, 2]) == 0.01 and rate([0], [5.0]) == 0.01
    assert rate([0, 0], [0.0, 0]) == 0.01 and rate([1, 0], [0.0, 0]) == 9
    assert rate([1, 0], [1e-9, 1e-9]) == 9, "so short a gap means a higher rate than possible"
    assert rate([1, 0], [1e6, 1e6]) == 0.01
    assert rate([0, 1, 0], [1.0, 2, 0]) == pytest.approx(rate([0, 1], [1.0, 2]))
    assert rate(np.array([True, False]), [1.0, 1]) == pytest.approx(np.log(2))


def test_pages_without_bits_get_the_least_rate():
    rates = refresh.estimate_change_rates([1, 0], [1.0, 1], np.array([1, 1]), 3)
    assert rates == pytest.approx([1e-3, np.log(2), 1e-3])
    nothing = refresh.estimate_change_rates([], [], np.zeros(0, int), 2)
    assert nothing.tolist() == [1e-3, 1e-3]
