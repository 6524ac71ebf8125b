"""The formulas against hand-worked numbers, brute force and what must always hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from tres_lib.deepweb import kernel

VALUES = st.floats(-50, 50)


def brute_q(r, df, n):
    """Theorem 2, term by term."""
    rows = range(len(r))
    return [r[a] + max(r[b] - df[b] / n * r[a] for b in rows if b != a) for a in rows]


def test_ridf_by_hand():
    # DF 4, TF 8 in 16 records: 2 + log2(1 - exp(-1/2)).
    assert kernel.ridf(8, 4, 16) == pytest.approx(0.6543231283)
    assert kernel.ridf(0, 0, 16) == 0
    assert kernel.ridf([8, 0], [4, 0], 16) == pytest.approx([0.6543231283, 0])


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 500))
def test_ridf_rises_with_repetition_and_compares_with_chance(df, more, spare):
    n = df + spare
    once, often = kernel.ridf([df, df + more], [df, df], n)
    assert often > once
    by_chance = n * -np.expm1(-(df + more) / n)  # records with a word spread at random
    assert often == pytest.approx(math.log2(by_chance / df), abs=1e-9)


def test_gaussian_by_hand_and_by_shape():
    # Squared distance 4, sigma 2: exp(-4 / 8).
    assert kernel.gaussian_kernel([1, 2], [1, 4], 2) == pytest.approx(math.exp(-0.5))
    x, y = np.arange(6.0).reshape(3, 2), np.ones((4, 2))
    assert kernel.gaussian_kernel(x, y, 1).shape == (3, 4)
    assert kernel.gaussian_kernel(x, y[0], 1) == pytest.approx(
        kernel.gaussian_kernel(x, y, 1)[:, 0]
    )
    assert kernel.gaussian_kernel(x[0], y, 1).shape == (4,)


@pytest.mark.slow
@given(arrays(float, (4, 3), elements=VALUES), st.floats(0.1, 10))
def test_gaussian_is_a_similarity(x, sigma):
    k = kernel.gaussian_kernel(x, x, sigma)
    assert np.allclose(np.diag(k), 1) and np.allclose(k, k.T)
    squares = ((x[:, None] - x) ** 2).sum(-1)
    assert np.allclose(k, np.exp(-squares / (2 * sigma**2)), atol=1e-6)


def test_linear_and_mix_by_hand():
    assert kernel.linear_kernel([1, 2], [3, 4]) == 11
    assert kernel.linear_kernel(np.eye(2), [[3, 4]]).tolist() == [[3], [4]]
    assert kernel.hybrid_kernel([1.0, 0.5, 0.0], [0.5, 0.3, 0.2]) == pytest.approx(0.65)
    mixed = kernel.hybrid_kernel([np.ones((2, 2)), np.zeros((2, 2))], (0.8, 0.2))
    assert np.allclose(mixed, 0.8)


def test_sizes_by_hand():
    k, sizes = (0.75, 0.25, 0.05), (40, 8, 100)
    assert kernel.estimate_sizes(k, sizes) == pytest.approx(35.2380952)
    assert kernel.estimate_sizes(k, sizes, k=1) == pytest.approx(40)
    assert kernel.estimate_sizes(k, sizes, k=2) == pytest.approx(32)
    both = kernel.estimate_sizes([k, (0, 0, 0)], sizes)
    assert both == pytest.approx([35.2380952, 148 / 3])  # like none: the plain mean


@pytest.mark.slow
@given(
    arrays(float, (3, 5), elements=st.floats(0, 1)),
    arrays(float, 5, elements=st.floats(0, 100)),
    st.integers(1, 7),
)
def test_an_estimate_lies_among_the_observed(k, sizes, neighbours):
    estimates = kernel.estimate_sizes(k, sizes, neighbours)
    assert (estimates >= sizes.min() - 1e-9).all() and (estimates <= sizes.max() + 1e-9).all()


def test_reward_by_hand():
    assert kernel.reward(32, 5) / 1000 == pytest.approx(0.027)
    assert kernel.reward([60, 50, 20], [20, 5, 10]).tolist() == [40, 45, 10]


def test_theorem_2_by_hand():
    q = kernel.q_values([40, 45, 10], [20, 5, 10], 100)
    assert q == pytest.approx([83, 76, 54.5])
    assert np.argmax(q) == 0  # looking ahead changes the choice
    assert kernel.q_values([7.0], [3], 10).tolist() == [7]
    assert kernel.q_values([], [], 10).tolist() == []


@pytest.mark.slow
@given(st.data(), st.integers(2, 40), st.booleans())
def test_theorem_2_by_brute_force(data, n, whole):
    elements = st.integers(-5, 5).map(float) if whole else VALUES  # whole numbers tie often
    r = data.draw(arrays(float, n, elements=elements))
    df = np.abs(data.draw(arrays(float, n, elements=elements)))
    assert kernel.q_values(r, df, 20) == pytest.approx(brute_q(r, df, 20), abs=1e-6)
