"""The Double DQN: targets by hand, learning, determinism."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch

from tres_lib.focused import DDQN, DDQNSettings


def linear(agent: DDQN, online: list[float], target: list[float]) -> None:
    """Replace both networks by linear ones."""
    for name, weights in (("online", online), ("target", target)):
        setattr(agent, name, partial(np.dot, b=np.float32(weights)))


def test_target_by_hand():
    agent = DDQN(2, DDQNSettings(gamma=0.5), rng=0)
    linear(agent, online=[1, 0], target=[0, 10])
    next_x = np.float32([[[1, 2], [3, 1], [9, 9]], [[0, 0], [0, 0], [0, 0]]])
    # First: of two actions online prefers (3, 1), which target values 10. Second: no action.
    y = agent.targets(np.float32([1, 1]), next_x, np.array([2, 0]))
    np.testing.assert_allclose(y, [1 + 0.5 * 10, 1])


@pytest.mark.slow
def test_it_learns_the_values_of_two_actions():
    agent = DDQN(2, DDQNSettings(gamma=0.3, learning_rate=1e-2, target_every=50), rng=0)
    good, bad = np.float32([1, 0]), np.float32([0, 1])
    for _ in range(100):
        agent.observe(good, 1.0, np.stack([good, bad]))
        agent.observe(bad, 0.0, np.stack([good, bad]))
    for _ in range(700):
        agent.train()
    best = 1 / (1 - 0.3)  # Q* of always taking the good action
    np.testing.assert_allclose(agent.q(np.stack([good, bad])), [best, 0.3 * best], atol=0.05)


def trained(rng) -> np.ndarray:
    agent, data = DDQN(3, rng=rng), np.random.default_rng(7)
    for _ in range(80):
        agent.observe(data.random(3), data.integers(2), data.random((data.integers(5), 3)))
    losses = [agent.train() for _ in range(20)]
    return np.append(agent.q(np.eye(3)), losses)


def test_it_is_deterministic_and_leaves_torch_alone():
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = trained(5)
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(2)
    np.testing.assert_array_equal(first, trained(np.random.default_rng(5)))
    assert not np.array_equal(first, trained(6))


def test_replay_forgets_the_oldest_and_keeps_the_last_next_actions():
    agent = DDQN(1, DDQNSettings(memory=3, next_actions=2, batch=64), rng=0)
    for i in range(5):
        agent.observe([i], i, [[i], [i + 10], [i + 20]])
    assert len(agent) == 3
    x, next_x = agent.replay["x"], agent.replay["next_x"]
    assert set(x[:, 0]) == set(agent.replay["reward"]) == {2, 3, 4}
    np.testing.assert_array_equal(next_x[:, :, 0], np.column_stack([x + 10, x + 20]))
    assert set(agent.replay["count"]) == {2}


def test_the_target_network_follows_in_leaps():
    agent = DDQN(1, DDQNSettings(batch=1, target_every=3), rng=0)
    agent.observe([1.0], 1.0, [[1.0]])
    one = np.ones((1, 1), np.float32)
    first = agent.target(one)[0]
    agent.train(), agent.train()
    assert agent.target(one)[0] == first != agent.online(one)[0]
    agent.train()
    assert agent.target(one)[0] == agent.online(one)[0]


def test_single_settings():
    assert DDQN(2, gamma=0.9).settings == DDQNSettings(gamma=0.9)
    with pytest.raises(ValueError, match="gama.*gamma, hidden"):
        DDQN(2, gama=0.9)
