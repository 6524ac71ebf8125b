"""The manifest of stored runs: a JSON object an entry, by the study's name."""

import hashlib
import json
from pathlib import Path
from typing import Any

from tres_lib.code_hash import RESULTS
from tres_lib.store import whole_file

NAME = "manifest.json"


def read(folder: str | Path) -> dict[str, Any]:
    """Return the entries of a folder's manifest by study; empty if there is none."""
    file = Path(folder) / NAME
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def write(entries: dict[str, Any], folder: str | Path) -> None:
    """Write the entries, sorted by study."""
    with whole_file(Path(folder) / NAME) as draft:
        text = json.dumps(dict(sorted(entries.items())), indent=1)
        draft.write_text(text + "\n", encoding="utf-8")


def sha256(name: str, folder: str | Path) -> str:
    """Return the hash of a study's file, in hexadecimal."""
    return hashlib.sha256((Path(folder) / f"{name}.parquet").read_bytes()).hexdigest()


def intact(name: str, folder: str | Path = RESULTS) -> bool:
    """Return whether a study's file is the one that was written, if the manifest has its hash."""
    written = read(folder).get(name, {}).get("sha256")
    return written is None or written == sha256(name, folder)
