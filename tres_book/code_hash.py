"""Find the modules and data files that a module rests on, and hash their contents."""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from tres_webs.files import DATA, RESULTS, WEBS

PACKAGES = ("tres_webs", "tres_lib", "tres_live", "tres_book")  # side by side, wherever they lie
REGISTERED = re.compile(r"((?:tres_\w+)?(?:\.\w+)+)(?::\w+)?")  # ".web.page:Page" or a module
# Not results/manifest.json, which each stored run changes, nor results/ledger.json, of which a
# chapter counts the lines that it names.
FILE_NAME = re.compile(r"(?:data/)?((?!manifest\.|ledger\.)[\w-]+\.\w+)")

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_hash(*modules: str) -> str:
    """Return one sha256 over modules, all that they rest on, and the data files named there.

    Comments, docstrings and blank lines do not count: to edit them changes no result.
    """
    digest = hashlib.sha256()
    for module in sorted(modules_behind(*modules)):
        digest.update(f"{module}\n{_statements(module)}\n".encode())
        for file in (_data_file(name) for name in sorted(_read(module)[1])):
            content = file.read_bytes()
            digest.update(f"{module} {file.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def modules_behind(*modules: str) -> set[str]:
    """Return these modules of ours and all that they import, directly or through others.

    Imports inside functions count. ``from ..topics import SvmClassifier`` leads to the module
    that defines the class, not to its whole package; so does ``topics.SvmClassifier``. A string
    that names a module, as in a registry of names that load on use, counts as an import.
    """
    found: set[str] = set()
    waiting = set(modules)
    while waiting:
        found |= waiting
        waiting = {name for module in waiting for name in _read(module)[0]} - found
    return found


def source_file(module: str) -> Path:
    """Return the file of one of our modules or packages; ValueError if there is none."""
    path = WEBS.parent.joinpath(*module.split("."))
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if module.split(".")[0] in PACKAGES and file.exists():
            return file
    raise ValueError(f"module={module!r}: give the name of a module of {', '.join(PACKAGES)}")


def is_module(name: str) -> bool:
    """Return whether a dotted name is that of one of our modules or packages."""
    with suppress(ValueError):
        return bool(source_file(name))
    return False


@cache
def _tree(file: Path) -> ast.Module:
    """Return a module's statements, without comments and docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return tree


@cache
def _statements(module: str) -> str:
    return ast.dump(_tree(source_file(module)))


@cache
def _read(module: str) -> tuple[frozenset[str], frozenset[str]]:
    file = source_file(module)
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    modules, data = _imports(list(ast.walk(_tree(file))), package)
    return modules.union(filter(is_module, _exports(module).values())), data


def imports(source: str, package: str = "") -> tuple[frozenset[str], frozenset[str]]:
    """Return the library's modules that a source of a package imports, and data files it names."""
    return _imports(list(ast.walk(ast.parse(source))), package)


def _imports(nodes: list[ast.AST], package: str) -> tuple[frozenset[str], frozenset[str]]:
    imported = imported_names(nodes, package)
    modules = {home for target, local in imported for home in _homes(target, nodes, local)}
    strings = [node.value for node in nodes if isinstance(node, ast.Constant)]
    short = [text for text in strings if isinstance(text, str) and len(text) < 100]
    found = filter(None, map(REGISTERED.fullmatch, short))
    named = {(package if name[0][0] == "." else "") + name[1] for name in found}
    data = {name[1] for name in filter(None, map(FILE_NAME.fullmatch, short))}
    modules |= set(filter(is_module, named))
    return frozenset(modules), frozenset(name for name in data if _data_file(name).is_file())


def _data_file(name: str) -> Path:
    return next((d / name for d in (DATA, RESULTS) if (d / name).is_file()), DATA / name)


def imported_names(nodes: Iterable[ast.AST], package: str) -> Iterator[tuple[str, str]]:
    """Yield the dotted names that a module of a package imports, each with its local name."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, alias.asname or alias.name
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*(parts if node.level else []), *filter(None, [node.module])])
            for alias in node.names:
                yield f"{base}.{alias.name}", alias.asname or alias.name


def _homes(name: str, nodes: list[ast.AST], local: str) -> set[str]:
    """Return the modules that define an imported name, or those used of an imported package."""
    if name.split(".")[0] not in PACKAGES:
        return set()
    if not is_module(name):
        return {_home(*name.rsplit(".", 1))}
    if source_file(name).name != "__init__.py":
        return {name}
    used = [n for n in nodes if isinstance(n, ast.Attribute) and ast.unparse(n.value) == local]
    named = sum(isinstance(node, ast.Name) and node.id == local for node in nodes)
    if not used or named > len(used):  # the package is passed on as a whole
        return {name}
    return {_home(name, node.attr) for node in used}


def _home(package: str, attribute: str) -> str:
    home = _exports(package).get(attribute)
    if home is None:
        inner = f"{package}.{attribute}"
        return inner if is_module(inner) else package
    return _home(home, attribute)


@cache
def _exports(package: str) -> dict[str, str]:
    """Return the module by public name, from the imports of a package's __init__ and its stub."""
    file = source_file(package)
    if file.name != "__init__.py":
        return {}
    homes: dict[str, str] = {}
    for part in filter(Path.exists, (file, file.with_suffix(".pyi"))):
        for target, local in imported_names(ast.walk(_tree(part)), package):
            home = target.rpartition(".")[0]
            if home != package and home.split(".")[0] in PACKAGES:
                homes[local] = target if is_module(target) else home
    return homes
