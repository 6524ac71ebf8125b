"""HTML that needs no network: a page a chapter, and the index with the ledger."""

from __future__ import annotations

import re
from collections import Counter
from itertools import compress
from pathlib import Path
from typing import Any

import jinja2
import nbformat
from latex2mathml.converter import convert
from markupsafe import Markup
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


def write(study: Study) -> list[Path]:
    """Write a page for every chapter that has run, and the index; return their paths.

    Pages of chapters that have not run at this scale are removed, so that reports/ shows one run.
    """
    study.reports.mkdir(exist_ok=True)
    for stale in study.reports.glob("*.html"):
        stale.unlink()
    chapters = [read_chapter(study, name) for name in study.names()]
    shown = [chapter for chapter in chapters if chapter.has_page]
    pages = _glossary(study)
    pages["index"] = _index(study, chapters, has_glossary=bool(pages))
    for before, chapter, after in zip([None, *shown], shown, [*shown[1:], None], strict=False):
        pages[chapter.name] = _chapter_page(study, chapter, before, after)
    for name, html in pages.items():
        (study.reports / f"{name}.html").write_text(html, encoding="utf-8")
    return [study.reports / f"{name}.html" for name in pages]


def _chapter_page(
    study: Study, chapter: Chapter, before: Chapter | None, after: Chapter | None
) -> str:
    path = study.failed(chapter.name) if chapter.error else study.executed(chapter.name)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if _is_shown(cell)]
    _name_figures(notebook, chapter.title)
    parameters = notebook.metadata.get("papermill", {}).get("parameters", {})
    resources = {
        "page": {"chapter": chapter, "parameters": parameters, "before": before, "after": after},
        "style": _style(study.root),
        "metadata": {"name": chapter.name, "path": str(study.root / "notebooks")},
    }
    exporter = _Exporter(
        template_name="report",
        extra_template_basedirs=[str(study.root / "templates")],
        preprocessors=["nbconvert.preprocessors.CoalesceStreamsPreprocessor"],
        embed_images=True,
        exclude_anchor_links=True,
    )
    html, _ = exporter.from_notebook_node(notebook, resources)
    return _mark_verdicts(_number_stylers(_PANDAS_STYLE.sub("", html)))


def _is_shown(cell: nbformat.NotebookNode) -> bool:
    """Leave out default parameters (the values used are shown) and papermill's banners."""
    tags = set(cell.metadata.get("tags", []))
    return not tags & {"parameters", "papermill-error-cell-tag"} and bool(cell.source.strip())


def _name_figures(notebook: nbformat.NotebookNode, heading: str) -> None:
    """Give each cell its section's heading, which is the alternative text of its figures.

    An output that is only the text form of the axes that a plot function returned is left out.
    """
    for cell in notebook.cells:
        found = re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE)
        if cell.cell_type == "markdown" and found:
            heading = re.sub(r"[$*`]", "", found[-1])
        cell.metadata["heading"] = f"Figure: {heading}"
        if cell.cell_type == "code":
            texts = [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
            shown = [not text.startswith(("<Axes", "<seaborn.axisgrid")) for text in texts]
            cell.outputs = list(compress(cell.outputs, shown))


def _mark_verdicts(html: str) -> str:
    """Colour the cells of tables that hold a verdict."""
    return _VERDICT_CELL.sub(
        lambda m: f'<td><span class="verdict {colour(m[1])}">{m[1]}</span></td>', html
    )


def _number_stylers(html: str) -> str:
    """Replace the random ids of styled tables by numbers, so that two runs give the same page."""
    ids = dict.fromkeys(_STYLER_ID.findall(html))
    number = {name: f"T_{i}" for i, name in enumerate(ids)}
    return _STYLER_ID.sub(lambda m: number[m[0]], html)


def colour(verdict: str) -> str:
    """Return the style class of a verdict."""
    return COLOURS.get(verdict, "untested")


def _index(study: Study, chapters: list[Chapter], has_glossary: bool) -> str:
    claims = Claims.load(study.root / "data" / "claims.yaml", scale=study.scale)
    ledger = claims.verdicts()
    pages = {chapter.name for chapter in chapters if chapter.has_page}
    rows = [
        row._asdict()
        | {"id": row.Index, "measured": measured(row), "colour": colour(row.verdict)}
        | {"page": row.notebook if row.notebook in pages else None}
        for row in ledger.itertuples()
    ]
    return _render(
        study,
        "index.html.j2",
        scale=study.scale,
        has_glossary=has_glossary,
        summary=_summary(list(ledger["verdict"])),
        chapters=chapters,
        ledger={paper: [r for r in rows if r["paper"] == paper] for paper in ledger["paper"]},
    )


def _glossary(study: Study) -> dict[str, str]:
    """Return the page of docs/glossary.md by its name, if the study has one."""
    file = study.root / "docs" / "glossary.md"
    if not file.exists():
        return {}
    render = MarkdownWithMath(renderer=_MathRenderer(exclude_anchor_links=True)).render
    text = Markup(render(file.read_text(encoding="utf-8")))
    return {"glossary": _render(study, "glossary.html.j2", text=text)}


def _render(study: Study, template: str, **values: Any) -> str:
    """Fill in a template of the study's own."""
    folder = jinja2.FileSystemLoader(study.root / "templates")
    environment = jinja2.Environment(loader=folder, autoescape=True)
    style = Markup(_style(study.root))
    return environment.get_template(template).render(style=style, **values)


def _summary(verdicts: list[str]) -> str:
    """Say in one sentence how many claims got which verdict."""
    if not verdicts:
        return "No claims are entered."
    counts = Counter(v if v in (*COLOURS, UNTESTED) else "not yet tested" for v in verdicts)
    order = [HOLDS, PARTLY, FAILS, UNRECORDED, UNTESTED, "not yet tested"]
    parts = [f"{v} {counts[v]}" for v in order if counts[v]]
    return f"Verdicts on {len(verdicts)} claims: {', '.join(parts)}."


def _style(root: Path) -> str:
    """Return the pages' style sheet, with colours for code in light and dark."""
    light = HtmlFormatter(style="default").get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    code = f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    sheet = (root / "templates" / "style.css").read_text(encoding="utf-8")
    return f"{code}\n{sheet}"


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
    """Return LaTeX without its dollar signs as MathML, "inline" or "block".

    What the converter does not know (a starred operator name, thin spaces, aligned lines) is
    first put into a form that it does.
    """
    tex = tex.strip().replace(r"\arg\max", r"\operatorname{argmax}").replace(r"\,", " ")
    tex = re.sub(
        r"\\operatorname\*?\{([^}]*)\}", lambda m: f"\\operatorname{{{''.join(m[1].split())}}}", tex
    )
    return convert(tex.replace("{aligned}", "{split}"), display=display)
