"""Tree-Frontier against brute force."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tres_lib.focused import TreeFrontier, best_split, variance_reduction


def brute_force(x: np.ndarray, rewards: np.ndarray) -> float:
    """The highest variance reduction of all features and thresholds."""
    splits = [x[:, f] < c for f in range(x.shape[1]) for c in np.unique(x[:, f])]
    return max((variance_reduction(rewards, s) for s in splits if s.any()), default=0.0)


def test_variance_reduction_by_hand():
    # V(P) = 1/4; left {0, 0}: 0, right {1, 1}: 0
    assert variance_reduction([0, 0, 1, 1], [True, True, False, False]) == pytest.approx(0.25)
    # V(P) = 1/4; left {0}: 0; right {0, 1, 1}: 2/9, weighing 3/4
    assert variance_reduction([0, 0, 1, 1], [True, False, False, False]) == pytest.approx(1 / 12)
    assert variance_reduction([0, 1, 0, 1], [True, True, False, False]) == pytest.approx(0)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40), st.booleans())
@pytest.mark.slow
def test_best_split_is_the_brute_force_one(seed, n, coarse):
    rng = np.random.default_rng(seed)
    x = rng.integers(4, size=(n, 3)) / 3 if coarse else rng.random((n, 3))
    rewards = rng.integers(2, size=n) if coarse else rng.random(n)
    reduction, feature, threshold = best_split(x, rewards.astype(float))
    best = brute_force(x, rewards)
    assert reduction == pytest.approx(best, abs=1e-9)
    if reduction:
        assert variance_reduction(rewards, x[:, feature] < threshold) == pytest.approx(best)


def test_ties_go_to_the_first_feature_and_the_smallest_threshold():
    x = np.array([[0.0, 0], [0, 0], [1, 1], [1, 1]])
    assert best_split(x, np.array([0.0, 0, 1, 1])) == (pytest.approx(0.25), 0, 1.0)
    x = np.array([[0.0], [1], [2]])  # 0 | 1 0 and 0 1 | 0 reduce alike
    assert best_split(x, np.array([0.0, 1, 0]))[2] == 1.0


def test_no_split_of_equal_samples():
    assert best_split(np.ones((4, 2)), np.array([0.0, 1, 0, 1]))[0] == 0


def test_min_split_is_the_first_experience_that_may_split():
    tree = TreeFrontier(1, rng=0, min_split=4)
    outcomes = [tree.add_experience([i], i >= 2) for i in range(4)]
    assert outcomes == [False, False, False, True]
    assert tree.n_leaves == 2


def test_leaves_and_variances_after_a_split():
    tree = TreeFrontier(1, rng=0, min_split=4)
    tree.add([5, 2], [[0.1], [0.9]])
    assert tree.leaves_of([2, 5]).tolist() == [0, 0] and tree.ids().tolist() == [2, 5]
    assert np.isnan(tree.nodes().reward_variance[0])
    for x, reward in ((0.0, 0), (0.2, 0), (0.5, 1), (0.6, 0.5)):  # x < 0.5 goes left
        tree.add_experience([x], reward)
    assert tree.leaves_of([2, 5, 2]).tolist() == [2, 1, 2]
    assert tree.leaves_of([]).shape == (0,)
    # of 0, 0, 1, 1/2: 5/16 - (3/8)^2; of 0, 0; of 1, 1/2: 5/8 - (3/4)^2
    assert tree.nodes().reward_variance.tolist() == pytest.approx([11 / 64, 0, 1 / 16])
    tree.pop(2)
    for absent in (2, 3, -1, 10**6):
        with pytest.raises(KeyError):
            tree.leaves_of([5, absent])


def test_representatives_are_uniform():
    tree = TreeFrontier(1, rng=1)
    tree.add(np.arange(4), np.zeros((4, 1)))
    counts = np.bincount([tree.representatives()[0][0] for _ in range(4_000)], minlength=4)
    assert (abs(counts - 1_000) < 5 * np.sqrt(750)).all()


@pytest.mark.parametrize(
    ("ids", "x"),
    [([-1], [[0]]), ([1.5], [[0]]), ([0, 0], [[0], [0]]), ([7], [[1]]), ([0], [[0, 0]]),
     ([0], [[np.nan]])],
)  # fmt: skip
def test_bad_additions(ids, x):
    tree = TreeFrontier(1, rng=0)
    tree.add([7], [[0]])
    with pytest.raises(ValueError):
        tree.add(ids, x)
    assert len(tree) == 1 and tree.pop(7).tolist() == [0]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_tree_invariants(seed):
    """Whatever happens, each sample is in the leaf its x leads to, and no leaf is missed."""
    rng = np.random.default_rng(seed)
    tree, kept, n = TreeFrontier(3, rng=seed, min_split=3), {}, 0
    for _ in range(60):
        k = int(rng.integers(6))
        x = np.float32(rng.integers(5, size=(k, 3)) / 4)
        tree.add(np.arange(n, n + k), x)
        kept.update(zip(range(n, n + k), x, strict=True))
        n += k
        for i in [i for i in kept if rng.random() < 0.1]:
            tree.pop(i)
            del kept[i]
        tree.add_experience(rng.integers(5, size=3) / 4, rng.integers(2))
    nodes = tree.nodes()

    def leaf(x):
        at = 0
        while not nodes.leaf[at]:
            rule = nodes.loc[at]
            at = rule.left if x[rule.feature] < rule.threshold else rule.right
        return at

    where = {i: leaf(x) for i, x in kept.items()}
    ids, x = tree.representatives()
    assert len(tree) == len(kept) and len(ids) == tree.n_nonempty
    assert sorted(where[i] for i in ids) == sorted(set(where.values()))
    assert all((kept[i] == row).all() for i, row in zip(ids, x, strict=True))
    assert nodes.leaf.sum() == tree.n_leaves and nodes.frontier[0] == len(kept)
    assert nodes.experiences[0] == 60


@pytest.mark.slow
def test_a_large_frontier_stays_small_in_memory():
    rng = np.random.default_rng(0)
    tree, n = TreeFrontier(8, rng), 100_000
    tracemalloc.start()
    for start in range(0, n, 40):
        x = rng.random((40, 8), np.float32)
        tree.add(np.arange(start, start + 40), x)
        tree.add_experience(x[0], x[0, 0] > rng.random())
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used / n < 90
