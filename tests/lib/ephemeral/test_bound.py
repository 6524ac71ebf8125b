"""Best cycles, the Lagrangian bound and the exact optimum, against brute force."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

import tres_book
from tres_book import orbits
from tres_book.dynamic_programming import best_cycle_mean
from tres_lib import ephemeral

PAPER = ephemeral.source((1.0, 0.7, 0.2, 0.08), (0.7, 0.35, 0.7, 0.21), 250.0)  # Table 1
SEEDS = st.integers(0, 10_000)


def small_sources(n: int, seed: int) -> ephemeral.Sources:
    rng = np.random.default_rng(seed)
    return ephemeral.Sources(rng.uniform(0.05, 0.9, n), rng.uniform(0.1, 3, n))


@given(SEEDS, st.floats(0, 1.2))
def test_best_cycle_by_trying_all(seed, share):
    sources = small_sources(3, seed)
    price = share * sources.limit
    period, gain = ephemeral.best_cycle(sources, price)
    p = np.arange(1, 2_000)[:, None]
    earned = (ephemeral.orbit(p - 1, sources.alpha, sources.u) - price) / p
    np.testing.assert_allclose(gain, np.maximum(earned.max(axis=0), 0), atol=1e-12)
    assert (np.isinf(period) == (price >= sources.limit)).all()


def test_the_index_is_the_price_at_which_a_cycle_gets_longer():
    sources = small_sources(1, 3)
    for n in range(6):
        w = orbits.orbit_index(n, sources.alpha, sources.u)
        below, above = (ephemeral.best_cycle(sources, f * w)[0][0] for f in (1 - 1e-9, 1 + 1e-9))
        assert (below, above) == (n + 1, n + 2)


@pytest.mark.slow
@given(SEEDS, st.floats(0.02, 1), st.booleans())
@settings(max_examples=30, deadline=None)
def test_bound_by_linear_programming(seed, share, weighted):
    """Shares of time y_(i, p) in cycles of p epochs: an LP whose optimum is the bound."""
    sources, n, longest = small_sources(4, seed), 4, 400
    weights = np.random.default_rng(seed).uniform(0.3, 2, n) if weighted else None
    f = np.ones(n) if weights is None else weights
    M = share * f.sum()
    p = np.arange(1, longest + 1)
    earned = ephemeral.orbit(p - 1, sources.alpha[:, None], sources.u[:, None]) / p
    spent = f[:, None] / p
    done = linprog(
        -earned.ravel(),
        A_ub=np.vstack([spent.ravel(), np.kron(np.eye(n), np.ones(longest))]),
        b_ub=[M, *np.ones(n)],
    )
    solved = ephemeral.relaxation(sources, M, weights)
    assert solved.bound == pytest.approx(-done.fun, rel=1e-7)
    assert f @ solved.rates == pytest.approx(M) and (solved.rates <= 1 + 1e-12).all()


def test_bound_of_the_papers_sources():
    sources = PAPER
    relaxed = ephemeral.relaxation(sources, 1)
    assert relaxed.bound == pytest.approx(260.3899304911)
    np.testing.assert_allclose(relaxed.rates, [0.5, 0.5, 0, 0], atol=1e-12)
    assert ephemeral.lagrangian_bound(sources, 4) == pytest.approx(sources.u.sum())
    assert ephemeral.relaxation(sources, 4).multiplier == 0


@pytest.mark.slow
def test_bound_is_linear_in_copies_and_concave_in_crawls():
    sources = small_sources(4, 1)
    bounds = [ephemeral.lagrangian_bound(sources, M) for M in np.linspace(0.1, 4, 40)]
    assert (np.diff(bounds, 2) <= 1e-9).all() and (np.diff(bounds) > 0).all()
    many = ephemeral.lagrangian_bound(sources.copies(50), 100)
    assert many == pytest.approx(50 * ephemeral.lagrangian_bound(sources, 2))


def best_schedule(sources: ephemeral.Sources, M: int, longest: int) -> float:
    """The best of all periodic schedules of up to so many epochs, twice through from u."""
    sets, best = list(combinations(range(len(sources)), M)), 0.0
    for length in range(1, longest + 1):
        for plan in product(sets, repeat=length):
            turns = iter(plan * 12)

            def policy(x, age, turns=turns):
                return np.isin(np.arange(len(x)), next(turns)).astype(float)

            run = ephemeral.simulate(sources, M, 12 * length, policy)
            best = max(best, run.reward[-length:].mean())
    return best


@pytest.mark.slow
@pytest.mark.parametrize(("n", "M", "seed"), [(2, 1, 0), (3, 1, 1), (3, 2, 2), (2, 1, 3)])
def test_exact_optimum_beats_every_short_schedule(n, M, seed):
    rng = np.random.default_rng(seed)
    sources = ephemeral.Sources(rng.uniform(0.05, 0.4, n), rng.uniform(0.5, 1.5, n))
    longest = 6 if n == 2 else 4
    short = best_schedule(sources, M, longest)
    optimum = tres_book.exact_optimum(sources, M)
    assert short * (1 - 1e-9) <= optimum <= ephemeral.lagrangian_bound(sources, M) * (1 + 1e-9)
    assert optimum <= short * 1.02


def test_exact_optimum_at_the_ends():
    sources = small_sources(4, 2)
    assert tres_book.exact_optimum(sources, 4) == pytest.approx(sources.u.sum())
    one = ephemeral.source(1.0, 0.5, 10.0)
    assert tres_book.exact_optimum(one, 1) == pytest.approx(float(one.u))
    # A source so slow that its cap must grow: crawled about every 400 epochs at best.
    slow = ephemeral.Sources([0.2, 0.995], [1.0, 0.02])
    assert tres_book.exact_optimum(slow, 1) == pytest.approx(
        ephemeral.lagrangian_bound(slow, 1), rel=1e-4
    )


@given(st.integers(1, 12), st.integers(1, 3), SEEDS)
def test_howard_finds_the_best_cycle_mean(n, n_actions, seed):
    """Karp's recursion: walks of k steps from a state give the best cycle mean."""
    rng = np.random.default_rng(seed)
    reward = rng.integers(0, 9, (n_actions + 1, n)).astype(float)
    after = np.vstack([rng.integers(n, size=(n_actions, n)), np.roll(np.arange(n), -1)])
    walk = np.full((n + 1, n), -np.inf)
    walk[0, 0] = 0
    for k in range(n):
        for a in range(n_actions + 1):
            np.maximum.at(walk[k + 1], after[a], walk[k] + reward[a])
    ends = np.isfinite(walk[n])
    steps = n - np.arange(n)[:, None]
    karp = ((walk[n, ends] - walk[:n, ends]) / steps).min(axis=0).max()
    mean, states, actions = best_cycle_mean(reward, after)
    assert mean == pytest.approx(karp)
    assert reward[actions, states].mean() == pytest.approx(mean)
    assert (after[actions, states] == np.roll(states, -1)).all()
