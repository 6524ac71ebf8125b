"""Objects that are stored by the hash of what makes them."""

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from tres_webs.files import build_dir, file_lock, remove

LIBRARY = Path(__file__).resolve().parent


class _Storable(Protocol):
    def save(self, directory: str | Path) -> None: ...


Stored = TypeVar("Stored", bound=_Storable)


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
    remove(draft)  # of a process that was killed
    made.save(draft)
    draft.rename(folder)
