"""TRES's policies without its tree, and its settings that change one thing."""

from __future__ import annotations

import numpy as np
from fakes import came, context, step, steps

from tres_book.crawls.no_tree import NoTree
from tres_lib import focused
from tres_lib.focused import Sync, TresSettings


def actions(n: int = 60) -> np.ndarray:
    return np.random.default_rng(1).random((n, 8), np.float32)


def fixed_values(policy) -> None:
    policy.learner.agent.q = lambda x: x[:, 5].astype(float)


def test_sync_looks_at_the_whole_frontier_at_each_step():
    x = actions()
    policy = Sync(context(x, budget=50))
    fixed_values(policy)
    policy.add(np.arange(60), x)
    left = set(range(60))
    for number in range(1, 31):
        before = policy.evaluations
        action = step(policy, number)
        if number > policy.learner.exploration:
            assert action == max(left, key=lambda i: x[i, 5])
            assert policy.evaluations - before == len(left)
        left.remove(action)


def test_no_tree_scores_as_many_as_there_are_full_leaves():
    x = actions(200)
    policy = NoTree(context(x), TresSettings(min_split=2, explore=0))
    policy.add(np.arange(200), x)
    for i in range(40):
        policy.tree.add_experience(x[i], float(x[i, 5] > 0.5))
    gone = set()
    for number in range(1, 101):
        full, before = policy.figures()["nonempty_leaves"], policy.evaluations
        action = step(policy, number)
        assert action not in gone and policy.evaluations - before == full > 1
        gone.add(action)
    ids = policy.candidates().tolist()
    assert len(set(ids)) == len(ids) and not gone & set(ids)


def test_three_representatives_a_leaf():
    x = actions()
    policy = focused.TRES(context(x), TresSettings(per_leaf=3, explore=0))
    policy.add(np.arange(60), x)
    policy.choose(1)
    assert policy.evaluations == 3


def test_actions_in_flight_are_learnt_as_they_stood_in_their_leaves():
    found = actions(4)
    now = np.zeros_like(found)  # features at the time of the choice
    policy = focused.TRES(context(now), TresSettings(min_split=2, target="outlinks"))
    policy.add(np.arange(4), found)
    taken = steps(policy, (1, 2))
    for reward, action in enumerate(taken):
        came(policy, action, float(reward), now[:0])
    np.testing.assert_array_equal(policy.agent.replay["x"][:2], now[taken])
    threshold = policy.tree.nodes().threshold[0]  # a value of the experience on the right
    assert threshold in found[taken] and not policy.in_flight
