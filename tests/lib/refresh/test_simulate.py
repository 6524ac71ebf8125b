"""Simulation: its events obey their laws, and regret is what its definition says."""

from __future__ import annotations

import numpy as np
import pytest

from tres_lib import refresh

XI = np.array([0.05, 0.3, 1.0, 4.0])
ZETA = np.array([1.0, 5.0, 2.0, 1.0])


def run(policy="uniform", horizon=500.0, rng=0, **more):
    return refresh.simulate(policy, XI, ZETA, 2.0, horizon, rng, **more)


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    one, same, other = (run("epsilon-decay", rng=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.observed.gaps, same.observed.gaps)
    assert np.array_equal(one.rates, same.rates)
    assert not np.array_equal(one.rates, other.rates)
    given = run("epsilon-decay", rng=np.random.default_rng(1))
    assert np.array_equal(one.rates, given.rates)


def test_bits_and_gaps_obey_their_laws():
    seen = run("uniform", 40_000.0).observed
    for page, rate in enumerate(XI):
        mine = seen.pages == page
        gaps = seen.gaps[mine]
        assert mine.sum() == pytest.approx(20_000, rel=0.04)
        assert gaps.mean() == pytest.approx(2, rel=0.04)
        assert gaps.std() == pytest.approx(2, abs=0.1)
        expected = -np.expm1(-rate * gaps).mean()
        assert seen.changed[mine].mean() == pytest.approx(expected, abs=0.015)


def test_the_oracle_has_no_regret_and_others_have():
    t = np.linspace(0, 500, 7)
    assert run("oracle").regret(t) == pytest.approx(np.zeros(7), abs=1e-9)
    for policy in set(refresh.POLICIES) - {"oracle"}:
        lost = run(policy).regret(t)
        assert lost[0] == 0 and lost[-1] > 0


def test_regret_is_the_integral_of_what_is_lost():
    done = run("greedy-doubling")
    t = np.linspace(0, 500, 200_001)
    gap = run("oracle").freshness(t) - done.freshness(t)
    area = np.concatenate([[0], np.cumsum((gap[1:] + gap[:-1]) / 2 * np.diff(t))])
    at = np.array([0, 3.3, 100, 437.5, 500])
    assert done.regret(at) == pytest.approx(np.interp(at, t, area), abs=1e-4)


def test_freshness_starts_empty_and_does_not_jump_where_rates_change():
    done = run("greedy-doubling")
    assert len(done.starts) > 3 and done.freshness([0.0]) == pytest.approx([0])
    for start in done.starts[1:]:
        before, after = done.freshness([start - 1e-9, start])
        assert before == pytest.approx(after, abs=1e-6)
