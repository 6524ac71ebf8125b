"""Mutated answers, pages, robots.txt, WARC files and journals: `make fuzz`, not part of the suite.

Each case ends soon, as a result or as the error that its caller is told of. CASES of each of the
five kinds are tried (default 4,000), the same ones each time.
"""

from __future__ import annotations

import gzip
import os
import re
import socket
import time
from contextlib import contextmanager, suppress
from itertools import count
from random import Random

import pytest
from fakes import TOPIC, CountingClassifier, orchard, seed_of
from hypothesis import HealthCheck, given, settings, strategies as st
from loopback import Loopback, live, reply

from tres_lib import focused
from tres_lib.web import FetchError, Page, ReplayWeb, parse_page
from tres_live import Archive

CASES = int(os.environ.get("CASES", "4000"))
SLOWEST = 10.0  # seconds; the tests of hostile pages have tighter bounds
PAGE = b"""<!doctype html><html lang=en><head><meta charset=utf-8><title>Apples</title>
<base href="http://a.example/b/"><meta http-equiv=refresh content="5; url=/next"></head><body>
<p>An <b>apple <i>a day</b></i><a href="one?b=2&a=1#x">one</a><a href='//b.example/'>two</a>
<table><tr><td><form action=/q><select><option>x</select></form></table><!-- c --><script>1<2
</script><a href=javascript:void(0)>no</a><ul><li>a<li>b</ul><svg><title>t</title></svg>"""
BODIES = [PAGE, PAGE.decode().encode("utf-16"), "<p>naïve <a href=x>café".encode("latin-1")]
ROBOTS = b"""User-agent: *\nDisallow: /private\nAllow: /private/ok$\nCrawl-delay: 0.5
Disallow: /*?q=\n\nUser-agent: test-crawler/2.0\nDisallow: /x\nSitemap: http://a.example/s.xml\n"""
ANSWERS = [
    reply(PAGE),
    reply(PAGE, Content_Encoding="gzip"),
    reply(status=302, Location="/elsewhere"),
    reply(status=429, Retry_After="1"),
    b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + reply(PAGE),
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>ap\r\n3\r\nple\r\n0\r\n\r\n",
]
WORDS = [
    *(b"<b>", b"</i>", b"<p", b"<!--", b"-->", b"<![CDATA[", b"<script>", b"</", b"&#0;", b"&amp"),
    *(b"\r\n", b"\n", b"\0", b"\xff", b"\x1b[2J", b"\xe2\x80\xae", b":", b" ", b"=", b'"', b"'"),
    *(
        b"0",
        b"-1",
        b"9" * 30,
        b"1e309",
        b"{",
        b"}",
        b"[",
        b"null",
        b"true",
        b"\\u0000",
        b"\x1f\x8b",
    ),
    *(b"Content-Length: 5\r\n", b"Content-Encoding: br\r\n", b"Transfer-Encoding: chunked\r\n"),
    *(b"WARC/1.0\r\n", b"WARC-Type: response\r\n", b"HTTP/1.1 200 OK\r\n", b"User-agent: *\n"),
]
fuzzed = settings(
    max_examples=CASES, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
chance = st.randoms(use_true_random=True)  # seeded by hypothesis


def mutated(body: bytes, rng: Random) -> bytes:
    """Return a body with one to eight changes."""
    data = bytearray(body)
    for _ in range(rng.randint(1, 8)):
        i, j = sorted(rng.randint(0, len(data)) for _ in range(2))
        match rng.randrange(6):
            case 0:
                data[i : i + 1] = rng.randbytes(1)
            case 1:
                data[i : min(j, i + 40)] = b""
            case 2:
                data[i:i] = rng.choice(WORDS) * rng.choice((1, 1, 1, 50))
            case 3:
                data[i:i] = data[i : min(j, i + 200)]
            case 4:
                data[i:i] = rng.randbytes(rng.randint(1, 20))
            case _:
                if rng.random() < 0.2:
                    del data[i:]
    return bytes(data)


@contextmanager
def soon():
    """Fail unless the block ends soon."""
    start = time.process_time()
    yield
    assert time.process_time() - start < SLOWEST


@given(chance)
@fuzzed
def test_pages(rng):
    with soon():
        page = parse_page("http://a.example/dir/", mutated(rng.choice(BODIES), rng))
        assert isinstance(page, Page) and all(link.url for link in page.links)


def quick():
    return live(timeout=2, deadline=4, max_wait=1)


def said(answer: bytes):
    """Say an answer and hang up."""

    def act(connection: socket.socket) -> None:
        connection.sendall(answer)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)

    return act


@pytest.fixture(scope="module")
def server():
    with Loopback({}) as server:
        yield server


NUMBERS = count()


@given(chance)
@fuzzed
def test_answers(server, rng):
    path = f"/{next(NUMBERS)}"
    server.routes = {path: said(mutated(rng.choice(ANSWERS), rng)), "/elsewhere": reply(PAGE)}
    with soon(), suppress(FetchError):
        assert isinstance(quick().fetch(server.url(path)), Page)


@given(chance)
@fuzzed
def test_robots(server, rng):
    server.routes = {"/robots.txt": reply(mutated(ROBOTS, rng)), "/private/x": reply(PAGE)}
    with soon(), suppress(FetchError):
        assert isinstance(quick().fetch(server.url("/private/x")), Page)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def warc(folder):
    """Return the bytes of an archive, packed and plain."""
    urls = [f"http://{name}.example/" for name in "abcd"]
    kept = Archive(ReplayWeb.from_pages(dict.fromkeys(urls, PAGE)), folder / "x.warc.gz")
    for url in urls:
        kept.fetch(url)
    plain = gzip.decompress((folder / "x.warc.gz").read_bytes())
    plain = re.sub(rb"(WARC-Record-ID|WARC-Date): .*", rb"\1: 2026-01-01T00:00:00Z", plain)
    records = re.split(rb"(?<=\r\n\r\n)(?=WARC/1)", plain)
    packed = b"".join(gzip.compress(record, mtime=0) for record in records)
    return [("x.warc.gz", packed), ("x.warc", plain)]


@given(chance)
@fuzzed
def test_warc(warc, folder, rng):
    name, body = rng.choice(warc)
    path = folder / f"fuzzed-{name}"
    path.write_bytes(mutated(body, rng))
    with soon(), suppress(ValueError):  # such as: no page in it
        again = ReplayWeb.from_warc([path])
        for url in again.urls():
            with suppress(FetchError):
                assert isinstance(again.fetch(url), Page)


def crawled(path):
    web = orchard(sites=8, pages=5)
    how = {"policy": "best-first", "budget": 12, "classifier": CountingClassifier()}
    return focused.crawl(web, seed_of(web), TOPIC, checkpoint=path, progress=False, **how)


@pytest.fixture(scope="module")
def journal(folder):
    crawled(folder / "whole.jsonl")
    return (folder / "whole.jsonl").read_bytes()


@given(chance)
@fuzzed
def test_journals(journal, folder, rng):
    path = folder / "fuzzed.jsonl"
    path.write_bytes(mutated(journal, rng))
    with soon():
        try:
            result = crawled(path)
        except ValueError as error:
            assert "checkpoint=" in str(error)
        else:
            assert len(result.log) == 1 + 12
