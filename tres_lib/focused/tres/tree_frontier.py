"""Tree-Frontier: an online decision tree over the crawl frontier (Algorithms 2 and 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import grown
from .leaf_samples import Bags
from .splits import NOISE, best_split

if TYPE_CHECKING:
    import pandas as pd

ABSENT = -1
NODE = np.dtype(
    [
        ("feature", "i4"),  # ABSENT in a leaf
        ("threshold", "f4"),
        ("left", "i4"),  # the right child is left + 1
        ("depth", "i4"),
        ("experiences", "i4"),
        ("reward", "f8"),  # sum over the experiences
        ("squares", "f8"),
    ],
    align=True,
)


class TreeFrontier:
    """Frontier samples kept in the leaves of a tree that experience grows.

    A leaf holds frontier samples (actions to choose from) and experience samples
    (actions taken, with their rewards). A new experience may split its leaf in two
    where that reduces the variance of rewards most.

    Parameters
    ----------
    n_features : int
    rng : numpy.random.Generator or int
        Draws the representatives.
    min_split : int
        A leaf may split from its min_split-th experience on. The default, 5, is the
        authors'; below it most splits follow chance.

    Raises
    ------
    ValueError
        If n_features < 1 or min_split < 1; and by the methods if an array does not fit.
    """

    def __init__(self, n_features: int, rng: np.random.Generator | int = 0, min_split: int = 5):
        if n_features < 1:
            raise ValueError(f"n_features={n_features}: give the width of x, at least 1")
        if min_split < 1:
            raise ValueError(f"min_split={min_split}: give a number of experiences, at least 1")
        self.n_features, self.min_split = n_features, min_split
        self._rng = np.random.default_rng(rng)
        self._x = np.zeros((0, n_features), np.float32)  # by id
        self._node = np.zeros(1, NODE)
        self._node["feature"] = ABSENT
        self._n_nodes = 1
        self._bags = Bags()  # of frontier samples, one a node; inner nodes' are empty
        self._tried_x = np.zeros((0, n_features), np.float32)  # by experience
        self._tried_reward = np.zeros(0)
        self._n_tried = 0
        self._tried: dict[int, list[int]] = {0: []}  # leaf -> experiences

    def __len__(self) -> int:
        """Number of frontier samples."""
        return len(self._bags)

    def __contains__(self, action: int) -> bool:
        return action in self._bags

    @property
    def n_leaves(self) -> int:
        """Number of leaves, empty ones included."""
        return (self._n_nodes + 1) // 2

    @property
    def n_nonempty(self) -> int:
        """Number of leaves that hold frontier samples."""
        return self._bags.n_nonempty

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        """Insert frontier samples by the tree's rules.

        Parameters
        ----------
        ids : (n,) int
            Row numbers, not negative; memory grows with the largest, so number densely.
        x : (n, n_features)

        Raises
        ------
        ValueError
            If an id is negative, given twice or already in, or x has another shape.
        """
        ids, x = self._checked(ids, x)
        if not len(ids):
            return
        self._bags.add(ids, self._leaves(x))
        self._x = grown(self._x, int(ids.max()) + 1)
        self._x[ids] = x

    def pop(self, action: int) -> np.ndarray:
        """Remove one frontier sample; its x as inserted, (n_features,) float32.

        Raises
        ------
        KeyError
            If the id is not in the frontier.
        """
        self._bags.remove(action)
        return self._x[action].copy()

    def representatives(self) -> tuple[np.ndarray, np.ndarray]:
        """One uniformly drawn frontier sample of every non-empty leaf (Algorithm 2, line 3).

        They stay in the frontier. The paper removes them all; only the chosen one has
        been used up, so the caller pops that one.

        Returns
        -------
        ids : (k,) int64
        x : (k, n_features) float32
            As inserted. Both are empty when the frontier is.
        """
        ids = self._bags.sample(self._rng)
        return ids, self._x.take(ids, axis=0)

    def add_experience(self, x: np.ndarray, reward: float) -> bool:
        """Learn the reward of an action taken, and split its leaf if that pays (Algorithm 3).

        Parameters
        ----------
        x : (n_features,)
        reward : float

        Returns
        -------
        bool
            Whether the leaf was split: iff the best variance reduction is positive.
        """
        x = np.ascontiguousarray(x, np.float32)
        if x.shape != (self.n_features,) or not np.isfinite(x).all():
            raise ValueError(f"x of shape {x.shape}: need ({self.n_features},), all finite")
        if not np.isfinite(reward):
            raise ValueError(f"reward={reward}: must be finite")
        number, self._n_tried = self._n_tried, self._n_tried + 1
        self._tried_x = grown(self._tried_x, self._n_tried)
        self._tried_reward = grown(self._tried_reward, self._n_tried)
        self._tried_x[number], self._tried_reward[number] = x, reward
        leaf = int(self._leaves(x[None])[0])
        self._tried[leaf].append(number)
        node = self._node[leaf : leaf + 1]
        node["experiences"] += 1
        node["reward"] += reward
        node["squares"] += reward**2
        return self._split(leaf) if self._may_split(leaf) else False

    def leaves_of(self, ids: np.ndarray) -> np.ndarray:
        """Leaves that hold these frontier samples, (n,) int64: rows of `nodes`.

        Raises
        ------
        KeyError
            If an id is not in the frontier.
        """
        return self._bags.of(np.asarray(ids, np.int64))

    def nodes(self) -> pd.DataFrame:
        """The tree, one row a node in order of creation (parents before children).

        Columns: ``parent`` (-1 for the root), ``depth``, ``feature`` and ``threshold`` of an
        inner node's rule "x[feature] < threshold goes left" (-1 and NaN in a leaf),
        ``left`` and ``right``, ``frontier`` and ``experiences`` (numbers of samples below
        the node), ``mean_reward`` and ``reward_variance`` (of those experiences, population
        variance; NaN without any) and ``leaf``.
        """
        import pandas as pd

        node = self._node[: self._n_nodes]
        inner = np.flatnonzero(node["feature"] != ABSENT)
        left = np.where(node["feature"] == ABSENT, ABSENT, node["left"])
        parent = np.full(len(node), ABSENT)
        parent[left[inner]] = parent[left[inner] + 1] = inner
        sums = (node[name].copy() for name in ("experiences", "reward", "squares"))
        totals = self._bags.sizes(self._n_nodes), *sums
        for i in inner[::-1]:  # children before parents
            for total in totals:
                total[i] = total[left[i]] + total[left[i] + 1]
        frontier, experiences, reward, squares = totals
        n = np.where(experiences, experiences, np.nan)
        mean = reward / n
        return pd.DataFrame(
            {
                "parent": parent,
                "depth": node["depth"],
                "feature": node["feature"],
                "threshold": np.where(left == ABSENT, np.nan, node["threshold"]),
                "left": left,
                "right": np.where(left == ABSENT, ABSENT, left + 1),
                "frontier": frontier,
                "experiences": experiences,
                "mean_reward": mean,
                "reward_variance": np.maximum(squares / n - mean**2, 0.0),
                "leaf": left == ABSENT,
            }
        )

    def _leaves(self, x: np.ndarray) -> np.ndarray:
        """Leaf of each row of x, (n,) int64."""
        from .walk import leaves

        return leaves(x, self._node["feature"], self._node["threshold"], self._node["left"])

    def _may_split(self, leaf: int) -> bool:
        node = self._node[leaf]
        n = node["experiences"]
        return n >= self.min_split and node["squares"] / n - (node["reward"] / n) ** 2 > NOISE

    def _split(self, leaf: int) -> bool:
        tried = np.array(self._tried[leaf])
        x = self._tried_x[tried]
        reduction, feature, threshold = best_split(x, self._tried_reward[tried])
        if not reduction:
            return False
        left, self._n_nodes = self._n_nodes, self._n_nodes + 2
        self._node = grown(self._node, self._n_nodes)
        for name, value in (("feature", feature), ("threshold", threshold), ("left", left)):
            self._node[name][leaf] = value
        goes_right = x[:, feature] >= threshold
        del self._tried[leaf]
        self._add_leaf(left, leaf, tried[~goes_right])
        self._add_leaf(left + 1, leaf, tried[goes_right])
        members = self._bags.members(leaf)
        self._bags.split(leaf, left, self._x[members, feature] >= threshold)
        return True

    def _add_leaf(self, leaf: int, parent: int, tried: np.ndarray) -> None:
        rewards = self._tried_reward[tried]
        self._tried[leaf] = tried.tolist()
        node = self._node[leaf : leaf + 1]
        node["feature"], node["depth"] = ABSENT, self._node["depth"][parent] + 1
        node["experiences"], node["reward"] = len(tried), rewards.sum()
        node["squares"] = (rewards**2).sum()

    def _checked(self, ids: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ids, x = np.asarray(ids), np.ascontiguousarray(x, np.float32)
        if ids.size == 0:
            ids = ids.astype(np.int64)
        if ids.ndim != 1 or ids.dtype.kind not in "iu" or (len(ids) and ids.min() < 0):
            raise ValueError(f"ids={ids!r}: give row numbers, integers from 0 on, as (n,)")
        if x.shape != (len(ids), self.n_features) or not np.isfinite(x).all():
            raise ValueError(
                f"x of shape {x.shape}: need ({len(ids)}, {self.n_features}), all finite"
            )
        return ids, x
