"""Errors that come of a damaged file, or are a fault of ours, in one line for the command line."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from traceback import extract_tb

from tres_lib.web.page import FetchError

PACKAGES = tuple(str(Path(__file__).parents[2] / name) for name in ("tres_lib", "tres_live"))
# Raised by us, they have words for a reader.
OURS = (ValueError, OSError, ImportError, RuntimeError, FetchError)


def told(error: Exception, places: list[Path]) -> str | None:
    """Return an error in a line that names the damaged files; None if it speaks for itself."""
    raised = extract_tb(error.__traceback__)[-1].filename
    ours = raised.startswith(PACKAGES) and isinstance(error, OURS)
    if ours or not places or getattr(error, "filename", None):
        return None
    line = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    files = [file for place in places for file in damaged(place)]
    if not files and isinstance(error, OSError):  # as of a full disk
        return None
    if not files:
        names = " or ".join(repr(str(place)) for place in places)
        return f"{line}: {names} is damaged, or this is a fault of tres; TRES_DEBUG=1 shows where"
    names = ", ".join(repr(str(file)) for file in files)
    remedy = "restore a copy, or begin anew in another --folder"
    if all(file.parent.name == "classifier" for file in files):
        remedy = "remove the folder `classifier`, and `tres resume` trains it anew"
    return f"{names} is damaged: {remedy} ({line})"


def damaged(place: Path) -> list[Path]:
    """Return a file, or those in a folder, that do not hold what their names say."""
    files = sorted(place.rglob("[!.]*")) if place.is_dir() else [place]
    return [file for file in files if file.suffix in READERS and not _sound(file)]


def _sound(file: Path) -> bool:
    try:
        return READERS[file.suffix](file)
    except Exception:  # all kinds are raised
        return False


def _tables(file: Path) -> bool:
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as base:
        whole = base.execute("PRAGMA quick_check").fetchone() == ("ok",)
        return whole and base.execute("SELECT count(*) FROM sqlite_master").fetchone() > (0,)


def _lines(file: Path) -> bool:
    with file.open(encoding="utf-8") as lines:
        # Not the last line, which may be torn, nor that of an empty table.
        whole = (line for line in lines if line.endswith("\n") and line != "\n")
        return all(isinstance(json.loads(line), dict) for line in whole)


def _arrays(file: Path) -> bool:
    from safetensors.numpy import load_file

    return bool(load_file(file))


READERS: dict[str, Callable[[Path], bool]] = {
    ".json": lambda file: isinstance(read := json.loads(file.read_bytes()), dict) and bool(read),
    ".jsonl": _lines,
    ".journal": _lines,
    ".safetensors": _arrays,
    ".sqlite": _tables,
}
