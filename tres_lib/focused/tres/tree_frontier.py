"""Tree-Frontier: an online decision tree over the crawl frontier (Algorithms 2 and 3)."""

import math

import numpy as np
import pandas as pd

from ...checks import count, generator, number
from ..frontier import grown
from .leaf_samples import LeafSamples
from .splits import NOISE, best_split, walk

ABSENT = -1
# By node: its rule (feature ABSENT in a leaf), its left child, before the right one, and its depth.
NODE = np.dtype([("feature", "i4"), ("threshold", "f4"), ("left", "i4"), ("depth", "i4")])


class TreeFrontier:
    """Keep frontier samples in the leaves of a tree that experience grows.

    A leaf holds frontier samples (actions to choose from) and experience samples (actions
    taken, with their rewards). A new experience may split its leaf where that reduces the
    variance of rewards most, from `min_split` experiences in it on. The default is the authors';
    below it most splits follow chance. A leaf at `max_depth` does not split, the root's being 0,
    and each child has a share `min_child` of the experiences. The `rng` draws the representatives.

    Examples
    --------
    >>> tree = TreeFrontier(n_features=1, rng=0, min_split=2)
    >>> tree.add([0, 1, 2], [[0.1], [0.7], [0.9]])
    >>> [tree.add_experience([0.2], reward=0), tree.add_experience([0.8], reward=1)]
    [False, True]
    >>> ids, x = tree.representatives()
    >>> tree.n_leaves, len(tree), x.shape
    (2, 3, (2, 1))
    """

    def __init__(
        self,
        n_features: int,
        rng: np.random.Generator | int = 0,
        min_split: int = 5,
        max_depth: int | None = None,
        min_child: float = 0.0,
    ):
        self.n_features = count("n_features", n_features)
        self.min_split = count("min_split", min_split)
        self.max_depth = math.inf if max_depth is None else count("max_depth", max_depth, 0)
        self.min_child = number("min_child", min_child, 0, 0.5)
        self._rng = generator("rng", rng)
        self._x = np.zeros((0, n_features), np.float32)  # by id
        self._node = np.array([(ABSENT, 0.0, 0, 0)], NODE)
        self._sums = np.zeros((1, 3))  # by node: experiences, their rewards, and squares of these
        self._n_nodes = 1
        self._samples = LeafSamples()  # inner nodes' are empty
        self._experiences = np.zeros(0, [("x", "f4", (n_features,)), ("reward", "f8")])
        self._n_experiences = 0
        self._experiences_of_leaf: dict[int, list[int]] = {0: []}  # their rows

    def __len__(self) -> int:
        return len(self._samples)

    @property
    def n_leaves(self) -> int:
        """Number of leaves, empty ones included."""
        return (self._n_nodes + 1) // 2

    @property
    def n_nonempty(self) -> int:
        """Number of leaves that hold frontier samples."""
        return self._samples.n_nonempty

    def ids(self) -> np.ndarray:
        """Return the ids of all frontier samples, rising, (len(self),) int64."""
        return self._samples.ids()

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        """Insert frontier samples by the tree's rules.

        `ids` (n,) are row numbers from 0 on; memory grows with the largest, so number densely. The
        features x are (n, n_features), finite. ValueError if an id is given twice or already in.
        """
        ids = np.asarray(ids)
        if ids.ndim != 1 or (ids.size and (ids.dtype.kind not in "iu" or ids.min() < 0)):
            raise ValueError(f"ids={ids!r}: give row numbers, integers from 0 on, as (n,)")
        x = np.ascontiguousarray(x, np.float32)
        if x.shape != (len(ids), self.n_features) or not np.isfinite(x).all():
            raise ValueError(f"x of shape {x.shape}: give ({len(ids)}, {self.n_features}), finite")
        if not len(ids):
            return
        self._samples.add(ids, self._leaves(x))
        self._x = grown(self._x, int(ids.max()) + 1)
        self._x[ids] = x

    def pop(self, action: int) -> np.ndarray:
        """Remove a sample by its id, else KeyError; return its x as inserted, (n_features,)."""
        self._samples.remove(action)
        return self._x[action].copy()

    def representatives(self) -> tuple[np.ndarray, np.ndarray]:
        """Draw one frontier sample uniformly from every non-empty leaf (Algorithm 2, line 3).

        Return their ids, (k,) int64, and x as inserted, (k, n_features) float32. They stay in the
        frontier: the paper removes them all, but only the chosen one, which the caller pops, has
        been used up.
        """
        ids = self._samples.sample(self._rng)
        return ids, self._x.take(ids, axis=0)

    def add_experience(self, x: np.ndarray, reward: float) -> bool:
        """Learn the reward of an action taken; return whether its leaf was split (Algorithm 3).

        It is split iff the best variance reduction is positive. ValueError unless the features x
        are (n_features,), and all numbers finite.
        """
        x = np.ascontiguousarray(x, np.float32)
        if x.shape != (self.n_features,) or not np.isfinite(x).all():
            raise ValueError(f"x of shape {x.shape}: give ({self.n_features},), all finite")
        if not np.isfinite(reward):
            raise ValueError(f"reward={reward}: must be finite")
        leaf, number = int(self._leaves(x[None])[0]), self._n_experiences
        self._n_experiences += 1
        self._experiences = grown(self._experiences, self._n_experiences)
        self._experiences[number] = (x, reward)
        self._experiences_of_leaf[leaf].append(number)
        self._sums[leaf] += 1, reward, reward**2
        n, total, squares = self._sums[leaf].tolist()
        varies = squares / n - (total / n) ** 2 > NOISE
        return bool(n >= self.min_split and varies) and self._split(leaf)

    def leaves_of(self, ids: np.ndarray) -> np.ndarray:
        """Return the leaves that hold these samples, rows of `nodes`, (n,); KeyError for none."""
        return self._samples.leaves_of(np.asarray(ids, np.int64))

    def nodes(self) -> pd.DataFrame:
        """Return the tree as a table, one row per node in order of creation, parents first.

        Columns: ``parent`` (-1 for the root), ``depth``, ``left``, ``right`` and ``leaf``;
        ``feature`` and ``threshold`` of the rule "x[feature] < threshold goes left" (-1 and NaN in
        a leaf); ``frontier`` and ``experiences``, samples below the node; ``mean_reward`` and
        ``reward_variance`` (population variance) of the latter, NaN without any.
        """
        table = pd.DataFrame(self._node[: self._n_nodes])
        leaf = table["feature"] == ABSENT
        inner = np.flatnonzero(~leaf)
        left = table["left"].where(~leaf, ABSENT).to_numpy()
        parent = np.full(len(table), ABSENT)
        parent[left[inner]] = parent[left[inner] + 1] = inner
        frontier = self._samples.sizes(self._n_nodes)
        sums = self._sums[: self._n_nodes].copy()
        for i in inner[::-1]:  # children before parents
            for total in (frontier, sums):
                total[i] = total[left[i]] + total[left[i] + 1]
        experiences, reward, squares = sums.T
        n = np.where(experiences, experiences, np.nan)
        return table.assign(
            parent=parent,
            threshold=table["threshold"].where(~leaf),
            left=left,
            right=np.where(leaf, ABSENT, left + 1),
            frontier=frontier,
            experiences=experiences.astype(int),
            mean_reward=reward / n,
            reward_variance=np.maximum(squares / n - (reward / n) ** 2, 0.0),
            leaf=leaf,
        )

    def _leaves(self, x: np.ndarray) -> np.ndarray:
        return walk(x, self._node["feature"], self._node["threshold"], self._node["left"])

    def _split(self, leaf: int) -> bool:
        if self._node["depth"][leaf] >= self.max_depth:
            return False
        rows = np.array(self._experiences_of_leaf[leaf])
        x, rewards = self._experiences["x"][rows], self._experiences["reward"][rows]
        reduction, feature, threshold = best_split(x, rewards, self.min_child)
        if not reduction:
            return False
        left = self._n_nodes
        self._n_nodes += 2
        self._node = grown(self._node, self._n_nodes)
        self._sums = grown(self._sums, self._n_nodes)
        self._node[leaf] = feature, threshold, left, self._node["depth"][leaf]
        goes_right = x[:, feature] >= threshold
        del self._experiences_of_leaf[leaf]
        self._add_leaf(left, leaf, rows[~goes_right])
        self._add_leaf(left + 1, leaf, rows[goes_right])
        members = self._samples.members(leaf)
        self._samples.split(leaf, left, self._x[members, feature] >= threshold)
        return True

    def _add_leaf(self, leaf: int, parent: int, rows: np.ndarray) -> None:
        rewards = self._experiences["reward"][rows]
        self._experiences_of_leaf[leaf] = rows.tolist()
        self._node[leaf] = (ABSENT, 0.0, 0, self._node["depth"][parent] + 1)
        self._sums[leaf] = len(rows), rewards.sum(), (rewards**2).sum()
