"""Hostile input of our own making: it ends as a page or a FetchError, in bounded time."""

import codecs
import random
import time
import tracemalloc
from urllib.parse import urlsplit

import pytest
import requests
from hypothesis import HealthCheck, given, settings, strategies as st
from loopback import Loopback, live, reply

from tres_webs import FetchError, Page, canonical_url, parse_page

URL = "http://example.com/dir/page.html"
NOISE = random.Random(0).randbytes(300_000)
BODIES = {  # more are in tests/webs/test_page_time.py
    "nothing": b"",
    "noise": NOISE,
    "noise in tags": b"<p>".join(NOISE[i : i + 40] for i in range(0, len(NOISE), 40)),
    "nuls": b"\0" * 333_333,
    "half a mark": b"\xef\xbb",
    "two marks": codecs.BOM_UTF8 + codecs.BOM_UTF16_LE + b"<p>x",
    "utf-16 cut off": codecs.BOM_UTF16_LE + "<a href=x>é".encode("utf-16-le")[:-1],
    "utf-32 of no character": codecs.BOM_UTF32_LE + b"\xff" * 4_000,
    "utf-7": b"<meta charset=utf-7>+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
    "long lines of letters": b"\xe9" * 333_333,
    "charset upon charset": b"<meta charset=utf-8>" * 16_666,
    "many attributes": b"<p " + b" ".join(b"a%d=b" % i for i in range(20_000)) + b">x",
    "references": b"&amp;&#0;&#x110000;&#xD800;&notit;" * 10_000,
    "doctype of entities": b"<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><p>&b;" * 1_000,
    "entity from a file": b"<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><p>&f;",
    "bases": b"<base href='http://x/'>" * 16_666,
    "trap of links": b"".join(b"<a href='?n=%d'>next</a>" % i for i in range(20_000)),
    "long links": b"<a href='" + b"/.." * 66_666 + b"'>up</a>",
    "links of links": b"<a href='/" + b"a/" * 900 + b"'>x</a>" * 2_000,
    "links to everywhere": b"<a href=javascript:alert(1)>a<a href=data:text/html,x>b<a href=file:///>",
    "direction marks": "<p>\u202e\u2066\u200b\ufeff\ufdd0\U000e0001".encode() * 6_666,
}


@pytest.mark.slow
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_hostile_bodies_in_bounded_time_and_memory(body):
    tracemalloc.start()
    start = time.process_time()
    page = parse_page(URL, body)
    seconds, (_, peak) = time.process_time() - start, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seconds < 10 and peak < 100_000_000 + 100 * len(body)
    page.text.encode(), page.title.encode()
    assert "root:" not in page.text and len(page.links) <= 5_000
    assert all(link.url.startswith(("http://", "https://")) for link in page.links)


