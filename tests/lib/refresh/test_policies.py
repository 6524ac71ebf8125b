"""Policies: the rates they set, when they think again, and the theory of how long to explore."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tres_lib import refresh

RNG = np.random.default_rng(7)
XI, ZETA = refresh.sample_pages(20, RNG)
BANDWIDTH = 4.0
BEST = refresh.optimal_rates(XI, ZETA, BANDWIDTH)
WARM_UP = 50.0  # ten refreshes of each page


def run(policy, horizon=2000.0, rng=0):
    return refresh.simulate(policy, XI, ZETA, BANDWIDTH, horizon, rng)


@pytest.mark.parametrize("name", refresh.POLICIES)
def test_every_policy_spends_all_bandwidth_always(name):
    assert run(name).rates.sum(axis=1) == pytest.approx(BANDWIDTH)


def test_fixed_policies_by_hand():
    weights = {"proportional-change": XI, "proportional-request": ZETA, "uniform": np.ones(20)}
    for name, weight in weights.items():
        assert run(name).rates == pytest.approx((BANDWIDTH * weight / weight.sum())[None])
    assert run("oracle").rates == pytest.approx(BEST[None])


def test_explore_and_commit_explores_for_the_given_time_and_never_again():
    done = run(refresh.ExploreCommit(300.0))
    assert done.starts.tolist() == [0, 300]
    assert done.rates[0] == pytest.approx(np.full(20, 0.2))
    seen = refresh.simulate("uniform", XI, ZETA, BANDWIDTH, 300.0, 0).observed
    estimates = refresh.estimate_change_rates(seen.changed, seen.gaps, seen.pages, 20)
    assert done.rates[1] == pytest.approx(refresh.optimal_rates(estimates, ZETA, BANDWIDTH))


def test_the_horizon_found_on_the_way_doubles_and_ends_near_the_theorys():
    done = run("explore-commit", 20_000.0)
    assert done.starts[1] == WARM_UP
    ratios = done.starts[2:] / done.starts[1:-1]
    assert ratios[:3] == pytest.approx(2) and (ratios <= 2).all()
    assert (done.rates[:-1] == 0.2).all() and (done.rates[-1] != 0.2).any()
    theory = refresh.best_horizon(XI, ZETA, BANDWIDTH, 20_000.0)
    assert theory / 2 < done.starts[-1] < theory * 2


def test_greedy_spends_nothing_on_pages_that_it_gave_up():
    done = run("greedy-doubling")
    assert done.starts.tolist() == [0, *WARM_UP * 2.0 ** np.arange(6)]
    assert (done.rates[-1] == 0).any()


def test_epsilon_keeps_its_share_for_all_and_decays_as_said():
    done = run("epsilon")
    assert done.rates[1:].min() == pytest.approx(0.1 * 0.2)
    decaying = run("epsilon-decay")
    assert decaying.starts.tolist() == done.starts.tolist()
    least = decaying.rates.min(axis=1)
    share = np.sqrt(WARM_UP / decaying.starts[1:])
    assert least[1:] == pytest.approx(0.2 * share)


def test_estimates_of_unseen_pages_are_the_middle_of_the_others():
    views = []

    def only_three(view):
        views.append(view)
        return np.array([1.0, 1, 1, *np.zeros(17)]), 100.0 if view.time == 0 else math.inf

    run(only_three)
    first, later = (view.estimates() for view in views)
    assert first == pytest.approx(math.sqrt(1e-3 * 25))
    assert later[3:] == pytest.approx(np.median(later[:3])) and np.ptp(later[:3]) > 0


def test_what_errors_cost_is_within_the_bound():
    """F(best; xi) - F(rates best for x; xi) <= 1/2 sum w (x - xi)^2 / (x xi), for any x."""
    rng, best = np.random.default_rng(3), refresh.freshness(BEST, XI, ZETA)
    weights = ZETA / ZETA.sum()
    for size in (0.01, 0.3, 1.0, 3.0):
        for _ in range(50):
            x = XI * np.exp(size * rng.normal(size=20))
            lost = best - refresh.freshness(refresh.optimal_rates(x, ZETA, BANDWIDTH), XI, ZETA)
            assert -1e-12 <= lost <= 0.5 * (weights * (x - XI) ** 2 / (x * XI)).sum() + 1e-12


def test_the_best_horizon_grows_as_the_root_of_time_and_stays_within_it():
    short, long = (refresh.best_horizon(XI, ZETA, BANDWIDTH, t) for t in (1e4, 4e4))
    assert long / short == pytest.approx(2)
    assert refresh.best_horizon(XI, ZETA, BANDWIDTH, 1e-3) == 1e-3
    # Pages alike: refreshing all alike is best, so exploring costs nothing.
    assert refresh.best_horizon(np.ones(3), np.ones(3), 1.0, 50.0) == 50
