"""The compiled Q-network beside torch's."""

import numpy as np
import pytest
import torch
from torch import nn

from tres_lib.focused.tres.ddqn import QNetwork


def torch_network(own: QNetwork, sizes: list[int]) -> tuple[nn.Sequential, list[torch.Tensor]]:
    """Return torch's network of the same weights, and its parameters."""
    layers: list[nn.Module] = []
    for inputs, outputs in zip(sizes[:-1], sizes[1:], strict=True):
        layers += [nn.Linear(inputs, outputs), nn.LeakyReLU(0.1)]
    network = nn.Sequential(*layers[:-1])
    rest = torch.from_numpy(own.weights.copy())
    for part in network.parameters():
        part.data = rest[: part.numel()].view_as(part)
        rest = rest[part.numel() :]
    return network, list(network.parameters())


def flat(tensors: list[torch.Tensor]) -> np.ndarray:
    return torch.cat([tensor.detach().flatten() for tensor in tensors]).numpy()


@pytest.mark.slow
def test_values_gradients_and_steps_are_those_of_torch():
    rng = np.random.default_rng(0)
    own = QNetwork(5, (7, 6), seed=3)
    network, parameters = torch_network(own, [5, 7, 6, 1])
    optimizer = torch.optim.Adam(parameters, 0.01)
    for _ in range(50):
        x = rng.normal(size=(33, 5)).astype(np.float32)
        goal = (5 * rng.normal(size=33)).astype(np.float32)
        values = network(torch.from_numpy(x))[:, 0]
        np.testing.assert_allclose(own(x), values.detach(), atol=1e-5)
        error = nn.functional.mse_loss(values, torch.from_numpy(goal))
        optimizer.zero_grad()
        error.backward()
        loss, gradient = own.gradient(x, goal)
        assert np.isclose(loss, error.item(), rtol=1e-5)
        np.testing.assert_allclose(gradient, flat([p.grad for p in parameters]), atol=1e-5)
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        own.descend(learning_rate=0.01, clip=1.0)
    np.testing.assert_allclose(own.weights, flat(parameters), atol=1e-5)


def test_a_value_does_not_depend_on_the_rows_beside_it():
    x = np.random.default_rng(0).random((300, 4)).astype(np.float32)
    network = QNetwork(4, (32, 16), seed=0)
    np.testing.assert_array_equal(network(x), [network(row[None])[0] for row in x])
    assert network(np.zeros((0, 4), np.float32)).shape == (0,)
