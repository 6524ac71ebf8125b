"""Mutated answers and robots.txt, and files of all kinds: `make fuzz`, not part of the suite.

Each case ends soon and in little memory, as a result or as the error that its caller is told of.
CASES of each kind are tried (default 4,000; fewer of slow ones), the same ones each time.
"""

from __future__ import annotations

import gzip
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from fakes import TOPIC, CountingClassifier, orchard, seed_of
from hypothesis import HealthCheck, given, settings, strategies as st
from live.web.test_pdf import SONGS
from loopback import Loopback, live, reply
from watching_web import run_daily

from tres_lib import focused
from tres_live import Archive
from tres_live.command.app import in_a_line, main
from tres_live.command.extracts import growing_log
from tres_live.command.options import CrawlOptions, Folder, WatchOptions
from tres_live.web import pdf
from tres_live.web.http import Answer
from tres_live.web.live import Formats
from tres_live.web.pdf import read_pdf
from tres_webs import FetchError, Page, ReplayWeb, parse_page

CASES = int(os.environ.get("CASES", "4000"))
SLOWEST = 2.0  # seconds; the tests of hostile pages have tighter bounds
MOST = 200  # MB that all cases of a kind may add to the memory
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
    try:
        yield
    finally:
        assert time.process_time() - start < SLOWEST


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


