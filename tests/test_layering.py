"""Imports go one way: book, live, lib; within the library from the ground floor up."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tres_book.code_hash import LIBRARY, PACKAGES, imports

GROUND = {
    *("arrays", "checks", "extras", "intervals", "journal", "numerics", "plots"),
    *("power_law", "store"),
}
ALLOWED = {  # within tres_lib, beyond the ground floor
    "web": set(),
    "topics": {"web"},
    "focused": {"web", "topics"},
    "deepweb": {"web", "topics"},
    "refresh": set(),
    "ephemeral": set(),
    "foragers": set(),
    "watching": {"web", "topics", "focused", "refresh", "ephemeral"},
}
SLOW = ("torch", "gensim", "sklearn", "numba", "pandas", "seaborn", "matplotlib")
ROOT = LIBRARY.parent
FILES = sorted(file for name in PACKAGES for file in (ROOT / name).rglob("*.py"))
ROOMS = sorted(folder.name for folder in LIBRARY.iterdir() if (folder / "__init__.py").exists())
WIDEST, LONGEST = 15, 500  # modules in a folder, lines of a module
WIDER = {ROOT / "tres_book/chapters"}  # a module a chapter, as the notebooks have it


def own_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(path: Path) -> set[str]:
    """Return the modules of ours that a file imports, by dotted name."""
    package = ".".join(path.relative_to(ROOT).parent.parts)
    return set(imports(path.read_text(encoding="utf-8"), package)[0])


@pytest.mark.parametrize("path", FILES, ids=[own_name(path) for path in FILES])
def test_imports_go_one_way(path):
    package, room = f"{own_name(path)}.".split(".")[:2]
    names = [name.split(".") for name in imported(path)]
    above = PACKAGES[PACKAGES.index(package) + 1 :]
    assert not [name for name in names if name[0] in above]
    if package == "tres_lib":
        allowed = GROUND | {room} | ALLOWED.get(room, set())
        assert not [name for name in names if len(name) > 1 and name[1] not in allowed]


BOOK = [path for path in FILES if path.is_relative_to(ROOT / "tres_book")]


@pytest.mark.parametrize("path", BOOK, ids=[own_name(path) for path in BOOK])
def test_a_chapter_stands_on_its_own(path):
    """It imports no other chapter, and what several share imports none."""
    own = own_name(path).split(".")
    others = [n.split(".") for n in imported(path) if n.startswith("tres_book.chapters.")]
    number = own[2].split("_")[0] if own[1:2] == ["chapters"] and own[2:] else None
    assert not [name for name in others if name[2].split("_")[0] != number]


@pytest.mark.parametrize("package", PACKAGES[:2])
def test_nothing_names_what_stands_above_it(package):
    """Neither lazily, nor in a string, a docstring or a comment."""
    above = re.compile(rf"\b({'|'.join(PACKAGES[PACKAGES.index(package) + 1 :])})\b(?!\[)")
    naming = {own_name(f): f for f in FILES if own_name(f).split(".")[0] == package}
    del naming[package]  # whose docstring is the map
    assert not [n for n, f in naming.items() if above.search(f.read_text(encoding="utf-8"))]


@pytest.mark.slow
def test_no_import_circle():
    """A module rests on modules that do not rest on it; policies named in strings aside."""
    graph = {own_name(path): imported(path) for path in FILES if path.name != "__init__.py"}
    policies = graph["tres_lib.focused.policy"]
    graph["tres_lib.focused.policy"] = {n for n in policies if n.count(".") < 3}
    done, open_ = set(), []

    def visit(module):
        assert module not in open_, f"circle: {open_[open_.index(module) :]}"
        if module not in done:
            open_.append(module)
            for other in sorted(graph.get(module, ())):
                visit(other)
            open_.pop()
            done.add(module)

    for module in sorted(graph):
        visit(module)


def test_every_room_has_its_place():
    assert set(ROOMS) <= set(ALLOWED)
    assert {path.stem for path in LIBRARY.glob("*.py")} - {"__init__"} <= GROUND


def test_no_folder_is_too_wide_and_no_module_too_long():
    folders = {path.parent for path in FILES} - WIDER
    assert not {f: n for f in folders if (n := len(list(f.glob("*.py")))) > WIDEST}
    lines = {path: path.read_text(encoding="utf-8").count("\n") for path in FILES}
    assert not {own_name(path): n for path, n in lines.items() if n > LONGEST}


@pytest.mark.slow
@pytest.mark.parametrize("package", [*PACKAGES[:2], *(f"tres_lib.{name}" for name in ROOMS)])
def test_import_is_instant(package):
    """Nothing slow loads before it is used."""
    slow = SLOW if package in PACKAGES else SLOW[:4]
    code = f"import sys, {package}; print([m for m in {slow} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
