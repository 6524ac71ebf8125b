"""HTML that needs no network: a page a chapter, and the index with the ledger."""

import re
from collections import Counter
from collections.abc import Iterator
from html import escape
from itertools import compress
from pathlib import Path
from typing import Any

import jinja2
import nbformat
import pandas as pd
from latex2mathml.converter import convert
from markupsafe import Markup
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.formatters import HtmlFormatter

from . import ledger
from .chapters import Book, Chapter, read_chapter
from .claims import Verdict
from .ledger import OURS

COLOURS: dict[str, str] = {
    Verdict.HOLDS: "holds",
    Verdict.PARTLY: "partly",
    Verdict.FAILS: "fails",
    Verdict.UNMET: "unmet",
    Verdict.UNRECORDED: "untested",
}
NAMES = {kind: str(verdict) for verdict, kind in COLOURS.items()} | {"untested": "not tested"}
KINDS = list(NAMES)
_VERDICT_CELL = re.compile(
    f"<td[^>]*>({'|'.join(COLOURS)}|{Verdict.UNTESTED}|not yet tested: [^<]*)</td>"
)
FRONT = "front:"  # begins the tag of a cell whose figure the front page shows, with a claim
# Tags of default parameters (the values used are shown) and of papermill's banners.
_HIDDEN = {"parameters", "papermill-error-cell-tag"}
# The first sentence after a figure.
_READING = re.compile(r"\*\*How to read this\.\*\* (.+?\.)(?:\s|$)", re.DOTALL)
_PANDAS_STYLE = re.compile(r"<style scoped.*?</style>", re.DOTALL)
_STYLER_ID = re.compile(r"\bT_[0-9a-f]{5}(?=_|\b)")


def write(book: Book) -> Path:
    """Write a page a chapter that has run, the index and the ledger; return the index's path."""
    reports = book.root / "reports"
    reports.mkdir(exist_ok=True)
    for stale in reports.glob("*.html"):  # so that reports/ shows one run
        stale.unlink()
    chapters = [read_chapter(book, name) for name in book.names()]
    shown = [chapter for chapter in chapters if chapter.status != "not run yet"]
    claims = ledger.entries(book)
    pages = {"index": index_page(book, chapters, {chapter.name for chapter in shown}, claims)}
    for before, chapter, after in zip([None, *shown], shown, [*shown[1:], None], strict=False):
        page = _chapter_page(book, chapter, before, after)
        pages[chapter.name] = with_anchors(page, chapter.name, claims)
    ledger.write(book, claims)
    for name, html in pages.items():
        (reports / f"{name}.html").write_text(html, encoding="utf-8")
    return reports / "index.html"


def _chapter_page(
    book: Book, chapter: Chapter, before: Chapter | None, after: Chapter | None
) -> str:
    path = book.failed(chapter.name) if chapter.error else book.executed(chapter.name)
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if cell.source.strip()]
    notebook.cells = [c for c in cells if not _HIDDEN & set(c.metadata.get("tags", []))]
    _name_figures(notebook, chapter.title)
    parameters = notebook.metadata.get("papermill", {}).get("parameters", {})
    resources = {
        "page": {"chapter": chapter, "parameters": parameters, "before": before, "after": after},
        "style": _style(book.root),
        "metadata": {"name": chapter.name},
    }
    exporter = _Exporter(
        template_name="report",
        extra_template_basedirs=[str(book.root / "templates")],
        preprocessors=["nbconvert.preprocessors.CoalesceStreamsPreprocessor"],
    )
    html, _ = exporter.from_notebook_node(notebook, resources)
    html = _PANDAS_STYLE.sub("", html)
    # Numbers in place of the random ids of styled tables: two runs give the same page.
    ids = dict.fromkeys(_STYLER_ID.findall(html))
    number = {name: f"T_{i}" for i, name in enumerate(ids)}
    html = _STYLER_ID.sub(lambda m: number[m[0]], html)
    verdict = '<td><span class="verdict {}">{}</span></td>'.format
    return _VERDICT_CELL.sub(lambda m: verdict(COLOURS.get(m[1], "untested"), m[1]), html)


def with_anchors(page: str, chapter: str, claims: list[dict[str, Any]]) -> str:
    """Give the cell of each claim in a chapter's tables the anchor of its permalink."""
    for claim in claims:
        if claim["notebook"] == chapter:
            text = f">{escape(claim['claim'], quote=False)}</td>"
            page = page.replace(f"<td{text}", f'<td id="claim-{claim["id"]}"{text}', 1)
    return page


