"""The driver and the report on tiny notebooks."""

import io
import json
import logging
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

import nbformat
import papermill
import pytest
import yaml
from links import in_browser, outward
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tres_book.study import ledger, notebooks, report, workspace
from tres_book.study.chapters import Book, read_chapter
from tres_book.study.notebooks import describe, execute, run

pytestmark = pytest.mark.slow
ROOT = workspace.root()
DOORS = ("index.html", "ledger.html")
CLAIMS = """
small:
  paper: TRES
  place: Table 1
  claim: Small is beautiful.
  kind: order
  value: by 3
  measure: points
  rule: {holds: "value > 0"}
  notebook: 02-good
  known: one of two runs
"""
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


def write(path: Path, *cells: str) -> None:
    """Write a notebook: text starting with #, $ or > is Markdown, k=... parameters, else code."""
    made = []
    for text in cells:
        if text.startswith(("# ", "## ", "$", "> ")):
            made.append(new_markdown_cell(text))
        else:
            tag = {"k =": "parameters", "imp": "front:small"}.get(text[:3])
            made.append(new_code_cell(text, metadata={"tags": [tag]} if tag else {}))
    nbformat.write(new_notebook(cells=made, metadata=KERNEL), path)


@pytest.fixture(scope="module")
def patch():
    with pytest.MonkeyPatch.context() as context:
        yield context


@pytest.fixture(scope="module")
def said(patch):
    """Return the lines that runs print."""
    lines = []
    patch.setattr(notebooks.log, "handlers", [logging.Handler()])
    patch.setattr(notebooks.log.handlers[0], "emit", lambda line: lines.append(line.getMessage()))
    notebooks.log.setLevel("INFO")
    return lines


@pytest.fixture(scope="module")
def study(tmp_path_factory, patch, said):
    """Run a study of three notebooks, two of which fail, and keep what came of it."""
    root = tmp_path_factory.mktemp("study")
    for folder in ("notebooks", "params", "data", "results"):
        (root / folder).mkdir()
    shutil.copytree(ROOT / "templates", root / "templates")
    shutil.copy(ROOT / "README.md", root)
    (root / "data" / "claims.yaml").write_text(CLAIMS)
    sources = {"small": {"runs": ["lost-runs", "made-runs"]}}
    (root / "data" / "sources.yaml").write_text(yaml.safe_dump(sources))
    (root / "results" / "made-runs.parquet").write_bytes(b"runs")
    blocks = {"01-bad": {"k": 3}, "02-good": {"k": 4}, "03-odd": {"q": 1}}
    (root / "params" / "default.yaml").write_text(yaml.safe_dump(blocks))
    books = root / "notebooks"
    claims = f"Claims.load({str(root / 'data' / 'claims.yaml')!r})"
    answer = "from IPython.display import Markdown\nMarkdown('- It *is* so.')  # claims.answer()"
    write(books / "01-bad.ipynb", "# Bad\n\nWhy?", "k = 1", "k", "k / 0", "print('after')")
    write(
        books / "02-good.ipynb",
        "# Good\n\n**Question.** Is it *so*?\n\nMore words.",
        "k = 1",
        "## A plot of $x_t < \\frac{1}{2}$\n\n`$HOME` stays.",
        "import matplotlib.pyplot as plt\n# of 'made-runs' and 'lost-runs'\n"
        "plt.subplots(figsize=(2, 1))[1]",
        "> A *box* of\n> 95 % of `nothing`. More is better.",
        "import os\nprint('scale', os.environ['TRES_SCALE'], 'k', k)\nprint('again')",
        f"from tres_book.study import Claims\nclaims = {claims}\nclaims.record('small', k)",
        "## On we go (run now)",
        "claims.table('02-good')",
        "import pandas as pd\npd.DataFrame({'a': [1]}).style",
        "## What came out",
        answer,
    )
    write(books / "03-odd.ipynb", "# All <of> it\n\nWhat?", "k = 1")
    patch.setenv("TRES_BUILD", str(root / "build"))
    patch.setenv("GITHUB_SERVER_URL", "https://code.example")
    patch.setenv("GITHUB_REPOSITORY", "some/one")
    made = Book(root, "default")
    status = run(made)
    pages = {page.name: page.read_text() for page in (made.root / "reports").glob("*.html")}
    return made, status, pages


def test_one_failure_does_not_stop_the_others(study):
    made, status, pages = study
    assert status == 1
    assert made.executed("02-good").exists() and not made.failed("02-good").exists()
    assert set(pages) == {*DOORS, "01-bad.html", "02-good.html", "03-odd.html"}
    assert made.failed("01-bad").exists() and not made.executed("01-bad").exists()
    assert read_chapter(made, "01-bad").error == "cell [4]: ZeroDivisionError: division by zero"
    assert "stopped at cell [4]: ZeroDivisionError" in pages["index.html"]
    assert "cell [4]: ZeroDivisionError" in pages["01-bad.html"]


