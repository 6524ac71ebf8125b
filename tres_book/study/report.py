"""HTML that needs no network: the front page, the ledger, and a page a chapter."""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress, count
from pathlib import Path
from typing import Any

import jinja2
import nbformat
import pandas as pd
from markupsafe import Markup
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.formatters import HtmlFormatter

from .. import interactive
from ..formulas import font_face, mathml
from . import findings, ledger
from .chapters import OPENING, Book, Chapter, read_chapter
from .claims import PLURAL, UNDECIDED, Verdict

COLOURS: dict[str, str] = {
    Verdict.HOLDS: "holds",
    Verdict.PARTLY: "partly",
    Verdict.FAILS: "fails",
    **dict.fromkeys(UNDECIDED.values(), "undecided"),
    Verdict.READING: "reading",
    Verdict.UNMET: "unmet",
    Verdict.UNRECORDED: "untested",
}
NAMES = {kind: str(verdict) for verdict, kind in COLOURS.items()}
NAMES |= {"undecided": "undecided", "untested": "not tested"}
_VERDICT_CELL = re.compile(f"<td[^>]*>({'|'.join(COLOURS)}|{Verdict.UNTESTED})</td>")
COPIES = {".ipynb": "notebooks", ".parquet": "results"}  # beside the pages, what they link to
FRONT = "front:"  # begins the tag of a cell whose figure the front page shows, with a claim
# Tags of default parameters (the values used are shown) and of papermill's banners.
_HIDDEN = {"parameters", "papermill-error-cell-tag"}
CAPTION = re.compile(r"(?:>.*(?:\n|$))+")  # how to read what the cell above shows
_HEADING = re.compile(r"^(#{1,3}) +(.+)$", re.MULTILINE)
_QUOTED = re.compile(r"[\"']([\w-]+)[\"']")
_PLAN = re.compile(r"(?:plans?|studies\(\))\[\"([\w-]+)\"\]")  # a study by its short name
_BADGE = re.compile(r" \(((stored|run now).*)\)$")
_PANDAS_STYLE = re.compile(r"<style scoped.*?</style>", re.DOTALL)
ANSWER, ANSWERED = "claims.answer()", "## What came out"  # stand last in a notebook
_STYLER_ID = re.compile(r"\bT_[0-9a-f]{5}(?=_|\b)")


def write(book: Book) -> Path:
    """Write the front page, the ledger, and a page a chapter; return the first's path."""
    reports = book.reports
    reports.mkdir(parents=True, exist_ok=True)
    for stale in reports.glob("*.html"):  # so that a folder shows one run
        stale.unlink()
    for folder in COPIES.values():
        shutil.rmtree(reports / folder, ignore_errors=True)
    chapters = [read_chapter(book, name) for name in book.names()]
    run = [chapter for chapter in chapters if chapter.status != "not run yet"]
    claims = ledger.entries(book)
    names = {chapter.name for chapter in run}
    figures = interactive.write(book, {*names, "ledger"}, claims)
    pages = doors(book, chapters, names, claims)
    script = (book.root / "templates" / "search.js").read_text(encoding="utf-8")
    index = json.dumps(list(_search_index(book, run)), ensure_ascii=False)
    (reports / "search.js").write_text(f"const SECTIONS = {index};\n{script}", encoding="utf-8")
    for before, chapter, after in zip([None, *run], run, [*run[1:], None], strict=False):
        around = {"before": before, "after": after, "figures": figures}
        pages[chapter.name] = _chapter_page(book, chapter, claims, around)
    ledger.write(book, claims)
    for name, html in pages.items():
        (reports / f"{name}.html").write_text(html, encoding="utf-8")
    return reports / "index.html"


def _search_index(book: Book, chapters: list[Chapter]) -> Iterator[list[str]]:
    """Yield address, page, heading and words of each section of the pages and the documents."""
    texts = {chapter.name: "\n\n".join(_words(chapter)) for chapter in chapters}
    for file in sorted((book.root / "docs").glob("*.md")):
        if (book.root / "reports" / "docs" / f"{file.stem}.html").exists():
            texts[f"{book.address('reports/docs')}/{file.stem}"] = file.read_text(encoding="utf-8")
    for name, text in texts.items():
        _, *parts = _HEADING.split(text)
        for i, (heading, words) in enumerate(zip(parts[1::3], parts[2::3], strict=True), 1):
            plain = [" ".join(re.sub(r"[*`$>|\\{}]", "", t).split()) for t in (heading, words)]
            yield [f"{name}.html" + f"#s{i}" * (name in book.names()), parts[1], *plain]


