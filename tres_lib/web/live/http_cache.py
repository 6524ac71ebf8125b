"""Pages kept from earlier for conditional requests (RFC 9110): in memory or in a folder."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from .sized_cache import SizedCache

MEMORY = 32_000_000  # bytes of pages kept where no folder is given
VALIDATORS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
MAX_VALIDATOR = 1_000  # characters; a longer one is not worth sending back

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Stored:
    """A body as it came, unpacked, and what its server calls this state of it."""

    url: str
    content_type: str | None
    conditions: dict[str, str]
    body: bytes

    def to_bytes(self) -> bytes:
        """One line of JSON, then the body."""
        head = asdict(self)
        del head["body"]
        return json.dumps(head).encode() + b"\n" + self.body

    @classmethod
    def from_bytes(cls, data: bytes, url: str) -> Stored | None:
        """What `to_bytes` wrote for this URL; None for anything else."""
        head, _, body = data.partition(b"\n")
        try:
            stored = cls(**json.loads(head), body=body)
        except (ValueError, TypeError):
            return None
        sound = isinstance(stored.conditions, dict) and stored.url == url
        return stored if sound else None


class HttpCache:
    """Stored answers by URL.

    Parameters
    ----------
    folder : path, optional
        Where to keep them, one file each, without limit; it is made if need be.
        Without it the latest 32 MB are kept in memory.
    """

    def __init__(self, folder: str | os.PathLike | None = None):
        self._folder = None if folder is None else Path(folder)
        self._memory: SizedCache[Stored] = SizedCache(MEMORY)
        if self._folder is not None:
            self._folder.mkdir(parents=True, exist_ok=True)

    def get(self, url: str) -> Stored | None:
        """What is stored for the URL; a damaged file counts as none."""
        if self._folder is None:
            return self._memory.get(url)
        try:
            return Stored.from_bytes(self._path(url).read_bytes(), url)
        except OSError:
            return None

    def put(self, url: str, headers: Mapping[str, str], body: bytes) -> None:
        """Store an answer, if it can be asked about again and its server does not forbid it."""
        conditions = {
            ask: headers[name] for name, ask in VALIDATORS.items() if _sound(headers.get(name))
        }
        if not conditions or "no-store" in headers.get("Cache-Control", "").lower():
            return
        stored = Stored(url, headers.get("Content-Type"), conditions, body)
        if self._folder is None:
            self._memory.put(url, stored, len(body))
            return
        try:
            self._write(self._path(url), stored.to_bytes())
        except OSError as error:  # a full disk is no reason to lose the page
            logger.warning("cache folder %s: %s", self._folder, error)

    def _path(self, url: str) -> Path:
        """A name made from a hash: no URL can lead out of the folder."""
        return self._folder / f"{sha256(url.encode()).hexdigest()}.http"

    def _write(self, path: Path, data: bytes) -> None:
        handle, name = tempfile.mkstemp(dir=self._folder)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(name, path)  # a reader sees the old file or the new one, never half
        except OSError:
            os.unlink(name)
            raise


def _sound(value: str | None) -> bool:
    return bool(value) and len(value) <= MAX_VALIDATOR and value.isascii() and value.isprintable()
