"""Dynamic programming for one source, against the closed form and a package for finite bandits."""

from __future__ import annotations

import markovianbandit
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tres_book import dynamic_programming as dynamic
from tres_lib import ephemeral


def orbit_chain(alpha, u):
    """The orbit of a source, and states below and between that lead along it."""
    epochs = int(np.ceil(np.log(1e-5) / np.log(alpha)))
    starts = [0.0, u / 3, u, u * (1 + alpha / 2)]
    return dynamic.chain(dynamic.orbit_states(alpha, u, starts, epochs), alpha, u)


def packaged(model):
    """The same arm for a package of finite restless bandits: transitions and rewards."""
    n = len(model.states)
    arm = model.passive, np.tile(model.reset, (n, 1)), np.zeros(n), model.states
    return markovianbandit.restless_bandit_from_P0P1_R0R1(*arm).whittle_indices()


@pytest.mark.slow
@given(st.floats(0.1, 0.85), st.floats(0.01, 100))
@settings(max_examples=10, deadline=None)
def test_theorem_1_by_dynamic_programming(alpha, u):
    """On the orbit, between its states and below u."""
    model = orbit_chain(alpha, u)
    at = np.flatnonzero(model.states < 0.999 * u / (1 - alpha))
    numeric = dynamic.numeric_index(model, at)
    formula = ephemeral.whittle_index(model.states[at], alpha, u)
    np.testing.assert_allclose(numeric, formula, atol=1e-10 * model.states[-1])


@pytest.mark.slow
@pytest.mark.parametrize("noisy", [False, True])
def test_another_package_finds_the_same_index(noisy):
    """The finite arm of one source, of a few states; near x* the package's arithmetic gives out."""
    alpha, u = 0.6, 2.0
    states = dynamic.orbit_states(alpha, u, [0, u], 12)
    new = [0.5 * u, u, 1.5 * u] if noisy else u
    grid = np.linspace(0, 2 * u / (1 - alpha), 40) if noisy else states
    model = dynamic.chain(grid, alpha, new)
    at = np.flatnonzero(model.states < 0.9 * u / (1 - alpha))
    found = packaged(model)[at]
    np.testing.assert_allclose(dynamic.numeric_index(model, at), found, rtol=1e-8, atol=1e-8)


@pytest.mark.slow
def test_a_thousand_random_arms_have_the_packages_index():
    """The closed form against markovianbandit, on the states that the cut at x* does not touch."""
    rng = np.random.default_rng(0)
    for _ in range(1_000):
        alpha, u, n = rng.uniform(0.1, 0.9), 10 ** rng.uniform(-2, 2), int(rng.integers(4, 9))
        model = dynamic.chain(dynamic.orbit_states(alpha, u, [u], n), alpha, u)
        states = model.states[: n - 1]
        found = packaged(model)[: n - 1]
        assert np.abs(found - ephemeral.whittle_index(states, alpha, u)).max() <= 1e-9 * u


def test_solution_by_hand():
    """alpha 1/2, u 1, waiting costs 0.26: the state grows by 1/2, then 1/4, so crawl at 3/2."""
    model = orbit_chain(0.5, 1.0)
    found = dynamic.solve(model, 0.26)
    assert model.states[found.passive[0]].max() == 1.25  # it would be 1.625 in an epoch
    gain = 1.5 - 0.26  # wait once, then crawl
    assert found.gain == pytest.approx(gain) and found.subsidy == pytest.approx(gain - 0.26)
    # (lam + 3/2) / 2 is the mean over that cycle
    assert found.gain == pytest.approx((found.subsidy + 1.5) / 2)


@pytest.mark.slow
def test_discounted_value_tends_to_the_gain():
    model = orbit_chain(0.5, 1.0)
    found = dynamic.solve(model, 0.26)
    for discount in (0.99, 0.999):
        value = dynamic.discounted_value(model, found.subsidy, discount)
        assert (1 - discount) * value[0, 0] == pytest.approx(found.gain[0], rel=3 * (1 - discount))
