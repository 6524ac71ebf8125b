"""Tree-Frontier: an online decision tree over the crawl frontier (Algorithms 2 and 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...checks import count
from ..arrays import grown
from .leaf_samples import LeafSamples
from .splits import NOISE, best_split, compiled_walk

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
    """Keep frontier samples in the leaves of a tree that experience grows.

    A leaf holds frontier samples (actions to choose from) and experience samples (actions
    taken, with their rewards). A new experience may split its leaf in two where that reduces
    the variance of rewards most.

    Parameters
    ----------
    n_features : int
    rng : numpy.random.Generator or int
        Draws the representatives.
    min_split : int
        Number of experiences from which on a leaf may split. The default, 5, is the authors';
        below it most splits follow chance.

    Raises
    ------
    ValueError
        If n_features or min_split is below 1.

    Examples
    --------
    >>> tree = TreeFrontier(n_features=1, rng=0, min_split=2)
    >>> tree.add([0, 1, 2], [[0.1], [0.7], [0.9]])
    >>> [tree.add_experience([0.2], reward=0), tree.add_experience([0.8], reward=1)]
    [False, True]
    >>> tree.n_leaves, len(tree)
    (2, 3)
    """

    def __init__(self, n_features: int, rng: np.random.Generator | int = 0, min_split: int = 5):
        self.n_features = count("n_features", n_features)
        self.min_split = count("min_split", min_split)
        self._rng = np.random.default_rng(rng)
        self._x = np.zeros((0, n_features), np.float32)  # by id
        self._node = np.zeros(1, NODE)
        self._node["feature"] = ABSENT
        self._n_nodes = 1
        self._samples = LeafSamples()  # inner nodes' are empty
        self._tried_x = np.zeros((0, n_features), np.float32)  # by experience
        self._tried_reward = np.zeros(0)
        self._n_tried = 0
        self._tried: dict[int, list[int]] = {0: []}  # leaf -> experiences

    def __len__(self) -> int:
        """Return the number of frontier samples."""
        return len(self._samples)

    def __contains__(self, action: int) -> bool:
        return action in self._samples

    @property
    def n_leaves(self) -> int:
        """Return the number of leaves, empty ones included."""
        return (self._n_nodes + 1) // 2

    @property
    def n_nonempty(self) -> int:
        """Return the number of leaves that hold frontier samples."""
        return self._samples.n_nonempty

    def ids(self) -> np.ndarray:
        """Return the ids of all frontier samples, rising, (len(self),) int64."""
        return self._samples.ids()

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        """Insert frontier samples by the tree's rules.

        Parameters
        ----------
        ids : (n,) int
            Row numbers from 0 on. Memory grows with the largest, so number densely.
        x : (n, n_features) float

        Raises
        ------
        ValueError
            If an id is negative, given twice or already in, or x is not of that shape and finite.

        Examples
        --------
        >>> tree = TreeFrontier(n_features=2)
        >>> tree.add([0, 1], [[0.1, 0.2], [0.3, 0.4]])
        >>> 1 in tree, len(tree)
        (True, 2)
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
        """Remove one frontier sample and return its x as inserted, (n_features,) float32.

        Raises
        ------
        KeyError
            If the id is not in the frontier.
        """
        self._samples.remove(action)
        return self._x[action].copy()

    def representatives(self) -> tuple[np.ndarray, np.ndarray]:
        """Draw one frontier sample uniformly from every non-empty leaf (Algorithm 2, line 3).

        They stay in the frontier. The paper removes them all, but only the chosen one has
        been used up, so the caller pops that one.

        Returns
        -------
        ids : (k,) int64
        x : (k, n_features) float32
            As inserted. Both are empty when the frontier is.

        Examples
        --------
        >>> tree = TreeFrontier(n_features=1)
        >>> tree.add([7], [[0.5]])
        >>> tree.representatives()
        (array([7]), array([[0.5]], dtype=float32))
        """
        ids = self._samples.sample(self._rng)
        return ids, self._x.take(ids, axis=0)

    def add_experience(self, x: np.ndarray, reward: float) -> bool:
        """Learn the reward of an action taken, and split its leaf if that pays (Algorithm 3).

        Parameters
        ----------
        x : (n_features,) float
        reward : float

        Returns
        -------
        bool
            Whether the leaf was split, which it is iff the best variance reduction is positive.

        Raises
        ------
        ValueError
            If x is not of that shape, or a number is not finite.

        Examples
        --------
        >>> TreeFrontier(n_features=2).add_experience([0.1, 0.9], reward=1)
        False
        """
        x = np.ascontiguousarray(x, np.float32)
        if x.shape != (self.n_features,) or not np.isfinite(x).all():
            raise ValueError(f"x of shape {x.shape}: give ({self.n_features},), all finite")
        if not np.isfinite(reward):
            raise ValueError(f"reward={reward}: must be finite")
        number = self._n_tried
        self._n_tried += 1
        self._tried_x = grown(self._tried_x, self._n_tried)
        self._tried_reward = grown(self._tried_reward, self._n_tried)
        self._tried_x[number] = x
        self._tried_reward[number] = reward
        leaf = int(self._leaves(x[None])[0])
        self._tried[leaf].append(number)
        node = self._node[leaf : leaf + 1]
        node["experiences"] += 1
        node["reward"] += reward
        node["squares"] += reward**2
        n, total, squares = (node[name][0] for name in ("experiences", "reward", "squares"))
        varies = squares / n - (total / n) ** 2 > NOISE
        return bool(n >= self.min_split and varies) and self._split(leaf)

    def leaves_of(self, ids: np.ndarray) -> np.ndarray:
        """Return the leaves that hold these frontier samples, (n,) int64 rows of `nodes`.

        Raises
        ------
        KeyError
            If an id is not in the frontier.
        """
        return self._samples.leaves_of(np.asarray(ids, np.int64))

    def nodes(self) -> pd.DataFrame:
        """Return the tree as a table, one row a node in order of creation, parents first.

        Returns
        -------
        DataFrame
            Columns ``parent`` (-1 for the root), ``depth``, ``feature`` and ``threshold`` of the
            rule "x[feature] < threshold goes left" (-1 and NaN in a leaf), ``left`` and
            ``right``, ``frontier`` and ``experiences`` (numbers of samples below the node),
            ``mean_reward`` and ``reward_variance`` (of those experiences, population variance;
            NaN without any) and ``leaf``.
        """
        import pandas as pd

        node = self._node[: self._n_nodes]
        leaf = node["feature"] == ABSENT
        left = np.where(leaf, ABSENT, node["left"])
        inner = np.flatnonzero(~leaf)
        parent = np.full(len(node), ABSENT)
        parent[left[inner]] = parent[left[inner] + 1] = inner
        frontier = self._samples.sizes(self._n_nodes)
        experiences, reward, squares = (
            node[n].copy() for n in ("experiences", "reward", "squares")
        )
        for i in inner[::-1]:  # children before parents
            for total in (frontier, experiences, reward, squares):
                total[i] = total[left[i]] + total[left[i] + 1]
        n = np.where(experiences, experiences, np.nan)
        mean = reward / n
        return pd.DataFrame(
            {
                "parent": parent,
                "depth": node["depth"],
                "feature": node["feature"],
                "threshold": np.where(leaf, np.nan, node["threshold"]),
                "left": left,
                "right": np.where(leaf, ABSENT, left + 1),
                "frontier": frontier,
                "experiences": experiences,
                "mean_reward": mean,
                "reward_variance": np.maximum(squares / n - mean**2, 0.0),
                "leaf": leaf,
            }
        )

    def _leaves(self, x: np.ndarray) -> np.ndarray:
        """Return the leaf of each row of x, (n,) int64."""
        node = self._node
        return compiled_walk()(x, node["feature"], node["threshold"], node["left"])

    def _split(self, leaf: int) -> bool:
        """Split a leaf at its best threshold, if there is any."""
        tried = np.array(self._tried[leaf])
        x = self._tried_x[tried]
        reduction, feature, threshold = best_split(x, self._tried_reward[tried])
        if not reduction:
            return False
        left = self._n_nodes
        self._n_nodes += 2
        self._node = grown(self._node, self._n_nodes)
        for name, value in (("feature", feature), ("threshold", threshold), ("left", left)):
            self._node[name][leaf] = value
        goes_right = x[:, feature] >= threshold
        del self._tried[leaf]
        self._add_leaf(left, leaf, tried[~goes_right])
        self._add_leaf(left + 1, leaf, tried[goes_right])
        members = self._samples.members(leaf)
        self._samples.split(leaf, left, self._x[members, feature] >= threshold)
        return True

    def _add_leaf(self, leaf: int, parent: int, tried: np.ndarray) -> None:
        """Make a leaf of a parent, with the experiences that are its own."""
        rewards = self._tried_reward[tried]
        self._tried[leaf] = tried.tolist()
        node = self._node[leaf : leaf + 1]
        node["feature"] = ABSENT
        node["depth"] = self._node["depth"][parent] + 1
        node["experiences"] = len(tried)
        node["reward"] = rewards.sum()
        node["squares"] = (rewards**2).sum()
