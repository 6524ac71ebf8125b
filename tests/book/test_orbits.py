"""The index on the orbit, the time to a state, cycles of runs, and the rivals of chapter 10."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import tres_book
from tres_book import orbits
from tres_book.chapters import c10_whittle as whittle
from tres_lib import ephemeral

PAPER = whittle.table_1()
ALPHA = st.floats(0.01, 0.999)
U = st.floats(1e-6, 1e6)


@given(ALPHA, U, st.integers(0, 200))
def test_index_on_the_orbit(alpha, u, n):
    """Both forms agree, and a state of the orbit is hit when it is its turn."""
    x = ephemeral.orbit(n, alpha, u)
    limit = u / (1 - alpha)
    w = orbits.orbit_index(n, alpha, u)
    assert ephemeral.whittle_index(x, alpha, u) == pytest.approx(w, rel=1e-12, abs=1e-13 * limit)
    if alpha ** (n + 1) > 1e-9:
        assert orbits.hitting_time(x, alpha, u) == n
        assert orbits.hitting_time(x + 1e-12 * limit, alpha, u) == n + 1


@given(ALPHA, U, st.integers(0, 400), st.floats(0, 1))
def test_hitting_time_is_what_the_recursion_takes(alpha, u, n, share):
    x = u + share * 0.99 * (u / (1 - alpha) - u)
    state, epochs = u, 0
    while state < x * (1 - 1e-13):
        state = alpha * state + u
        epochs += 1
    near = ephemeral.orbit(np.arange(max(epochs - 1, 0), epochs + 2), alpha, u)
    assume(not np.isclose(near, x, rtol=1e-12, atol=0).any())  # rounding decides there
    assert orbits.hitting_time(x, alpha, u) == epochs


def test_times_at_the_ends():
    times = orbits.hitting_time([0, 2.0, 4.0, 8.0], 0.5, 2.0)
    assert times.tolist() == [0, 0, math.inf, math.inf]


@pytest.mark.slow
def test_fixed_rates_are_those_of_the_relaxed_problem():
    for crawls in (1, 2, 3):
        run = ephemeral.simulate(PAPER, crawls, 4_200, orbits.fixed_rates(PAPER, crawls))
        rates = np.bincount(run.crawled.ravel(), minlength=4) / 4_200
        np.testing.assert_allclose(rates, ephemeral.relaxation(PAPER, crawls).rates, atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("policy", whittle.POLICIES)
@pytest.mark.parametrize("crawls", [1, 2, 3])
def test_no_policy_beats_the_optimum_nor_that_the_bound(policy, crawls):
    chosen = whittle.policy_of(policy, PAPER, crawls)
    mean, _ = orbits.cycle(ephemeral.simulate(PAPER, crawls, 2_000, chosen, keep_states=True))
    best = tres_book.exact_optimum(PAPER, crawls)
    assert mean <= best * (1 + 1e-12)
    assert best <= ephemeral.lagrangian_bound(PAPER, crawls) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: orbits.cycle(ephemeral.simulate(PAPER, 1, 3)), "keep_states=True"),
        (
            lambda: orbits.cycle(ephemeral.simulate(PAPER, 1, 1, keep_states=True)),
            "epochs=1: no cycle",
        ),
    ],
)
def test_what_is_missing_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
