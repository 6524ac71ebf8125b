"""Where results are stored: the build folder, and files that are whole or absent."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from filelock import FileLock

LIBRARY = Path(__file__).resolve().parent


class _Storable(Protocol):
    def save(self, directory: str | Path) -> None: ...


Stored = TypeVar("Stored", bound=_Storable)


class StorageError(OSError):
    """What must be stored could not be written, as on a full disk; a crawl stops then."""


def repository() -> Path | None:
    """Return the folder of the checkout that the library is used from, None of a wheel."""
    folder = LIBRARY.parent
    return folder if (folder / "pyproject.toml").exists() else None


# Folders that come with the library: the repository's, or in a wheel a copy.
_SHIPPED = LIBRARY if (LIBRARY / "data").is_dir() else LIBRARY.parent
DATA, RESULTS = _SHIPPED / "data", _SHIPPED / "results"


@cache
def policy_looks() -> dict[str, dict[str, str]]:
    """Return, by its name, how a policy is `printed` in tables, and its `colour`."""
    import yaml

    return yaml.safe_load((DATA / "policies.yaml").read_text(encoding="utf-8"))


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
    return FileLock(real.with_name(f".{real.name}.lock"), thread_local=False)


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a draft's path; rename the draft to `path` at the end, or remove it after an error."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    draft.unlink(missing_ok=True)  # it could be a link to another file
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


def stored_folder(kind: str, name: str, code: Iterable[Path], *facts: object) -> Path:
    """Return build folder KIND/NAME-HASH, by facts (JSON's types or sets) and files of code."""
    digest = hashlib.sha256(json.dumps(facts, default=sorted).encode())
    for path in code:
        for file in sorted(path.rglob("*.py")) or [path]:
            digest.update(file.read_bytes())
    return build_dir() / kind / f"{name}-{digest.hexdigest()[:16]}"


def load_or_make(
    folder: Path, load: Callable[[Path], Stored], make: Callable[[], Stored]
) -> Stored:
    """Load an object from its folder; the first time, one process makes it while others wait."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with file_lock(folder):
            if not folder.exists():
                made = make()
                save_whole(made, folder)
                return made
    return load(folder)


def save_whole(made: _Storable, folder: Path) -> None:
    """Save an object in a draft of its folder, which then gets its name."""
    draft = folder.with_name(f"{folder.name}.part")
    if draft.is_symlink():
        draft.unlink()
    shutil.rmtree(draft, ignore_errors=True)  # of a process that was killed
    made.save(draft)
    draft.rename(folder)
