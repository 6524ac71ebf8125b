"""Imports go one way: the ground floor, web, topics, the methods, experiments on top."""

import subprocess
import sys

import pytest

from tres_lib.code_hash import LIBRARY, imports

GROUND = {
    *("arrays", "checks", "code_hash", "compiled", "intervals", "journal", "lazy", "plots"),
    *("power_law", "store"),
}
ALLOWED = {  # beyond the ground floor
    "web": set(),
    "topics": {"web"},
    "focused": {"web", "topics"},
    "deepweb": {"web", "topics"},
    "refresh": set(),
    "ephemeral": set(),
    "foragers": set(),
    "watching": {"web", "topics", "focused", "refresh", "ephemeral"},
    "study": set(),
    "command": {"web", "topics", "focused", "watching"},
    "__main__": {"command"},
    "experiments": {
        "web",
        "topics",
        "focused",
        "deepweb",
        "refresh",
        "ephemeral",
        "foragers",
        "study",
        "watching",
    },
}
SLOW = ("torch", "gensim", "sklearn", "numba", "pandas", "seaborn", "matplotlib")
FILES = sorted(LIBRARY.rglob("*.py"))
PACKAGES = sorted(folder.name for folder in LIBRARY.iterdir() if (folder / "__init__.py").exists())
WIDEST = 15  # modules in a folder


def imported(path):
    """Return the modules that a file imports, by dotted name without the library's."""
    folder = path.relative_to(LIBRARY.parent).parent
    modules = imports(path.read_text(encoding="utf-8"), ".".join(folder.parts))[0]
    return {name.removeprefix("tres_lib.") for name in modules}


def own_name(path):
    return ".".join(path.relative_to(LIBRARY).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", FILES, ids=[str(p.relative_to(LIBRARY)) for p in FILES])
def test_imports_go_one_way(path):
    own = own_name(path).split(".")[0]
    allowed = GROUND | {own} | ALLOWED.get(own, set())
    wrong = {name for name in imported(path) if name.split(".")[0] not in allowed}
    assert not wrong, f"{path.relative_to(LIBRARY)} imports {sorted(wrong)}"


@pytest.mark.slow
def test_no_import_circle():
    """A module rests on modules that do not rest on it; policies named in strings aside."""
    graph = {own_name(path): imported(path) for path in FILES if path.name != "__init__.py"}
    graph["focused.policy"] = {n for n in graph["focused.policy"] if "." not in n[8:]}
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


def test_every_package_has_its_place():
    assert set(PACKAGES) <= set(ALLOWED)
    singles = {path.stem for path in LIBRARY.glob("*.py")} - {"__init__", "__main__"}
    assert singles <= GROUND


def test_no_folder_is_too_wide():
    folders = {path.parent for path in FILES}
    wide = {f: n for f in folders if (n := len(list(f.glob("[!_]*.py")))) > WIDEST}
    assert not wide


@pytest.mark.slow
@pytest.mark.parametrize("package", ["", *(f".{name}" for name in PACKAGES)])
def test_import_is_instant(package):
    """Nothing slow loads before it is used (pandas and seaborn only matter to study)."""
    slow = SLOW if package in ("", ".study") else SLOW[:4]
    code = f"import sys, tres_lib{package}; print([m for m in {slow} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=LIBRARY.parent
    )
    assert done.stdout.strip() == "[]", done.stdout + done.stderr
