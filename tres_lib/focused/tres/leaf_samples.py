"""Numbered bags of ids in one flat array: uniform draws from thousands of bags at once."""

from __future__ import annotations

import numpy as np

from ..arrays import grown

NOWHERE = -1


class Bags:
    """Disjoint sets of non-negative ids, each set a segment of one int32 array.

    Adding, removing, splitting a bag in two and drawing one id of every bag keep to
    array operations; an id takes 8 bytes and its place in the segment 4 to 8 more.
    """

    def __init__(self):
        self._pool = np.zeros(64, np.int32)
        self._end = 0  # the pool is free from here on
        self._start = np.zeros(1, np.int64)
        self._size = np.zeros(1, np.int64)
        self._room = np.zeros(1, np.int64)
        self._place = np.zeros(0, np.int32)  # by id: where it stands in the pool, plus one
        self._bag = np.zeros(0, np.int32)  # by id
        self._total = 0

    def __len__(self) -> int:
        return self._total

    def __contains__(self, item: int) -> bool:
        return 0 <= item < len(self._place) and bool(self._place[item])

    @property
    def n_nonempty(self) -> int:
        """Number of bags that hold an id."""
        return int(np.count_nonzero(self._size))

    def sizes(self, n: int) -> np.ndarray:
        """Sizes of the first n bags, (n,) int64."""
        sizes = np.zeros(n, np.int64)
        sizes[: len(self._size)] = self._size[:n]
        return sizes

    def members(self, bag: int) -> np.ndarray:
        """Ids in a bag, in no particular order, (size,) int32."""
        start = self._start[bag]
        return self._pool[start : start + self._size[bag]].copy()

    def of(self, ids: np.ndarray) -> np.ndarray:
        """Bags that hold these ids, (n,) int64; KeyError if one is in none."""
        absent = [i for i in ids.tolist() if i not in self]
        if absent:
            raise KeyError(absent[0])
        return self._bag[ids].astype(np.int64)

    def add(self, ids: np.ndarray, bags: np.ndarray) -> None:
        """Put ids[i] into bags[i].

        Raises
        ------
        ValueError
            If an id is given twice or is in a bag already.
        """
        self._place = grown(self._place, int(ids.max()) + 1)
        self._bag = grown(self._bag, len(self._place))
        if self._place[ids].any() or len(np.unique(ids)) < len(ids):
            raise ValueError(f"ids: {ids[self._place[ids] > 0]} already in, or an id given twice")
        self._grow_bags(int(bags.max()) + 1)
        order = np.argsort(bags, kind="stable")
        kinds, firsts = np.unique(bags[order], return_index=True)
        for bag, group in zip(kinds.tolist(), np.split(ids[order], firsts[1:]), strict=True):
            self._append(bag, group)
        self._bag[ids] = bags
        self._total += len(ids)

    def remove(self, item: int) -> None:
        """Take an id out of its bag; KeyError if it is in none."""
        if item not in self:
            raise KeyError(item)
        place, bag = self._place[item] - 1, self._bag[item]
        last = self._start[bag] + self._size[bag] - 1
        moved = self._pool[last]
        self._pool[place] = moved
        self._place[moved] = place + 1
        self._place[item] = 0
        self._size[bag] -= 1
        self._total -= 1

    def split(self, bag: int, first: int, to_second: np.ndarray) -> None:
        """Move a bag's members into the new bags `first` and `first + 1`.

        Parameters
        ----------
        to_second : (size,) bool
            By the order of `members`.
        """
        self._grow_bags(first + 2)
        members, start, room = self.members(bag), self._start[bag], self._room[bag]
        ordered = np.concatenate([members[~to_second], members[to_second]])
        n = np.count_nonzero(~to_second)
        self._pool[start : start + len(ordered)] = ordered
        self._place[ordered] = np.arange(start + 1, start + 1 + len(ordered))
        self._bag[members] = first + to_second
        self._start[first : first + 2] = start, start + n
        self._size[first : first + 2] = n, len(ordered) - n
        self._room[first : first + 2] = n, room - n
        self._size[bag] = self._room[bag] = 0

    def sample(self, rng: np.random.Generator) -> np.ndarray:
        """One uniformly drawn id of every bag that holds any, (n_nonempty,) int64."""
        bags = np.flatnonzero(self._size)
        places = self._start[bags] + rng.integers(self._size[bags])
        return self._pool[places].astype(np.int64)

    def _append(self, bag: int, ids: np.ndarray) -> None:
        size = self._size[bag]
        if size + len(ids) > self._room[bag]:
            self._move(bag, size + len(ids))
        start = self._start[bag] + size
        self._pool[start : start + len(ids)] = ids
        self._place[ids] = np.arange(start + 1, start + 1 + len(ids))
        self._size[bag] += len(ids)

    def _move(self, bag: int, needed: int) -> None:
        """Give the bag a segment with room for half as many again, at the pool's end."""
        room = needed + needed // 2 + 4
        if self._end + room > len(self._pool):
            self._compact(room)
        members = self.members(bag)
        self._settle(bag, members, room)

    def _settle(self, bag: int, members: np.ndarray, room: int) -> None:
        self._start[bag], self._room[bag] = self._end, room
        self._pool[self._end : self._end + len(members)] = members
        self._place[members] = np.arange(self._end + 1, self._end + 1 + len(members))
        self._end += room

    def _compact(self, extra: int) -> None:
        """Close the gaps that moved bags left, and make the pool larger if need be."""
        members = {bag: self.members(bag) for bag in np.flatnonzero(self._size).tolist()}
        held = int(self._size.sum())
        needed = held + held // 2 + 4 * len(members) + extra
        self._pool = np.zeros(max(needed, 64), np.int32)
        self._end = 0
        self._room[:] = 0
        for bag, ids in members.items():
            self._settle(bag, ids, len(ids) + len(ids) // 4 + 4)

    def _grow_bags(self, n: int) -> None:
        self._start, self._size, self._room = (
            grown(a, n) for a in (self._start, self._size, self._room)
        )
