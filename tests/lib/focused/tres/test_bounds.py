"""Bounds: the paper's closed forms against the sums that they were derived from."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tres_book.chapters.c08_bounds import lemma_bound
from tres_lib.focused.tres import bounds

COUNTS = st.integers(1, 300)


def lemma_scale(T: int, D: float, eps: float) -> float:
    return math.sqrt(T * (D + 1) / eps)


@given(st.integers(1, 5), COUNTS, st.integers(0, 9), st.integers(0, 999))
def test_a_frontier_scored_after_every_step_is_within_theorem_1(S, T, e_d, seed):
    """Frontiers after steps 1 to T are within; T choices see one growth less, so may fall below."""
    growth = e_d + np.random.default_rng(seed).integers(40, size=T)
    D = growth.max()
    sizes = S * growth[0] + np.concatenate([[0], growth.cumsum()])
    lower, upper = bounds.sync_cost_bounds(S, T, e_d, D)
    assert lower <= sizes[1:].sum() <= upper
    assert lower - e_d * T <= sizes[:-1].sum() <= upper


def test_choices_at_least_growth_stay_below_the_lower_bound():
    """The paper's sum has T + 1 terms, a crawl of T steps T choices: T e_d are missing."""
    S, T, e_d = 2, 50, 3
    sizes = S * e_d + e_d * np.arange(T)
    lower, _ = bounds.sync_cost_bounds(S, T, e_d, e_d)
    assert sizes.sum() == lower - T * e_d


def test_the_upper_bound_leaves_out_the_first_frontier():
    """Of the paper's T + 1 frontiers, F_0 to F_T, the upper bound covers all but S D entries."""
    S, T, D = 2, 50, 3
    sizes = S * D + D * np.arange(T + 1)
    _, upper = bounds.sync_cost_bounds(S, T, D, D)
    assert sizes.sum() == upper + S * D


@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_leaves_of_a_tree_are_within_theorem_2(splits):
    """One leaf at first, one more a split, at most a split a step; T + 1 trees all told."""
    leaves = 1 + np.concatenate([[0], np.cumsum(splits)])
    assert leaves.sum() <= bounds.tree_cost_bound(len(splits))
    if all(splits):
        assert leaves.sum() == bounds.tree_cost_bound(len(splits))


def test_lemma_by_hand():
    # T = 2, D = 1, lam = 1/4: sqrt(2 / 0.5) (sqrt(2) / 2 + sqrt(12) / 4)
    by_hand = -2 * (math.sqrt(2) / 2 + math.sqrt(12) / 4)
    assert lemma_bound([1, 2], 1, 0.5, 0.25) == pytest.approx(by_hand)


def test_the_lemma_keeps_the_factors_of_chebyshev_and_popoviciu():
    """2 (1 - 1/(D t + 1)) sqrt(T (D t + 1) / eps) sigma, with sigma = lam^(h/2) t / 2."""
    T, D, eps, lam = 40, 7, 0.1, 0.5
    t, h = np.arange(1, T + 1), np.arange(1, T + 1) // 3
    sigma = lam ** (h / 2) * t / 2
    chebyshev = 2 * np.sqrt(T * (D * t + 1) / eps) * sigma
    assert lemma_bound(h, D, eps, lam) == pytest.approx(-chebyshev.sum())
    assert lemma_bound(h, D, eps, lam) < -((1 - 1 / (D * t + 1)) * chebyshev).sum()


@given(COUNTS, st.floats(0, 100), st.floats(0.01, 0.3), st.floats(0.01, 0.99), st.floats(1, 200))
def test_theorem_a_bounds_each_sum_on_its_way(T, D, eps, lam, M_s):
    """(3.2) to (3.6): each step of the proof only loosens the bound."""
    t = np.arange(1, T + 1)
    lb = lam ** (1 / (2 * M_s))
    scale = lemma_scale(T, D, eps) / math.sqrt(lam)
    lemma = lemma_bound(np.maximum(t / M_s - 1, 0), D, eps, lam)
    sums = [scale * np.sum(t**power * lb**t) for power in (1.5, 2.0)]
    chain = [-lemma, *sums, -bounds.regret_bound_a(T, D, eps, lam, M_s)]
    assert all(b >= a * (1 - 1e-9) for a, b in zip(chain, chain[1:], strict=False))


@given(COUNTS, st.floats(0, 100), st.floats(0.01, 0.3), st.floats(0.001, 0.999))
def test_theorems_b_and_c_bound_the_lemma(T, D, eps, share):
    h = np.log2(np.arange(1, T + 1))
    for bound, limit in ((bounds.regret_bound_b, 1 / 8), (bounds.regret_bound_c, 1 / 32)):
        lam = share * limit
        assert bound(T, D, eps, lam) <= lemma_bound(h, D, eps, lam) * (1 - 1e-9)


def test_long_crawls_and_weak_trees_do_not_overflow():
    limit = bounds.regret_bound_a(1e9, 40, 0.1, 0.5, 3)
    assert limit / bounds.regret_bound_a(1e8, 40, 0.1, 0.5, 3) == pytest.approx(math.sqrt(10))
    # lb close to 1: lb (lb + 1) (lb^T - 1) / (lb - 1)^3 tends to 2 T / (lb - 1)^2
    T, M_s = 100, 1e9
    near_1 = math.log(0.9) / (2 * M_s)
    expected = -lemma_scale(T, 4, 0.1) / math.sqrt(0.9) * 2 * T / near_1**2
    assert bounds.regret_bound_a(T, 4, 0.1, 0.9, M_s) == pytest.approx(expected, rel=1e-6)
    for huge in (10**12, 1e200):
        assert bounds.regret_bound_a(huge, 40, 0.1, 0.5, 3) < 0
        assert bounds.tree_cost_bound(huge) > 0
