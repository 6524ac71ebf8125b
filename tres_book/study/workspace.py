"""Where a study lives, the scale of its run, its code's revision and its packages' versions."""

import os
import platform
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata

import pandas as pd

from tres_webs.files import build_dir, root

__all__ = ["SCALES", "build_dir", "provenance", "root", "scale"]

SCALES = ("smoke", "default", "paper")
PACKAGES = ("tres_lib", "numpy", "pandas", "torch", "gensim", "scikit-learn", "numba")


def scale(name: str | None = None) -> str:
    """Return the scale named, else that of this run, TRES_SCALE or "default"; or ValueError."""
    name = name or os.environ.get("TRES_SCALE", "default")
    if name not in SCALES:
        raise ValueError(f"scale: {name!r} is none of {', '.join(SCALES)}")
    return name


def provenance(seed: int | None = None) -> pd.DataFrame:
    """Return a table of versions, seed, scale and git revision, for a notebook's last cell.

    The time is given only by hand: two runs of the driver make the same page, byte for byte.
    """
    rows = {"scale": scale(), "seed": "none" if seed is None else str(seed)}
    rows |= {"git revision": revision()} | versions()
    if "TRES_SCALE" not in os.environ:
        rows["time (UTC)"] = datetime.now(UTC).isoformat(timespec="minutes")
    return pd.DataFrame({"value": rows})


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages on which results rest."""
    found = {"Python": platform.python_version()} | dict.fromkeys(PACKAGES, "not installed")
    for name in PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found


def revision(apart: str = "") -> str:
    """Return the checkout's git revision, and whether tracked files differ, but in one folder."""
    try:
        name = git("describe", "--always", "--exclude=*")
    except FileNotFoundError:
        return "unknown (no git)"
    others = [f":(exclude){apart}"] if apart else []
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *others)
    return (name + ", with local changes" * bool(changed)) if name else "unknown (no commit)"


def git(*words: str) -> str:
    """Return what a command of git prints about this repository."""
    done = subprocess.run(["git", *words], cwd=root(), capture_output=True, text=True)
    return done.stdout.strip()
