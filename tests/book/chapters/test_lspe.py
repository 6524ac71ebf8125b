"""Learning the index without parameters, against the scheme that it is derived from."""

import numpy as np
import pytest

from tres_book import orbits
from tres_book.chapters import c10_lspe as lspe
from tres_lib import ephemeral

Lspe, LIVES = lspe.Lspe, lspe.LIVES
ALPHA = np.exp(-1 / np.array(LIVES))[:, None]


def taught(found, ages, prior=(1.0, 1e-9), repeats=1):
    """One source, crawled at ages, where it was found to hold as much."""
    learner = Lspe(1, prior)
    for _ in range(repeats):
        for x, age in zip(found, ages, strict=True):
            learner(np.array([x]), np.array([age]))
            learner.learn(np.array([0]), np.array([0]), np.array([age]))
    return learner


def lspe_of_a_threshold(rewards, ages, n, subsidy, rounds=2_000, step=0.5):
    """LSPE(0) as it stands, from a log of transitions: the value of both actions at the threshold.

    Features mark a wait at each age, and describe a crawl by its age as `Lspe` does. The value of
    age 0 is the gain. No step is simplified.
    """
    top = n + 2
    phi = np.zeros((top + len(ages), top + len(LIVES)))
    phi[:top, :top] = np.eye(top)
    phi[top:, top:] = ephemeral.orbit(ages, ALPHA, 1.0).T
    state = np.zeros((top + 1, top + len(LIVES)))  # features of an age, with its action
    for k in range(top + 1):
        if k < n:
            state[k, k] = 1
        else:
            state[k, top:] = ephemeral.orbit(k, ALPHA[:, 0], 1.0)
    after = np.concatenate([np.arange(1, top + 1), np.zeros(len(ages), int)])
    earned = np.concatenate([np.full(top, subsidy), rewards])
    weights, solve = np.zeros(phi.shape[1]), np.linalg.pinv(phi)
    for _ in range(rounds):
        value = state @ weights
        weights += step * (solve @ (earned + value[after] - value[0]) - weights)
    return weights[n], ephemeral.orbit(n, ALPHA[:, 0], 1.0) @ weights[top:]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_both_actions_are_equal_at_the_learnt_index(n):
    """In LSPE(0) without any simplification, at the subsidy that the learner calls the index."""
    mixed = np.array([0.5, 0.0, 1.0, 0.2, 0.0, 0.3])
    ages = np.repeat(np.arange(12), 2)
    noise = np.random.default_rng(0).normal(0, 1e-3, len(ages))
    rewards = mixed @ ephemeral.orbit(ages, ALPHA, 1.0) + noise
    fit = np.linalg.lstsq(ephemeral.orbit(ages, ALPHA, 1.0).T, rewards, rcond=None)[0]
    learner = Lspe(1, (1.0, 1.0))
    learner.weights[0] = fit  # least squares to the end, without its bound at 0
    index = learner.index(np.array([n]))[0]
    wait, crawl = lspe_of_a_threshold(rewards, ages, n, index)
    assert wait == pytest.approx(crawl, abs=1e-6)
    other, crawl = lspe_of_a_threshold(rewards, ages, n, index + 0.1)
    assert other - crawl > 0.01


@pytest.mark.parametrize("life", [2.0, 5.0, 14.0])
def test_exact_rewards_give_the_index_between_the_lives_of_the_features(life):
    alpha, ages = np.exp(-1 / life), np.arange(40)
    learner = taught(ephemeral.orbit(ages, alpha, 3.0), ages, repeats=30)
    found = np.array([learner.index(np.array([k]))[0] for k in ages])
    true = orbits.orbit_index(ages, alpha, 3.0)
    assert np.abs(found - true).sum() < 0.03 * true.sum()
    assert (np.diff(found) > 0).all() and (learner.weights >= 0).all()


def test_one_crawl_by_hand():
    """A weight of 1: one crawl at age 0 finds 7 where 1 was expected; six features share the 6."""
    learner = taught([7.0], [0], prior=(1.0, 1.0))
    # at age 0 all features are 1: minimise sum (w - 1/6)^2 + (7 - sum w)^2, so sum w = 1 + 6 * 6/7
    np.testing.assert_allclose(learner.weights.sum(), 1 + 36 / 7, rtol=1e-9)


def test_only_the_states_of_crawled_sources_are_read():
    def run(unseen):
        learner = Lspe(2, (1.0, 1.0), rng=1)
        learner(np.array([3.0, unseen]), np.array([2, 5]))
        learner.learn(np.array([0]), np.array([0]), np.array([2]))
        return learner.index(np.array([2, 5]))

    np.testing.assert_array_equal(run(1.0), run(1e9))


def test_it_learns_while_it_crawls_and_runs_repeat():
    sources = ephemeral.source(np.linspace(0.2, 1, 6), np.geomspace(0.1, 0.8, 6), 200.0)

    def run():
        learner = Lspe(6, (sources.u.mean(), 1.0), rng=2)
        made = ephemeral.simulate(sources, 2, 1_000, learner, True, 1)
        return learner.weights, made.reward[500:].sum()

    (weights, reward), (again, _) = run(), run()
    assert (weights == again).all()
    known = ephemeral.simulate(sources, 2, 1_000, "whittle", True, 1, observed=False)
    chance = ephemeral.simulate(sources, 2, 1_000, "round-robin", True, 1)
    assert reward > chance.reward[500:].sum()
    assert 0.9 * known.reward[500:].sum() < reward < 1.02 * known.reward[500:].sum()


def test_a_trial_compares_on_the_same_arrivals():
    made = lspe.learnt_trial(1.0, 10, 200, 1_000)
    assert made == lspe.learnt_trial(1.0, 10, 200, 1_000)
    assert 0 < made["error"] < made["error at 50"] < 1
    assert all(0.5 < made[name] < 1.1 for name in ("lspe", "certainty", "epsilon-decay"))
