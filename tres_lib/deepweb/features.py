"""Features of a candidate query (Section 4.1)."""

from typing import NamedTuple

import numpy as np

from .kernel import gaussian_kernel, hybrid_kernel, linear_kernel, ridf
from .records import N_KINDS, N_LENGTHS
from .state import DEPTHS, State

_HASH = 6_364_136_223_846_793_005  # Knuth's multiplier for numbers of 64 bits


class Features(NamedTuple):
    """Features of words in rows; linguistic and HTML ones have length 1, or 0 without records."""

    statistical: np.ndarray  # counts in the acquired records
    linguistic: np.ndarray  # read off the word
    html: np.ndarray  # in which nodes of the records it stands


def encode(state: State, rows: np.ndarray, by_field: bool) -> Features:
    """Return the features of words as of now; with `by_field` also DF by kind of HTML node."""
    tf = state.tf[rows]
    df = state.df[rows]
    by_tag = state.df_by_tag[:, rows].T
    columns = [np.log1p(tf), np.log1p(df), np.asarray(ridf(tf, df, max(state.n, 1)))]
    if by_field:
        columns.extend(np.log1p(by_tag).T)
    # The kind stands for a word's language; a part of speech would need a tagger for each.
    length, kind = state.traits[:, rows]
    linguistic = np.hstack([np.eye(N_LENGTHS)[length], np.eye(N_KINDS)[kind]])
    html = np.hstack([_unit(by_tag), _unit(by_tag @ np.eye(DEPTHS)[state.depth_of_tag])])
    return Features(np.column_stack(columns), linguistic / np.sqrt(2), html / np.sqrt(2))


def distinct(state: State, rows: np.ndarray) -> np.ndarray:
    """Keep at most two rows for each feature vector."""
    # Many words are in one record only and have equal features, hence equal Q-values. Looking one
    # step ahead takes no more than a query and another with the same features.
    counts = [state.tf[rows], state.df[rows], *state.df_by_tag[:, rows], *state.traits[:, rows]]
    key = np.zeros(len(rows), np.int64)
    for count in counts:
        key = key * _HASH + count.astype(np.int64)
    order = np.argsort(key, kind="stable")
    third = np.zeros(len(rows), bool)
    third[order[2:]] = key[order[2:]] == key[order[:-2]]
    return rows[~third]


def similarity(
    x: Features, y: Features, sigma: float, weights: tuple[float, float, float]
) -> np.ndarray:
    """Return the hybrid kernel of words (Eq. 11), (n, m); one without weight is not computed."""
    used = [i for i, weight in enumerate(weights) if weight]
    kernels = [linear_kernel(x[i], y[i]) if i else gaussian_kernel(x[0], y[0], sigma) for i in used]
    return np.asarray(hybrid_kernel(kernels, [weights[i] for i in used]))


def _unit(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length > 0, length, 1)
