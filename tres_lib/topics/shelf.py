"""What takes long to make is kept on disk: under ``build``, or where ``$TRES_BUILD`` says."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar


class Storable(Protocol):
    """What can write itself into a folder that does not exist yet."""

    def save(self, directory: str | Path) -> None: ...


Thing = TypeVar("Thing", bound=Storable)


def place(shelf: str, name: str, *what: object) -> Path:
    """Folder of a thing that is made of `what`, values of JSON's types and sets.

    Its name changes with them and with the code of ``web`` and ``topics``, which makes and
    reads all texts.
    """
    root = os.environ.get("TRES_BUILD") or Path(__file__).resolve().parents[2] / "build"
    digest = hashlib.sha256(json.dumps(what, default=sorted).encode())
    package = Path(__file__).resolve().parents[1]
    for source in sorted([*package.glob("web/*.py"), *package.glob("topics/*.py")]):
        digest.update(source.read_bytes())
    return Path(root) / shelf / f"{name}-{digest.hexdigest()[:16]}"


def kept(folder: Path, load: Callable[[Path], Thing], make: Callable[[], Thing]) -> Thing:
    """What the folder holds; the first time it is made, and saved there."""
    if folder.exists():
        return load(folder)
    made = make()
    # Written beside and renamed, so that a killed run leaves no half of it.
    draft = folder.with_name(f"{folder.name}.{os.getpid()}")
    made.save(draft)
    try:
        draft.rename(folder)
    except OSError:  # another process was first, with the same thing
        shutil.rmtree(draft)
    return made
