"""Where a study lives: folders, the scale of a run, and hashes of what results rest on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from tres_lib.study import imports

SCALES = ("smoke", "default", "paper")


def root() -> Path:
    """Return the repository's folder, or the working folder if there is no repository."""
    repository = Path(__file__).resolve().parents[2]
    return repository if (repository / "pyproject.toml").exists() else Path.cwd()


def scale() -> str:
    """Return the scale of this run: TRES_SCALE, which the driver sets, or "default".

    Raises
    ------
    ValueError
        If TRES_SCALE names no scale.
    """
    return check_scale(os.environ.get("TRES_SCALE", "default"))


def check_scale(name: str) -> str:
    """Return `name` if it is a scale; raise ValueError with the list of scales if not."""
    if name not in SCALES:
        raise ValueError(f"scale: {name!r} is none of {', '.join(SCALES)}")
    return name


def build_dir() -> Path:
    """Return the folder of everything made by a run: TRES_BUILD, or build/ in the repository."""
    return Path(os.environ.get("TRES_BUILD") or root() / "build")


def hash_files(files: Iterable[Path], base: Path) -> str:
    """Return one sha256 over the names (relative to `base`) and contents of `files`."""
    digest = hashlib.sha256()
    for file in sorted(files):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(base).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def library_hash(packages: Iterable[str] | None = None) -> str:
    """Return the hash of the library's sources and of the topics' rules.

    The ledger (claims.yaml) is left out: it judges results and changes none.

    Parameters
    ----------
    packages : iterable of str, optional
        Count only these packages and what they import, such as {"focused"}. Default: all.
    """
    library = imports.LIBRARY
    sources = list(library.rglob("*.py"))
    if packages is not None:
        used = imports.behind(set(packages))
        sources = [
            f for f in sources if f.parent == library or f.relative_to(library).parts[0] in used
        ]
    rules = (file for file in (root() / "data").glob("*.yaml") if file.name != "claims.yaml")
    return hash_files(sources, library.parent) + hash_files(rules, root())
