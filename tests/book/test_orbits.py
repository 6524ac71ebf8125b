"""The index on the orbit, cycles of runs, and the policies of chapter 10."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import tres_book
from tres_book import orbits
from tres_book.chapters import c10_whittle as whittle
from tres_lib import ephemeral

PAPER = whittle.table_1()
ALPHA = st.floats(0.01, 0.999)
U = st.floats(1e-6, 1e6)


@given(ALPHA, U, st.integers(0, 200))
def test_index_on_the_orbit(alpha, u, n):
    x = ephemeral.orbit(n, alpha, u)
    limit = u / (1 - alpha)
    w = orbits.orbit_index(n, alpha, u)
    assert ephemeral.whittle_index(x, alpha, u) == pytest.approx(w, rel=1e-12, abs=1e-13 * limit)


@pytest.mark.slow
@pytest.mark.parametrize("policy", whittle.POLICIES)
@pytest.mark.parametrize("crawls", [1, 2, 3])
def test_no_policy_beats_the_optimum_nor_that_the_bound(policy, crawls):
    chosen = whittle.policy_of(policy, PAPER, crawls)
    mean, _ = orbits.cycle(ephemeral.simulate(PAPER, crawls, 2_000, chosen, keep_states=True))
    best = tres_book.exact_optimum(PAPER, crawls)
    assert mean <= best * (1 + 1e-12)
    assert best <= ephemeral.lagrangian_bound(PAPER, crawls) * (1 + 1e-12)


def test_a_run_without_a_cycle_is_named():
    with pytest.raises(ValueError, match="epochs=1: no cycle"):
        orbits.cycle(ephemeral.simulate(PAPER, 1, 1, keep_states=True))
