"""The time that parse_page takes: linear for any document, and of real ones nothing is left out."""

import os
import time
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from lxml import etree

from tres_webs import VitalWeb
from tres_webs.parsing import parse_page

URL = "http://example.com/dir/page.html"
SIZE = 250_000  # bytes; half <b>, half </i> took 5 seconds when libxml2 read all of it
SECONDS = 1.0  # of CPU; under a half if the machine is not busy


def fill(piece: str, size: int = SIZE) -> str:
    return piece * (size // len(piece.encode()))


def halves(first: str, second: str) -> str:
    return fill(first, SIZE // 2) + fill(second, SIZE // 2)


def numbered(pattern: str, n: int = 2_000) -> str:
    """The pattern with % as a number, up to `SIZE` or n times."""
    size = len((pattern + "0000").encode())
    return "".join(pattern.replace("%", str(i)) for i in islice(count(), min(n, SIZE // size)))


# What is opened, and what is then closed or opened in vain.
MISNESTED = """<b> </i>|<i> </b>|<div> </p>|<x> </y>|<x:y> </z:y>|<span> </div>|<table> </b>
<ul> </li>|<svg> </a>|<a> </b>|<p> </b>|<b> </p>|<b> </br>|<b> <br></i>|<font> </FONT/x>|<b> </html>
<b> </body>|<b> </head>|<b> <body>|<b> <BODY>|<b> <html>|<b> <head>|<b> <p>|<b> <frameset>|<x> <td>
<b> </title>|<b> </script>|<b> </b>|<b> </i/>|<b> </>|<b> </é>|<template><b> </i>|<title><b> </i>"""
# What is repeated.
REPEATED = """<b>|<p>|<br>|<td>|<a href=x>|<table><tr><td>|<dl><dt><dd>|<form><select><option>|<x/>
<font><p>|<svg><title>|<title></title>|<textarea>|<script>|<plaintext>|<iframe>|<template>|<body>
<b></i>|<b><i></b></i>|<b><b></i>|<x></y></z>|</b>|</|<|<!|<!-->|<!--|<!-- --!>|<?|<![CDATA[
<!doctype x>|<x a|<x a='|<x =|<a href='|'>"|</a x='|&|&#|&#9999999999999;|&NotEqualTild|&amp;|é
<area href=x>|<p a b>"""
FAMILIES = (
    {f"half {pair}": halves(*pair.split()) for pair in MISNESTED.replace("\n", "|").split("|")}
    | {f"all {piece}": fill(piece) for piece in REPEATED.replace("\n", "|").split("|")}
    | {
        "an end tag that another element blocks": "<b><div>" + halves("<x>", "</b>"),
        "a block that a table blocks": "<div><table>" + halves("<x>", "</div>"),
        "an element at the bottom": "<b>" + fill("<x>") + "<div>" + fill("</b>"),
        "long names": halves(f"<{'x' * 90}>", f"</{'x' * 89}y>"),
        "longer names": halves(f"<{'x' * 400}>", f"</{'x' * 399}y>"),
        "long names blocked": f"<{'x' * 90}><div>" + halves(f"<{'x' * 89}y>", f"</{'x' * 90}>"),
        "names of many kinds": fill("<b>", SIZE // 2) + numbered("</n%>", 50_000),
        "bursts": fill("<div>" + "<b>" * 600 + "</i>" * 480 + "</div>"),
        "blocked bursts": fill("<b><div>" + "<x>" * 3_000 + "</b>" * 2_500 + "</div></b>"),
        "not too deep": "<b><div>" + "<x>" * 300 + fill("</b>"),
        "end tags in an attribute first": f"<a title='{fill('</i>')}'>" + halves("<b>", "</i>"),
        "end tags in a script first": f"<script>{fill('</i>')}</script>" + halves("<b>", "</i>"),
        "attributes": f"<p {numbered('a% ', 50_000)}>",
        "one attribute": f"<p {fill('a=b ')}>",
        "a long attribute": f"<p a='{fill('&amp;')}'>",
        "a long name": f"<{fill('x')}>",
        "a title": f"<title>{fill('x ')}",
        "an anchor of many pieces": f"<a href=x>{fill('<b>x</b>')}",
        "parameters": numbered(f"<a href='?%{'&z' * 190}'>x</a>"),
        "letters outside ASCII": numbered(f"<a href='/%{'é' * 195}'>x</a>"),
        "hosts outside ASCII": numbered(f"<a href='//{'é' * 30}%.com/'>x</a>"),
        "hosts with a letter outside ASCII": numbered("<a href='http://bücher%.de/x'>x</a>"),
        "hosts of many such labels": numbered(f"<a href='//{'é%.' * 12}de'>x</a>"),
        "hosts that are addresses": numbered("<a href='http://[2001:db8:4::%]/x'>x</a>"),
        "dots in paths": numbered(f"<a href='%{'/..' * 190}'>x</a>"),
        "hosts": numbered("<a href=//h%.com>x"),
        "a long base": f"<base href='http://a.b/{'%e9' * 600}/'>" + numbered("<a href=%>x"),
        "a base of many parts": f"<base href='http://a.b/{'x/' * 900}'>" + numbered("<a href=%>x"),
    }
)


@pytest.mark.slow
@pytest.mark.parametrize("html", FAMILIES.values(), ids=FAMILIES)
def test_any_document_takes_bounded_time(html):
    start = time.process_time()
    parse_page(URL, html.encode())
    assert time.process_time() - start < SECONDS


NAMES = st.sampled_from(
    ["a", "b", "i", "p", "x", "div", "td", "table", "li", "body", "head", "title"]
)
TAGS = st.builds("<{}{}>".format, st.sampled_from(["", "/"]), NAMES)
RUNS = st.tuples(TAGS, st.integers(1, 30_000)).map(lambda run: run[0] * run[1])


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.lists(RUNS, min_size=1), st.integers(1, 200))
def test_any_mixture_of_tags_takes_bounded_time(runs, length):
    """Long runs of tags, and short ones again and again."""
    short = "".join(run[:length] for run in runs)
    for html in "".join(runs)[:SIZE], fill(short):
        start = time.process_time()
        parse_page(URL, html)
        assert time.process_time() - start < SECONDS


def test_what_stands_before_hostile_nesting_is_kept():
    page = parse_page(URL, f"<title>T</title><a href=x>in</a>{halves('<b>', '</i>')}<a href=z>out")
    assert page.truncated and page.title == "T" and page.text == "in"
    assert [link.url for link in page.links] == ["http://example.com/dir/x"]


@pytest.mark.parametrize(
    "html", [fill("<div>"), "<font>" * 1_000 + "<p>x</p>" * 5_000, "<b>" * 50 + fill("</i>")]
)
def test_what_is_deep_or_misnested_alone_is_read_to_its_end(html):
    page = parse_page(URL, html + "<a href=z>out</a>")
    assert not page.truncated and [link.anchor for link in page.links] == ["out"]


def vital_pages() -> list[bytes]:
    web = VitalWeb()
    urls = web.random_article_pages(100, np.random.default_rng(0)) + web.seeds("food", 20, 0)
    return [web.html(url) for url in urls]


def saved_pages(folder: str | Path) -> list[bytes]:
    return [path.read_bytes() for path in Path(folder).rglob("*.htm*") if path.is_file()]


REAL = {
    "VitalWeb": vital_pages,
    "Wikispeedia": lambda: saved_pages(Path(os.environ.get("TRES_DATA", "-"), "wikispeedia")),
    "installed packages": lambda: saved_pages(Path(np.__file__).parents[1]),
}


@pytest.mark.slow
@pytest.mark.parametrize("pages", REAL.values(), ids=REAL)
def test_real_pages_are_read_as_if_in_one_piece(pages, monkeypatch):
    documents = pages()
    if not documents:
        pytest.skip("no such pages here")
    found = [parse_page(URL, document) for document in documents]
    assert not any(page.truncated for page in found)
    monkeypatch.setattr(
        etree, "parse", lambda reader, parser: etree.fromstring(reader.read(-1), parser)
    )
    monkeypatch.setattr("tres_webs.parsing.MAX_EFFORT", float("inf"))
    assert found == [parse_page(URL, document) for document in documents]


@pytest.mark.slow
def test_hosts_that_are_dear_to_read_cost_links():
    """Real pages do not have as many."""
    odd = ["<a href='http://bücher%.de/'>", "<a href='//[2001:db8::%]/'>"]
    kept = [len(parse_page(URL, numbered(pattern, 4_000)).links) for pattern in odd]
    assert max(kept) < 2_000 < len(parse_page(URL, numbered("<a href='/é%'>x</a>", 4_000)).links)
