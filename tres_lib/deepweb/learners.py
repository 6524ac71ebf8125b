"""Policies that learn from the queries they issued, and the features of a query (Section 4.1)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tres_webs import checks

from .kernel import (
    DIGITS,
    estimate_sizes,
    gaussian_kernel,
    hybrid_kernel,
    linear_kernel,
    q_values,
    reward,
    ridf,
)
from .state import DEPTHS, N_KINDS, N_LENGTHS, State

POOL = 500  # candidates that are considered: those in the most acquired records
_HASH = 6_364_136_223_846_793_005  # Knuth's multiplier for numbers of 64 bits


@dataclass(frozen=True)
class RlSettings:
    """How the reinforcement-learning policy values queries."""

    # Duplicates that a response is expected to hold. "df" (Theorem 1): all acquired
    # records that contain the word. "hit": these, times the share of such records that responses
    # have contained so far. "duplicates": the same with a share for each candidate, from similar
    # queries (the kernel of Eq. 8).
    overlap: str = "duplicates"
    features: str = "issue"  # of an issued query: as of its "issue", or "current"
    by_field: bool = True  # statistical features count DF by kind of HTML node as well
    pool: int | None = POOL  # candidates considered, those of the highest DF; None: all
    h: int = 1  # steps to look ahead, 1 or 0 (Theorem 2)
    # So many first queries are chosen to differ in DF. Without them the policy does not find out
    # that other words bring more, since a kernel's mean never exceeds what has been observed. The
    # paper does not say how T begins.
    probes: int = 5
    sigma: float = 0.5  # width of the Gaussian kernel, in features, which are logarithms (Eq. 10)
    # Of the statistical, linguistic and HTML kernel (Eq. 11).
    weights: tuple[float, float, float] = (1.0, 0.0, 0.0)
    neighbours: int | None = None  # most similar queries estimated from; None: all of T (Eq. 8)

    def __post_init__(self) -> None:
        checks.one_of("overlap", self.overlap, ("df", "hit", "duplicates"))
        checks.one_of("features", self.features, ("issue", "current"))
        checks.count("h", self.h, 0, 1)
        checks.count("probes", self.probes, 0)
        for name in ("pool", "neighbours"):
            if getattr(self, name) is not None:
                checks.count(name, getattr(self, name))


# What the paper leaves open (sigma, weights, neighbours, probes) is, as our own, the best of a grid
# on samples of English articles that the notebook does not use.
#: The settings of the policy "rl-printed": our completion of the text, of which our copy lacks
#: Algorithm 1.
AS_PRINTED = RlSettings(
    "df", "current", by_field=False, pool=None, weights=(0.98, 0.01, 0.01), neighbours=5
)


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


class RL:
    """Issue the candidate of the highest Q-value (the paper's algorithm, Section 4.2)."""

    expected_size = np.nan  # estimated records of the response to the last choice; nan for a probe

    def __init__(self, settings: RlSettings | None = None):
        self._settings = settings or RlSettings()
        self._memory = Memory(self._settings.by_field)

    def choose(self, state: State) -> str | None:
        given = self._settings
        pool = distinct(state, state.pool(given.pool))
        if not len(pool):
            return None
        candidates = encode(state, pool, given.by_field)
        if len(state.issued) <= given.probes:
            # The word whose log DF is farthest from those of all issued ones.
            met = np.log1p([query.df for query in state.issued])
            farthest = np.abs(np.log1p(state.df[pool])[:, None] - met).min(axis=1)
            best = int(np.argmax(farthest.round(DIGITS)))
            self.expected_size = np.nan
        else:
            best = self._best(state, pool, candidates)
        self._memory.keep(candidates, best)
        return state.words[pool[best]]

    def _best(self, state: State, pool: np.ndarray, candidates: Features) -> int:
        given = self._settings
        issued = self._memory.features(state, now=given.features == "current")
        kernel = similarity(candidates, issued, given.sigma, given.weights)
        returned = [query.returned for query in state.issued]
        sizes = np.asarray(estimate_sizes(kernel, returned, given.neighbours))
        df = state.df[pool]
        overlap = df
        if given.overlap != "df":
            met, duplicates = np.array([(q.df, q.returned - q.new) for q in state.issued], float).T
            alike = np.ones_like(kernel) if given.overlap == "hit" else kernel
            expected = np.asarray(estimate_sizes(alike, met, given.neighbours))
            share = np.asarray(estimate_sizes(alike, duplicates, given.neighbours))
            ratio = np.divide(share, expected, out=np.ones_like(share), where=expected > 0)
            overlap = np.minimum(df * ratio, sizes)
        rewards = np.asarray(reward(sizes, overlap))
        values = q_values(rewards, overlap, state.n) if given.h and state.n else rewards
        best = int(np.argmax(values.round(DIGITS)))
        self.expected_size = float(sizes[best])
        return best


class Memory:
    """Features of the issued queries, as of their issue."""

    def __init__(self, by_field: bool):
        self._by_field = by_field
        self._chosen: list[Features] = []

    def features(self, state: State, now: bool) -> Features:
        """Return the features of all issued queries, in order: as of now, or of their issue."""
        rows = np.array([query.word for query in state.issued])
        if now:
            return encode(state, rows, self._by_field)
        # No policy chose the first term, which was issued when no record had been acquired.
        first = encode(state, rows[: len(rows) - len(self._chosen)], self._by_field)
        unknown = Features(0 * first.statistical, first.linguistic, 0 * first.html)
        return Features(*map(np.vstack, zip(unknown, *self._chosen, strict=True)))

    def keep(self, candidates: Features, row: int) -> None:
        """Remember the features of a candidate that is about to be issued."""
        self._chosen.append(Features(*(part[row : row + 1] for part in candidates)))
