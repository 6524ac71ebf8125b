"""Which of the library's packages a piece of code rests on, read from its imports."""

from __future__ import annotations

import ast
from pathlib import Path

LIBRARY = Path(__file__).resolve().parents[1]


def imported(source: str, package: tuple[str, ...] = ()) -> set[str]:
    """Return the sub-packages of tres_lib that a source imports, inside functions too.

    Parameters
    ----------
    source : str
        A module's text.
    package : tuple of str
        The package that holds the module, such as ("tres_lib", "web"), for relative imports.
    """
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = ".".join([*base, *filter(None, [node.module])])
            names += [f"{stem}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and _is_import(node.func) and node.args:
            names += [getattr(node.args[0], "value", "")]
    parts = [str(name).split(".") for name in names]
    return {part[1] for part in parts if part[0] == "tres_lib" and len(part) > 1}


def _is_import(function: ast.expr) -> bool:
    name = getattr(function, "id", None) or getattr(function, "attr", None)
    return name in ("import_module", "__import__")


def behind(packages: set[str]) -> set[str]:
    """Return these packages and all that they import, directly or through others."""
    found, open_ = set(), set(packages)
    while open_:
        name = open_.pop()
        if name in found or not (LIBRARY / name).is_dir():
            continue
        found.add(name)
        for file in (LIBRARY / name).rglob("*.py"):
            open_ |= imported(file.read_text(encoding="utf-8"), ("tres_lib", name))
    return found
