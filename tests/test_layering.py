"""Imports go one way: study and web import none of the others, topics may import web."""

import subprocess
import sys

import pytest

from tres_lib.study import workspace
from tres_lib.study.imports import behind, imported

LIBRARY = workspace.root() / "tres_lib"
ALLOWED = {
    "study": set(),
    "web": set(),
    "topics": {"web"},
    "focused": {"web", "topics"},
    "deepweb": {"web", "topics"},
    "refresh": set(),
    "ephemeral": set(),
    "foragers": set(),
}
SLOW = ("torch", "gensim", "sklearn", "numba", "pandas", "seaborn", "matplotlib")
FILES = sorted(LIBRARY.rglob("*.py"))
PACKAGES = sorted(folder.name for folder in LIBRARY.iterdir() if (folder / "__init__.py").exists())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import tres_lib.web.page", {"web"}),
        ("from tres_lib import web, topics", {"web", "topics"}),
        ("from tres_lib.focused.crawl import crawl", {"focused"}),
        ("def f():\n    from tres_lib.web import Page", {"web"}),
        ("from ..topics import vectors", {"topics"}),
        ("from .. import focused", {"focused"}),
        ("from .page import Page", {"web"}),
        ("import importlib\nimportlib.import_module('tres_lib.study.plots')", {"study"}),
        ("import numpy\nfrom pathlib import Path", set()),
    ],
)
def test_imports_are_found(source, expected):
    assert imported(source, ("tres_lib", "web")) == expected


def test_a_package_rests_on_what_it_imports_directly_or_not():
    assert behind({"web"}) == {"web"}
    assert behind({"focused"}) == {"focused", "topics", "web"}
    assert behind({"study", "nowhere"}) == {"study"}


@pytest.mark.parametrize("path", FILES, ids=[str(p.relative_to(LIBRARY)) for p in FILES])
def test_imports_go_one_way(path):
    package = ("tres_lib", *path.relative_to(LIBRARY).parts[:-1])
    found = imported(path.read_text(encoding="utf-8"), package)
    own = package[1] if len(package) > 1 else None
    wrong = (found & set(ALLOWED)) - ALLOWED.get(own, set()) - {own}
    assert not wrong, f"{path.relative_to(LIBRARY)} imports {sorted(wrong)}"


def test_every_package_has_its_place():
    assert set(PACKAGES) <= set(ALLOWED)


@pytest.mark.parametrize("package", ["", *(f".{name}" for name in PACKAGES)])
def test_import_is_instant(package):
    """Nothing slow loads before it is used (pandas and seaborn only matter to study)."""
    slow = SLOW if package in ("", ".study") else SLOW[:4]
    code = f"import sys, tres_lib{package}; print([m for m in {slow} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=LIBRARY.parent
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
