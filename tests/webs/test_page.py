"""Pages: what parse_page sees in HTML, good, broken and hostile."""

import codecs
import pickle
import time

import pytest
from hypothesis import given, settings, strategies as st

from tres_webs.page import (
    Failure,
    FetchError,
    Link,
    Page,
    Revisit,
    as_web,
    link_rows,
    links_of,
)
from tres_webs.parsing import parse_page

URL = "http://example.com/dir/page.html"


def links(html: str) -> list[tuple[str, str]]:
    return [(link.url, link.anchor) for link in parse_page(URL, html).links]


def test_title_text_and_links():
    page = parse_page(
        URL,
        "<!doctype html><title> A\n title </title><style>p{}</style>"
        "<script>var x='<p>no</p>'</script><noscript>no</noscript>"
        "<template><p>no</p></template><!-- no -->"
        "<h1>Head</h1><p>One  <b>bo</b>ld&nbsp;word<br>next <a href=/x>the <i>x</i></a></p>last",
    )
    assert page.url == URL and page.status == 200 and page.fetched_at is None
    assert page.title == "A title"
    assert page.text == "Head\nOne bold word\nnext the x\nlast"
    assert page.links == (Link("http://example.com/x", "the x"),)


def test_links_in_document_order_once_with_first_anchor():
    assert links(
        "<a href=b><img src=i.png></a><a href='a#1'>first a</a><a href=mailto:x@y.z>m</a>"
        "<map><area href=c alt='an area'></map><a href='a#2'>second a</a>"
        "<a href=b rel=nofollow>now b</a><a href=pic.jpg>p</a><a name=x>no link</a>"
    ) == [
        ("http://example.com/dir/b", "now b"),
        ("http://example.com/dir/a", "first a"),
        ("http://example.com/dir/c", "an area"),
    ]


@pytest.mark.parametrize(
    "link, anchor",
    [
        ("<a href=x title=t>text</a>", "text"),
        ("<a href=x title=t><img alt='a picture'></a>", "a picture"),
        ("<a href=x title=t> <img alt=''></a>", "t"),
        ("<a href=x aria-label=l></a>", "l"),
        ("<a href=x><script>s</script></a>", ""),
        ("<a href=x><div>two</div><div>blocks</div></a>", "two blocks"),
        ("<area href=x title=t>", "t"),
        ("<a href=x>never closed", "never closed"),
        ("<a href=x>one<a href=x>two", "one"),
    ],
)
def test_anchors(link, anchor):
    assert links(link) == [("http://example.com/dir/x", anchor)]


@pytest.mark.parametrize(
    ("html", "paths"),
    [
        (
            "<div id=main><ul class='toc  wide'><li><a href=b class=x>b</a></ul></div><a href=c>c",
            ["html body div#main ul.toc.wide li a.x", "html body a"],
        ),
        ("<p class=''>a<p id='a b'><a href=b>b</a>", ["html body p#a-b a"]),
        ("<b><a href=b></a></b><i><a href=b>b</a></i><a href=b>again</a>", ["html body i a"]),
        ("<map><area href=c></map>", ["html body map area"]),
        ("<svg><br><br></div></p><a href=b>b</a>", ["html body svg a"]),
        ("<i>" * 200 + "<a href=b>b</a>", ["html body " + "i " * 200 + "a"]),
        ("<i>" * 999 + "<a href=b>b</a>", ["html body" + " i" * 248]),
        ("<i id=xyz>" * 200 + "<a href=b>b</a>", ["i#xyz " * 166 + "a"]),
        (f"<p class='{'x' * 200}'><a href=b>b</a>", [f"html body p.{'x' * 62} a"]),
    ],
)
def test_paths(html, paths):
    """Of the link whose anchor is kept; of bounded length."""
    page = parse_page(URL, html)
    assert [link.path for link in page.links] == paths
    again = links_of(*link_rows(page.links))
    assert [(k, k.path) for k in again] == [(k, k.path) for k in page.links]


def test_links_are_equal_by_url_and_anchor():
    one, other = Link("http://a.example/", "a", "html body a"), Link("http://a.example/", "a")
    assert one == other and hash(one) == hash(other) and other.path == ""
    assert links_of([["http://a.example/", "a"]], []) == (one,)  # as written without paths


def test_links_to_the_page_itself_are_left_out():
    assert links("<a href=''>a</a><a href=#top>b</a><a href=page.html>c</a>") == []


def test_base_holds_for_all_links():
    html = "<a href=x>x</a><base href='http://other.org/deep/'><base href='/no/'><a href=#a>top</a>"
    assert links(html) == [
        ("http://other.org/deep/x", "x"),
        ("http://other.org/deep/", "top"),
    ]
    assert links("<base href='sub/'><a href=x>x</a>") == [("http://example.com/dir/sub/x", "x")]
    assert links("<base href='javascript:1'><a href=x>x</a>") == [("http://example.com/dir/x", "x")]


META = b"<meta charset=iso-8859-5>"


