"""URLs: one spelling a page, the registered domain, the words."""

import re
import time

import pytest
from hypothesis import example, given, settings, strategies as st

from tres_webs.urls import MAX_URL, PLAIN, canonical_url, domain, url_words


@pytest.mark.parametrize(
    "url, expected",
    [
        ("http://example.com", "http://example.com/"),
        ("  HTTP://Example.COM:80/a\n", "http://example.com/a"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com:8080/", "http://example.com:8080/"),
        ("http://example.com./a", "http://example.com/a"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/../../a", "http://example.com/a"),
        ("http://example.com/a#part", "http://example.com/a"),
        ("http://example.com/?b=1&a=2", "http://example.com/?a=2&b=1"),
        ("http://example.com/a?", "http://example.com/a"),
        ("http://example.com/%7eme/%c3%a9", "http://example.com/~me/%C3%A9"),
        ("http://example.com/é è", "http://example.com/%C3%A9%20%C3%A8"),
        ("http://bücher.de/", "http://xn--bcher-kva.de/"),
        ("http://me:secret@example.com/a", "http://example.com/a"),
        ("http://evil.com\\@example.com/", "http://evil.com/@example.com/"),
        ("http://example.com/a?utm_source=x&id=7&PHPSESSID=1", "http://example.com/a?id=7"),
        ("http://example.com/a;jsessionid=1F?b=2", "http://example.com/a?b=2"),
        ("http://[::1]:80/a", "http://[::1]/a"),
        ("http://127.0.0.1/a", "http://127.0.0.1/a"),
        ("http://localhost:5000/a", "http://localhost:5000/a"),
        ("http://example.com/page.html", "http://example.com/page.html"),
    ],
)
def test_canonical(url, expected):
    assert canonical_url(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        *("", "/a", "//example.com/", "example.com", "#top", "?q=1"),
        *("mailto:a@example.com", "javascript:void(0)", "data:text/html,hi", "ftp://example.com/"),
        *("http:", "http://", "http:///a", "http://:80/", "http://a..b/", "http://a b/"),
        *("http://a:99999/", "http://a:0/", "http://a:x/", "http://[::1/", "http://[x]/"),
        *("http://[fe80::1%25eth0]/", "http://2130706433/", "http://0x7f.1/", "http://127.1/"),
        *("http://-a.com/", "http://" + "a" * 64 + ".com/", "http://exa\0mple.com/"),
        *(
            "http://a.com/x.pdf",
            "http://a.com/x.ZIP?y=1",
            "http://a.com/x.jpg",
            "http://a.com/v.mp4",
        ),
        "http://a.com/" + "a" * MAX_URL,
        "http://a.com/" + "é" * (MAX_URL // 2),
        *(None, 7, b"\xff"),
    ],
)
def test_not_to_be_fetched(url):
    assert canonical_url(url) is None


@pytest.mark.parametrize(
    "href, expected",
    [
        ("c.html", "http://example.com/a/c.html"),
        ("../c", "http://example.com/c"),
        ("/c?x=1", "http://example.com/c?x=1"),
        ("?x=1", "http://example.com/a/b?x=1"),
        ("//other.org/c", "http://other.org/c"),
        ("https://other.org", "https://other.org/"),
        ("", "http://example.com/a/b"),
        ("#part", "http://example.com/a/b"),
        ("tel:+301", None),
    ],
)
def test_relative(href, expected):
    assert canonical_url(href, "http://example.com/a/b") == expected


def test_a_long_fragment_does_not_count():
    assert canonical_url("http://a.com/#" + "x" * 10_000) == "http://a.com/"


ANYTHING = st.one_of(
    st.text(),
    st.text().map("http://example.com/".__add__),
    st.text().map("http://".__add__),
    st.text(alphabet="/.?#&=;%:@[]\\ \t\nab0AéſK\ud800utm_jsessionid-").map("http://a".__add__),
    st.binary(),
)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(ANYTHING)
@example("http://a/;jsessionid=1/..")
@example("http://a/..;jsessionid=1/")
@example("http://[]@")
@example("http://a/%2525?%26=%3D&utm%5Fa")
@example("http://a/%2E%2E/b;phpsessid=")
def test_never_raises_idempotent_ascii(url):
    once = canonical_url(url)
    if once is not None:
        assert once.isascii() and len(once) <= MAX_URL
        assert re.match(r"https?://[^/]+/", once) and "#" not in once
        assert canonical_url(once) == once
        domain(once), url_words(once)


@settings(deadline=None)
@given(st.text(), st.one_of(st.none(), st.text(), st.text().map("http://a.com/".__add__)))
@pytest.mark.slow
def test_never_raises_with_a_base(url, base):
    once = canonical_url(url, base)
    assert once is None or canonical_url(once) == once


@pytest.mark.slow
@settings(deadline=None)
@given(st.from_regex(PLAIN, fullmatch=True))
def test_the_fast_way_agrees_with_the_slow_one(url):
    assert canonical_url(url.replace("http", "HTTP", 1)) == url


@pytest.mark.parametrize(
    "url, expected",
    [
        ("http://www.example.com/a", "example.com"),
        ("https://a.b.example.co.uk:8080/", "example.co.uk"),
        ("http://me.github.io/", "github.io"),
        ("http://localhost:80/", "localhost"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://[::1]:80/", "::1"),
        ("http://co.uk/", "co.uk"),
        ("http://a.b.example/", "b.example"),
        ("http://[x/", ""),
        ("nonsense", ""),
    ],
)
def test_domain(url, expected):
    assert domain(url) == expected


@pytest.mark.parametrize(
    "url, expected",
    [
        ("http://sport.com/wiki/Top10_%C3%89coles.html?q=a+b", "wiki Top 10 Écoles q a b"),
        ("http://sport.com/", ""),
        ("http://sport.com/a/index.php", "a index"),
        ("http://sport.com/asp.net-core", "asp net core"),
        ("http://[x/", ""),
    ],
)
def test_url_words(url, expected):
    assert url_words(url) == expected


@settings(deadline=None)
@given(st.text())
def test_domain_and_words_never_raise(text):
    domain(text), url_words(text)
    domain("http://" + text), url_words("http://" + text)


def test_hostile_urls_take_bounded_time():
    start = time.process_time()
    for part in ("/.." * 10**6, ";jsessionid=" * 10**5, "&a" * 10**6, "%" * 10**6, "a." * 900):
        canonical_url("http://a.com/" + part)
        canonical_url("http://" + part)
    assert time.process_time() - start < 1.0
