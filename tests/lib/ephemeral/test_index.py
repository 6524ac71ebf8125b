"""Sources and the closed-form index: by hand, on the orbit, between, outside, at the extremes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tres_book import orbits
from tres_lib import ephemeral

PAPER = ephemeral.source((1.0, 0.7, 0.2, 0.08), (0.7, 0.35, 0.7, 0.21), 250.0)  # Table 1
ALPHA = st.floats(0.01, 0.999)
U = st.floats(1e-6, 1e6)


def test_sources_by_hand():
    # exp(-ln 2) = 1/2 and 3 * 4 * (1 - 1/2) / ln 2
    made = ephemeral.source(3.0, math.log(2), 4.0)
    assert made.alpha == pytest.approx(0.5) and made.u == pytest.approx(6 / math.log(2))
    assert made.limit == pytest.approx(12 / math.log(2)) and len(made) == 1
    # Twice the period at half the rates is the same.
    again = ephemeral.source(3.0, math.log(2) / 2, 2.0, period=2.0)
    assert (again.alpha, again.u, again.arrivals) == (made.alpha, made.u, made.arrivals)


def test_the_papers_sources():
    u = [179.7909629316, 147.6559551406, 35.9581925863, 18.0395956219]
    np.testing.assert_allclose(PAPER.u, u, rtol=1e-11)


def test_slow_decay_keeps_its_digits():
    """(1 - exp(-x)) / x = 1 - x / 2 + ..., of which 1 - exp(-x) would lose all digits."""
    assert ephemeral.source(2.0, 1e-12, 3.0).u == pytest.approx(6 * (1 - 5e-13), rel=1e-15)


def test_index_by_hand():
    """alpha 1/2, u 1: X = 1, 3/2, 7/4 and W = X - (n + 1) / 2^(n + 1) = 1/2, 1, 11/8."""
    np.testing.assert_allclose(
        ephemeral.whittle_index([0, 0.5, 1, 1.25, 1.5, 1.75, 2, 3], 0.5, 1),
        [0, 0.25, 0.5, 0.75, 1, 1.375, 2, 3],
        rtol=1e-14,
    )


@given(ALPHA, U, st.integers(1, 300), st.floats(0, 1))
def test_every_zeta_gives_a_line_below_the_index(alpha, u, zeta, share):
    """The index is the largest of zeta [(1 - alpha) x - u] + u (1 - alpha^zeta) / (1 - alpha)."""
    limit = u / (1 - alpha)
    x = share * limit
    line = zeta * ((1 - alpha) * x - u) + limit * (1 - alpha**zeta)
    assert ephemeral.whittle_index(x, alpha, u) >= line - 1e-12 * limit


@given(ALPHA, U)
def test_index_rises_is_convex_below_the_state_and_linear_in_u(alpha, u):
    x = np.linspace(0, u / (1 - alpha), 400)
    w, close = ephemeral.whittle_index(x, alpha, u), 1e-11 * x[-1]
    assert (np.diff(w) >= -close).all() and (np.diff(w, 2) >= -close).all()
    assert (w <= x + close).all() and w[-1] == pytest.approx(x[-1])
    np.testing.assert_allclose(ephemeral.whittle_index(3 * x, alpha, 3 * u), 3 * w, atol=3 * close)


def test_ends_of_the_range():
    alpha, u = 0.7, 2.0
    limit = u / (1 - alpha)
    assert ephemeral.whittle_index(u, alpha, u) == pytest.approx((1 - alpha) * u)
    assert ephemeral.whittle_index(limit * (1 - 1e-15), alpha, u) == pytest.approx(limit)
    # Content that does not outlive its epoch, and a source where nothing appears.
    assert ephemeral.whittle_index([0.5, 1, 2], 0, 1).tolist() == [0.5, 1, 2]
    assert ephemeral.whittle_index([0.0, 2.0], 0.5, 0).tolist() == [0, 2]


def test_broadcasting_and_blocks():
    rng = np.random.default_rng(0)
    alpha, u = rng.random(20_000), rng.random(20_000)
    x = rng.random((2, 20_000)) / (1 - alpha) * u
    w = ephemeral.whittle_index(x, alpha, u)
    assert w.shape == x.shape
    assert w[1, 17_000] == ephemeral.whittle_index(x[1, 17_000], alpha[17_000], u[17_000])
    assert isinstance(ephemeral.whittle_index(1, 0.5, 1), float)
    assert ephemeral.whittle_index([], 0.5, 1).shape == (0,)


def test_a_million_epochs_to_the_limit():
    alpha, u = 1 - 1e-6, 1.0
    n = np.array([0, 10**5, 10**6, 10**7])
    w = ephemeral.whittle_index(ephemeral.orbit(n, alpha, u), alpha, u)
    np.testing.assert_allclose(w, orbits.orbit_index(n, alpha, u), rtol=1e-9)
