"""The API reference: every public name's docstring on a page that needs no network, by pdoc.

What a docstring cannot know is added: the chapters that use a name, and where else to see it.
"""

import ast
import hashlib
import inspect
import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import nbformat
from pdoc import doc, render

from tres_lib.code_hash import LIBRARY, imported_names, source_file

from .chapters import code_of

EXAMPLE = re.compile(r"^ *(?:>>>|\.\.\.) (.*)$", re.MULTILINE)
TOP = import_module(LIBRARY.name)
STAMP = ".stamp"
BARE_COLON = re.compile(
    r"(<strong>[^<]*</strong> \([^\n]*\)):(?=\s*</(?:p|li)>)"
)  # nothing follows
PLACE = re.compile(r'<a href="#([^"]*)">(.*?)</a>')
COMMENT = re.compile(r"((?:^#: .*\n)+)^(\w+)\b", re.MULTILINE)  # above a constant


class Module(doc.Module):
    """A package or module whose public names may be loaded late and defined elsewhere."""

    def __init__(self, module: ModuleType, below: list["Module"]):
        super().__init__(module)
        self._below = below

    @cached_property
    def submodules(self) -> list[doc.Module]:
        """Return the public modules only: pdoc would take any of the name of a function."""
        return list(self._below)

    @cached_property
    def _var_docstrings(self) -> dict[str, str]:
        loaded = {name: m for name, m in sys.modules.items() if name.startswith(f"{TOP.__name__}.")}
        below_all = [m for m in loaded.values() if m.__name__.count(".") == 1]
        homes = [m for name, m in loaded.items() if f"{name}.".startswith(f"{self.fullname}.")]
        homes = below_all + homes  # of two constants of one name the package's own counts
        sources = [inspect.getsource(module) for module in homes]
        found = {name: text for source in sources for text, name in COMMENT.findall(source)}
        return {name: re.sub("^#: ", "", text, flags=re.M).strip() for name, text in found.items()}


@dataclass
class Name:
    """A public name: its docstring, the chapters that use it, and what else shows it."""

    member: doc.Doc[Any]
    chapters: set[str] = field(default_factory=set)
    through: set[str] = field(default_factory=set)  # chapters whose experiments use it
    seen_in: set[str] = field(default_factory=set)  # names of its package

    @property
    def has_example(self) -> bool:
        """Tell whether its docstring, or that of a method, has an example."""
        return ">>>" in _docstrings(self.member)


def build(root: Path, folder: Path) -> None:
    """Write the reference to a folder in the reports, unless it is fresh there."""
    if is_fresh(root, folder):
        return
    template = root / "templates" / "api"
    render.configure(docformat="numpy", show_source=False, template_directory=template)
    # Else pdoc would ask node, where there is one, for an index three times as long.
    render.precompile_index = lambda documents, compile_js: json.dumps(documents)
    modules = public_modules()
    # The index of all pages can hold no relative links, so it is made first.
    pages = {"search.js": render.search_index(modules), "index.html": render.html_index(modules)}
    for name in public_names(root, modules).values():
        _annotate(name)
    for path, module in modules.items():
        pages[f"{path.replace('.', '/')}.html"] = _tidy(render.html_module(module, modules))
    for path, text in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    (folder / STAMP).write_text(fingerprint(root))


def _tidy(page: str) -> str:
    """Return a page without colons before nothing and links to inherited members, not shown."""
    page = BARE_COLON.sub(r"\1", page)
    places = set(re.findall(r' id="([^"]*)"', page))
    return PLACE.sub(lambda found: found[0] if found[1] in places else found[2], page)


def is_fresh(root: Path, folder: Path) -> bool:
    """Tell whether the reference in a folder is that of this library and these chapters."""
    stamp = folder / STAMP
    return stamp.exists() and stamp.read_text() == fingerprint(root)


