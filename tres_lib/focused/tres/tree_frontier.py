"""Tree-Frontier: an online decision tree over the crawl frontier (Algorithms 2 and 3)."""

import math
from array import array

import numpy as np
import pandas as pd

from tres_webs.checks import count, finite, generator, number

from ...numerics import compiled
from ..frontier import grown

ABSENT = -1
# By node: its rule (feature ABSENT in a leaf), its left child, before the right one, and its depth.
NODE = np.dtype([("feature", "i4"), ("threshold", "f4"), ("left", "i4"), ("depth", "i4")])
NOISE = 1e-12  # variance reductions closer than this are equal


class TreeFrontier:
    """Keep frontier samples in the leaves of a tree that experience grows.

    A leaf holds frontier samples (actions to choose from) and experience samples (actions taken,
    with their rewards). A new experience may split its leaf where that reduces the variance of
    rewards most, from `min_split` experiences in it on, the authors' by default. A leaf at
    `max_depth` (the root's is 0) does not split; a child has a share `min_child` of experiences.

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
        min_split: int = 5,  # below it most splits follow chance
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
        """Insert frontier samples of features x (n, n_features), finite, by the tree's rules.

        Ids (n,) are dense from 0 on, as memory grows with the largest; ValueError if one is in.
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

        Return their ids, (k,) int64, and x as inserted, (k, n_features) float32.
        """
        # They stay: the paper removes them all, but only the one that the caller pops is used up.
        ids = self._samples.sample(self._rng)
        return ids, self._x.take(ids, axis=0)

    def add_experience(self, x: np.ndarray, reward: float) -> bool:
        """Learn the reward of an action taken; return whether its leaf was split (Algorithm 3)."""
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

        The rule is "x[feature] < threshold goes left", -1 and NaN in a leaf; the root's ``parent``
        is -1. ``frontier`` and ``experiences`` count the samples below the node; ``mean_reward``
        and ``reward_variance`` (population variance) are of the latter, NaN without any.
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


class LeafSamples:
    """Disjoint id sets, one per leaf, each an array of int32 (12 to 16 bytes an id)."""

    def __init__(self):
        self._members = [array("i")]  # by leaf
        self._sizes = np.zeros(1, np.int64)  # of them: asked at every step, for thousands of leaves
        self._place = np.zeros(0, np.int32)  # by id: where it stands in its leaf, plus one
        self._leaf = np.zeros(0, np.int32)  # by id

    def __len__(self) -> int:
        return int(self._sizes.sum())

    def __contains__(self, item: int) -> bool:
        return 0 <= item < len(self._place) and bool(self._place[item])

    @property
    def n_nonempty(self) -> int:
        """Number of leaves that hold an id."""
        return int(np.count_nonzero(self._sizes))

    def ids(self) -> np.ndarray:
        """Return all ids, rising, (len(self),) int64."""
        return np.flatnonzero(self._place)

    def sizes(self, n: int) -> np.ndarray:
        """Return the sizes of the first n leaves, (n,) int64."""
        self._grow(n)
        return self._sizes[:n].copy()

    def members(self, leaf: int) -> np.ndarray:
        """Return the ids in a leaf, in no particular order, (size,) int32."""
        return np.array(self._members[leaf], np.int32)

    def leaves_of(self, ids: np.ndarray) -> np.ndarray:
        """Return the leaves that hold these ids, (n,) int64; KeyError if one is in none."""
        absent = [i for i in ids.tolist() if i not in self]
        if absent:
            raise KeyError(absent[0])
        return self._leaf[ids].astype(np.int64)

    def add(self, ids: np.ndarray, leaves: np.ndarray) -> None:
        """Put ids[i] into leaves[i]; ValueError if an id is given twice or already in."""
        if not len(ids):
            return
        self._place = grown(self._place, int(ids.max()) + 1)
        self._leaf = grown(self._leaf, len(self._place))
        present = ids[self._place[ids] > 0]
        if len(present) or len(np.unique(ids)) < len(ids):
            raise ValueError(f"ids: {present} already in, or an id given twice")
        self._grow(int(leaves.max()) + 1)
        self._leaf[ids] = leaves
        for item, leaf in zip(ids.tolist(), leaves.tolist(), strict=True):
            self._members[leaf].append(item)
            self._place[item] = len(self._members[leaf])
        np.add.at(self._sizes, leaves, 1)

    def remove(self, item: int) -> None:
        """Take an id out of its leaf; KeyError if it is in none."""
        if item not in self:
            raise KeyError(item)
        leaf = self._leaf[item]
        members = self._members[leaf]
        self._sizes[leaf] -= 1
        place, last = self._place[item], members.pop()
        if last != item:  # it fills the gap
            members[place - 1] = last
            self._place[last] = place
        self._place[item] = 0

    def split(self, leaf: int, first: int, to_second: np.ndarray) -> None:
        """Move a leaf's `members` to the new leaves `first` and, where `to_second`, `first + 1`."""
        self._grow(first + 2)
        members = self.members(leaf)
        self._members[leaf], self._sizes[leaf] = array("i"), 0
        for new, ids in ((first, members[~to_second]), (first + 1, members[to_second])):
            self._members[new] = array("i", ids.tobytes())
            self._place[ids] = np.arange(1, len(ids) + 1)
            self._leaf[ids], self._sizes[new] = new, len(ids)

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        """Draw one id uniformly from every leaf that holds any, (n_nonempty,) int64."""
        leaves = np.flatnonzero(self._sizes)
        places = rng.integers(self._sizes[leaves])
        members, pairs = self._members, zip(leaves.tolist(), places.tolist(), strict=True)
        return np.array([members[leaf][place] for leaf, place in pairs], np.int64)

    def _grow(self, n: int) -> None:
        self._members += [array("i") for _ in range(n - len(self._members))]
        self._sizes = grown(self._sizes, n)


