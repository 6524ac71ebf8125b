"""What a run says: before it, while it goes on, and after it."""

import io
import sys

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from tres_book.study import Claims, notebooks, workspace
from tres_book.study.chapters import Book

pytestmark = pytest.mark.slow
ROOT = workspace.root()
NAMES = ["01-a", "02-b"]
CLAIMS = """
small:
  paper: TRES
  place: Table 1
  claim: Small is beautiful.
  kind: order
  value: by 3
  measure: points
  scale: smoke
  rule: {holds: "value > 0"}
  notebook: 02-b
"""


@pytest.fixture
def root(tmp_path, monkeypatch, caplog):
    """Make a study of two chapters, whose only claim holds at the smallest scale."""
    for folder in ("notebooks", "params", "data"):
        (tmp_path / folder).mkdir()
    for name in ("README.md", "templates"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "data" / "claims.yaml").write_text(CLAIMS)
    for name in NAMES:
        book = new_notebook(cells=[new_markdown_cell(f"# {name}\n\nWhy?")])
        nbformat.write(book, tmp_path / "notebooks" / f"{name}.ipynb")
    monkeypatch.setenv("TRES_BUILD", str(tmp_path / "build"))
    monkeypatch.setenv("TRES_RECORD", "1")
    Claims.load(tmp_path / "data" / "claims.yaml", scale="smoke").record("small", 4, scale="smoke")
    caplog.set_level("INFO")
    return tmp_path


@pytest.mark.parametrize("scale", workspace.SCALES)
def test_it_begins_with_what_runs_how_long_and_where_the_pages_will_be(
    root, scale, monkeypatch, caplog
):
    monkeypatch.setattr(notebooks, "_run_all", lambda *_: [])
    notebooks.run(Book(root, scale))
    count, what, time, pages = caplog.messages[:4]
    assert count == f"2 of 2 chapters at scale {scale}"
    assert {"smoke": "everything once", "default": "from stored runs", "paper": "20,000"}[
        scale
    ] in what
    assert {"smoke": "2 to 5 min", "default": "3 to 8 min", "paper": "many hours"}[scale] in time
    assert pages == f"pages: {Book(root, scale).reports}" and "](" not in what


def test_it_ends_with_the_front_page_and_the_verdicts(root, monkeypatch, caplog):
    monkeypatch.setattr(notebooks, "_run_all", lambda *_: [])
    assert notebooks.run(Book(root, "smoke")) == 0
    front = root / "reports" / "smoke" / "index.html"
    verdicts = "Of 1 claims of the five papers and three later papers: 1 hold."
    assert front.exists() and caplog.messages[-2:] == [f"report: {front.as_uri()}", verdicts]
    assert verdicts in front.read_text()
    notebooks.run(Book(root, "smoke"), "01")
    assert caplog.messages[-1] == "No claims are entered."


def test_a_failure_ends_it_with_what_to_do(root, monkeypatch, caplog):
    monkeypatch.setattr(notebooks, "_run_all", lambda book, names, bar: names)
    assert notebooks.run(Book(root, "smoke")) == 1
    failed, remedy = caplog.messages[-2:]
    assert failed == "failed: 01-a, 02-b"
    assert "make report NB=01-a SCALE=smoke" in remedy and "make reproduce SCALE=smoke" in remedy


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_sees_a_bar_and_a_file_a_line_a_chapter(root, terminal, monkeypatch, caplog):
    console = io.StringIO()
    console.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stdout", console)
    monkeypatch.setattr(Book, "is_fresh", lambda *_: True)
    notebooks.run(Book(root, "smoke"))
    lines = [line for line in caplog.messages if line.endswith(": unchanged")]
    assert sorted(lines) == ([] if terminal else [f"{name}: unchanged" for name in NAMES])
    assert ("2/2" in console.getvalue()) == terminal
