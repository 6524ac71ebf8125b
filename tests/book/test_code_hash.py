"""A hash changes with what a module rests on, and with nothing else.

To load the module again makes it forget what it has read.
"""

import re
import shutil
from importlib import reload

import pytest

from tres_book import code_hash as module
from tres_book.code_hash import PACKAGES, code_hash, imports, modules_behind
from tres_webs import files as on_disk

ROOT = on_disk.WEBS.parent
TRIAL = "tres_lib.focused.policy"


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Give a copy of the library and its data that may be edited."""
    for name in PACKAGES:
        source = ROOT / name
        shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data", tmp_path / "data")
    monkeypatch.setattr(on_disk, "WEBS", tmp_path / "tres_webs")
    monkeypatch.setattr(on_disk, "DATA", tmp_path / "data")
    reload(module)
    yield tmp_path
    monkeypatch.undo()
    reload(module)


def edit(path, text="edited = True"):
    """Change a file, or every module of a folder."""
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    assert files
    for file in files:
        file.write_text(file.read_text() + f"\n{text}\n")
    reload(module)


@pytest.mark.slow
def test_edits_behind_a_trial_change_its_hash_and_no_others(library):
    hashes = {code_hash(TRIAL)}
    for name in ("tres_live", "tres_book/crawls/comparison.py"):
        edit(library / name)
    assert code_hash(TRIAL) in hashes
    behind = ["tres_webs/lab/writer.py", "data/topics.yaml"]
    behind.append("tres_lib/focused/baselines/ache.py")  # loaded by its name in a string
    for name in behind:
        edit(library / name)
        assert code_hash(TRIAL) not in hashes, name
        hashes.add(code_hash(TRIAL))
    file = library / "tres_webs/page.py"
    edit(file, 'def f():\n    """Say it."""\n    return "#1"  # once\n')
    before = code_hash("tres_webs.page")
    said = file.read_text().replace("Say it.", "Say it\n\n    twice.").replace("once", "twice")
    file.write_text("# Of pages.\n\n" + said)
    reload(module)
    assert code_hash("tres_webs.page") == before
    file.write_text(said.replace("#1", "#2"))
    reload(module)
    assert code_hash("tres_webs.page") != before


@pytest.mark.parametrize(
    ("source", "package", "expected"),
    [
        ("from tres_webs import Page", "", {"tres_webs.page"}),
        ("import tres_webs as web\nweb.VitalWeb", "", {"tres_webs.lab.vital"}),
        ("import tres_webs\ntres_webs.VitalWeb", "", {"tres_webs.lab.vital"}),
        ("import tres_webs as web\nuse(web, web.Page)", "", {"tres_webs"}),
        ("from . import page\npage.Page", "tres_webs", {"tres_webs.page"}),
        ("from .page import Page", "tres_webs", {"tres_webs.page"}),
        ("from .. import urls", "tres_webs.lab", {"tres_webs.urls"}),
        ("TABLE = {'page': '.page:Page'}", "tres_webs", {"tres_webs.page"}),
        ("MODULES = ['tres_webs.page', '.nowhere', 'page']", "tres_webs", {"tres_webs.page"}),
        ("import numpy", "tres_webs", set()),
        ("from tres_live import LiveWeb", "", {"tres_live.web.live"}),  # below its package
        ("from tres_lib.focused import TRES", "", {"tres_lib.focused.tres.crawlers"}),
        (
            "from tres_book import study\nstudy.plots.use_style()\nstudy.mean_interval([1])",
            "",
            {"tres_book.plots", "tres_book.intervals"},
        ),
    ],
)
def test_imports_lead_to_the_modules_that_define_names(source, package, expected):
    assert imports(source, package)[0] == expected


@pytest.mark.parametrize(
    ("source", "files"),
    [
        ("('topics.yaml', 'data/claims.yaml')", {"topics.yaml", "claims.yaml"}),
        ("('nothing.yaml', '../README.md', 'topics')", set()),
        ("('table-3.parquet', 'table-none.parquet')", {"table-3.parquet"}),
        ('"manifest.json"', set()),  # each stored run changes that of results/
    ],
)
def test_data_and_stored_files_are_seen_by_their_names(source, files):
    assert imports(source)[1] == files


def test_a_package_passed_on_as_a_whole_counts_as_a_whole():
    assert {"tres_webs.page", "tres_webs.lab.vital"} <= modules_behind("tres_webs")


def test_modules_that_load_others_by_name_are_known():
    """`import_module` on names that the hash cannot read would hide what a result rests on."""
    files = [file for name in PACKAGES for file in (ROOT / name).rglob("*.py")]
    users = {
        str(file.relative_to(ROOT))
        for file in files
        if re.search(r"\bimport_module\(|__import__\(", file.read_text(encoding="utf-8"))
    }
    assert users == {"tres_lib/focused/policy.py"}


def test_an_unknown_module_is_named():
    with pytest.raises(ValueError, match="tres_lib.nowhere"):
        code_hash("tres_lib.nowhere")
