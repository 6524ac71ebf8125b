"""The Double Deep Q-Network that values actions (Section 2.4.2)."""

import math
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np

from tres_webs.checks import count, generator, instance, is_count, positive
from tres_webs.extras import optional

from ...numerics import add_products, compiled

ROWS = 128  # of a forward pass; its units then fit into the processor's first cache
SLOPE = np.float32(0.1)  # of the leaky ReLU below zero
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # Adam's (Kingma and Ba 2015)


@dataclass(frozen=True)
class DDQNSettings:
    """Settings of a `DDQN`."""

    gamma: float = 0.3  # discount, below 1: the paper recommends a low one, its code uses 0.99
    hidden: tuple[int, int] = (32, 16)  # units of the two layers; about the authors' 30 and 15
    learning_rate: float = 1e-3  # Adam's
    clip: float = 1.0  # the largest norm of the gradient
    clip_each: bool = (
        False  # whether each element is cut at that, as the authors', and not the norm
    )
    batch: int = 64  # transitions per training step
    replace: bool = True  # whether a batch may have a transition twice; the authors' may not
    memory: int = 20_000  # transitions in the replay, where the oldest is overwritten
    next_actions: int = 96  # most rows of a transition's next actions; the last ones stay
    target_every: int = 167  # training steps between copies to the target network; `TRES` sets it

    def __post_init__(self) -> None:
        if not 0 <= self.gamma < 1:
            raise ValueError(f"gamma={self.gamma}: must lie in [0, 1)")
        for name in ("learning_rate", "clip"):
            positive(name, getattr(self, name))
        for name in ("batch", "memory", "next_actions", "target_every"):
            count(name, getattr(self, name))
        layers = self.hidden if isinstance(self.hidden, tuple | list) else ()
        if len(layers) != 2 or not all(is_count(units) and units > 0 for units in layers):
            raise ValueError(f"hidden={self.hidden}: give the units of two layers")


class DDQN:
    """Learn Q(x) by a multilayer perceptron and double Q-learning.

    The target of a transition (x, r, next_x) is r + gamma * Q_target(x*), where x* is the row of
    next_x of the highest online Q; with no next action it is r. `rng` draws the first weights and
    the replay, not torch's global state. `changes` are single settings, such as ``gamma=0.9``.

    Examples
    --------
    >>> agent = DDQN(n_features=2, gamma=0.5, rng=0)
    >>> agent.observe([0.1, 0.9], reward=1.0, next_x=[[0.2, 0.8], [0.3, 0.7]])
    >>> agent.train() > 0
    True
    >>> agent.q([[0.1, 0.9]]).shape
    (1,)
    """

    def __init__(
        self,
        n_features: int,
        settings: DDQNSettings | None = None,
        rng: np.random.Generator | int = 0,
        **changes: Any,
    ):
        names = [field.name for field in fields(DDQNSettings)]
        if not changes.keys() <= set(names):
            raise ValueError(f"{sorted(changes)}: the settings are {', '.join(names)}")
        self.n_features = count("n_features", n_features)
        settings = settings or DDQNSettings()
        instance("settings", settings, DDQNSettings)
        self.settings = replace(settings, **changes)
        self._rng = generator("rng", rng)
        seed = int(self._rng.integers(2**63))
        self.online = QNetwork(n_features, self.settings.hidden, seed)
        self.target = QNetwork(n_features, self.settings.hidden, seed)
        next_x = ("next_x", "f4", (self.settings.next_actions, n_features))  # padded beyond count
        transition = [("x", "f4", (n_features,)), ("reward", "f4"), ("count", "i4"), next_x]
        self.replay = np.zeros(self.settings.memory, transition)
        self._seen = 0
        self.trained = 0

    def __len__(self) -> int:
        return min(self._seen, len(self.replay))

    def start_from(self, weights: np.ndarray) -> None:
        """Give both networks the ``online.weights`` of another agent, (m,), else ValueError."""
        if np.shape(weights) != self.online.weights.shape:
            need = f"{len(self.online.weights)} for {self.n_features} features"
            raise ValueError(f"weights of shape {np.shape(weights)}: need {need}")
        self.online.weights[:] = self.target.weights[:] = weights

    def q(self, x: np.ndarray) -> np.ndarray:
        """Return the online network's Q-values, (n,) float64, of actions x, (n, n_features)."""
        return self.online(self._checked("x", x)).astype(float)

    def observe(self, x: np.ndarray, reward: float, next_x: np.ndarray) -> None:
        """Keep a transition for replay: the action taken x (n_features,), and its reward.

        `next_x` (m, n_features) are the actions available after it, A~ in the paper.
        """
        # The first rows come from the top of the page, the tree's sample stands last.
        last = self._checked("next_x", next_x)[-self.settings.next_actions :]
        oldest = self.replay[self._seen % len(self.replay)]
        oldest["x"] = self._checked("x", np.atleast_2d(x))[0]
        oldest["reward"] = reward
        oldest["count"] = len(last)
        oldest["next_x"][: len(last)] = last
        self._seen += 1

    def train(self) -> float:
        """Take one gradient step on a batch of the replay; return its mean squared error or NaN."""
        if not self._seen:
            return float("nan")
        batch = self.replay[self._drawn()]
        counts = batch["count"]
        next_x = batch["next_x"][:, : counts.max()]
        goal = self.targets(batch["reward"], next_x, counts)
        loss, _ = self.online.gradient(np.ascontiguousarray(batch["x"]), goal)
        self.online.descend(
            self.settings.learning_rate, self.settings.clip, self.settings.clip_each
        )
        self.trained += 1
        if self.trained % self.settings.target_every == 0:
            self.target.weights[:] = self.online.weights
        return loss

    def _drawn(self) -> np.ndarray:
        """Return the rows of a batch, at most (batch,)."""
        n, size = len(self), self.settings.batch
        if self.settings.replace:
            return self._rng.integers(n, size=size)
        return self._rng.choice(n, min(n, size), replace=False)

    def targets(self, reward: np.ndarray, next_x: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Return the Double-DQN targets y of n transitions, (n,) float32.

        `next_x` (n, m, n_features) has the actions after each, `counts` of its m rows.
        """
        is_action = np.arange(next_x.shape[1]) < counts[:, None]
        values = np.full(is_action.shape, -np.inf, np.float32)
        values[is_action] = self.online(next_x[is_action])
        some = np.flatnonzero(counts)  # a transition without any ends its path
        y = reward.copy()
        if len(some):
            best = next_x[some, values[some].argmax(axis=1)]
            y[some] += self.settings.gamma * self.target(best)
        return y

    def _checked(self, name: str, x: np.ndarray) -> np.ndarray:
        x = np.ascontiguousarray(x, np.float32)
        if x.ndim != 2 or x.shape[1] != self.n_features:
            raise ValueError(f"{name} of shape {x.shape}: need (n, {self.n_features})")
        return x


class QNetwork:
    """Map features to a value by two hidden layers of leaky ReLUs, with the same bits anywhere."""

    def __init__(self, n_features: int, hidden: tuple[int, int], seed: int):
        with optional("bilstm"):
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
            # As He et al. (2015). Scaled here: torch's own scaling rounds as the processor likes.
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
        """Take a step of Adam against the last gradient, its norm or `each` element cut first."""
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