FEEDS = [
    b"""<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>One &amp;
two</title><link>/one</link><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate></item><item><link>
http://a.example/two</link><dc:date xmlns:dc="x">2024-01-01T00:00:00Z</dc:date></item></channel>""",
    b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="html">A &lt;b></title>
<link rel="alternate" href="a"/><link rel="self" href="b"/><updated>2024-01-01</updated></entry>""",
]
SITEMAPS = [
    b"""<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE x [<!ENTITY y "yy">]><urlset xmlns="http:
//www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/a?b=1&amp;c=2</loc><lastmod>2024-01-01T00:00
+01:00</lastmod></url><url><loc><![CDATA[http://a.example/&y;]]></loc></url></urlset>""",
    b"<sitemapindex><sitemap><loc>/more.xml.gz</loc><lastmod>2024</lastmod></sitemap>",
]
TOML = b"""topic = "jazz"
seeds = ["http://a.example/"]
keywords = ["jazz", "swing"]
contact = "me@a.example"
budget = 10
delay = 1.5
pdf = false
max-depth = 3
include = ["/(jazz|swing)/", 'a{1,9}$']
rules = ["jazz (?:band|song)s?"]
rng = 0x1f
exclude = []
examples = []"""
ABOUT = {"topic": "jazz", "seeds": ["http://a.example/"], "keywords": ["jazz", "swing"]}
ABOUT |= {"contact": "me@a.example"}
XML = Formats(max_bytes=10**6, pdf=False, feeds=True)


class Surface(NamedTuple):
    """Sound files by their names in a folder, and what reads one of them that was mutated."""

    files: Callable[[Path], dict[str, bytes]]
    read: Callable[[Path], object]
    cost: int = 1  # of CASES one in so many is tried


def texts(bodies: list[bytes], suffix: str = "") -> Callable[[Path], dict[str, bytes]]:
    return lambda folder: {f"{n}{suffix}": body for n, body in enumerate(bodies)}


def parsed(path: Path) -> None:
    page = parse_page("http://a.example/dir/", path.read_bytes())
    assert isinstance(page, Page) and all(link.url for link in page.links)


def listed(path: Path) -> None:
    answer = Answer(200, {}, path.read_bytes())
    assert all(link.url for link in XML.page("http://a.example/dir/list", answer).links)


def warc(folder: Path) -> dict[str, bytes]:
    """Return an archive, packed and plain."""
    urls = [f"http://{name}.example/" for name in "abcd"]
    kept = Archive(ReplayWeb.from_pages(dict.fromkeys(urls, PAGE)), folder / "x.warc.gz")
    for url in urls:
        kept.fetch(url)
    plain = gzip.decompress((folder / "x.warc.gz").read_bytes())
    plain = re.sub(rb"(WARC-Record-ID|WARC-Date): .*", rb"\1: 2026-01-01T00:00:00Z", plain)
    records = re.split(rb"(?<=\r\n\r\n)(?=WARC/1)", plain)
    packed = b"".join(gzip.compress(record, mtime=0) for record in records)
    return {"y.warc.gz": packed, "y.warc": plain}


def replayed(path: Path) -> None:
    again = ReplayWeb.from_warc([path])  # ValueError, such as: no page in it
    for url in again.urls():
        with suppress(FetchError):
            assert isinstance(again.fetch(url), Page)


def crawled(path: Path) -> focused.CrawlResult:
    web = orchard(sites=8, pages=5)
    how = {"policy": "best-first", "budget": 12, "classifier": CountingClassifier()}
    return focused.crawl(web, seed_of(web), TOPIC, checkpoint=path, progress=False, **how)


def journal(folder: Path) -> dict[str, bytes]:
    crawled(folder / "journal.jsonl")
    return {"journal.jsonl": (folder / "journal.jsonl").read_bytes()}


def resumed(path: Path) -> None:
    try:
        assert len(crawled(path).log) == 1 + 12
    except ValueError as error:
        assert "checkpoint=" in str(error)
        raise


def crawl(folder: Path) -> dict[str, bytes]:
    made = Folder.create(folder, CrawlOptions(**ABOUT))
    rows = crawled(made.journal).log.astype(object)
    with growing_log(made.rows) as add:
        for row in rows.where(rows.notna(), None).to_dict("records"):
            add(row)
    files = (folder / "crawl.json", made.journal, folder / "rows.jsonl")
    return {file.name: file.read_bytes() for file in files}


def watch(folder: Path) -> dict[str, bytes]:
    made = Folder.create(folder, WatchOptions(**ABOUT))
    run_daily(str(made.store), 2.0)
    return {file.name: file.read_bytes() for file in (folder / "watch.json", made.store)}


def commanded(path: Path) -> None:
    for command in (["status"], ["export", "--format", "urls,csv"]):
        if command[0] == "status" or (path.parent / "crawl.json").exists():
            ended = CliRunner().invoke(main, [*command, str(path.parent)])
            assert ended.exception is None or isinstance(ended.exception, SystemExit)
            assert ended.exit_code == 0 or ended.output.count("\n") == 1, ended.output


def watched(path: Path) -> None:
    """Report on a watch, and go on with it."""
    commanded(path)
    if path.suffix == ".sqlite":
        for name in ("-wal", "-shm"):
            Path(f"{path}{name}").unlink(missing_ok=True)
        try:
            run_daily(str(path), 2.2)
        except Exception as error:
            assert in_a_line(error, [str(path.parent)]) or isinstance(error, ValueError | OSError)
            raise ValueError from error


SURFACES = {
    "pages": Surface(texts(BODIES), parsed),
    "feeds": Surface(texts(FEEDS), listed),
    "sitemaps": Surface(texts([*SITEMAPS, *map(gzip.compress, SITEMAPS)]), listed),
    "warc": Surface(warc, replayed),
    "journals": Surface(journal, resumed),
    "toml": Surface(texts([TOML], ".toml"), lambda path: CrawlOptions.read({}, path)),
    "crawl folders": Surface(crawl, commanded),
    "watch folders": Surface(watch, watched, 4),
    "pdf": Surface(texts([SONGS]), lambda path: read_pdf("http://a.example/", path.read_bytes())),
}
FORKS = """import os, sys
import pypdf
from tres_live.web import pdf
for line in sys.stdin.buffer:
    if not (child := os.fork()):
        sys.stdin, sys.stdout = open(line[:-1]), open(line[:-1] + b".json", "w")
        try:
            pdf._main()
            sys.stdout.flush()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    print(flush=True)
"""


class Forks(SimpleNamespace):
    """Stands for `subprocess` where PDFs are read: a process that has pypdf forks for each."""

    def __init__(self, folder: Path):
        super().__init__(**vars(subprocess))
        self.file = folder / "document"
        self.process = self.Popen([sys.executable, "-c", FORKS], stdin=self.PIPE, stdout=self.PIPE)

    def run(self, command: list[str], input: bytes, timeout: float, **pipes: object) -> object:
        begun = time.monotonic()
        self.file.write_bytes(input)
        self.process.stdin.write(f"{self.file}\n".encode())
        self.process.stdin.flush()
        assert self.process.stdout.readline() and time.monotonic() - begun < 2 * timeout
        return SimpleNamespace(stdout=Path(f"{self.file}.json").read_bytes())


@pytest.fixture(scope="module", autouse=True)
def forks(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patched:
        forks = Forks(tmp_path_factory.mktemp("pdf"))
        patched.setattr(pdf, "subprocess", forks)
        yield
    forks.process.communicate()


@pytest.mark.parametrize("name", SURFACES)
def test_mutated(name, tmp_path):
    surface, ended = SURFACES[name], Counter()
    files = list(surface.files(tmp_path).items())
    for file, body in files:  # loads the libraries, some 170 MB, before memory counts
        (tmp_path / file).write_bytes(body)
        with suppress(ValueError, FetchError):
            surface.read(tmp_path / file)
        (tmp_path / file).write_bytes(body)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for case in range(CASES // surface.cost):
        rng = Random(f"{name} {case}")
        file, body = rng.choice(files)
        (tmp_path / file).write_bytes(mutated(body, rng))
        try:
            with soon():
                surface.read(tmp_path / file)
            ended["read"] += 1
        except (ValueError, FetchError):
            ended["refused"] += 1
        except BaseException:
            shutil.copy(tmp_path / file, f"{tmp_path}/case-{case}-{file}")
            print(f"{name}, case {case}: {tmp_path}")
            raise
        (tmp_path / file).write_bytes(body)
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1_024
        assert more < MOST, f"{name}, case {case}: {more:.0f} MB"
    print(f"\n{name}: {dict(ended)}, {more:.0f} MB more")
