"""The site of docs/ with the API reference, built by mkdocs into reports/docs without a network."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from ..code_hash import PACKAGES
from . import workspace

STAMP = ".stamp"


def build(root: Path) -> bool:
    """Build the site unless it is fresh; return whether it is there.

    What mkdocs finds wrong, such as a link to nothing, goes to the console.
    """
    folder = root / "reports" / "docs"
    stamp = folder / STAMP
    now = fingerprint(root)
    if stamp.exists() and stamp.read_text() == now:
        return True
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    # mkdocs-material advertises its successor otherwise.
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    if subprocess.run(command, cwd=root, env=quiet).returncode:
        return False
    stamp.write_text(now)
    return True


def fingerprint(root: Path) -> str:
    """Hash what the pages are made of: docs/, mkdocs.yml and the packages."""
    files = (file for name in PACKAGES for file in (root / name).rglob("*.py*"))
    code = [file for file in files if file.suffix in (".py", ".pyi")]
    prose = [file for file in (root / "docs").rglob("*") if file.is_file()]
    digest = hashlib.sha256()
    for file in sorted([root / "mkdocs.yml", *prose, *code]):
        digest.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    return digest.hexdigest()


if __name__ == "__main__":
    sys.exit(not build(workspace.root()))
