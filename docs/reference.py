"""The API reference: a page for each package, an entry for each name in its stub.

mkdocs calls `on_config` and `on_files`; see `hooks` in mkdocs.yml.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
PUBLIC = (
    "tres_webs",
    "tres_lib/*",
    "tres_live",
    "tres_book",
    "tres_book/study",
    "tres_book/refresh",
    "tres_book/world",
)


def public_names() -> dict[str, dict[str, str]]:
    """Return the public names of each package that has a stub, with where griffe finds them."""
    names = {}
    for pattern in PUBLIC:
        for stub in sorted(ROOT.glob(f"{pattern}/__init__.pyi")):
            package = ".".join(stub.parent.relative_to(ROOT).parts)
            named = sorted(_named(stub), key=lambda pair: pair[0].casefold())
            names[package] = {name: f"{package}.{path}" for name, path in named}
    return names


def _named(stub: Path) -> Iterator[tuple[str, str]]:
    """Give what a stub imports as public, or assigns, and its path in the package."""
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            for name in filter(None, (alias.asname for alias in node.names)):
                # `focused.crawl` is a function and the module that has it.
                hidden = node.module == name
                yield name, f"{name}.{name}" if hidden else name
        elif isinstance(node, ast.Assign):
            yield from ((t.id, t.id) for t in node.targets if isinstance(t, ast.Name))


def page(package: str, paths: Iterable[str]) -> str:
    """Return the Markdown of a package's page."""
    head = f"# {package}\n\n::: {package}\n    options:\n      members: false\n"
    head += "      show_root_heading: false\n      show_root_toc_entry: false\n"
    return "\n\n".join([head, *(f"::: {path}" for path in paths), ""])


def on_config(config: Any) -> None:
    """Leave out 404.html: its links begin at a host's root, and the site lies in a folder."""
    config.theme.static_templates.discard("404.html")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the reference."""
    for package, names in public_names().items():
        files.append(
            File.generated(config, f"api/{package}.md", content=page(package, names.values()))
        )
    return files