@pytest.mark.parametrize(
    "html, header, text",
    [
        (codecs.BOM_UTF8 + META + "é".encode(), "koi8-r", "é"),
        (codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), "utf-8", "é"),
        (META + "ж".encode("koi8-r"), "koi8-r", "ж"),
        (META + "ж".encode("iso-8859-5"), None, "ж"),
        (META + "ж".encode("iso-8859-5"), "no-such-encoding", "ж"),
        (META + "ж".encode("iso-8859-5"), "base64", "ж"),
        (META + "ж".encode("iso-8859-5"), "a\0b", "ж"),
        (b"<meta charset=utf-16>" + "é".encode(), None, "é"),
        (b"<meta charset=nonsense>" + "é".encode(), None, "é"),
        ("é".encode(), None, "é"),
        (b"\x93caf\xe9\x94", None, "“café”"),
        ("\ufeffé", "koi8-r", "é"),
    ],
)
def test_encoding(html, header, text):
    page = parse_page(URL, html, header)
    assert page.text == text
    assert parse_page(URL, page.html, "utf-8") == page  # html is UTF-8, whatever came in


@pytest.mark.parametrize(
    "html", ["", b"", " ", "\0", "<", "<!--", "<html>", "\ud800", None, 7, b"\xff\xfe", "<?xml?>"]
)
def test_next_to_nothing(html):
    page = parse_page(URL, html)
    assert page.title == "" and page.links == ()
    assert isinstance(page, Page)


@pytest.mark.parametrize(
    "filler",
    ["<p title='{}'>t</p>", "<a title={} href=q>q</a>", "{}", "<!--{}-->", "<script>{}</script>"],
)
def test_links_behind_five_million_letters_are_found(filler):
    html = "<a href=x>in</a>" + filler.format("y" * 5_000_000) + "<a href=z>out</a>"
    start = time.process_time()
    page = parse_page(URL, html.encode())
    assert time.process_time() - start < 3.0
    found = [link.url.rpartition("/")[2] for link in page.links]
    assert found[0] == "x" and found[-1] == "z" and not page.truncated


@pytest.mark.parametrize("kind", [str, str.encode], ids=["text", "bytes"])
def test_a_document_over_the_limit_is_truncated(monkeypatch, kind):
    monkeypatch.setattr("tres_webs.parsing.MAX_HTML", 40)
    html = "<a href=x>in</a>".ljust(40)
    whole, cut = (parse_page(URL, kind(h)) for h in (html, html + "<a href=z>out</a>"))
    assert not whole.truncated and cut.truncated
    assert cut.html == whole.html and cut.links == whole.links


class Shelf:
    """A web of two methods."""

    def fetch(self, url):
        return parse_page(url, "<title>A page</title>")

    def is_relevant(self, url, topic):
        return None


def test_any_object_of_two_methods_is_a_web_with_the_defaults_of_the_rest():
    shelf = Shelf()
    web = as_web(shelf)
    assert web.fetch(URL).title == "A page" and web.is_relevant(URL, "food") is None
    assert (web.kind(URL), web.html(URL), web.urls()) == ("article", None, [])
    assert web.look(URL, {"If-None-Match": '"v1"'}) == Revisit(web.fetch(URL), {})
    assert web.random_article_pages(5, 0) == [] and web.remember(URL, web.fetch(URL)) is None
    with pytest.raises(ValueError, match="web="):
        web.seeds("food", 1, 0)
    shelf.urls = lambda: [f"http://a.example/{i}" for i in range(50)]
    drawn = as_web(shelf).random_article_pages(9, 0)
    assert len(set(drawn)) == 5 and set(drawn) <= set(shelf.urls())  # one in ten


PIECES = """<a href=x>|</a>|<a>|<base href='//[x'>|<title>|</title>|<script>|</script>|<img alt=a>
|<area href=http://[>|<svg>|<template>|</template>|<noscript>|&amp;|&#|<!--|-->|<table>|<p>
|<meta charset=utf-7>|<meta charset=punycode>|<?xml|</|<textarea>|é|\0|\ud800|\x85|\ufdd0"""
SOUP = st.lists(st.sampled_from(PIECES.split("|"))).map("".join)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(), st.binary(), SOUP),
    st.one_of(st.none(), st.text(), st.sampled_from(["utf-16", "hex", "idna", "utf-8"])),
    st.one_of(st.just(URL), st.text()),
)
def test_never_raises(html, encoding, url):
    page = parse_page(url, html, encoding)
    page.text.encode(), page.title.encode()  # no lone surrogates
    assert all(link.url.isascii() for link in page.links)
    assert len({link.url for link in page.links}) == len(page.links)


def test_fetch_error_says_what_and_why():
    error = FetchError(URL, "HTTP 404", 404)
    assert (error.url, error.reason, error.status) == (URL, "HTTP 404", 404)
    assert str(error) == f"{URL}: HTTP 404" and error.failure is Failure.OTHER
    copy = FetchError(URL, "copy of another", 200, Failure.COPY, "http://b.example/")
    again = pickle.loads(pickle.dumps(copy))
    assert (again.failure, again.target) == (Failure.COPY, "http://b.example/")