def _name_figures(notebook: nbformat.NotebookNode, heading: str) -> None:
    """Put alternative texts from the headings on figures; drop the text form of returned axes."""
    for cell in notebook.cells:
        headings = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE)
        if cell.cell_type == "markdown" and headings:
            heading = re.sub(r"[$*`]", "", headings[-1])
        cell.metadata["heading"] = f"Figure: {heading}"
        if cell.cell_type == "code":
            texts = [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
            shown = [not text.startswith(("<Axes", "<seaborn.axisgrid")) for text in texts]
            cell.outputs = list(compress(cell.outputs, shown))


def index_page(
    book: Book, chapters: list[Chapter], pages: set[str], rows: list[dict[str, Any]]
) -> str:
    """Return the front page: the ledger by paper, and the chapters, of which some have pages."""
    table = pd.DataFrame(rows, columns=["paper", "notebook", "verdict"])
    papers = table.groupby("paper")["notebook"].max().sort_values().index  # ours, of several, last
    by_paper = {paper: [r for r in rows if r["paper"] == paper] for paper in papers}
    kind = table["verdict"].map(COLOURS).fillna("untested")
    counts = pd.crosstab(table["paper"], kind).reindex(index=papers, columns=KINDS, fill_value=0)
    own = counts.index == OURS
    bars = {"the papers": counts[~own].to_dict("index"), "our own": counts[own].to_dict("index")}
    values: dict[str, Any] = {
        "chapters": chapters,
        "pages": pages,
        "ledger": by_paper,
        "colours": COLOURS,
    }
    values |= {"bars": bars, "verdict_of": NAMES, "summary": _summary(table)}
    values |= {"amended": [row for row in rows if row["amended"]], "came": ledger.counts(rows)}
    values |= {"front": list(_front(book, chapters, {row["id"]: row for row in rows}))}
    values |= {"style": Markup(_style(book.root)), "study": book}
    folder = jinja2.FileSystemLoader(book.root / "templates")
    environment = jinja2.Environment(loader=folder, autoescape=True)
    return environment.get_template("index.html.j2").render(**values)


def _front(
    book: Book, chapters: list[Chapter], claims: dict[str, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the figures of cells with a tag ``front:CLAIM``, with the next "How to read this"."""
    for chapter in chapters:
        done = chapter.status == "done"
        cells = nbformat.read(book.executed(chapter.name), as_version=4).cells if done else []
        for i, cell in enumerate(cells):
            tags = [tag for tag in cell.metadata.get("tags", []) if tag.startswith(FRONT)]
            pictures = [o.get("data", {}).get("image/png") for o in cell.get("outputs", [])]
            readings = (_READING.match(later.source) for later in cells[i:])
            first = next(filter(None, readings), None)
            shows = re.sub(r"[*`]", "", first[1]) if first else ""
            for tag, image in zip(tags, filter(None, pictures), strict=False):
                claim, image = claims[tag.removeprefix(FRONT)], image.replace("\n", "")
                yield {"chapter": chapter, "claim": claim, "image": image, "shows": shows}


def _summary(ledger: pd.DataFrame) -> str:
    order = [*COLOURS, Verdict.UNTESTED, "not yet tested"]
    own, sentences = ledger["paper"] == OURS, []
    for whose, part in (("of the papers", ledger[~own]), ("of our own", ledger[own])):
        counts = Counter(v if v in order else order[-1] for v in part["verdict"])
        text = ", ".join(f"{v} {counts[v]}" for v in order if counts[v])
        sentences += [f"Verdicts on {len(part)} claims {whose}: {text}."] if text else []
    return " ".join(sentences) or "No claims are entered."


def _style(root: Path) -> str:
    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    code = f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    sheet = (root / "templates" / "style.css").read_text(encoding="utf-8")
    return f"{code}\n{sheet}"


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


def mathml(tex: str, display: str) -> str:
    """Return LaTeX without its dollar signs as MathML, "inline" or "block"."""
    # The converter knows no starred operator names, thin spaces and aligned lines.
    tex = tex.strip().replace(r"\arg\max", r"\operatorname{argmax}").replace(r"\,", " ")
    tex = re.sub(
        r"\\operatorname\*?\{([^}]*)\}", lambda m: f"\\operatorname{{{''.join(m[1].split())}}}", tex
    )
    return convert(tex.replace("{aligned}", "{split}"), display=display)
