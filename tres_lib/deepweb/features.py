"""A candidate query as numbers: what is known of its word (Section 4.1).

Statistical features are counts in the acquired records, linguistic ones are read off the word,
HTML ones tell in which nodes of the records it stands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .kernel import gaussian_kernel, hybrid_kernel, linear_kernel, ridf
from .records import N_KINDS, N_LENGTHS
from .state import DEPTHS, State

_HASH = 6_364_136_223_846_793_005  # Knuth's multiplier for numbers of 64 bits


class Features(NamedTuple):
    """Features of words, a row each.

    statistical : (n, s), linguistic : (n, l), html : (n, m); rows of the last two have length 1.
    """

    statistical: np.ndarray
    linguistic: np.ndarray
    html: np.ndarray


def encode(state: State, rows: np.ndarray, by_field: bool) -> Features:
    """Features of words as of now.

    Parameters
    ----------
    state : State
    rows : array of int, shape (n,)
    by_field : bool
        Whether the statistical features, which are log(1 + TF), log(1 + DF) and RIDF, comprise
        log(1 + DF) for each kind of HTML node as well.
    """
    tf, df, by_tag = state.tf[rows], state.df[rows], state.df_by_tag[:, rows].T
    columns = [np.log1p(tf), np.log1p(df), ridf(tf, df, max(state.n, 1))]
    statistical = np.column_stack([*columns, np.log1p(by_tag)] if by_field else columns)
    return Features(statistical, _linguistic(state, rows), _html(state, by_tag))


def _linguistic(state: State, rows: np.ndarray) -> np.ndarray:
    """Length and kind of each word, one-hot, (n, 7).

    The kind stands for the language. There is no part of speech: that needs a tagger for each
    language of the database.
    """
    length, kind = state.traits[:, rows]
    return np.hstack([np.eye(N_LENGTHS)[length], np.eye(N_KINDS)[kind]]) / np.sqrt(2)


def distinct(state: State, rows: np.ndarray) -> np.ndarray:
    """Of words with equal features the first two; rows, in their order.

    Most words are in one record and alike. Equal ones have equal Q-values, and to look one
    step ahead takes no more than a query and another like it.
    """
    counts = [state.tf[rows], state.df[rows], *state.df_by_tag[:, rows], *state.traits[:, rows]]
    key = np.zeros(len(rows), np.int64)
    for count in counts:
        key = key * _HASH + count.astype(np.int64)
    order = np.argsort(key, kind="stable")
    third = np.zeros(len(rows), bool)
    third[order[2:]] = key[order[2:]] == key[order[:-2]]
    return rows[~third]


def before_any_record(state: State, rows: np.ndarray, by_field: bool) -> Features:
    """Features of words as `encode` had them when no record had been acquired."""
    now = encode(state, rows, by_field)
    return Features(np.zeros_like(now.statistical), now.linguistic, np.zeros_like(now.html))


def _html(state: State, by_tag: np.ndarray) -> np.ndarray:
    """How the word's records divide among kinds of node, and among depths."""
    depth = by_tag @ np.eye(DEPTHS)[state.depth_of_tag]
    return np.hstack([_unit(by_tag), _unit(depth)]) / np.sqrt(2)


def _unit(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1)


def similarity(
    x: Features, y: Features, sigma: float, weights: tuple[float, float, float]
) -> np.ndarray:
    """Hybrid kernel of words (Eq. 11), (n, m); weights: statistical, linguistic, HTML."""
    used = [i for i, weight in enumerate(weights) if weight]  # the others need no time
    kernels = [linear_kernel(x[i], y[i]) if i else gaussian_kernel(x[0], y[0], sigma) for i in used]
    return hybrid_kernel(kernels, [weights[i] for i in used])


def join(features: list[Features]) -> Features:
    """All rows in one."""
    return Features(*(np.vstack(part) for part in zip(*features, strict=True)))