def test_a_run_says_what_it_runs_how_it_went_and_what_to_do(study, said):
    reports = study[0].reports
    began, what, time, pages = said[:4]
    assert (began, pages) == ("3 of 3 chapters at scale default", f"pages: {reports}")
    assert "stored runs" in what and "](" not in what and " min" in time  # by README's table
    bad, good, odd = sorted(said[4:7])
    assert bad == "01-bad: FAILED at cell [4]: ZeroDivisionError: division by zero"
    assert re.fullmatch(r"02-good: done in \d+ s", good) and odd.startswith("03-odd: FAILED at its")
    front, verdicts, other, failed, remedy = said[7:]
    assert front == f"report: {(reports / 'index.html').as_uri()}" and "small" in other
    assert verdicts == "Of 1 claims of the five papers and three later papers: 1 hold."
    assert failed == "failed: 01-bad, 03-odd" and "make report NB=01-bad" in remedy
    assert report.summary([]) == "No claims are entered."


def test_an_unknown_parameter_fails_before_the_run(study):
    made, _, pages = study
    with pytest.raises(ValueError, match=r"default.yaml: 03-odd has no \['q'\]; it has k"):
        made.parameters("03-odd")
    assert "03-odd has no" in pages["index.html"]


def test_without_a_block_the_cell_stands_and_a_block_too_many_is_named(study, tmp_path):
    made, _, _ = study
    shutil.copytree(made.root / "notebooks", tmp_path / "notebooks")
    (tmp_path / "params").mkdir()
    (tmp_path / "params" / "smoke.yaml").write_text("09-new: {k: 1}")
    assert Book(tmp_path, "default").parameters("02-good") == {}
    with pytest.raises(ValueError, match="smoke.yaml: there is no notebook 09-new"):
        Book(tmp_path, "smoke").parameters("02-good")


def test_the_values_used_are_shown_and_the_defaults_are_not(study):
    page = study[2]["02-good.html"]
    assert re.search(r"<code>k</code></td><td>4</td>", page)
    assert "injected-parameters" not in page and "k = 1" not in page
    assert "scale default k 4\nagain" in page


def test_a_figure_has_its_finding_caption_and_sources(study):
    page = study[2]["02-good.html"]
    figure = re.search(r"<figure>((?!<figure>).)*<img.*?</figure>", page, re.S)[0]
    assert re.search(r'<img alt="Figure: A plot of [^"]*" src="data:image/png;base64,', figure)
    assert "&lt;Axes" not in page
    assert re.search(r"<figcaption>\s*<p>A <em>box</em> of\s+95 % of <code>nothing", figure)
    assert "<blockquote>" not in page and page.count("95 % of") == 1
    assert re.search(r'class="finding">Small is beautiful. <a href="#claim-small"><span', page)
    assert '<a href="notebooks/02-good.ipynb">run</a>' in figure
    assert '<a href="results/made-runs.parquet">made-runs</a>' in figure
    assert "<span>lost-runs</span>" in figure  # which are not stored


def test_what_is_published_stands_alone(study, tmp_path):
    copy = shutil.copytree(study[0].root / "reports", tmp_path / "copy")
    assert (copy / "results" / "made-runs.parquet").read_bytes() == b"runs"
    for name in ("02-good", "01-bad.failed"):
        text = (copy / "notebooks" / f"{name}.ipynb").read_text()
        assert json.loads(text)["cells"] and str(study[0].root) not in text
    there = re.escape(f"https://code.example/some/one/blob/{workspace.revision().split(',')[0]}/")
    out = [(page, tag, bool(re.match(there, link))) for page, tag, link in outward(copy)]
    assert {*out} == {("01-bad.html", "a", True), ("02-good.html", "a", True)}  # with figures


def test_question_answer_verdicts_and_contents_stand_on_top(study):
    page = study[2]["02-good.html"]
    marks = ("Is it <em>so</em>?", "It <em>is</em> so.", 'id="claim-small"', 'class="contents"')
    places = [page.index(mark) for mark in (*marks, "More words.", "<figure")]
    assert places == sorted(places) and "What came out</h2>" not in page
    assert all(page.count(mark) == 1 for mark in marks)
    chip = re.search(r'<a [^>]*id="claim-small"[^>]*>', page)[0]
    assert 'class="verdict holds"' in chip and 'href="ledger.html#small"' in chip
    for number, title in re.findall(r'<li><a href="#s(\d)">(.*?)</a>', page):
        assert re.search(rf'<span id="s{number}"></span>{title[:6]}', page)
    assert "On we go</a>" in page and '<span class="badge run">run now</span></h2>' in page


