"""Frontier samples by leaf: uniform draws from thousands of leaves at once."""

from array import array

import numpy as np

from ..frontier import grown


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