def _words(chapter: Chapter) -> Iterator[str]:
    """Yield the prose of a chapter in the order of its page, what came out among it."""
    title, answer, rest = _arranged(chapter.read())
    for cell in (title, *answer, *rest):
        if cell.cell_type == "markdown":
            yield cell.source
        for output in cell.get("outputs", []):
            yield output.get("data", {}).get("text/markdown", "")


def _chapter_page(
    book: Book, chapter: Chapter, claims: list[dict[str, Any]], around: dict[str, Any]
) -> str:
    """Return the page of a chapter: its answer first, and under each figure where it is from."""
    notebook = chapter.read()
    title, answer, rest = _arranged(notebook)
    for cell in answer:
        cell.metadata["answer"] = True
    (answer or [title])[-1].metadata["head"] = True  # verdicts and contents stand below it
    rest = [cell for cell in rest if not _HIDDEN & set(cell.metadata.get("tags", []))]
    notebook.cells = [title, *answer, *rest]
    own = [claim for claim in claims if claim["notebook"] == chapter.name]
    ran = {"revision": "unknown revision"} | notebook.metadata.get("tres", {})
    page: dict[str, Any] = {"chapter": chapter, "chips": _by_kind(own), **ran}
    page |= {"colours": COLOURS, "verdict_of": NAMES, "run": _copied(book, chapter.file, "run")}
    page["table"] = lambda name: _copied(book, book.root / "results" / f"{name}.parquet", name)
    page["stored"] = source("results/README.md", ran["revision"])
    page["source"] = source(f"notebooks/{chapter.name}.ipynb", ran["revision"])
    page |= {"parameters": notebook.metadata.get("papermill", {}).get("parameters", {}), **around}
    named = {claim["id"]: claim for claim in own}
    page["contents"] = _marked(notebook.cells, named, chapter.title)
    resources = {"page": page, "style": _style(book.root), "metadata": {"name": chapter.name}}
    exporter = _Exporter(
        template_name="report",
        extra_template_basedirs=[str(book.root / "templates")],
        preprocessors=["nbconvert.preprocessors.CoalesceStreamsPreprocessor"],
    )
    html, _ = exporter.from_notebook_node(notebook, resources)
    html = _PANDAS_STYLE.sub("", html)
    # Numbers in place of the random ids of styled tables: two runs give the same page.
    for i, name in enumerate(dict.fromkeys(_STYLER_ID.findall(html))):
        html = html.replace(name, f"T_{i}")
    verdict = '<td><span class="verdict {}">{}</span></td>'.format
    return _VERDICT_CELL.sub(lambda m: verdict(COLOURS.get(m[1], "untested"), m[1]), html)


def _copied(book: Book, file: Path, text: str) -> str:
    """Copy a notebook or a table beside the pages; return a link there, text if there is none."""
    folder = COPIES[file.suffix]
    copy = book.reports / folder / file.name
    if not file.exists():
        return f"<span>{text}</span>"
    copy.parent.mkdir(exist_ok=True)
    if file.suffix == ".ipynb":  # papermill writes down where it ran
        notebook = file.read_text(encoding="utf-8").replace(f"{book.root}/", "")
        copy.write_text(notebook, encoding="utf-8")
    elif not copy.exists():
        shutil.copyfile(file, copy)
    return f'<a href="{folder}/{file.name}">{text}</a>'


def _arranged(notebook: nbformat.NotebookNode) -> tuple[Any, list[Any], list[Any]]:
    """Return the cells of the title with its question, of the answer, and the others."""
    answer = [c for c in notebook.cells if c.cell_type == "code" and ANSWER in c.source]
    aside = {"", ANSWERED, *(cell.source for cell in answer)}
    rest = [cell for cell in notebook.cells if cell.source.strip() not in aside]
    title = nbformat.v4.new_markdown_cell()
    if rest and rest[0].cell_type == "markdown" and (found := OPENING.match(rest[0].source)):
        title.source, rest[0].source = found[0], rest[0].source[found.end() :]
    return title, answer, rest


