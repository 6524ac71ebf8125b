"""The Q-network: a perceptron of two hidden layers, compiled; its gradient; and Adam."""

import math
from itertools import pairwise

import numpy as np

from ...extras import extra
from ...numerics import add_products, compiled

ROWS = 128  # of a forward pass; its units then fit into the processor's first cache
SLOPE = np.float32(0.1)  # of the leaky ReLU below zero
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # Adam's (Kingma and Ba 2015)


class QNetwork:
    """Map features to a value by two hidden layers of leaky rectified linear units.

    The first weights are uniform by He et al. (2015), biases zero. All give the same bits anywhere.
    """

    def __init__(self, n_features: int, hidden: tuple[int, int], seed: int):
        with extra("bilstm"):
            import torch

        self._shapes = [s for m, n in pairwise([n_features, *hidden, 1]) for s in ((n, m), (n,))]
        self.weights = np.zeros(sum(map(np.prod, self._shapes)), np.float32)
        self._layers = self._parts(self.weights)
        self._gradient = np.zeros_like(self.weights)
        self._slopes = self._parts(self._gradient)
        self._moments = np.zeros((2, len(self.weights)), np.float32)  # of Adam: mean and square
        self._steps = 0
        rng = torch.Generator().manual_seed(seed)
        for layer in self._layers[::2]:
            # Scaled here: torch's own scaling rounds as the processor likes.
            uniform = torch.rand(layer.shape, generator=rng).numpy()
            layer[:] = (2 * uniform - 1) * np.float32((6 / layer.shape[1]) ** 0.5)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return the values, (n,) float32, of x, (n, n_features) float32."""
        return _values(x, *self._layers)

    def gradient(self, x: np.ndarray, goal: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the mean squared error from goals (n,), and its gradient until the next call."""
        self._gradient[:] = 0
        return _gradient(x, goal, *self._layers, *self._slopes), self._gradient

    def descend(self, learning_rate: float, clip: float, each: bool = False) -> None:
        """Take a step of Adam against the last gradient, whose norm is cut to `clip` first.

        Or each of its elements is.
        """
        if each:
            np.clip(self._gradient, -clip, clip, out=self._gradient)
            clip = math.inf
        self._steps += 1
        rate = np.float32(learning_rate / (1 - BETA_1**self._steps))
        root = np.float32((1 - BETA_2**self._steps) ** 0.5)
        mean, square = self._moments
        _adam(self.weights, self._gradient, mean, square, np.float32(clip), rate, root)

    def _parts(self, whole: np.ndarray) -> list[np.ndarray]:
        """Return views of a vector in the shapes of weights and biases, layer by layer."""
        ends = np.cumsum([np.prod(shape) for shape in self._shapes])
        return [p.reshape(s) for p, s in zip(np.split(whole, ends[:-1]), self._shapes, strict=True)]


@compiled
def _transposed(x, start, end):
    """Return rows start to end of x as columns."""
    columns = np.empty((x.shape[1], end - start), np.float32)
    for row in range(start, end):
        for column in range(len(columns)):
            columns[column, row - start] = x[row, column]
    return columns


@compiled
def _layer(below, weights, bias):
    """Return weights @ below + bias; below is (m, rows), weights (n, m)."""
    above = np.empty((len(weights), below.shape[1]), np.float32)
    for unit in range(len(weights)):
        above[unit] = bias[unit]
    add_products(above, weights, below)
    return above


@compiled
def _hidden(below, weights, bias):
    """Return the leaky ReLU of a layer."""
    above = _layer(below, weights, bias)
    for unit in range(len(above)):
        for row in range(above.shape[1]):
            above[unit, row] = max(above[unit, row], SLOPE * above[unit, row])
    return above


@compiled
def _values(x, w1, b1, w2, b2, w3, b3):
    values = np.empty(len(x), np.float32)
    for start in range(0, len(x), ROWS):
        end = min(start + ROWS, len(x))
        rows = _transposed(x, start, end)
        last = _layer(_hidden(_hidden(rows, w1, b1), w2, b2), w3, b3)
        for row in range(start, end):  # to assign a slice would compile its error messages too
            values[row] = last[0, row - start]
    return values


@compiled
def _gradient(x, goal, w1, b1, w2, b2, w3, b3, dw1, db1, dw2, db2, dw3, db3):
    """Write the gradient of the mean squared error into the last six arrays; return the error."""
    rows = _transposed(x, 0, len(x))
    first = _hidden(rows, w1, b1)
    second = _hidden(first, w2, b2)
    third = _layer(second, w3, b3)
    total = 0.0
    for row in range(len(x)):
        error = third[0, row] - goal[row]
        total += error * error
        third[0, row] = error * np.float32(2 / len(x))
    _add_gradient(third, second, dw3, db3)
    above = _through(third, w3, second)
    _add_gradient(above, first, dw2, db2)
    _add_gradient(_through(above, w2, first), rows, dw1, db1)
    return total / len(x)


@compiled
def _add_gradient(above, below, weights, bias):
    """Add a layer's gradient, by that of its sums (n, rows) and by its inputs (m, rows)."""
    add_products(weights, above, _transposed(below, 0, len(below)))
    for unit in range(len(above)):
        for value in above[unit]:
            bias[unit] += value


@compiled
def _through(above, weights, units):
    """Return the gradient of the sums of hidden units (m, rows), by that of the layer above."""
    below = np.zeros(units.shape, np.float32)
    add_products(below, _transposed(weights, 0, len(weights)), above)
    for unit in range(len(below)):
        for row in range(below.shape[1]):
            if units[unit, row] < 0:
                below[unit, row] *= SLOPE
    return below


@compiled
def _adam(weights, gradient, mean, square, clip, rate, root):
    norm = 0.0
    for g in gradient:
        norm += float(g) * float(g)
    scale = np.float32(min(1.0, clip / (norm**0.5 + 1e-6)))
    for i in range(len(weights)):
        g = gradient[i] * scale
        mean[i] += (g - mean[i]) * np.float32(1 - BETA_1)
        square[i] = square[i] * np.float32(BETA_2) + np.float32(1 - BETA_2) * g * g
        weights[i] -= rate * mean[i] / (np.sqrt(square[i]) / root + np.float32(EPSILON))
