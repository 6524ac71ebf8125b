"""The form of the notebooks in the repository, and what they rest on."""

import base64
import io
import re
from html import unescape
from itertools import pairwise

import nbformat
import papermill
import pytest
import yaml
from fontTools.ttLib import TTFont
from nbformat.v4 import new_code_cell, new_markdown_cell

from tres_book.formulas import ITALIC_GREEK, font_face, mathml
from tres_book.study import workspace
from tres_book.study.chapters import Book, modules_of, read_chapter
from tres_book.study.report import CAPTION, FRONT

ROOT = workspace.root()
OURS = {"parameters", "formula"}  # tags that name no claim
CLAIMS = {*yaml.load((ROOT / "data" / "claims.yaml").read_text(), yaml.CSafeLoader)}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from tres_webs import Page", {"tres_webs.page"}),
        ("import tres_webs as web\nweb.VitalWeb()", {"tres_webs.lab.vital"}),
        ("%matplotlib inline\nimport numpy", set()),
    ],
)
def test_a_chapter_rests_on_the_modules_that_it_uses(code, expected):
    cells = [new_markdown_cell("import tres_webs"), new_code_cell(code)]
    assert modules_of(cells) == expected


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        (r"\operatorname*{arg\,max}_a Q", "<mo>argmax</mo>"),
        (r"\arg\max_a Q", "<mo>argmax</mo>"),
        (r"\begin{aligned}a&=b\\c&=d\end{aligned}", "<mtable"),
        (r"\bigl(x\bigr)^+", "</mrow><mo>&#x0002B;</mo></msup>"),
        ("w'(x)", "<mi>w</mi><mrow><mi>′</mi></mrow>"),
        (r"\sqrt{x}", '<msqrt><mspace width="0.12em" />'),
    ],
)
def test_formulas_that_the_converter_does_not_know(tex, expected):
    assert expected in mathml(tex, "block")


def formulas(path):
    """Yield the formulas of a notebook's prose."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"`[^`]*`", "", cell.source)
            for block, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$]+?)\$", text, re.DOTALL):
                yield mathml(block or inline, "inline")


def test_pages_bring_a_font_with_the_signs_of_all_formulas():
    data = re.search(r"base64,([^\"]+)", font_face())[1]
    font = TTFont(io.BytesIO(base64.b64decode(data)))
    used = "".join(made for path in BOOKS for made in formulas(path))
    signs = {ord(sign) for sign in unescape(re.sub(r"<[^>]*>", "", used))}
    assert "MATH" in font and signs | {*ITALIC_GREEK} <= set(font.getBestCmap())
    assert "permission" in str(font["name"].getDebugName(13)) and len(data) < 60_000


BOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
every_book = pytest.mark.parametrize("path", BOOKS, ids=[path.stem for path in BOOKS])


@every_book
def test_notebooks_are_short_cells_without_outputs_and_with_at_most_one_of_parameters(path):
    cells = nbformat.read(path, as_version=4).cells
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert len(code) <= 30
    assert max(len(cell.source.splitlines()) for cell in code) <= 15
    tags = [tag for cell in code for tag in cell.metadata.get("tags", [])]
    assert tags.count("parameters") <= 1
    assert {tag.removeprefix(FRONT) for tag in tags if tag not in OURS} <= CLAIMS


@every_book
def test_a_chapter_begins_with_one_call(path):
    cells = nbformat.read(path, as_version=4).cells
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    assert code.count(f'study.open("{path.stem[:2]}")') == code.count("study.open(") == 1
    assert not re.search(r"use_style|Claims\.load|claims\.table\([\"']", code)


@every_book
def test_captions_follow_what_they_explain_and_are_short_and_so_is_the_closing_cell(path):
    cells = nbformat.read(path, as_version=4).cells
    for before, cell in pairwise(cells):
        if cell.cell_type == "markdown" and (caption := CAPTION.match(cell.source)):
            assert before.cell_type == "code" and len(caption[0].replace(">", "").split()) <= 40
    closing = [cell.source for cell in cells if cell.cell_type == "markdown"][-1]
    assert len(closing.split()) <= 150


@every_book
def test_notebooks_have_a_title_a_question_and_formulas_that_convert(path):
    study = Book(ROOT, "smoke")
    chapter = read_chapter(study, path.stem)
    assert chapter.title != path.stem and chapter.question
    assert not [made for made in formulas(path) if "\\" in made]


@every_book
def test_a_notebook_opened_by_hand_asks_for_what_is_stored(path):
    """So that a chapter opened in JupyterLab is the chapter of the book."""
    assert not Book(ROOT, "default").parameters(path.stem)


def test_parameters_are_known_and_hold_only_what_differs():
    for scale in workspace.SCALES:
        book = Book(ROOT, scale)
        for name in book.names():
            for key, value in book.parameters(name).items():
                assert papermill.inspect_notebook(book.source(name))[key]["default"] != repr(value)
