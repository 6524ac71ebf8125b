"""Learning the arrival rates."""

from __future__ import annotations

import numpy as np
import pytest

from tres_lib import ephemeral
from tres_lib.ephemeral.adaptive import Belief, optimistic, thompson

UTILITY, DECAY = np.random.default_rng(0).uniform(0.1, 1, (2, 10))
SOURCES = ephemeral.source(UTILITY, DECAY, np.geomspace(5, 500, 10))


def test_posterior_by_hand():
    """Prior worth 2 epochs at 3 items; 7 items in 4 epochs make (6 + 7) / (2 + 4)."""
    learner = ephemeral.Adaptive(SOURCES, "certainty", (3.0, 2.0))
    learner.learn(np.array([4]), np.array([7]), np.array([4]))
    assert learner.belief.mean[4] == pytest.approx(13 / 6) and learner.belief.mean[5] == 3


def test_certainty_with_the_true_rates_is_the_informed_index():
    exact = ephemeral.Adaptive(SOURCES, "certainty", (SOURCES.arrivals, 1e12))
    common = {"stochastic": True, "rng": 3, "observed": False}
    learnt = ephemeral.simulate(SOURCES, 3, 100, exact, **common)
    informed = ephemeral.simulate(SOURCES, 3, 100, **common)
    assert (learnt.crawled == informed.crawled).all()


@pytest.mark.parametrize("strategy", ephemeral.STRATEGIES)
def test_rates_are_learnt_and_runs_repeat(strategy):
    def run():
        learner = ephemeral.Adaptive(SOURCES, strategy, (SOURCES.arrivals.mean(), 1.0), rng=2)
        crawled = ephemeral.simulate(SOURCES, 5, 400, learner, True, 1, observed=False).crawled
        return learner.belief, crawled

    (belief, crawled), (_, again) = run(), run()
    assert (crawled == again).all()
    often = np.bincount(crawled.ravel(), minlength=10) > 40
    assert often.sum() >= 5
    np.testing.assert_allclose(belief.mean[often], SOURCES.arrivals[often], rtol=0.1)


def test_optimism_is_above_the_mean_and_thompson_around_it():
    belief = Belief(np.full(2_000, 5.0), np.full(2_000, 2.0), np.random.default_rng(0), turn=50)
    assert (optimistic(belief, np.ones(2_000)) > belief.mean).all()
    assert thompson(belief, np.ones(2_000)).mean() == pytest.approx(2.5, rel=0.05)


def test_regret_of_full_information_is_zero():
    lost = ephemeral.regret(SOURCES, 3, 50, "certainty", (SOURCES.arrivals, 1e12))
    assert not lost.any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ephemeral.Adaptive(SOURCES, "best", (1.0, 1.0)), "strategy='best'"),
        (lambda: ephemeral.Adaptive(SOURCES, "thompson", (0.0, 1.0)), "prior="),
        (lambda: ephemeral.Adaptive(ephemeral.Sources(0.5, 1), "thompson", (1, 1)), "arrivals"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
