"""A dictionary that forgets what was not used for longest when it grows too large."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class SizedCache(Generic[T]):
    """The entries used last, of a total size of at most `max_size`; safe in threads."""

    def __init__(self, max_size: int):
        self.max_size = max_size
        self._entries: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, key: str) -> T | None:
        """The entry, or None."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def put(self, key: str, value: T, size: int) -> None:
        """Keep an entry of some size, and drop old ones as needed."""
        with self._lock:
            self._size -= self._entries.pop(key, (None, 0))[1]
            self._entries[key] = (value, size)
            self._size += size
            while self._size > self.max_size:
                self._size -= self._entries.popitem(last=False)[1][1]
