"""A bounded cache of numbers by text."""

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import DTypeLike

from ...checks import count


class TextCache:
    """A cache of rows of `width` numbers by text: a crawl meets the same texts again and again.

    A text's hash decides its slot. Of two texts on one slot the later stays, so memory is bounded.
    `slots` is a power of two; ValueError if it is none.
    """

    def __init__(self, width: int, slots: int, dtype: DTypeLike = np.float64):
        if count("slots", slots) & (slots - 1):
            raise ValueError(f"slots={slots}: use a power of two, such as 2**20")
        self._digests = np.zeros(slots, np.int64)  # 0: free
        self._rows = np.zeros((slots, width), dtype)

    def __len__(self) -> int:
        """Return the number of texts in the cache."""
        return int(np.count_nonzero(self._digests))

    def rows(self, texts: Iterable[str], compute: Callable[[list[int]], np.ndarray]) -> np.ndarray:
        """Return the row of each text, (n, width); `compute` makes those of the texts given."""
        digests = np.fromiter(map(hash, texts), np.int64) | 1
        slots = digests >> 1 & len(self._digests) - 1
        rows = self._rows[slots]
        new = np.flatnonzero(self._digests[slots] != digests)
        if len(new):
            first: dict[int, int] = {}  # by digest; texts are asked for once, as they come
            for i, digest in zip(new.tolist(), digests[new].tolist(), strict=True):
                first.setdefault(digest, i)
            asked = compute(list(first.values()))
            place = {digest: i for i, digest in enumerate(first)}
            rows[new] = asked[[place[digest] for digest in digests[new].tolist()]]
            self._digests[slots[new]], self._rows[slots[new]] = digests[new], rows[new]
        return rows
