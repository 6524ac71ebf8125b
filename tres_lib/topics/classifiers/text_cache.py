"""A bounded cache of numbers by text."""

from collections.abc import Callable, Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import DTypeLike

from ...checks import count


class TextCache:
    """A cache of rows of `width` numbers by text: a crawl meets the same texts again and again.

    A text's digest of 8 bytes decides its slot. Of two texts on one slot the later stays, so memory
    is bounded. `slots` is a power of two; ValueError if it is none.
    """

    def __init__(self, width: int, slots: int, dtype: DTypeLike = np.float64):
        if count("slots", slots) & (slots - 1):
            raise ValueError(f"slots={slots}: use a power of two, such as 2**20")
        self._digests = np.zeros(slots, np.uint64)  # 0: free
        self._rows = np.zeros((slots, width), dtype)

    def __len__(self) -> int:
        """Return the number of texts in the cache."""
        return int(np.count_nonzero(self._digests))

    def rows(self, texts: Iterable[str], compute: Callable[[list[int]], np.ndarray]) -> np.ndarray:
        """Return the row of each text, (n, width); `compute` makes those of the texts given."""
        coded = (text.encode("utf-8", "surrogatepass") for text in texts)
        joined = b"".join(blake2b(text, digest_size=8).digest() for text in coded)
        digests = np.frombuffer(joined, np.uint64)
        slots = (digests % np.uint64(len(self._digests))).astype(np.int64)
        rows = self._rows[slots]
        new = np.flatnonzero(self._digests[slots] != digests)
        if len(new):
            _, first, which = np.unique(digests[new], return_index=True, return_inverse=True)
            order = np.argsort(first)  # texts are asked for as they come
            asked = compute(new[first[order]].tolist())
            rows[new] = asked[np.argsort(order)[which]]
            self._digests[slots[new]], self._rows[slots[new]] = digests[new], rows[new]
        return rows