def _marked(
    cells: list[nbformat.NotebookNode], claims: dict[str, Any], title: str
) -> list[tuple[int, str]]:
    """Put numbers on headings, and captions, data and claims on figures; return the contents."""
    runs = sorted({run["study"] for claim in claims.values() for run in claim["runs"]})
    numbers, sections = count(1), []
    heading, named = title, set[str]()  # of this section: its studies

    def marked(match: re.Match[str]) -> str:
        nonlocal heading
        heading = re.sub(r"[$*`]", "", match[2])
        named.clear()
        number, (title, *kind) = next(numbers), _BADGE.split(match[2])
        if match[1] == "##":
            sections.append((number, re.sub(r"[$*`]", "", title)))
        badge = f' <span class="badge {kind[1].split()[0]}">{kind[0]}</span>' if kind[1:] else ""
        return f'{match[1]} <span id="s{number}"></span>{title}{badge}'

    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        if cell.cell_type == "markdown":
            cell.source = _HEADING.sub(marked, cell.source)
            continue
        whole = (name for name in _QUOTED.findall(cell.source) if "-" in name)
        named.update(f"-{name}" for name in (*whole, *_PLAN.findall(cell.source)))
        read = [run for run in runs if f"-{run}".endswith(tuple(named))]
        cell.metadata |= {"heading": f"Figure: {heading}", "data": read}
        cell.metadata["stored"] = "(stored" in heading
        texts = [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
        drawn = [not text.startswith(("<Axes", "<seaborn.axisgrid")) for text in texts]
        cell.outputs = list(compress(cell.outputs, drawn))
        if after and after.cell_type == "markdown" and (lines := CAPTION.match(after.source)):
            cell.metadata["caption"] = re.sub(r"^> ?", "", lines[0], flags=re.MULTILINE)
            after.source = after.source[lines.end() :]
    found: list[dict[str, Any]] = []  # what is recorded between this cell and the next figure
    for cell in reversed(cells):
        if cell.cell_type == "code":
            recorded = dict.fromkeys(_QUOTED.findall(cell.source))
            rest = [claim for claim in found if claim["id"] not in recorded]
            found = [claims[name] for name in recorded if name in claims] + rest
            if any("image/png" in output.get("data", {}) for output in cell.outputs):
                cell.metadata["findings"], found = found, []
        elif _HEADING.search(cell.source):
            found = []
    return sections


def doors(
    book: Book, chapters: list[Chapter], pages: set[str], rows: Sequence[Mapping[str, Any]]
) -> dict[str, str]:
    """Return the front page and the ledger: what was found, and a row a claim by paper."""
    shared = {"study": book, "chapters": chapters, "pages": pages, "colours": COLOURS}
    shared |= {"verdict_of": NAMES, "style": Markup(_style(book.root))}
    shared |= {"summary": summary(rows), "came": ledger.in_words(rows)}
    own = {"index": _found(chapters, rows)}
    own["ledger"] = {"ledger": _by_paper(rows), "amended": [row for row in rows if row["amended"]]}
    return {name: book.template(name).render(**shared, **values) for name, values in own.items()}


def _found(chapters: list[Chapter], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the front page alone shows: what was found, its figures, and where to go."""
    numbered = {chapter.name[:2]: chapter for chapter in chapters}
    says = {n: _inline(" ".join(findings.said(n, "front"))) for n in numbered}
    found = [
        {
            "head": head,
            "chapter": numbered[number],
            "says": says[number],
            "kinds": _by_kind([row for row in rows if findings.is_of(row, number, head)]),
        }
        for number, head in findings.HEADS.items()
        if number in numbered
    ]
    parts = {
        part: [(c, _inline(text)) for n, c in numbered.items() for text in findings.said(n, part)]
        for part in ("laboratory", "optimum", "take")
    }
    figures = list(_front(chapters, {row["id"]: row for row in rows}))
    answers = {chapter.name: says[number] for number, chapter in numbered.items()}
    return {"found": found, "answers": answers, "front": figures, **parts}


def _by_paper(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return the ledger's rows by paper, in the order of its last chapter; ours stand last."""
    table = pd.DataFrame(rows, columns=["paper", "notebook"])
    papers = table.groupby("paper")["notebook"].max().sort_values().index
    return {paper: [r for r in rows if r["paper"] == paper] for paper in papers}


def _inline(text: str) -> Markup:
    """Return a sentence in Markdown as HTML, without its paragraph."""
    html = MarkdownWithMath(renderer=_MathRenderer(escape=True)).render(text).strip()
    return Markup(html.removeprefix("<p>").removesuffix("</p>"))


def _by_kind(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return claims by the kind of their verdict, in the order of `NAMES`."""
    kinds = {
        kind: [r for r in rows if COLOURS.get(r["verdict"], "untested") == kind] for kind in NAMES
    }
    return {kind: own for kind, own in kinds.items() if own}


def _front(
    chapters: list[Chapter], claims: Mapping[str, Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the figures of cells with a tag ``front:CLAIM``, with a sentence of their captions."""
    for chapter in (chapter for chapter in chapters if chapter.status == "done"):
        cells = chapter.read().cells
        for i, cell in enumerate(cells):
            tags = [tag for tag in cell.metadata.get("tags", []) if tag.startswith(FRONT)]
            pictures = [o.get("data", {}).get("image/png") for o in cell.get("outputs", [])]
            captions = (CAPTION.match(after.source) for after in cells[i:])
            first = next((" ".join(c[0].replace(">", " ").split()) for c in captions if c), "")
            shows = re.sub(r"[*`]", "", first.split(". ")[0].rstrip(".") + "." * bool(first))
            for tag, image in zip(tags, filter(None, pictures), strict=False):
                claim, image = claims[tag.removeprefix(FRONT)], image.replace("\n", "")
                yield {"chapter": chapter, "claim": claim, "image": image, "shows": shows}


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return in a sentence each how the claims of papers, and ours, came out."""
    sentences = []
    papers = {row["paper"] for row in rows} - {findings.OURS, findings.HISTORY}
    groups = {
        "the five papers and three later papers": papers,
        "ours": {findings.OURS},
        "ours on code that has left": {findings.HISTORY},
    }
    for whose, of in groups.items():
        part = [row for row in rows if row["paper"] in of]
        kinds = [(len(own), NAMES[kind]) for kind, own in _by_kind(part).items()]
        text = ", ".join(f"{n} {PLURAL.get(name, name)}" for n, name in kinds)
        sentences += [f"Of {len(part)} claims of {whose}: {text}."] if text else []
    return " ".join(sentences) or "No claims are entered."


def _style(root: Path) -> str:
    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    code = f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    sheet = (root / "templates" / "style.css").read_text(encoding="utf-8")
    return f"{code}\n{font_face()}\n{sheet}"


def source(path: str, revision: str) -> str:
    """Return HTML that names a file of the code at a revision, with a link if a workflow runs."""
    host, name = [os.environ.get(f"GITHUB_{part}") for part in ("SERVER_URL", "REPOSITORY")]
    text, commit = f"{path} at {revision}", re.match(r"[0-9a-f]{7,40}\b", revision)
    if not (host and name and commit):
        return text
    return f'<a href="{host}/{name}/blob/{commit[0]}/{path}">{text}</a>'


class _Exporter(HTMLExporter):
    """The HTML exporter with formulas as MathML, which browsers draw without a script."""

    @jinja2.pass_context
    def markdown2html(self, context: jinja2.runtime.Context, source: str) -> str:
        renderer = _MathRenderer(escape=False, exclude_anchor_links=True)
        return MarkdownWithMath(renderer=renderer).render(source)


class _MathRenderer(IPythonRenderer):
    def inline_math(self, body: str) -> str:
        return mathml(body, "inline")

    def block_math(self, body: str) -> str:
        return f'<span class="formula">{mathml(body, "block")}</span>'

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")