def test_all_pages_can_be_searched(study, tmp_path):
    reports = study[0].root / "reports"
    shutil.copy(reports / "search.js", tmp_path)
    asked = "field.value = 'NOTHING box'; field.dispatchEvent(new Event('input'))"
    shown = in_browser((reports / "02-good.html").read_text(), asked, tmp_path)
    hits = re.findall(r'<li><a href="([^"]+)">', re.search(r'id="hits".*?</ol>', shown, re.S)[0])
    assert hits == ["02-good.html#s2"]


def test_pages_ask_for_nothing_from_the_network(study):
    """Nothing is loaded, as the test of links shows; nor do scripts ask for anything."""
    assert {tag for _, tag, _ in outward(study[0].root / "reports")} <= {"a"}
    scripts = {
        name: re.findall(r"<script>(.*?)</script>", page, re.S) for name, page in study[2].items()
    }
    assert [name for name in scripts if scripts[name]] == sorted(DOORS)
    scripts["search.js"] = [(study[0].root / "reports" / "search.js").read_text()]
    for name, texts in scripts.items():
        assert not re.search(r"fetch|import|http|Request|Socket", "".join(texts)), name


def test_the_front_page_says_what_was_found_and_leads_to_the_ledger(study):
    front, rows = (study[2][name] for name in DOORS)
    assert "Of 1 claims of the five papers and three later papers: 1 hold." in front
    assert "All &lt;of&gt; it" in front
    figures = re.findall(r"<figure.*?src=\"data:image/png;base64,\w.*?</figure>", front, re.S)
    assert len(figures) == 1 and "A box of 95 % of nothing." in figures[0]
    assert "More is better" not in front and "Small is beautiful." not in front
    for text in ("Small is beautiful.", "by 3", "<td>4</td>"):
        assert text in rows
    assert "Holds if value &gt; 0. Known when the rule was entered: one of two runs." in rows


FILTER = """
const seen = choices.map(([by, value]) => {
  for (const name of fields) at(name).value = "";
  at(by).value = value;
  filter();
  return [...document.querySelectorAll("tr[data-verdict]:not([hidden])")].map((row) => row.id);
});
document.body.id = JSON.stringify(seen);
"""


def test_the_ledger_stands_in_the_order_of_the_chapters_and_can_be_filtered(tmp_path, monkeypatch):
    """Papers by the last chapter that tests them; a filter's options and the rows' marks agree."""
    monkeypatch.setenv("TRES_BUILD", str(tmp_path))
    monkeypatch.setattr(report.findings, "said", lambda *_: [])
    book = Book(workspace.root(), "smoke")
    chapters = [read_chapter(book, name) for name in book.names()]
    rows = ledger.entries(book)
    page = report.doors(book, chapters, set(), rows)["ledger"]
    papers = re.findall(r'<tbody data-paper="([^"]+)">', page)
    assert papers[0] == "TRES" and papers[-1] == "Ours" and len(papers) == len(set(papers))
    marks = re.findall(r'<tr id="([^"]+)" data-verdict="(\w+)" data-chapter="([^"]+)"', page)
    options = re.findall(r'<option value="([\w-]+)">', page)
    assert len(marks) == len(rows) and {x for mark in marks for x in mark[1:]} <= {*options}
    last = marks[-1][2]
    choices = [("words", ""), ("paper", "TRES"), ("chapter", last), ("words", "harvest RATE")]
    choices += [("verdict", "holds")]
    shown = in_browser(page, f"const choices = {json.dumps(choices)};\n{FILTER}", tmp_path)
    every, tres, tenth, words, none = json.loads(unescape(re.search(r'<body id="(.*?)"', shown)[1]))
    assert every == [id for id, *_ in marks] and 0 < len(words) < len(every)
    assert {*tres} == {row["id"] for row in rows if row["paper"] == "TRES"}
    assert tenth == [id for id, _, chapter in marks if chapter == last]
    assert none == [] and ">0 claims<" in shown  # nothing is recorded here


@pytest.mark.parametrize("terminal", [True, False])
def test_only_what_changed_runs_again(study, said, terminal, monkeypatch):
    made, console = study[0], io.StringIO()
    console.isatty = lambda: terminal
    monkeypatch.setattr(sys, "stdout", console)
    before = made.executed("02-good").stat().st_mtime_ns
    assert run(made, "02-good") == 0
    assert "02-good: unchanged" in said and ("1/1" in console.getvalue()) == terminal
    assert made.executed("02-good").stat().st_mtime_ns == before
    for file, old, new in (
        ("notebooks/02-good.ipynb", "again", "once more"),
        ("params/default.yaml", "k: 4", "k: 5"),
        ("data/claims.yaml", "by 3", "by 4"),
    ):
        text = (made.root / file).read_text()
        (made.root / file).write_text(text.replace(old, new))
        changed = not made.is_fresh("02-good")
        (made.root / file).write_text(text)
        assert changed and made.is_fresh("02-good"), file