def variance_reduction(rewards: np.ndarray, mask: np.ndarray) -> float:
    """Return the weighted variance reduction VR of a partition (Eq. 4), of population variances.

    `mask` (n,) is True for the rewards (n,) of the left child; ValueError if a child is empty.

    Examples
    --------
    >>> variance_reduction([0, 0, 1, 1], [True, True, False, False])
    0.25
    """
    rewards = finite("rewards", rewards)
    mask = np.asarray(mask, bool)
    if rewards.shape != mask.shape or rewards.ndim != 1:
        raise ValueError(f"rewards {rewards.shape} and mask {mask.shape}: give both as (n,)")
    if mask.all() or not mask.any():
        raise ValueError(f"mask puts {mask.sum()} of {len(mask)} samples left: fill both children")
    left = rewards[mask]
    share = len(left) / len(rewards)
    return float(rewards.var() - share * left.var() - (1 - share) * rewards[~mask].var())


def best_split(x: np.ndarray, rewards: np.ndarray, least: float = 0.0) -> tuple[float, int, float]:
    """Find the partition x[:, feature] < threshold of the highest variance reduction (Eqs. 3, 4).

    Of samples x (n, n_features) with rewards (n,); either side has at least the share `least` of
    them. Return reduction, feature and threshold; 0, -1 and NaN if none reduces it.

    Examples
    --------
    >>> best_split([[0.2], [0.4], [0.8], [0.9]], [0, 0, 1, 1])
    (0.25, 0, 0.8)
    """
    x = finite("x", x)
    rewards = finite("rewards", rewards)
    if rewards.ndim != 1 or x.ndim != 2 or len(x) != len(rewards):
        shapes = f"x {x.shape} and rewards {rewards.shape}"
        raise ValueError(f"{shapes}: give them as (n, n_features) and (n,)")
    n = len(rewards)
    if not n:
        return 0.0, -1, np.nan
    # Thresholds are values that occur, so that comparisons are exact. Among equals the first
    # feature wins, then the smallest threshold.
    order = np.argsort(x.T, axis=1)
    values = np.take_along_axis(x.T, order, axis=1)
    # Of two children VR is (sum of centred rewards on the left)^2 / (|L| |R|).
    sums = np.cumsum((rewards - rewards.mean())[order[:, :-1]], axis=1)
    left = np.arange(1, n)
    reductions = sums**2 / (left * (n - left))
    reductions[values[:, :-1] == values[:, 1:]] = 0.0
    if least:
        reductions[:, np.minimum(left, n - left) < least * n] = 0.0
    best = reductions.max(initial=0.0)
    if best <= NOISE:
        return 0.0, -1, np.nan
    feature, place = np.unravel_index(np.argmax(reductions >= best - NOISE), reductions.shape)
    return float(best), int(feature), float(values[feature, place + 1])


@compiled
def walk(x: np.ndarray, feature: np.ndarray, threshold: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Return the leaf, (n,) int64, that each row of x comes to from node 0."""
    at = np.zeros(len(x), np.int64)
    for row in range(len(x)):
        node = at[row]
        while feature[node] >= 0:
            node = left[node] + (x[row, feature[node]] >= threshold[node])
        at[row] = node
    return at
