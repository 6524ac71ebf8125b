"""HTML that needs no network: a page a chapter, and the index with the ledger."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import nbformat
from latex2mathml.converter import convert
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments.formatters import HtmlFormatter

from tres_lib.study.chapters import Chapter, Study, read_chapter
from tres_lib.study.claims import Claims, measured
from tres_lib.study.rules import FAILS, HOLDS, PARTLY, UNRECORDED, UNTESTED

COLOURS = {HOLDS: "holds", PARTLY: "partly", FAILS: "fails", UNRECORDED: "fails"}
_VERDICT_CELL = re.compile(
    f"<td[^>]*>({'|'.join([*COLOURS, UNTESTED])}|not yet tested: [^<]*)</td>"
)
_PANDAS_STYLE = re.compile(r"<style scoped.*?</style>", re.DOTALL)
_STYLER_ID = re.compile(r"\bT_[0-9a-f]{5}(?=_|\b)")


@dataclass(frozen=True)
class Page:
    """What the template needs besides the notebook."""

    title: str
    error: str
    parameters: dict[str, Any]
    previous: Chapter | None
    next: Chapter | None


def write(study: Study) -> list[Path]:
    """Write a page for every chapter that has run, and the index; return their paths.

    Pages of chapters that have not run at this scale are removed, so that reports/ shows one run.
    """
    study.reports.mkdir(exist_ok=True)
    for stale in study.reports.glob("*.html"):
        stale.unlink()
    chapters = [read_chapter(study, name) for name in study.names()]
    shown = [chapter for chapter in chapters if chapter.has_page]
    exporter = _exporter(study)
    pages = {"index": _index(study, chapters)}
    for i, chapter in enumerate(shown):
        around = (shown[i - 1] if i else None, shown[i + 1] if i + 1 < len(shown) else None)
        pages[chapter.name] = _chapter_page(study, chapter, around, exporter)
    for name, html in pages.items():
        (study.reports / f"{name}.html").write_text(html, encoding="utf-8")
    return [study.reports / f"{name}.html" for name in pages]


def _chapter_page(
    study: Study,
    chapter: Chapter,
    around: tuple[Chapter | None, Chapter | None],
    exporter: HTMLExporter,
) -> str:
    path = study.failed(chapter.name) if chapter.error else study.executed(chapter.name)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if _is_shown(cell)]
    _name_figures(notebook, chapter.title)
    parameters = notebook.metadata.get("papermill", {}).get("parameters", {})
    resources = {
        "page": Page(chapter.title, chapter.error, parameters, *around),
        "style": _style(study.root),
        "metadata": {"name": chapter.name, "path": str(study.root / "notebooks")},
    }
    html, _ = exporter.from_notebook_node(notebook, resources)
    return _mark_verdicts(_number_stylers(_PANDAS_STYLE.sub("", html)))


def _is_shown(cell: nbformat.NotebookNode) -> bool:
    """Leave out default parameters (the values used are shown) and papermill's banners."""
    tags = set(cell.metadata.get("tags", []))
    return not tags & {"parameters", "papermill-error-cell-tag"} and bool(cell.source.strip())


def _name_figures(notebook: nbformat.NotebookNode, heading: str) -> None:
    """Give each cell its section's heading, which is the alternative text of its figures."""
    for cell in notebook.cells:
        found = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE)
        if cell.cell_type == "markdown" and found:
            heading = re.sub(r"[$*`]", "", found[-1])
        cell.metadata["heading"] = f"Figure: {heading}"
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not _is_axes(output)]


def _is_axes(output: nbformat.NotebookNode) -> bool:
    """Tell whether an output is only the text form of the axes that a plot function returned."""
    return output.get("data", {}).get("text/plain", "").startswith("<Axes")


def _mark_verdicts(html: str) -> str:
    """Colour the cells of tables that hold a verdict."""
    return _VERDICT_CELL.sub(
        lambda m: f'<td><span class="verdict {colour(m[1])}">{m[1]}</span></td>', html
    )


def _number_stylers(html: str) -> str:
    """Number the random ids of styled tables, so that two runs give the same page."""
    ids = dict.fromkeys(_STYLER_ID.findall(html))
    number = {name: f"T_{i}" for i, name in enumerate(ids)}
    return _STYLER_ID.sub(lambda m: number[m[0]], html)


