"""Policies that learn from the queries they issued: the paper's, and ridge regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .features import Features, before_any_record, distinct, encode, join, similarity
from .kernel import estimate_sizes, q_values, reward
from .state import State

OVERLAPS = ("df", "hit", "duplicates")
TIMES = ("issue", "current")
POOL = 500  # candidates that are looked at: those in the most acquired records


@dataclass(frozen=True)
class RlSettings:
    """How the reinforcement-learning policy values queries.

    overlap : how many records of a response are expected to be duplicates.
        "df", as printed (Theorem 1): all acquired records that contain the word.
        "hit": these, times the share of such records that responses have contained so far.
        "duplicates": the same with a share for each candidate, from similar queries (the kernel
        of Eq. 8).
    features : an issued query's features as of its "issue", or the "current" ones.
    by_field : whether statistical features count DF by kind of HTML node as well.
    pool : look at so many candidates, those of the highest DF; None for all, as printed.
    h : steps to look ahead, 0 or 1 (Theorem 2).
    probes : first so many queries, chosen to differ in DF: a kernel's mean is never above what
        has been observed, so without them it does not find out that other words bring more. The
        paper does not say how T begins.
    sigma : width of the Gaussian kernel, in features, which are logarithms (Eq. 10).
    weights : of the statistical, linguistic and HTML kernel (Eq. 11).
    neighbours : estimate from so many most similar queries; None for all of T (Eq. 8).

    Raises
    ------
    ValueError
        If a name or number is not as described.
    """

    overlap: str = "duplicates"
    features: str = "issue"
    by_field: bool = True
    pool: int | None = POOL
    h: int = 1
    probes: int = 5
    sigma: float = 0.5
    weights: tuple[float, float, float] = (1.0, 0.0, 0.0)
    neighbours: int | None = None

    def __post_init__(self) -> None:
        for name, known in (("overlap", OVERLAPS), ("features", TIMES), ("h", (0, 1))):
            if getattr(self, name) not in known:
                names = ", ".join(map(str, known))
                raise ValueError(f"{name}={getattr(self, name)!r}: use one of {names}")
        for name in ("pool", "neighbours"):
            if getattr(self, name) is not None and not getattr(self, name) >= 1:
                raise ValueError(
                    f"{name}={getattr(self, name)!r}: give at least 1, or None for all"
                )
        if not self.probes >= 0:
            raise ValueError(f"probes={self.probes!r}: give a number of queries, from 0 on")


# What the paper leaves open (sigma, weights, neighbours, probes) is, as our own, the best of a grid
# on samples of English articles that the notebook does not use.
AS_PRINTED = RlSettings(
    overlap="df",
    features="current",
    by_field=False,
    pool=None,
    weights=(0.98, 0.01, 0.01),
    neighbours=5,
)


class RL:
    """Issue the candidate of the highest Q-value (the paper's algorithm, Section 4.2).

    Attributes
    ----------
    expected_size, expected_new : float
        Of the response to the last choice; what the choice was based on.
    """

    def __init__(self, settings: RlSettings | None = None):
        self._settings = settings or RlSettings()
        self._memory = Memory(self._settings.by_field)
        self.expected_size = self.expected_new = np.nan

    def choose(self, state: State) -> str | None:
        """The term to issue next; None if there is no candidate."""
        given = self._settings
        pool = distinct(state, state.pool(given.pool))
        if not len(pool):
            return None
        candidates = encode(state, pool, given.by_field)
        if len(state.issued) <= given.probes:
            best = _most_different(state, pool)
            self.expected_size = self.expected_new = np.nan
        else:
            best = self._best(state, pool, candidates)
        self._memory.keep(candidates, best)
        return state.words[pool[best]]

    def _best(self, state: State, pool: np.ndarray, candidates: Features) -> int:
        """The place in the pool of the highest Q-value."""
        given = self._settings
        issued = self._memory.features(state, now=given.features == "current")
        kernel = similarity(candidates, issued, given.sigma, given.weights)
        sizes = estimate_sizes(kernel, [q.returned for q in state.issued], given.neighbours)
        overlap = self._overlap(state, pool, kernel, sizes)
        rewards = reward(sizes, overlap)
        values = q_values(rewards, overlap, state.n) if given.h and state.n else rewards
        best = int(np.argmax(values))
        self.expected_size, self.expected_new = float(sizes[best]), float(rewards[best])
        return best

    def _overlap(
        self, state: State, pool: np.ndarray, kernel: np.ndarray, sizes: np.ndarray
    ) -> np.ndarray:
        """Duplicates that are expected in each candidate's response."""
        df = state.df[pool]
        if self._settings.overlap == "df":
            return df
        met, duplicates = np.array([(q.df, q.duplicates) for q in state.issued], float).T
        if self._settings.overlap == "hit":
            kernel = np.ones_like(kernel)
        expected = estimate_sizes(kernel, met, self._settings.neighbours)
        share = estimate_sizes(kernel, duplicates, self._settings.neighbours)
        ratio = np.divide(share, expected, out=np.ones_like(share), where=expected > 0)
        return np.minimum(df * ratio, sizes)


def _most_different(state: State, pool: np.ndarray) -> int:
    """The place in the pool of the word whose DF is farthest, as a factor, from all issued."""
    met = np.log1p([query.df for query in state.issued])
    return int(np.argmax(np.abs(np.log1p(state.df[pool])[:, None] - met).min(axis=1)))


class Ridge:
    """Issue the candidate for which a ridge regression expects the most new records.

    A control for the kernel: the same features, at issue, of the same pool, by the simplest
    learner. It is fitted anew after each response, with features scaled to unit variance.

    Parameters
    ----------
    pool : int
    penalty : float
        On the squared weights; the mean is free.
    """

    def __init__(self, pool: int | None = POOL, penalty: float = 1.0):
        self._pool, self._penalty = pool, penalty
        self._memory = Memory(by_field=True)
        self.expected_new = np.nan

    def choose(self, state: State) -> str | None:
        """The term to issue next; None if there is no candidate."""
        pool = state.pool(self._pool)
        if not len(pool):
            return None
        candidates = encode(state, pool, by_field=True)
        issued = np.hstack(self._memory.features(state, now=False))
        expected = self._fit(issued, np.array([q.new for q in state.issued], float))(
            np.hstack(candidates)
        )
        best = int(np.lexsort((-state.df[pool], -expected))[0])
        self.expected_new = float(expected[best])
        self._memory.keep(candidates, best)
        return state.words[pool[best]]

    def _fit(self, x: np.ndarray, y: np.ndarray):
        """What predicts new records from features."""
        centre, scale = x.mean(0), x.std(0)
        scale[scale < 1e-9] = np.inf  # what never varied says nothing
        z = (x - centre) / scale
        gram = z.T @ z + self._penalty * np.eye(z.shape[1])
        weights = np.linalg.solve(gram, z.T @ (y - y.mean()))
        return lambda rows: y.mean() + (rows - centre) / scale @ weights


class Memory:
    """Features of the issued queries, as of their issue."""

    def __init__(self, by_field: bool):
        self._by_field = by_field
        self._kept: list[Features] = []

    def features(self, state: State, now: bool) -> Features:
        """Those of all issued queries, in their order: as of now, or of their issue."""
        rows = np.array([query.word for query in state.issued])
        if now:
            return encode(state, rows, self._by_field)
        first = rows[: len(rows) - len(self._kept)]  # the first term, which no policy chose
        return join([before_any_record(state, first, self._by_field), *self._kept])

    def keep(self, candidates: Features, chosen: int) -> None:
        """Remember what is known of a candidate that is about to be issued."""
        self._kept.append(Features(*(part[chosen : chosen + 1] for part in candidates)))