OK = b"HTTP/1.1 200 OK\r\n"
HEAD = OK + b"Content-Type: text/html\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
ANSWERS = {
    "nothing": b"",
    "a line break": b"\r\n\r\n",
    "noise": NOISE[:5_000],
    "HTTP/0.9": b"<html>hello",
    "no such version": b"HTTP/9.9 200 OK\r\n\r\n<p>x",
    "no status": b"HTTP/1.1\r\n\r\n",
    "status of letters": b"HTTP/1.1 abc OK\r\n\r\n",
    "status too long": b"HTTP/1.1 20000 OK\r\n\r\n",
    "status below": b"HTTP/1.1 -12 OK\r\n\r\n",
    "switching": b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "early hints": b"HTTP/1.1 103 Early Hints\r\n\r\n" + reply("<p>x"),
    "mail server": b"220 mail.example ESMTP\r\n",
    "shell": b"SSH-2.0-OpenSSH_9.0\r\n",
    "headers without end": HEAD + b"X: y\r\n" * 200,
    "header without end": HEAD + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
    "header without colon": HEAD + b"nonsense\r\n\r\n<p>x",
    "header of nuls": HEAD + b"X\0: \0\r\nY: \xff\xfe\r\n\r\n<p>x",
    "folded header": HEAD + b"X: a\r\n b\r\n\r\n<p>x",
    "two lengths": HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\n<p>x",
    "length below zero": HEAD + b"Content-Length: -5\r\n\r\n<p>x",
    "length of letters": HEAD + b"Content-Length: many\r\n\r\n<p>x",
    "length too great": HEAD + b"Content-Length: 1000\r\n\r\n<p>x",
    "length and chunks": HEAD + b"Content-Length: 1\r\n" + CHUNKED + b"4\r\n<p>x\r\n0\r\n\r\n",
    "chunks of letters": HEAD + CHUNKED + b"zz\r\n<p>x",
    "chunk below zero": HEAD + CHUNKED + b"-4\r\n<p>x\r\n0\r\n\r\n",
    "chunk too great": HEAD + CHUNKED + b"ffffffffffffffff\r\n<p>x",
    "chunks cut off": HEAD + CHUNKED + b"4\r\n<p>x\r\n",
    "unknown transfer": HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n4\r\n<p>x\r\n0\r\n\r\n",
    "unknown coding": HEAD + b"Content-Encoding: " + b"gzip," * 1_000 + b"\r\n\r\n<p>x",
    "packed noise": HEAD + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b" + NOISE[:1_000],
    "type of noise": OK + b"Content-Type: \xff\xfe;;;=\"\r\n\r\n<p>x",
    "charset of noise": OK + b"Content-Type: text/html; charset=\0idna\r\n\r\n<p>\xff",
    "charset that runs code": OK + b"Content-Type: text/html; charset=zip\r\n\r\n<p>\xff",
    "location of noise": b"HTTP/1.1 302 Go\r\nLocation: \xff\xfe//\x01\r\n\r\n",
    "two locations": b"HTTP/1.1 302 Go\r\nLocation: /a\r\nLocation: /b\r\n\r\n",
    "long location": b"HTTP/1.1 302 Go\r\nLocation: /" + b"a" * 60_000 + b"\r\n\r\n",
    "location that splits": b"HTTP/1.1 302 Go\r\nLocation: /a%0d%0aX:%20y\r\n\r\n",
    "retry after noise": b"HTTP/1.1 503 No\r\nRetry-After: \xff, 99\r\n\r\n",
    "cookies": HEAD + b"Set-Cookie: a=b; domain=.com; path=/\r\n" * 90 + b"\r\n<p>x",
    "upgrade": HEAD + b"Refresh: 0; url=file:///etc/passwd\r\nUpgrade: h2c\r\n\r\n<p>x",
}  # fmt: skip


@pytest.fixture(scope="module")
def hostile():
    """A server that says whatever stands under its only path, and hangs up."""
    with Loopback({}) as server:
        yield server


def outcome(server: Loopback, answer: bytes, path: str = "/") -> Page | FetchError:
    """What LiveWeb makes of an answer, as a page and as robots.txt; nothing else may come out."""
    server.routes[path] = lambda connection: connection.sendall(answer)
    try:
        return live(timeout=1, deadline=3, max_bytes=50_000).fetch(server.url())
    except FetchError as error:
        assert error.reason and error.reason.isprintable()
        return error
    finally:
        server.routes.clear()


@pytest.mark.network
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_hostile_answers_end_as_a_page_or_an_error(answer, hostile):
    start = time.monotonic()
    assert isinstance(outcome(hostile, answer), Page | FetchError)
    assert isinstance(outcome(hostile, answer, "/robots.txt"), FetchError)
    assert time.monotonic() - start < 8


DEAD = "http://127.0.0.1:9"  # a proxy that nobody runs
QUICK = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.slow
@pytest.mark.network
@QUICK
@given(st.one_of(st.text(), st.text().map("http://".__add__), st.binary(), st.none()))
def test_any_url_is_fetched_or_refused(url):
    """Without an allowed address no request leaves; names are not looked up behind a proxy."""
    with pytest.raises(FetchError):
        live(allow_private=False, timeout=1, proxies={"http": DEAD, "https": DEAD}).fetch(url)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="/\\@:.#?%[]&;=0x7f1a-é \t", max_size=60))
def test_what_a_url_says_its_host_is_does_not_depend_on_the_reader(tail):
    """The host that is checked is the one that is asked: urllib3 and urlsplit agree on it."""
    url = canonical_url("http://" + tail)
    if url is not None:
        sent = requests.Request("GET", url).prepare().url
        assert canonical_url(sent) == url and urlsplit(sent).netloc == urlsplit(url).netloc
        assert "@" not in urlsplit(url).netloc
