"""What a notebook's last cell shows: from which code, versions and seed a page was made."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata

import pandas as pd

from tres_lib.study import workspace

PACKAGES = ("tres_lib", "numpy", "pandas", "torch", "gensim", "scikit-learn", "numba")


def provenance(seed: int | None = None) -> pd.DataFrame:
    """Return a table of versions, seed, scale and git revision.

    The time is given only when the notebook is run by hand: two runs of the driver make the same
    page, byte for byte, and the executed notebook under build/ holds the time in its metadata.

    Parameters
    ----------
    seed : int, optional
        The notebook's seed.

    Returns
    -------
    DataFrame
        One column "value", indexed by what it is.
    """
    rows = {"scale": workspace.scale(), "seed": "none" if seed is None else seed}
    rows["git revision"] = _revision()
    rows["Python"] = platform.python_version()
    rows |= {name: _version(name) for name in PACKAGES}
    if "TRES_SCALE" not in os.environ:
        rows["time (UTC)"] = datetime.now(UTC).isoformat(timespec="minutes")
    return pd.DataFrame({"value": {name: str(value) for name, value in rows.items()}})


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _revision() -> str:
    """Return the commit, marked when tracked files differ from it."""
    command = ["git", "describe", "--always", "--dirty=, with local changes", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=workspace.root(), capture_output=True, text=True)
    except FileNotFoundError:
        return "unknown (no git)"
    return done.stdout.strip() or "unknown (no commit)"
