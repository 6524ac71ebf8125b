"""Conditional requests (RFC 9110), and pages kept for them in memory or in a folder."""

import json
import logging
import os
import re
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Generic, NamedTuple, Self, TypeVar

from tres_lib.store import whole_file

MEMORY = 32_000_000  # bytes of pages kept where no folder is given
VALIDATORS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
ENTRY = 1_000  # bytes of objects that an entry takes besides its texts
MAX_HEADER = 1_000
SOUND = re.compile(f"[ -~]{{1,{MAX_HEADER}}}")  # other validators are not sent back

T = TypeVar("T")
logger = logging.getLogger(__name__)


class SizedCache(Generic[T]):
    """The entries used last, of a total size of at most `max_size`; safe in threads."""

    def __init__(self, max_size: int):
        self.max_size = max_size
        self._entries: OrderedDict[str, tuple[T, int]] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, key: str) -> T | None:
        """Return the entry, or None."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key][0]

    def put(self, key: str, value: T, size: int) -> None:
        """Keep an entry of some size, and drop old ones as needed."""
        with self._lock:
            _, old_size = self._entries.pop(key, (None, 0))
            self._entries[key] = (value, size)
            self._size += size - old_size
            while self._size > self.max_size:
                self._size -= self._entries.popitem(last=False)[1][1]


class Stored(NamedTuple):
    """An answer's unpacked body, and the request headers that ask whether it still holds."""

    url: str
    content_type: str | None
    conditions: dict[str, str]
    body: bytes

    def to_bytes(self) -> bytes:
        """Return one line of JSON, then the body."""
        return json.dumps(self[:-1]).encode() + b"\n" + self.body

    @classmethod
    def from_bytes(cls, data: bytes, url: str) -> Self | None:
        """Read what `to_bytes` wrote for this URL; None for anything else."""
        head, _, body = data.partition(b"\n")
        try:
            stored_url, content_type, conditions = json.loads(head)
        except (ValueError, TypeError):
            return None
        sound = stored_url == url and isinstance(conditions, dict)
        return cls(url, content_type, conditions, body) if sound else None


class HttpCache:
    """Stored answers by URL: one file each in a folder, or the latest 32 MB in memory."""

    def __init__(self, folder: str | os.PathLike[str] | None = None):
        self._folder = None if folder is None else Path(folder)
        self._memory: SizedCache[Stored] = SizedCache(MEMORY)
        self._writing = Lock()  # threads share the name of a draft
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def get(self, url: str) -> Stored | None:
        """Return what is stored for the URL; a damaged file counts as none."""
        if self._folder is None:
            return self._memory.get(url)
        try:
            return Stored.from_bytes(_path(self._folder, url).read_bytes(), url)
        except OSError:
            return None

    def put(self, url: str, headers: Mapping[str, str], body: bytes) -> None:
        """Store an answer, if it can be asked about again and its server does not forbid it."""
        conditions = read_conditions(headers)
        kind = headers.get("Content-Type")
        forbidden = "no-store" in headers.get("Cache-Control", "").lower()
        if not conditions or forbidden or len(kind or "") > MAX_HEADER:
            return
        stored = Stored(url, kind, conditions, body)
        if self._folder is None:
            self._memory.put(url, stored, ENTRY + len(stored.to_bytes()))
            return
        try:
            with self._writing, whole_file(_path(self._folder, url)) as draft:
                draft.write_bytes(stored.to_bytes())
        except OSError as error:  # a full disk is no reason to lose the page
            logger.warning("cache folder %s: %s", self._folder, error)


def read_conditions(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the request headers that ask whether an answer with these headers still holds."""
    given = {ask: headers.get(name, "") for name, ask in VALIDATORS.items()}
    return {ask: value for ask, value in given.items() if SOUND.fullmatch(value)}


def _path(folder: Path, url: str) -> Path:
    """Return a name made from a hash, so that no URL can lead out of the folder."""
    return folder / f"{sha256(url.encode()).hexdigest()}.http"
