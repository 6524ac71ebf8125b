"""The simulation: the paper's example, the dynamics by hand, constraints, random arrivals."""

from __future__ import annotations

import numpy as np
import pytest

import tres_book
from tres_book.orbits import cycle
from tres_lib import ephemeral

PAPER = ephemeral.source((1.0, 0.7, 0.2, 0.08), (0.7, 0.35, 0.7, 0.21), 250.0)  # Table 1


def test_one_crawl_an_epoch_alternates_between_the_first_two_sources():
    run = ephemeral.simulate(PAPER, 1, 400, keep_states=True)
    assert run.crawled.shape == (400, 1) and run.reward.shape == (400,)
    assert run.crawled[:4, 0].tolist() == [0, 1, 0, 1]
    assert set(run.crawled[:, 0]) == {0, 1}
    assert cycle(run) == (pytest.approx(260.3899304911), 2)


def test_two_crawls_an_epoch():
    """Source 1 always; 2 and 3 irregularly; 4 seldom; no better policy exists."""
    run = ephemeral.simulate(PAPER, 2, 400, keep_states=True)
    mean, period = cycle(run)
    visits = np.bincount(run.crawled[-period:].ravel(), minlength=4)
    assert period == 7 and visits.tolist() == [7, 4, 2, 1]
    assert mean == pytest.approx(tres_book.exact_optimum(PAPER, 2), rel=1e-12)


def test_dynamics_by_hand():
    """Two sources, alpha 1/2 and 0, u 1 and 3; the first is crawled once, after two epochs."""
    sources = ephemeral.Sources([0.5, 0.0], [1.0, 3.0])
    turns = iter([1, 1, 0, 1])

    def policy(x, age):
        turn = next(turns)
        return np.arange(2) == turn

    run = ephemeral.simulate(sources, 1, 4, policy, keep_states=True)
    assert run.states.tolist() == [[1, 3], [1.5, 3], [1.75, 3], [1, 3]]
    assert run.reward.tolist() == [3, 3, 1.75, 3]
    assert run.crawled.ravel().tolist() == [1, 1, 0, 1]


def test_round_robin_takes_turns():
    assert ephemeral.simulate(PAPER, 1, 6, "round-robin").crawled.ravel().tolist() == [
        *(0, 1, 2, 3),
        *(0, 1),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("weights", [[1, 1, 1, 1], [1.5, 1.0, 0.5, 0.25], [3.0, 0.5, 0.5, 0.5]])
def test_weights_are_kept_to_on_average(weights):
    run = ephemeral.simulate(PAPER, 2.0, 4_000, weights=weights)
    cost = np.append(weights, 0)[run.crawled].sum(axis=1)  # -1 stands for none
    assert cost.mean() == pytest.approx(2, abs=0.01)
    assert (cost.cumsum() <= 2 * np.arange(1, 4_001) + 1e-6).all()
    bound = ephemeral.lagrangian_bound(PAPER, 2.0, weights)
    assert 0.9 * bound < run.reward.mean() < bound * 1.002


@pytest.mark.slow
def test_random_arrivals_have_the_mean_of_the_model():
    sources = ephemeral.source([1.0, 2.0], [0.7, 3.0], [20.0, 5.0], period=0.5)
    arrivals = ephemeral.Arrivals(sources, 0)
    drawn = np.array([arrivals.draw() for _ in range(20_000)])
    utility, items = drawn[:, 0], drawn[:, 1]
    np.testing.assert_allclose(items.mean(axis=0), sources.arrivals, rtol=0.02)
    np.testing.assert_allclose(utility.mean(axis=0), sources.u, rtol=0.02)
    # Campbell: variance = rate * E[worth^2] = xi^2 Lambda (1 - alpha^2) / (2 mu)
    variance = np.array([1 * 20 / 1.4, 4 * 5 / 6]) * (1 - sources.alpha**2)
    np.testing.assert_allclose(utility.var(axis=0), variance, rtol=0.06)


def test_equal_seeds_meet_the_same_arrivals():
    def run(policy, seed, **options):
        return ephemeral.simulate(PAPER, 4, 20, policy, True, seed, **options).reward

    assert (run("whittle", 5) == run("myopic", 5)).all()
    assert (run("whittle", 5) == run("whittle", np.random.default_rng(5))).all()
    assert (run("whittle", 5) != run("whittle", 6)).any()


def test_without_a_look_random_sources_are_crawled_as_the_deterministic_ones():
    calm = ephemeral.simulate(PAPER, 2, 200).crawled
    blind = ephemeral.simulate(PAPER, 2, 200, stochastic=True, rng=0, observed=False).crawled
    seen = ephemeral.simulate(PAPER, 2, 200, stochastic=True, rng=0).crawled
    partly = [True, False, False, False]
    mixed = ephemeral.simulate(PAPER, 2, 200, stochastic=True, rng=0, observed=partly).crawled
    assert (blind == calm).all() and (seen != calm).any()
    assert (mixed != seen).any()


def test_a_policy_is_told_all_that_was_found():
    class Listener:
        items = epochs = 0

        def __call__(self, x, age):
            return age

        def learn(self, crawled, found, elapsed):
            Listener.items, Listener.epochs = self.items + found, self.epochs + elapsed

    one = ephemeral.source([1.0], [1.0], [30.0])
    ephemeral.simulate(one, 1, 400, Listener(), True, 0)
    assert Listener.epochs == 399 and Listener.items / 399 == pytest.approx(30, rel=0.05)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PAPER.copies(0), "n=0"),
        (lambda: ephemeral.simulate(ephemeral.Sources(0.5, 1), 1, 3, stochastic=True), "arrivals="),
    ],
)
def test_what_is_missing_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
