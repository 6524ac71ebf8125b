"""The trained network of KwBiLSTM, compiled: a text's probability does not depend on its batch."""

from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from ...numerics import add_product, compiled, exp, fma

WORDS_CACHED = 2**15  # words whose gates are kept: 64 MB with 64 units a direction
ABSENT = -1
DIRECTIONS = ("onward", "homeward")

# tanh(x) = x P(x^2) / Q(x^2) on [-9, 9] to 3e-7, the minimax fit that linear-algebra libraries use.
_P = (-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-08,
     1.48572235717979e-05, 6.37261928875436e-04, 4.89352455891786e-03)  # fmt: skip
_Q = (1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03, 4.89352518554385e-03)
P = tuple(map(np.float32, _P))
Q = tuple(map(np.float32, _Q))


class Encoded(NamedTuple):
    """Texts as rows of word numbers (ragged) and keyword inputs (n, 5) float32."""

    ids: list[list[int]]
    inputs: np.ndarray


class CompiledNetwork:
    """Probabilities by a network's weights, each bitwise the same in any batch and order."""

    # The weights have the names of training.BiLstmNetwork; embedding: (words, dimensions).
    def __init__(self, w: Mapping[str, np.ndarray], embedding: np.ndarray):
        bias = [w[f"{side}.bias_ih_l0"] + w[f"{side}.bias_hh_l0"] for side in DIRECTIONS]
        entry = [w[f"{side}.weight_ih_l0"].T for side in DIRECTIONS]
        self._embedding, self._bias = embedding, np.concatenate(bias)
        self._entry = np.ascontiguousarray(np.concatenate(entry, axis=1))  # (dimensions, 8 h)
        recurrent = np.stack([w[f"{side}.weight_hh_l0"].T for side in DIRECTIONS])
        self._recurrent = np.ascontiguousarray(recurrent)  # (2, h, 4 h)
        self._head = np.ascontiguousarray(w["dense.1.weight"].T), w["dense.1.bias"]
        self._last = w["dense.4.weight"][0], w["dense.4.bias"][0]
        self._used = 0
        self._forget(WORDS_CACHED)

    def proba(self, texts: list[list[int]], inputs: np.ndarray) -> np.ndarray:
        """Return probabilities (n,) from n texts' word numbers and inputs (n, k) float32."""
        words = np.fromiter(chain.from_iterable(texts), np.int64)
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        rows = self._rows(words)
        pooled = _pooled(rows, ends, self._gates, self._recurrent)
        return _probabilities(np.concatenate([pooled, inputs], axis=1), *self._head, *self._last)

    def _rows(self, words: np.ndarray) -> np.ndarray:
        """Return the rows of the words' own parts of the gates; compute those of new words."""
        if self._used + len(words) > len(self._gates):  # at most so many are new
            self._forget(max(WORDS_CACHED, len(np.unique(words))))
        weights = self._embedding, self._entry, self._bias
        self._used = _add_words(words, self._row, self._gates, self._used, *weights)
        return self._row[words]

    def _forget(self, capacity: int) -> None:
        """Empty the cache of gates, with room for so many words."""
        self._row = np.full(len(self._embedding), ABSENT, np.int32)
        self._gates = np.empty((capacity, len(self._bias)), np.float32)
        self._used = 0


@compiled
def _add_words(words, row, gates, used, embedding, entry, bias):
    """Add the gates of words that have no row yet from row `used` on; return the next free row."""
    for word in words:
        if row[word] == ABSENT:
            for k in range(len(bias)):  # to assign a row would compile its error messages too
                gates[used, k] = bias[k]
            add_product(gates[used], embedding[word], entry)
            row[word] = used
            used += 1
    return used


@compiled
def _tanh(x):
    x = min(max(x, np.float32(-9.0)), np.float32(9.0))
    square = x * x
    above, below = np.float32(0.0), np.float32(0.0)
    for factor in P:
        above = fma(above, square, factor)
    for factor in Q:
        below = fma(below, square, factor)
    return x * above / below


@compiled
def _sigmoid(x):
    half = np.float32(0.5)
    return fma(half, _tanh(half * x), half)


@compiled
def _read(gates, cell, state):
    """Take one step of an LSTM, from its gates (4 h,) in torch's order: in, forget, cell, out."""
    h = len(state)
    for k in range(h):
        new = _sigmoid(gates[k]) * _tanh(gates[2 * h + k])
        cell[k] = fma(_sigmoid(gates[h + k]), cell[k], new)
        state[k] = _sigmoid(gates[3 * h + k]) * _tanh(cell[k])


@compiled
def _pooled(rows, ends, word_gates, recurrent):
    """Return mean states (n, 2 h); text i has the words rows[ends[i - 1] : ends[i]]."""
    h = recurrent.shape[1]
    pooled = np.zeros((len(ends), 2 * h), np.float32)
    gates = np.empty(4 * h, np.float32)
    cell, state = np.empty(h, np.float32), np.empty(h, np.float32)
    start = 0
    for text in range(len(ends)):
        length = ends[text] - start
        for side in range(2):
            for k in range(h):
                cell[k] = state[k] = np.float32(0.0)
            for t in range(length):
                row = rows[start + (length - 1 - t if side else t)]
                for k in range(4 * h):
                    gates[k] = word_gates[row, 4 * h * side + k]
                if t:  # the first state is zero
                    add_product(gates, state, recurrent[side])
                _read(gates, cell, state)
                for k in range(h):
                    pooled[text, h * side + k] += state[k] / np.float32(length)
        start = ends[text]
    return pooled


@compiled
def _probabilities(x, head, head_bias, last, last_bias):
    """Return probabilities (n,) by the dense head, from pooled states and further inputs."""
    probabilities = np.empty(len(x))
    for text in range(len(x)):
        units = head_bias.copy()
        add_product(units, x[text], head)
        logit = last_bias
        for k in range(len(units)):
            logit = fma(max(units[k], np.float32(0.0)), last[k], logit)
        probabilities[text] = 1 / (1 + np.float32(exp(-float(logit))))
    return probabilities