def colour(verdict: str) -> str:
    """Return the style class of a verdict."""
    return COLOURS.get(verdict, "untested")


def _index(study: Study, chapters: list[Chapter]) -> str:
    claims = Claims.load(study.root / "data" / "claims.yaml", scale=study.scale)
    ledger = claims.verdicts()
    pages = {chapter.name for chapter in chapters if chapter.has_page}
    rows = [
        row._asdict()
        | {"id": row.Index, "measured": measured(row), "colour": colour(row.verdict)}
        | {"page": row.notebook if row.notebook in pages else None}
        for row in ledger.itertuples()
    ]
    papers = dict.fromkeys(ledger["paper"])
    folder = jinja2.FileSystemLoader(study.root / "templates")
    template = jinja2.Environment(loader=folder, autoescape=True).get_template("index.html.j2")
    return template.render(
        style=jinja2.filters.Markup(_style(study.root)),
        scale=study.scale,
        summary=_summary(list(ledger["verdict"])),
        chapters=[_listed(chapter) for chapter in chapters],
        failures=[chapter for chapter in chapters if chapter.error],
        ledger=[(paper, [row for row in rows if row["paper"] == paper]) for paper in papers],
    )


def _listed(chapter: Chapter) -> dict[str, Any]:
    tones = {"done": "holds", "failed": "fails", "not run yet": "untested"}
    return {
        "name": chapter.name,
        "title": chapter.title,
        "question": chapter.question,
        "status": chapter.status,
        "has_page": chapter.has_page,
        "colour": tones[chapter.status],
    }


def _summary(verdicts: list[str]) -> str:
    """Say in one sentence how many claims got which verdict."""
    counts = Counter(v if v in (*COLOURS, UNTESTED) else "not yet tested" for v in verdicts)
    order = [HOLDS, PARTLY, FAILS, UNRECORDED, UNTESTED, "not yet tested"]
    parts = [f"{v} {counts[v]}" for v in order if counts[v]]
    return (
        f"Verdicts on {len(verdicts)} claims: {', '.join(parts)}."
        if verdicts
        else "No claims are entered."
    )


def _style(root: Path) -> str:
    """Return the pages' style sheet, with colours for code in light and dark."""
    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    code = f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    sheet = (root / "templates" / "style.css").read_text(encoding="utf-8")
    return f"{code}\n{sheet}"


def _exporter(study: Study) -> HTMLExporter:
    exporter = _Exporter(
        template_name="report",
        extra_template_basedirs=[str(study.root / "templates")],
        embed_images=True,
        exclude_anchor_links=True,
    )
    exporter.register_preprocessor(
        "nbconvert.preprocessors.CoalesceStreamsPreprocessor", enabled=True
    )
    return exporter


class _Exporter(HTMLExporter):
    """The HTML exporter with formulas as MathML, which browsers draw without a script."""

    @jinja2.pass_context
    def markdown2html(self, context: jinja2.runtime.Context, source: str) -> str:
        """Render Markdown with attachments and images embedded."""
        renderer = _MathRenderer(
            escape=False,
            attachments=context.get("cell", {}).get("attachments", {}),
            embed_images=self.embed_images,
            path=context.get("resources", {}).get("metadata", {}).get("path", ""),
            exclude_anchor_links=True,
        )
        return MarkdownWithMath(renderer=renderer).render(source)


class _MathRenderer(IPythonRenderer):
    def inline_math(self, body: str) -> str:
        return mathml(body, "inline")

    def block_math(self, body: str) -> str:
        return f'<span class="formula">{mathml(body, "block")}</span>'

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")


def mathml(tex: str, display: str) -> str:
    """Return a formula as MathML.

    Parameters
    ----------
    tex : str
        LaTeX without its dollar signs. What the converter does not know (a starred operator
        name, thin spaces, aligned lines) is first put into a form that it does.
    display : str
        "inline" or "block".
    """
    tex = tex.strip().replace(r"\arg\max", r"\operatorname{argmax}").replace(r"\,", " ")
    tex = re.sub(
        r"\\operatorname\*?\{([^}]*)\}", lambda m: f"\\operatorname{{{_joined(m[1])}}}", tex
    )
    tex = tex.replace("{aligned}", "{split}")
    return convert(tex, display=display)


def _joined(words: str) -> str:
    return "".join(words.split())