def test_a_claim_without_a_record_fails_and_a_second_clean_run_gives_the_same_pages(study):
    made, _, pages = study
    (made.build / "claims" / "small.json").unlink()
    assert run(made, "02-good") == 1
    made.stamp("02-good").unlink()
    assert run(made, "02-good") == 0
    assert {page.name: page.read_text() for page in (made.root / "reports").glob("*.html")} == pages


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_playing_changes_neither_records_nor_pages(study, tmp_path, monkeypatch):
    made, before = study[0], contents(study[0].root)
    monkeypatch.setenv("TRES_SCALE", "default")  # as a reader may do
    played = tmp_path / "played.ipynb"
    papermill.execute_notebook(made.source("02-good"), played, {"k": -5}, progress_bar=False)
    assert "does not hold (not recorded)" in played.read_text()
    assert contents(made.root) == before and made.is_fresh("02-good")
    report.write(made)
    assert contents(made.root) == before


def test_a_page_made_later_shows_the_revision_that_ran(study, monkeypatch):
    made, _, pages = study
    assert workspace.revision() in pages["02-good.html"]
    monkeypatch.setattr(workspace, "revision", lambda *_: "a later one")
    report.write(made)
    assert (made.reports / "02-good.html").read_text() == pages["02-good.html"]


def test_a_saved_change_is_told_until_the_chapter_runs_again(tmp_path, study):
    book, name = Book(tmp_path, "smoke"), "01-x"
    book.source(name).parent.mkdir()
    told = []
    for commands in ([], ["init -q"], ["add notebooks", "commit -qm a"]):
        for words in commands:
            who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
            subprocess.run(["git", *who, *words.split()], cwd=tmp_path, check=True)
        book.source(name).write_text("{}")
        told.append(book.differs(name))
    assert told == [False, True, False]  # no git; not committed; as committed
    made = study[0]
    notebook = nbformat.read(made.executed("02-good"), as_version=4)
    notebook.metadata["tres"]["differs"] = True
    before = made.executed("02-good").read_bytes()
    nbformat.write(notebook, made.executed("02-good"))
    report.write(made)
    assert "its notebook differed from git" in (made.reports / "02-good.html").read_text()
    made.executed("02-good").write_bytes(before)
    report.write(made)
    assert "its notebook differed from git" not in (made.reports / "02-good.html").read_text()


def test_other_scales_have_a_folder_of_their_own(study):
    root = study[0].root
    before = contents(root / "reports")
    index = report.write(Book(root, "smoke"))
    assert index == root / "reports" / "smoke" / "index.html"
    assert json.loads((index.parent / "ledger.json").read_text())["scale"] == "smoke"
    assert contents(index.parent).keys() == contents(root / "reports").keys() - before.keys()
    assert before.items() <= contents(root / "reports").items()
    shutil.rmtree(index.parent)


def test_a_kernel_that_dies_is_named_with_its_cell(tmp_path):
    write(tmp_path / "dead.ipynb", "# Bad", "1", "2", "3")
    notebook = nbformat.read(tmp_path / "dead.ipynb", as_version=4)
    for cell in notebook.cells[1:3]:
        cell.metadata["papermill"] = {"start_time": "2026-11-30T00:00:00"}
    nbformat.write(notebook, tmp_path / "dead.ipynb")
    error = DeadKernelError("Kernel died")
    assert describe(error, tmp_path / "dead.ipynb") == "cell [2]: DeadKernelError: Kernel died"


def test_a_kernel_that_does_not_start_is_tried_again(study, monkeypatch):
    made, _, _ = study
    tries = []

    def start(source, running, *_, **__):
        tries.append(source)
        if len(tries) < 3:
            raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(papermill, "execute_notebook", start)
    assert execute(made, "01-bad")[0] == "" and len(tries) == 3
    tries.extend("four")
    monkeypatch.setattr(papermill, "execute_notebook", lambda *_, **__: tries.pop() and 1 / 0)
    assert execute(made, "01-bad")[0] == "its start: ZeroDivisionError: division by zero"


def test_an_interrupted_run_is_told_and_runs_again(study):
    made, _, _ = study
    shutil.copy(made.source("02-good"), made.failed("02-good"))
    assert "interrupted" in read_chapter(made, "02-good").error
    made.failed("02-good").unlink()


def test_an_unknown_notebook_lists_what_there_is(study):
    with pytest.raises(ValueError, match="only: no notebook '2-good'; there are 01-bad, 02-good"):
        run(study[0], "2-good")
