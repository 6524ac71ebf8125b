"""Where files lie, and files that are whole or absent."""

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

from filelock import FileLock

from tres_lib.store import DRAFT, _lives

WEBS = Path(__file__).resolve().parent


class StorageError(OSError):
    """What must be stored could not be written, as on a full disk; a crawl stops then."""


def repository() -> Path | None:
    """Return the folder of the checkout that the packages are used from, None of a wheel."""
    folder = WEBS.parent
    return folder if (folder / "pyproject.toml").exists() else None


# Folders that come with the packages: the repository's, or in a wheel a copy.
_SHIPPED = WEBS if (WEBS / "data").is_dir() else WEBS.parent
DATA, RESULTS = _SHIPPED / "data", _SHIPPED / "results"


def root() -> Path:
    """Return the repository's folder, or the working folder if there is no repository."""
    return repository() or Path.cwd()


def build_dir() -> Path:
    """Return the folder of what runs store: $TRES_BUILD, else build/ or the user's cache folder."""
    named = os.environ.get("TRES_BUILD")
    checkout = repository()
    if named or checkout:
        return Path(named or f"{checkout}/build")
    import pooch

    return Path(pooch.os_cache("tres")) / "build"


def data_places(name: str, folder: str | os.PathLike | None = None) -> list[Path]:
    """Return folders that may hold data: the one given, or TRES_DATA's, or the user's cache."""
    import pooch

    data = os.environ.get("TRES_DATA")
    named = [Path(data, name), Path(data)] if data else []
    return [Path(folder)] if folder else [*named, Path(pooch.os_cache("tres"))]


def file_lock(path: Path) -> FileLock:
    """Return the lock of a file or folder, a hidden file beside it; it ends with the process."""
    real = path.resolve()
    lock = real.with_name(f".{real.name}.lock")
    if lock.is_symlink():  # an older filelock would empty the file that it leads to
        raise ValueError(f"{str(lock)!r} is a link; take it away")
    return FileLock(lock, thread_local=False)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a draft's path; rename the draft to `path` at the end, or remove it after an error.

    Drafts of processes that were killed are removed.
    """
    for old in path.parent.glob(f".{escape(path.name)}.*.part"):
        if (of := DRAFT.search(old.name)) and not _lives(int(of[1])):
            old.unlink(missing_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.part")
    draft.touch(exist_ok=False)
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file, which is whole or as it was."""
    with whole_file(path) as draft:
        draft.write_text(text, encoding="utf-8")


def folder_name(topic: str) -> str:
    """Return a topic's name as that of a folder, such as "early-jazz", of at most 60 bytes."""
    name = "-".join(re.findall(r"[^\W_]+", topic.lower()))
    return name.encode()[:60].decode(errors="ignore") or "topic"
