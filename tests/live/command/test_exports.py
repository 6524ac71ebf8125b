"""A crawl's files: whatever a page says stays text."""

import time
import tracemalloc

import pandas as pd
import pytest
from fakes import CountingClassifier, DictWeb, crawl, orchard, seed_of
from lxml import html

import tres_live
from tres_live.command.crawling import so_far
from tres_live.command.extracts import (
    as_html,
    export,
    harmless,
    with_snippets,
    with_texts,
    write_crawl,
    write_table,
)
from tres_live.command.options import CrawlOptions, Folder
from tres_live.web.archive import Archive
from tres_webs import FetchError, Link, Page, parse_page

EVIL = "<script>alert(1)</script> apple \" onmouseover='x' {{ 7 * 7 }} &amp;"


@pytest.fixture(scope="module")
def result():
    return crawl(orchard(), seed_of(orchard()), budget=30)


@pytest.fixture(scope="module")
def hostile():
    a, b = "http://a.example/", "http://b.example/?q='\"<b>"
    pages = {a: Page(a, 200, "start", "apple", (Link(b, "x"),)), b: Page(b, 200, EVIL, "", ())}
    return crawl(DictWeb(pages), [a], budget=1)


def test_a_large_archive_is_copied_in_pieces(tmp_path):
    about = {"topic": "jazz", "seeds": ["http://a.example/"], "keywords": ["jazz", "swing"]}
    folder = Folder.create(tmp_path / "crawl", CrawlOptions(**about, contact="me@a.example"))
    with folder.warc.open("wb") as file:
        file.truncate(10**8)
    now = so_far(folder)
    tracemalloc.start()
    (copy,) = write_crawl(now, tmp_path / "copy", ("warc",))
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()
    assert copy.stat().st_size == 10**8


def test_nothing_of_a_page_becomes_markup(hostile):
    text = as_html(hostile)
    page = html.fromstring(text)
    assert not page.xpath("//script") and "{{" in text and "49" not in text
    _, link = page.xpath("//td/a")
    assert link.text == EVIL
    assert set(link.attrib) == {"href", "rel"} and link.get("href") == hostile.log.url[1]


def test_no_part_of_a_cell_is_a_formula_where_a_semicolon_ends_cells():
    risky = {
        "x;=1+1": "x;'=1+1",
        "x; =1;y;-2": "x;' =1;y;'-2",
        'x;"=1+1"': 'x;\'"=1+1"',
        "x\n@y": "x\n'@y",
        "x\t+1": "x\t'+1",
        " =1": "' =1",
        '"=1': "'\"=1",
        "\uff1d1": "'\uff1d1",
        "x;\uff0b1": "x;'\uff0b1",
        "\uff0d1": "'\uff0d1",
        "\uff20x": "'\uff20x",
        "\x1b\u202e=1": "'=1",
    }
    kept = ["x; y", "x;y=1", "a-b;c+d", "http://a.example/?a=1;b=-2", "'=1"]
    table = pd.DataFrame({"title": [*risky, *kept]})
    assert harmless(table)["title"].tolist() == [*risky.values(), *kept]


CONTROLS = "\x1b\x07\x00\x7f\x9b\u202e\u2066\u200f\u061c"
TRICKY = f"{CONTROLS}]0;owned{CONTROLS} jazz"


def test_no_title_or_reason_steers_a_terminal(tmp_path, caplog):
    a, b, c = (f"http://a.example/{name}" for name in "abc")

    class Web(DictWeb):
        def fetch(self, url):
            if url == c:
                raise ValueError(TRICKY)
            if url == b:
                raise FetchError(url, TRICKY)
            return super().fetch(url)

    web = Web({a: Page(a, 200, TRICKY, "apple", (Link(b, ""), Link(c, "")))})
    result = crawl(web, [a], budget=2)
    assert result.log.title[0] == "]0;owned jazz"
    assert result.log.reason.tolist() == ["", "]0;owned jazz", "ValueError: ]0;owned jazz"]
    result.log.loc[1, ["title", "reward"]] = TRICKY, 1.0  # as a log of version 0.1 may have it
    files = export(result, tmp_path)
    web.pages[a] = Page(a, 200, TRICKY, "apple", ())
    look = tres_live.first_look(web, [a, b], CountingClassifier()).to_string()
    assert look.count("]0;owned") == 2 and "ValueError" in caplog.text
    shown = [files["csv"].read_text(), files["html"].read_text(), look, caplog.text]
    assert not [text for text in shown if set(text) & set(CONTROLS)]
    title = TRICKY.replace("\0", "") + "&#27;&#x202e;"
    assert parse_page(a, f"<title>{title}</title>").title == "]0;owned jazz"


BAND = "A band of five plays jazz in the old town hall."
DATED = f"""<html><head><title>Jazz & <i></title>
<meta property="article:published_time" content="2024-03-05T10:00:00Z"></head>
<body><ul><li>Home</li><li>Jazz</li></ul>
<p>Tickets are sold at the door of the hall, from seven.</p><p>{BAND} &lt;b&gt;</p></body></html>"""


def test_relevant_pages_come_with_snippet_words_language_date_and_text(tmp_path):
    url, gone = "http://a.example/", "http://a.example/gone"
    page = parse_page(url, DATED)
    archive = Archive(DictWeb({url: page}), tmp_path / "pages.warc.gz")
    archive.fetch(url)
    table = pd.DataFrame(
        {"p": [0.9, 0.8], "title": [page.title, "x"], "url": [url, gone], "step": 1}
    )
    read = {url: page}
    found = with_snippets(
        table, read, ["jazz"], lambda texts: [0.1 + 0.8 * ("jazz" in t) for t in texts]
    )
    assert found["snippet"].tolist()[1] == "" and BAND in found["snippet"][0]
    assert "Home" not in found["snippet"][0], "menus are no prose"
    assert found["words"].tolist() == ["jazz", ""]
    pytest.importorskip("resiliparse")
    whole = with_texts(found, read, [archive.path])
    assert with_texts(found[:0], read, [archive.path])["text"].tolist() == []
    assert BAND in whole["text"][0] and "Home" not in whole["text"][0] and not whole["text"][1]
    assert whole[["language", "date"]].values.tolist() == [["en", "2024-03-05"], ["", ""]]
    files = [write_table(whole, tmp_path / f"x.{end}") for end in ("csv", "parquet", "jsonl", "md")]
    for file, read_again in zip(files[:3], (pd.read_csv, pd.read_parquet, read_lines), strict=True):
        again = read_again(file)
        assert again["text"][0] == whole["text"][0] and again["date"][0] == "2024-03-05"
    marked = files[3].read_text(encoding="utf-8")
    assert marked.startswith(f"# Jazz \\& \\<i\\>\n\n<{url}> · en · 2024-03-05 · p 0.90\n")
    assert BAND in marked and "\\<b\\>" in marked


def test_a_cell_of_many_lines_takes_no_time():
    start = time.process_time()
    harmless(pd.DataFrame({"text": ['"\n' * 100_000]}))
    assert time.process_time() - start < 10


def read_lines(file):
    return pd.read_json(file, lines=True, dtype=False)
