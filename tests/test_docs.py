"""The site of docs/: it builds strictly, needs no network, and has every public name."""

import inspect
import os
import re
import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote

import pytest

pytest.importorskip("mkdocs")

from tres_book.code_hash import PACKAGES
from tres_book.study import notebooks, workspace
from tres_book.study.chapters import Book

ROOT = workspace.root()
NAMES = runpy.run_path(str(ROOT / "docs" / "reference.py"))["public_names"]()
LOADED = re.compile(
    r"<(?:script|img|iframe|source)[^>]*? src=[\"']?([^\"' >]+)"
    r"|<link(?=[^>]*(?:stylesheet|icon|preload|preconnect))[^>]*? href=[\"']?([^\"' >]+)"
)


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[Path, str]:
    """All files of the site by path, built in a copy of what it is made of."""
    root = tmp_path_factory.mktemp("site")
    for name in ("docs", "mkdocs.yml", *PACKAGES):
        (root / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    subprocess.run(command, cwd=root, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True)
    files = [
        path
        for path in (root / "reports" / "docs").rglob("*")
        if path.suffix in (".html", ".css", ".js")
    ]
    return {path: path.read_text(encoding="utf-8") for path in files}


@pytest.fixture(scope="module")
def html(pages) -> dict[Path, str]:
    return {path: text for path, text in pages.items() if path.suffix == ".html"}


@pytest.mark.slow
@pytest.mark.network
def test_no_page_loads_anything_from_another_host(pages, html):
    for path, text in html.items():
        urls = ["".join(found) for found in LOADED.findall(text)]
        assert urls and not [url for url in urls if re.match(r"(?:https?:)?//", url)], path
    for path, text in pages.items():
        assert not re.search(r"@import|url\([\"']?(?:https?:)?//", text), path


@pytest.mark.slow
@pytest.mark.network
def test_every_link_leads_to_a_page_and_a_place(html):
    """mkdocs checks the links of the guides; these are those of the pages as they are."""
    ids = {path: set(re.findall(r" id=[\"']?([^\"' >]+)", text)) for path, text in html.items()}
    front = next(iter(html)).parents[1] / "index.html"
    for path, text in html.items():
        if path.name == "404.html":
            continue
        for href in re.findall(r"<a[^>]*? href=[\"']?([^\"' >]+)", text):
            target, _, place = href.partition("#")
            if re.match(r"https?:|javascript:", href) or target == "../index.html":
                continue
            there = (path.parent / target).resolve() if target else path
            assert there in html or there == front, (path, href)
            assert not place or unquote(place) in ids[there] | {"__skip"}, (path, href)


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.parametrize("package", NAMES)
def test_every_public_name_has_an_entry(html, package):
    text = next(text for path, text in html.items() if path.name == f"{package}.html")
    assert [path for path in NAMES[package].values() if f'id="{path}"' not in text] == []


@pytest.mark.slow
@pytest.mark.network
def test_fields_of_settings_are_described_by_their_comments(html):
    text = next(text for path, text in html.items() if path.name == "tres_lib.focused.html")
    entry = text.partition('id="tres_lib.focused.TresSettings.per_leaf"')[2][:2_000]
    assert "Representatives drawn from each leaf; the paper draws one." in entry


@pytest.mark.slow
@pytest.mark.parametrize("package", NAMES)
def test_every_public_name_has_a_docstring(package):
    values = {name: getattr(import_module(package), name) for name in NAMES[package]}
    spoken = [n for n, v in values.items() if inspect.isclass(v) or inspect.isroutine(v)]
    assert [name for name in spoken if not inspect.getdoc(values[name])] == []
    assert import_module(package).__doc__


def test_the_packages_are_listed():
    index = (ROOT / "docs" / "api" / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((tres_[a-z_.]+)\.md\)", index)) == set(NAMES)


@pytest.mark.slow
def test_the_front_page_leads_there(tmp_path, monkeypatch):
    for folder in ("notebooks", "params", "reports/docs", "docs"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("README.md", "templates", "data"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "params" / "smoke.yaml").write_text("{}")
    (tmp_path / "reports" / "docs" / "index.html").write_text("there")
    monkeypatch.setenv("TRES_BUILD", str(tmp_path / "build"))
    assert notebooks.run(Book(tmp_path, "smoke")) == 0
    front = (tmp_path / "reports" / "smoke" / "index.html").read_text(encoding="utf-8")
    pages = re.findall(r'href="\.\./(docs/[^"]*)"', front)
    assert "docs/index.html" in pages
    files = [re.sub(r"^docs/(.*)\.html$", r"docs/\1.md", page) for page in pages]
    assert all((ROOT / file).exists() for file in files)
    assert (tmp_path / "reports" / "docs" / "index.html").read_text() == "there"  # left alone