def fingerprint(root: Path) -> str:
    """Hash what the pages are made of: the library, the notebooks, the template and pdoc."""
    files = [*LIBRARY.rglob("*.py"), *root.glob("notebooks/*.ipynb"), *root.glob("templates/api/*")]
    digest = hashlib.sha256(version("pdoc").encode())
    for file in sorted(files):
        digest.update(f"{file.name}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def public_modules() -> dict[str, Module]:
    """Return the packages, and the modules among their public names, by dotted name."""
    packages = [Module(TOP, [])]
    for found in iter_modules(TOP.__path__):
        if found.ispkg:
            package = import_module(f"{TOP.__name__}.{found.name}")
            values = [getattr(package, name) for name in package.__all__]  # so that all are loaded
            below = [Module(v, []) for v in values if inspect.ismodule(v)]
            packages += [Module(package, below), *below]
            packages[0]._below.append(packages[-1 - len(below)])
    return {module.fullname: module for module in packages}


def public_names(root: Path, modules: dict[str, Module]) -> dict[str, Name]:
    """Return what there is to say of each public name, by the dotted name."""
    names = {
        member.fullname: Name(member)
        for module in modules.values()
        for member in module.members.values()
        if not member.name.startswith("_")
    }
    _find_chapters(root, names)
    for name in names.values():
        home = name.member.modulename
        _find_mentions(name, [n for n in names.values() if n.member.modulename == home])
    return names


def _find_chapters(root: Path, names: dict[str, Name]) -> None:
    """Note the chapters that use each name themselves or by their experiments."""
    of_value: dict[int, list[Name]] = defaultdict(list)  # a class may be public in two packages
    for path, name in names.items():
        if _value(path) is not None:
            of_value[id(_value(path))].append(name)
    for notebook in sorted(root.glob("notebooks/*.ipynb")):
        used = uses(code_of(nbformat.read(notebook, as_version=4).cells))
        inside = {".".join(path.split(".")[:3]) for path in used if ".experiments." in path}
        behind = {path for module in inside for path in _uses_of_module(module)}
        for path in used | behind:
            for name in of_value.get(id(_value(path)), ()):
                (name.chapters if path in used else name.through).add(notebook.stem)


def uses(source: str, package: str = "") -> set[str]:
    """Return the dotted names of the library that a source uses, as it is imported."""
    tree = ast.parse(source)
    home = {local: path for path, local in imported_names(tree, package)}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            local, dot, rest = ast.unparse(node).partition(".")
            found.add(home.get(local, "") + dot + rest)
    return {path for path in found if path.startswith(f"{TOP.__name__}.")}


def _uses_of_module(module: str) -> set[str]:
    return uses(source_file(module).read_text(encoding="utf-8"), module.rpartition(".")[0])


def _value(path: str) -> object:
    """Return what a dotted name stands for, None if for nothing."""
    value: Any = TOP
    for part in path.split(".")[1:]:
        value = getattr(value, part, None)
    return value


def _find_mentions(name: Name, others: list[Name]) -> None:
    """Note which other names of the package show this one in an example or signature."""
    word = re.compile(rf"(?<![\w.])(?:\w+\.)*{name.member.name}\b(?!=)")
    for other in others:
        if other is not name and word.search(_shown(other.member)):
            name.seen_in.add(other.member.name)


def _parts(member: doc.Doc[Any]) -> list[doc.Doc[Any]]:
    inside = member.own_members if isinstance(member, doc.Class) else []
    return [member, *(part for part in inside if part.name == "__init__" or part.docstring)]


def _docstrings(member: doc.Doc[Any]) -> str:
    return "\n".join(part.docstring for part in _parts(member))


def _shown(member: doc.Doc[Any]) -> str:
    """Return a member's examples, signatures and values."""
    parts = _parts(member)
    signatures = [str(part.signature) for part in parts if isinstance(part, doc.Function)]
    values = [part.default_value_str for part in parts if isinstance(part, doc.Variable)]
    return "\n".join([*EXAMPLE.findall(_docstrings(member)), *signatures, *values])


def _annotate(name: Name) -> None:
    """Add to a docstring where else the name is seen."""
    up = "../" * (name.member.modulename.count(".") + 1)
    told = [f"[chapter {chapter[:2]}]({up}{chapter}.html)" for chapter in sorted(name.chapters)]
    for chapter in sorted(name.through - name.chapters):
        told.append(f"[chapter {chapter[:2]}]({up}{chapter}.html), by its experiments")
    told += [f"`{other}`" for other in sorted(name.seen_in)]
    if told and name.member.docstring:  # others are not shown
        name.member.docstring += f"\n\nSeen in\n-------\n{'; '.join(told)}\n"


if __name__ == "__main__":
    here = Path(sys.argv[1]).resolve()
    build(here, here / "reports" / "api")
