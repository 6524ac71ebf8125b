"""The site of docs/: it builds strictly, needs no network, and has every public name."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs")

from links import outward

from tres_book.code_hash import PACKAGES
from tres_book.study import notebooks, workspace
from tres_book.study.chapters import Book

ROOT = workspace.root()
NAMES = runpy.run_path(str(ROOT / "docs" / "reference.py"))["public_names"]()


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, built in a copy of what it is made of."""
    root = tmp_path_factory.mktemp("site")
    for name in ("docs", "mkdocs.yml", *PACKAGES):
        (root / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet"]
    subprocess.run(command, cwd=root, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True)
    return root / "reports" / "docs"


@pytest.fixture(scope="module")
def html(site) -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}


@pytest.mark.slow
@pytest.mark.network
def test_the_site_stands_alone(site, html, tmp_path):
    """Beside the front page it loads nothing from elsewhere; links to the Web are to be clicked."""
    assert not [*site.rglob("404.html"), *site.rglob("*.pyc")]
    copy = shutil.copytree(site, tmp_path / "docs")
    (tmp_path / "index.html").write_text("the front page")
    out = [found for found in outward(tmp_path) if found[1] != "a" or "://" not in found[2]]
    assert (copy / "index.html").exists() and not out
    # The theme's script would ask other hosts for a diagram's drawer and a repository's stars.
    asks = [
        path
        for path, text in html.items()
        if re.search(r"mermaid|data-md-component=.?source", text)
    ]
    assert not asks


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
