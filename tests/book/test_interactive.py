"""Figures that a reader can turn: alone in their files, and with the library's numbers."""

import json
import re
from html import escape, unescape

import pytest
from links import in_browser

from tres_book import interactive
from tres_book.study import ledger, results, workspace
from tres_book.study.chapters import Book
from tres_lib import ours

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write all figures, at smoke scale and without records, and return page and data of each."""
    root = tmp_path_factory.mktemp("book")
    for name in ("templates", "notebooks", "data"):
        (root / name).symlink_to(workspace.root() / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRES_BUILD", str(root / "build"))
        book = Book(root, "smoke")
        written = interactive.write(book, [*book.names(), "ledger"], ledger.entries(book))
    assert set(written) == set(interactive.FIGURES)
    return {file.stem: file for file in (book.reports / "interactive").glob("*.html")}


def data_of(file):
    return json.loads(re.search(r"^const DATA = (.*);$", file.read_text(), re.M)[1])


def test_a_page_needs_nothing_else_and_is_small(pages):
    for name, file in pages.items():
        text = file.read_text()
        assert len(text.encode()) < 300_000, name
        assert not re.search(r'src=|url\(|@import|fetch\(|import\(|<link[^>]*href="(?!data:)', text)
        assert not re.search(r'href="(?!data:|\.\./[\w-]+\.html)', text.split("const DATA")[0])
        assert re.search("<(input|select|button)", text), name  # native, so the keyboard serves
        assert "<" not in re.search(r"^const DATA = (.*);$", text, re.M)[1]  # none ends the script


def test_winners_are_means_of_the_stored_runs(pages):
    data = data_of(pages["winners"])
    table = results.stored("second-muted").query("muted == 1 and topic == 'food'")
    means = table.groupby("policy")["by the truth"].mean().sort_values(ascending=False)
    rows = data["cells"]["second law"]["100% of the links say nothing"]["food"]
    assert [row[0] for row in rows] == list(means.index)
    assert [row[1] for row in rows] == pytest.approx(means, abs=0.005)
    assert rows[0][4] == 5 and rows[0][2] < rows[0][1] < rows[0][3]


def test_indices_are_the_library_s(pages):
    data = data_of(pages["index"])
    page = ours.refresh_index(interactive.AGES, 1.0, interactive.RATES[5])
    assert data["curves"]["a known page: changes a day"][5] == pytest.approx(page, abs=1e-4)


def test_the_ledger_has_all_claims(pages):
    claims = data_of(pages["ledger"])["claims"]
    assert (
        len(claims)
        == len((workspace.root() / "data/claims.yaml").read_text().split("\n  paper:")) - 1
    )


def test_a_browser_draws_them(pages, tmp_path):
    frames = [f'<iframe srcdoc="{escape(file.read_text())}"></iframe>' for file in pages.values()]
    script = """window.onload = () => {
        const said = (frame) => frame.contentDocument.getElementById("says").textContent;
        document.body.id = JSON.stringify([...document.querySelectorAll("iframe")].map(said));
    }"""
    shown = in_browser(f"<body>{''.join(frames)}</body>", script, tmp_path)
    said = json.loads(unescape(re.search(r'<body id="(.*?)">', shown)[1]))
    assert len(said) == len(pages) and min(map(len, said)) > 40
