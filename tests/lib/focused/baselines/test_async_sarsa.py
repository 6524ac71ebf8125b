"""Asynchronous SARSA: levels and updates by hand."""

from __future__ import annotations

import numpy as np
from fakes import (
    came,
    context,
    page,
    step,
)

from tres_lib.focused.baselines.async_sarsa import LEVELS, N_FEATURES, HanAsync
from tres_lib.topics.vectors import tokenize
from tres_webs import Link


class Greedy(HanAsync):
    learning_rate = 0.01
    epsilon = 0.0


class FakeCosine:
    """A text that has the word of a number has a hundredth of it; relevant pages have 0.5."""

    typical = {"page": 0.5, "anchor": 1.0}

    def cosine(self, texts):
        numbers = ([int(w) for w in tokenize(text) if w.isdigit()] for text in texts)
        return np.array([sum(n) / 100 for n in numbers])


def policy_with(anchors: list[str], kind: type[HanAsync] = Greedy) -> HanAsync:
    links = [Link("http://a.example/", anchor) for anchor in anchors]
    return kind(context(None, links), FakeCosine())


def x_of(nearness: float, ratio: float, n: int) -> np.ndarray:
    x = np.zeros((n, 8), np.float32)
    x[:, 1:3] = nearness, ratio
    return x


def found(policy: HanAsync, action: int, reward: float, text: str, ids, x) -> None:
    """The page of an action is fetched and has the links `ids`."""
    came(policy, action, reward, x, ids, page("http://a.example/", text=text))


def test_levels_by_hand():
    policy = policy_with(["0", "19", "20", "79", "100", "61"])
    found(policy, 9, 1.0, "45", range(5), x_of(1.0, 1.0, 5))
    # 0.45 / 0.5 = 0.9; no change at a seed, nothing before it; all relevant; distance 0.
    np.testing.assert_array_equal(policy.levels[:5, :-1], [[4, 2, 0, 4, 0]] * 5)
    np.testing.assert_array_equal(policy.levels[:5, -1], [0, 0, 1, 3, 4])
    policy.drop([2])
    found(policy, 2, 0.0, "35", [5], x_of(0.5, 0.5, 1))
    # 0.7, which is 0.2 less: a small fall; 0.9 before; half relevant; one link behind.
    np.testing.assert_array_equal(policy.levels[5], [3, 1, 4, 2, 1, 3])


def test_updates_by_hand():
    policy = policy_with(["10", "90", "30"])
    found(policy, 9, 1.0, "50", [0, 1], x_of(1, 1, 2))
    assert policy.evaluations == 2 and not policy.weights.any()
    assert step(policy) == 0 and policy.q == 0  # equals: found first
    taken = (np.arange(N_FEATURES), [4, 2, 0, 4, 0, 0])
    expected = np.zeros((N_FEATURES, LEVELS))
    found(policy, 0, 1.0, "50", [], x_of(1, 1, 0))  # a relevant page ends the episode
    expected[taken] = 0.01
    np.testing.assert_allclose(policy.weights, expected)
    # The other link of the seed: all but its words have been met, Q = 5 * 0.01. The page that
    # it leads to is irrelevant and has one link, at other levels: Q' = 0.2.
    policy.drop([1])
    policy.weights[0, 0] = 0.2
    found(policy, 1, 0.0, "0", [2], x_of(0.5, 0.5, 1))
    assert list(policy.levels[2]) == [0, 0, 4, 2, 1, 1]
    expected[0, 0] = 0.2
    taken[1][-1] = 4
    expected[taken] += 0.01 * (0.9 * 0.2 - 0.05)
    np.testing.assert_allclose(policy.weights, expected)
