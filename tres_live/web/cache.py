"""Conditional requests (RFC 9110), and pages kept for them in a folder."""

import json
import logging
import os
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Self

from tres_lib.store import whole_file

VALIDATORS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
MAX_HEADER = 1_000
SOUND = re.compile(f"[ -~]{{1,{MAX_HEADER}}}")  # other validators are not sent back

logger = logging.getLogger(__name__)


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
    """Stored answers by URL, one file each in a folder, which is made."""

    def __init__(self, folder: str | os.PathLike[str]):
        self._folder = Path(folder)
        self._writing = Lock()  # threads share the name of a draft
        self._folder.mkdir(parents=True, exist_ok=True)

    def get(self, url: str) -> Stored | None:
        """Return what is stored for the URL; a damaged file counts as none."""
        try:
            return Stored.from_bytes(self._path(url).read_bytes(), url)
        except OSError:
            return None

    def put(self, url: str, headers: Mapping[str, str], body: bytes) -> None:
        """Store an answer, if it can be asked about again and its server does not forbid it."""
        conditions = read_conditions(headers)
        kind = headers.get("Content-Type")
        forbidden = "no-store" in headers.get("Cache-Control", "").lower()
        if not conditions or forbidden or len(kind or "") > MAX_HEADER:
            return
        try:
            with self._writing, whole_file(self._path(url)) as draft:
                draft.write_bytes(Stored(url, kind, conditions, body).to_bytes())
        except OSError as error:  # a full disk is no reason to lose the page
            logger.warning("cache folder %s: %s", self._folder, error)

    def _path(self, url: str) -> Path:
        """Return a name made from a hash, so that no URL can lead out of the folder."""
        return self._folder / f"{sha256(url.encode()).hexdigest()}.http"


def read_conditions(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the request headers that ask whether an answer with these headers still holds."""
    given = {ask: headers.get(name, "") for name, ask in VALIDATORS.items()}
    return {ask: value for ask, value in given.items() if SOUND.fullmatch(value)}
