"""The chapters of a study: their files, parameters, titles, and whether they must run again."""

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import nbformat
import papermill
import pooch

from ..code_hash import code_hash, imports, modules_behind
from . import workspace
from .findings import read_yaml

# Title and first paragraph of a notebook.
OPENING = re.compile(r"\s*# +(.+)\n*(?:\*\*Question\.\*\*)?((?:.+\n?)+)?")


@dataclass(frozen=True)
class Book:
    """Notebooks, their parameters and what is made of them, at one scale."""

    root: Path  # the repository
    scale: str

    def __post_init__(self) -> None:
        workspace.scale(self.scale)

    @property
    def build(self) -> Path:
        """Folder of executed notebooks, stamps and records at this scale."""
        return workspace.build_dir() / self.scale

    @property
    def reports(self) -> Path:
        """Folder of the pages, the ledger and the search: reports/, but for other scales in it."""
        return self.root / "reports" / ("" if self.scale == "default" else self.scale)

    def address(self, path: str) -> str:
        """Return the address by which the pages name a file or folder of the repository."""
        return os.path.relpath(self.root / path, self.reports)

    def template(self, name: str) -> jinja2.Template:
        """Return a template of a page by its name, without ``.html.j2``."""
        loader = jinja2.FileSystemLoader(self.root / "templates")
        return jinja2.Environment(loader=loader, autoescape=True).get_template(f"{name}.html.j2")

    def names(self, only: str | None = None) -> list[str]:
        """Return the chapters' names in order, or the one of a name or number, such as "10"."""
        names = sorted(path.stem for path in (self.root / "notebooks").glob("*.ipynb"))
        if only is None:
            return names
        chosen = [name for name in names if only in (name, f"{name}.ipynb", name.split("-")[0])]
        if not chosen:
            raise ValueError(f"only: no notebook {only!r}; there are {', '.join(names) or 'none'}")
        return chosen

    def source(self, name: str) -> Path:
        """Return the notebook as it is in the repository."""
        return self.root / "notebooks" / f"{name}.ipynb"

    def differs(self, name: str) -> bool:
        """Tell whether the notebook's file is not as git's last commit has it."""
        with suppress(FileNotFoundError):  # there is no git
            where = "-C", str(self.root / "notebooks")
            return bool(workspace.git(*where, "status", "--porcelain", "--", f"{name}.ipynb"))
        return False

    def executed(self, name: str) -> Path:
        """Return where the notebook is kept with its outputs."""
        return self.build / f"{name}.ipynb"

    def failed(self, name: str) -> Path:
        """Return where the notebook is while it runs, and stays when it fails."""
        return self.build / f"{name}.failed.ipynb"

    def stamp(self, name: str) -> Path:
        """Return the file that holds the fingerprint of the last good run."""
        return self.build / f"{name}.stamp"

    def parameters(self, name: str) -> dict[str, Any]:
        """Return what differs at this scale from the notebook's own cell: a block of params/.

        ValueError if the file has a block of no notebook, or the block a name that is no parameter.
        """
        file = self.root / "params" / f"{self.scale}.yaml"
        blocks = read_yaml(file)
        if unknown := sorted(set(blocks) - set(self.names())):
            raise ValueError(f"params/{file.name}: there is no notebook {', '.join(unknown)}")
        block = blocks.get(name) or {}
        names = papermill.inspect_notebook(self.source(name)) if block else {}
        if unknown := sorted(set(block) - set(names)):
            there = ", ".join(names) or "none"
            raise ValueError(f"params/{file.name}: {name} has no {unknown}; it has {there}")
        return block

    def modules(self, name: str) -> set[str]:
        """Return the modules of ours that a notebook rests on."""
        return modules_behind(*modules_of(nbformat.read(self.source(name), as_version=4).cells))

    def fingerprint(self, name: str) -> str:
        """Hash what the results depend on: cells, parameters, the modules used, claims and data."""
        cells = nbformat.read(self.source(name), as_version=4).cells
        facts = {
            "cells": [(c.cell_type, c.source, c.metadata.get("tags")) for c in cells],
            "parameters": self.parameters(name),
            "library": code_hash(*modules_of(cells)),
            "claims": self._text("data", "claims.yaml"),
            "findings": self._text("data", "findings", f"{name[:2]}.yaml"),
            "records": self._records(self._text("data", "findings", f"{name[:2]}.yaml")),
            "archives": bool(os.environ.get("TRES_DATA")) or Path(pooch.os_cache("tres")).exists(),
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def _records(self, said: str) -> list[str]:
        """Return the lines of results/ledger.json that sentences name."""
        lines = self._text("results", "ledger.json").splitlines()
        ids = [re.findall(r'^{"id": "([^"]+)"', line) for line in lines]
        return [x for x, i in zip(lines, ids, strict=True) if i and i[0].replace("-", "_") in said]

    def _text(self, *parts: str) -> str:
        file = self.root.joinpath(*parts)
        return file.read_text(encoding="utf-8") if file.exists() else ""

    def is_fresh(self, name: str) -> bool:
        """Tell whether the last good run still stands."""
        if not (self.stamp(name).exists() and self.executed(name).exists()):
            return False
        with suppress(ValueError):  # without parameters it runs, and fails by name
            return self.stamp(name).read_text() == self.fingerprint(name)
        return False


@dataclass(frozen=True)
class Chapter:
    """What the index says of a notebook: its first heading and the question under it."""

    name: str
    file: Path  # as it ran, if it did
    title: str
    question: str
    status: str  # "done", "failed" or "not run yet"
    error: str = ""  # cell and error of a failed run

    def read(self) -> nbformat.NotebookNode:
        """Return the notebook."""
        return nbformat.read(self.file, as_version=4)


def read_chapter(book: Book, name: str) -> Chapter:
    """Read a notebook's title and its question, the first paragraph; and how it ran."""
    cells = nbformat.read(book.source(name), as_version=4).cells
    found = OPENING.match(next((c.source for c in cells if c.cell_type == "markdown"), ""))
    title, question = found.groups("") if found else (name, "")
    about = title, re.sub(r"[*_`]", "", " ".join(question.split()))
    if (file := book.failed(name)).exists():
        note = nbformat.read(file, as_version=4).metadata.get("tres", {})
        error = note.get("error", "an unknown cell: the run was interrupted")
        return Chapter(name, file, *about, "failed", error)
    if (file := book.executed(name)).exists():
        return Chapter(name, file, *about, "done")
    return Chapter(name, book.source(name), *about, "not run yet")


def modules_of(cells: list[nbformat.NotebookNode]) -> set[str]:
    """Return the library's modules that a notebook uses itself."""
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    python = [line for line in code.splitlines() if not line.lstrip().startswith(("%", "!"))]
    return set(imports("\n".join(python))[0])
