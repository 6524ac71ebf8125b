"""Frontier samples by leaf in one flat array: uniform draws from thousands of leaves at once."""

import numpy as np

from ...numerics import compiled
from ..frontier import grown


class LeafSamples:
    """Disjoint id sets, one per leaf, each a segment of one int32 array (12 to 16 bytes an id)."""

    def __init__(self):
        self._pool = np.zeros(64, np.int32)
        self._end = 0  # the pool is free from here on
        self._start = np.zeros(1, np.int64)  # by leaf: where its segment starts
        self._size = np.zeros(1, np.int64)  # by leaf: ids in its segment
        self._room = np.zeros(1, np.int64)  # by leaf: length of its segment
        self._place = np.zeros(0, np.int32)  # by id: where it stands in the pool, plus one
        self._leaf = np.zeros(0, np.int32)  # by id

    def __len__(self) -> int:
        return int(self._size.sum())

    def __contains__(self, item: int) -> bool:
        return 0 <= item < len(self._place) and bool(self._place[item])

    @property
    def n_nonempty(self) -> int:
        """Number of leaves that hold an id."""
        return int(np.count_nonzero(self._size))

    def ids(self) -> np.ndarray:
        """Return all ids, rising, (len(self),) int64."""
        return np.flatnonzero(self._place)

    def sizes(self, n: int) -> np.ndarray:
        """Return the sizes of the first n leaves, (n,) int64."""
        return grown(self._size, n)[:n].copy()

    def members(self, leaf: int) -> np.ndarray:
        """Return the ids in a leaf, in no particular order, (size,) int32."""
        start = self._start[leaf]
        return self._pool[start : start + self._size[leaf]].copy()

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
        order = np.arange(1, len(ids) + 1)
        present = ids[self._place[ids] > 0]
        if not len(present):
            self._place[ids] = order
        if len(present) or (self._place[ids] != order).any():
            raise ValueError(f"ids: {present} already in, or an id given twice")
        self._grow(int(leaves.max()) + 1)
        self._leaf[ids] = leaves
        done = 0
        while done < len(ids):
            where = self._pool, self._place, self._start, self._size, self._room
            done = _append(ids, leaves, done, *where)
            if done < len(ids):
                self._widen(int(leaves[done]))

    def remove(self, item: int) -> None:
        """Take an id out of its leaf; KeyError if it is in none."""
        if item not in self:
            raise KeyError(item)
        place = self._place[item] - 1
        leaf = self._leaf[item]
        moved = self._pool[self._start[leaf] + self._size[leaf] - 1]  # the last fills the gap
        self._pool[place] = moved
        self._place[moved] = place + 1
        self._place[item] = 0
        self._size[leaf] -= 1

    def split(self, leaf: int, first: int, to_second: np.ndarray) -> None:
        """Move a leaf's `members` to the new leaves `first` and, where `to_second`, `first + 1`."""
        self._grow(first + 2)
        members = self.members(leaf)
        start = self._start[leaf]
        n = np.count_nonzero(~to_second)
        places = np.arange(start, start + len(members))
        self._put(places, np.concatenate([members[~to_second], members[to_second]]))
        self._leaf[members] = first + to_second
        self._start[first : first + 2] = start, start + n
        self._size[first : first + 2] = n, len(members) - n
        self._room[first : first + 2] = n, self._room[leaf] - n
        self._size[leaf] = self._room[leaf] = 0

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        """Draw one id uniformly from every leaf that holds any, (n_nonempty,) int64."""
        leaves = np.flatnonzero(self._size)
        places = self._start[leaves] + rng.integers(self._size[leaves])
        return self._pool[places].astype(np.int64)

    def _widen(self, leaf: int) -> None:
        """Move a full leaf's segment to where there is more room."""
        room = int(self._size[leaf] * 3 // 2 + 8)
        if self._end + room > len(self._pool):
            self._compact(room)
        self._move(leaf, self.members(leaf), room)

    def _put(self, places: np.ndarray, ids: np.ndarray) -> None:
        self._pool[places] = ids
        self._place[ids] = places + 1

    def _move(self, leaf: int, members: np.ndarray, room: int) -> None:
        """Give a leaf a new segment at the pool's end."""
        self._start[leaf] = self._end
        self._room[leaf] = room
        self._put(np.arange(self._end, self._end + len(members)), members)
        self._end += room

    def _compact(self, extra: int) -> None:
        """Close the gaps that moved segments left, and make the pool larger if need be."""
        members = {leaf: self.members(leaf) for leaf in np.flatnonzero(self._size).tolist()}
        room = len(self) + len(self) // 2 + 4 * len(members) + extra
        self._pool = np.zeros(max(room, 64), np.int32)
        self._end = 0
        self._room[:] = 0
        for leaf, ids in members.items():
            self._move(leaf, ids, len(ids) + len(ids) // 4 + 4)

    def _grow(self, n: int) -> None:
        self._start = grown(self._start, n)
        self._size = grown(self._size, n)
        self._room = grown(self._room, n)


@compiled
def _append(ids, leaves, first, pool, place, start, size, room):
    """Append ids[first:] to their leaves; return how far it came: to a leaf that is full."""
    for i in range(first, len(ids)):
        leaf = leaves[i]
        if size[leaf] == room[leaf]:
            return i
        end = start[leaf] + size[leaf]
        pool[end] = ids[i]
        place[ids[i]] = end + 1
        size[leaf] += 1
    return len(ids)
