"""Errors in one line for the command line, also of a damaged file or a fault of ours."""

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from traceback import extract_tb

from tres_webs.files import open_file, read_file, read_lines
from tres_webs.page import FetchError

HOUSES = ("tres_webs", "tres_lib", "tres_live")
PACKAGES = tuple(str(Path(__file__).parents[2] / name) for name in HOUSES)
EXPECTED = (ValueError, OSError, ImportError, FetchError)  # they have words for a reader


def told(error: Exception, places: list[Path]) -> str | None:
    """Return an error in a line, with the damaged files; None if it must show where it arose."""
    own_words = str(error) if isinstance(error, EXPECTED) else None
    raised = extract_tb(error.__traceback__)[-1].filename
    ours = raised.startswith(PACKAGES) and isinstance(error, (*EXPECTED, RuntimeError))
    known = ours or not places or getattr(error, "filename", None)
    if known or os.environ.get("TRES_DEBUG"):
        return own_words
    line = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    files = [file for place in places for file in damaged(place)]
    if not files and isinstance(error, OSError):  # as of a full disk
        return own_words
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
    return [file for file in files if not _sound(file)]


def _sound(file: Path) -> bool:
    try:
        match file.suffix:
            case ".json":
                read = json.loads(read_file(file))
                return isinstance(read, dict) and bool(read)
            case ".jsonl" | ".journal":
                # Not the last line, which may be torn, nor that of an empty table.
                whole = (line for line in read_lines(file) if line[-1:] == b"\n" != line)
                return all(isinstance(json.loads(line), dict) for line in whole)
            case ".safetensors":
                from safetensors.numpy import load

                return bool(load(read_file(file)))
            case ".sqlite":
                open_file(file).close()  # no link or FIFO
                address = f"{file.resolve().as_uri()}?mode=ro"
                with closing(sqlite3.connect(address, uri=True)) as base:
                    sound = base.execute("PRAGMA quick_check").fetchone() == ("ok",)
                    tables = base.execute("SELECT count(*) FROM sqlite_master").fetchone()
                    return sound and tables > (0,)
    except Exception:  # all kinds are raised
        return False
    return True
