"""Simulation: its events obey their laws, and regret is what its definition says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tres_lib import refresh
from tres_lib.refresh.observations import Pages

XI = np.array([0.05, 0.3, 1.0, 4.0])
ZETA = np.array([1.0, 5.0, 2.0, 1.0])


def run(policy="uniform", horizon=500.0, rng=0, kind="poisson", **more):
    return refresh.simulate(policy, XI, ZETA, 2.0, horizon, rng, kind, **more)


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    one, same, other = (run("epsilon-decay", rng=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.observed.gaps, same.observed.gaps)
    assert np.array_equal(one.rates, same.rates) and np.array_equal(one.served, same.served)
    assert not np.array_equal(one.rates, other.rates)
    given = run("epsilon-decay", rng=np.random.default_rng(1))
    assert np.array_equal(one.rates, given.rates)


@pytest.mark.parametrize("kind", ["poisson", "uniform"])
def test_bits_and_gaps_obey_their_laws(kind):
    seen = run("uniform", 40_000.0, kind=kind).observed
    for page, rate in enumerate(XI):
        mine = seen.pages == page
        gaps = seen.gaps[mine]
        assert mine.sum() == pytest.approx(20_000, rel=0.04)
        assert gaps.mean() == pytest.approx(2, rel=0.04)
        spread = 2.0 if kind == "poisson" else 0.0
        assert gaps.std() == pytest.approx(spread, abs=0.1)
        expected = -np.expm1(-rate * gaps).mean()
        assert seen.changed[mine].mean() == pytest.approx(expected, abs=0.015)


def test_short_gaps_show_fewer_changes():
    """Bits depend on their own gaps: by chance alone, halves of the gaps would not differ."""
    seen = run("uniform", 20_000.0).observed
    mine = seen.pages == 1
    short = seen.gaps[mine] < np.median(seen.gaps[mine])
    bits = seen.changed[mine]
    assert bits[short].mean() < bits[~short].mean() - 0.2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["poisson", "uniform"])
def test_pages_are_fresh_as_often_as_theory_says(kind):
    """Stretches of freshness, added up over many decisions, against the expected transient."""
    pages = Pages(XI, kind, np.random.default_rng(5))
    fresh, rates = np.zeros(4), np.array([0.2, 0.6, 0.2, 1.0])
    for start in range(3000):
        _, (page, since, until) = pages.advance(rates, float(start), start + 1.0)
        fresh += np.bincount(page, until - since, 4)
    page, since, until = pages.unfinished(3000.0)
    fresh += np.bincount(page, until - since, 4)
    if kind == "poisson":  # a phase drawn anew each day makes even intervals uneven
        assert fresh / 3000 == pytest.approx(rates / (rates + XI), abs=0.03)
    assert (fresh <= 3000).all() and (fresh > 0).all()


def test_requests_are_served_as_often_as_expected():
    for kind in ("poisson", "uniform"):
        done = run("proportional-request", 20_000.0, kind=kind)
        asked, served = done.asked[-1], done.served[-1]
        assert asked == pytest.approx(9 * 20_000, rel=0.02)
        weights = 2 * ZETA / ZETA.sum()
        assert served / asked == pytest.approx(refresh.freshness(weights, XI, ZETA, kind), abs=0.01)
        assert (np.diff(done.served) >= 0).all() and (done.served <= done.asked).all()


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


def test_regret_takes_any_shape_and_any_order_of_times():
    done = run("epsilon")
    t = np.array([[400.0, 7], [0, 500]])
    lost = done.regret(t)
    assert lost.shape == (2, 2)
    assert lost.ravel() == pytest.approx([done.regret(x) for x in t.ravel()])
    assert isinstance(done.regret(3.0), float) and done.regret() == pytest.approx(lost[1, 1])


def test_counted_requests_scatter_around_expected_regret():
    counted, expected = [], []
    for seed in range(30):
        done = run("uniform", 300.0, seed)
        counted.append(done.regret(by="requests"))
        expected.append(done.regret())
    error = np.std(counted, ddof=1) / math.sqrt(30)
    assert np.mean(counted) == pytest.approx(np.mean(expected), abs=4 * error)
    assert error > 0 and np.ptp(expected) < 1e-9


def test_a_policy_of_ones_own():
    def half_and_half(view):
        if view.time == 0:
            return view.uniform_rates, 50.0
        return (view.uniform_rates + view.best_rates(view.estimates())) / 2, 2 * view.time

    done = run(half_and_half)
    assert done.starts.tolist() == [0, 50, 100, 200, 400]
    assert done.rates[0].tolist() == [0.5] * 4
    assert done.rates[-1] == pytest.approx(run("oracle").rates[0] / 2 + 0.25, abs=0.1)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("best", "policy='best'.*oracle, uniform"),
        (3, "policy=3"),
        (lambda view: (view.uniform_rates * 2, math.inf), "rates of the policy: add up to 4"),
        (lambda view: (-view.uniform_rates, math.inf), "rates of the policy=-0.5"),
        (lambda view: (view.uniform_rates[:2], math.inf), "rates of the policy: 2 numbers"),
        (lambda view: (view.uniform_rates, view.time), "until=0.0 of the policy"),
        (lambda view: (view.uniform_rates, math.nan), "until=nan of the policy"),
        (lambda view: view.uniform_rates, "policy: gave .*give \\(rates, until\\)"),
        (lambda view: (view.uniform_rates, None), "policy: gave .*give \\(rates, until\\)"),
    ],
)
def test_bad_policies_are_named(policy, message):
    with pytest.raises(ValueError, match=message):
        run(policy)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: refresh.simulate("uniform", [1, -1], [1, 1], 1, 9, 0), "change_rates=-1.0"),
        (lambda: refresh.simulate("uniform", [1, 1], [1], 1, 9, 0), "request_rates: 1 numbers"),
        (lambda: refresh.simulate("uniform", [1], [1], 0, 9, 0), "bandwidth=0"),
        (lambda: refresh.simulate("uniform", [1], [1], 1, 0, 0), "horizon=0"),
        (lambda: refresh.simulate("uniform", [1], [1], 1, math.inf, 0), "horizon=inf"),
        (lambda: run(kind="even"), "refresh='even'"),
        (lambda: run(bounds=(3, 2)), "bounds="),
        (lambda: run().regret(501), "t=501"),
        (lambda: run().regret([-1, 3]), "t="),
        (lambda: run().regret(math.nan), "t=nan"),
        (lambda: run().regret("late"), "t: not numbers"),
        (lambda: run().freshness([-1.0]), "t="),
        (lambda: run().regret(5, by="luck"), "by='luck'"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
