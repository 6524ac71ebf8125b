"""The README and the guides keep their word: short, plain, and what they name is there."""

import re
import runpy

import pytest

import tres_webs as web
from tres_book.code_hash import PACKAGES
from tres_book.study import workspace

ROOT = workspace.root()
README = (ROOT / "README.md").read_text(encoding="utf-8")
DATA = (ROOT / "data" / "README.md").read_text(encoding="utf-8")
GUIDES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
PAGES = [*GUIDES, ROOT / "CHANGELOG.md", ROOT / "data/README.md", ROOT / "results/README.md"]
LONGEST_SENTENCE, LONGEST_LINE = 35, 160  # words, characters
README_BYTES = 9_000
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PART = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*] |\d+\. ))|\|")  # paragraphs, items, cells


def name_of(page):
    return str(page.relative_to(ROOT))


def sentences(text: str) -> list[str]:
    """Return the sentences of a page, its headings and its tables' cells; links without targets."""
    prose = re.sub(r"\]\([^)]*\)|<!--.*?-->", "]", CODE.sub("", text), flags=re.DOTALL)
    return [s for part in PART.split(prose) for s in re.split(r"(?<=[.!?])\s+", part)]


def test_the_readme_is_short():
    assert len(README.encode()) <= README_BYTES


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_sentence_is_long(page):
    text = page.read_text(encoding="utf-8")
    assert [s for s in sentences(text) if len(s.split()) > LONGEST_SENTENCE] == []


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_no_line_is_long(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > LONGEST_LINE] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_and_image_exists(page):
    targets = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    local = [target.split("#")[0] for target in targets if not re.match(r"https?:|#", target)]
    made = re.compile(r"(api/)?tres_[a-z_.]+\.md")  # by docs/reference.py
    assert [t for t in local if not made.fullmatch(t) and not (page.parent / t).exists()] == []


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_every_make_target_named_exists(page):
    text = page.read_text(encoding="utf-8")
    code = re.findall(r"^```sh\n(.*?)^```$|`([^`\n]+)`", text, re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"\bmake (?:[A-Z]+=\S+ )*([a-z]+)", "\n".join(map("".join, code))))
    there = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert named <= there


def test_the_results_are_those_that_are_stored():
    path = ROOT / "docs" / "results.py"
    for page, text in runpy.run_path(str(path))["pages"]().items():
        assert page.read_text(encoding="utf-8") == text, f"run {path}"


def test_the_chapters_are_those_that_exist():
    rows = re.findall(r"^\| \[(\d\d-[a-z-]+)\]\(notebooks/\1.ipynb\) \|", README, re.MULTILINE)
    assert rows == sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


def test_the_packages_are_those_that_exist():
    rows = dict(re.findall(r"^\| `(tres_[a-z]+)` \| (.*) \|$", README, re.MULTILINE))
    assert tuple(rows) == PACKAGES
    rooms = re.findall(r"`([a-z]+)`", rows["tres_lib"])
    assert sorted(rooms) == sorted(p.parent.name for p in ROOT.glob("tres_lib/*/__init__.py"))


@pytest.mark.slow
def test_the_readme_s_snippet_runs():
    (snippet,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    names: dict = {}
    exec(compile(snippet, "README.md", "exec"), names)
    assert names["result"].harvest_rate > 0.5


@pytest.mark.slow
def test_counts_of_labelled_articles():
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \|", DATA, re.M)
    articles, counted = web.load_articles(), []
    for name, topic in web.load_topics().items():
        pairs = zip(articles.titles, articles.descriptions, articles.training, strict=True)
        training = [half for title, about, half in pairs if topic.matches(title, about)]
        counted.append((name, len(training), sum(training), len(training) - sum(training)))
    assert [(name, *map(int, numbers)) for name, *numbers in rows] == counted
