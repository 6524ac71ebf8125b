"""Mutated answers and robots.txt, and files of all kinds: `make fuzz`, not part of the suite.

Each case ends soon and in little memory, as a result or as the error that its caller is told of.
CASES of each kind are tried (default 4,000; fewer of slow ones), the same ones each time.
"""

from __future__ import annotations

import gc
import gzip
import os
import shutil
import socket
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

import psutil
import pytest
from click.testing import CliRunner
from fakes import crawl, orchard, seed_of
from live.web.test_pdf import SONGS
from loopback import Loopback, live, reply
from watching_web import run_daily

from tres_live import Archive
from tres_live.command.app import in_a_line, main
from tres_live.command.extracts import growing_log
from tres_live.command.options import CrawlOptions, Folder, WatchOptions
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
    reply(PAGE, Content_Encoding="gzip"),
    reply(status=302, Location="/elsewhere"),
    reply(status=429, Retry_After="1"),
    b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + reply(PAGE),
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<p>ap\r\n3\r\nple\r\n0\r\n\r\n",
]
LISTS = [
    b"""<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>One &amp;
two</title><link>/one</link><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate></item></channel>""",
    b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="html">A &lt;b></title>
<link rel="alternate" href="a"/><link rel="self" href="b"/><updated>2024-01-01</updated></entry>""",
    b"""<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE x [<!ENTITY y "yy">]><urlset><url>
<loc>/a?b=1&amp;c=2</loc><lastmod>2024-01-01T00:00+01:00</lastmod></url><url><loc>/&y;</loc>""",
    gzip.compress(b"<sitemapindex><sitemap><loc>/m.xml.gz</loc><lastmod>2024</lastmod></sitemap>"),
]
TOML = b"""topic = "jazz"\nseeds = ["http://a.example/"]\nkeywords = ["jazz", "swing"]
contact = "me@a.example"\ndelay = 1.5\npdf = false\nmax-depth = 3\ninclude = ['a{1,9}$']"""
ABOUT = {"topic": "jazz", "seeds": ["http://a.example/"], "keywords": ["jazz", "swing"]}
ABOUT |= {"contact": "me@a.example"}
WORDS = [
    *(b"<b>", b"</i>", b"<!--", b"<![CDATA[", b"<script>", b"&#0;", b"&amp", b"\r\n", b"\n", b"\0"),
    *(b"\xff", b"\x1b[2J", b"\xe2\x80\xae", b":", b" ", b"=", b'"', b"0", b"-1", b"9" * 30, b"{"),
    *(b"}", b"[", b"null", b"1e309", b"\x1f\x8b", b"Content-Length: 5\r\n", b"WARC/1.0\r\n"),
    *(b"Content-Encoding: br\r\n", b"Transfer-Encoding: chunked\r\n", b"User-agent: *\n"),
]
SERVER = Loopback({})


def mutated(body: bytes, rng: Random) -> bytes:
    """Return a body with one to eight changes."""
    data = bytearray(body)
    for _ in range(rng.randint(1, 8)):
        i = rng.randint(0, len(data))
        new = [b"", rng.choice(WORDS) * rng.choice((1, 1, 50)), data[i : i + rng.randint(1, 200)]]
        data[i : i + rng.choice((0, 0, 1, 40))] = rng.choice([*new, rng.randbytes(3)])
    return bytes(data if rng.random() < 0.9 else data[: rng.randint(0, len(data))])


def answered(path: Path) -> None:
    def act(connection: socket.socket) -> None:
        connection.sendall(path.read_bytes())

    fetched({"/private/x": act, "/elsewhere": reply(PAGE)})


def ruled(path: Path) -> None:
    fetched({"/robots.txt": reply(path.read_bytes()), "/private/x": reply(PAGE)})


def fetched(routes: dict) -> None:
    SERVER.routes = routes
    assert isinstance(live(timeout=2, deadline=4, max_wait=1).fetch(SERVER.url("/private/x")), Page)


def parsed(path: Path) -> None:
    page = parse_page("http://a.example/dir/", path.read_bytes())
    assert isinstance(page, Page) and all(link.url for link in page.links)


def listed(path: Path) -> None:
    formats, answer = Formats(10**6, pdf=False, feeds=True), Answer(200, {}, path.read_bytes())
    assert all(link.url for link in formats.page("http://a.example/dir/list", answer).links)


def warc(folder: Path) -> None:
    urls = [f"http://{name}.example/" for name in "abcd"]
    kept = Archive(ReplayWeb.from_pages(dict.fromkeys(urls, PAGE)), folder / "x.warc.gz")
    for url in urls:
        kept.fetch(url)
    (folder / "x.warc").write_bytes(gzip.decompress((folder / "x.warc.gz").read_bytes()))


def replayed(path: Path) -> None:
    again = ReplayWeb.from_warc([path])  # ValueError, such as: no page in it
    for url in again.urls():
        with suppress(FetchError):
            assert isinstance(again.fetch(url), Page)


def resumed(path: Path):
    web = orchard(sites=8, pages=5)
    result = crawl(web, seed_of(web), "best-first", 12, checkpoint=path)
    assert len(result.log) == 1 + 12
    return result


def crawl_folder(folder: Path) -> None:
    made = Folder.create(folder, CrawlOptions(**ABOUT))
    rows = resumed(made.journal).log.astype(object)
    with growing_log(made.rows) as add:
        for row in rows.where(rows.notna(), None).to_dict("records"):
            add(row)


def watch_folder(folder: Path) -> None:
    run_daily(str(Folder.create(folder, WatchOptions(**ABOUT)).store), 2.0)


def commanded(path: Path) -> None:
    """Ask for the status and an export, and go on with a watch."""
    formats = [] if path.name.startswith("watch") else ["--format", "urls,csv"]
    for command in (["status"], ["export", *formats]):
        ended = CliRunner().invoke(main, [*command, str(path.parent)])
        assert ended.exception is None or isinstance(ended.exception, SystemExit)
        assert ended.exit_code == 0 or ended.output.count("\n") == 1, ended.output
    if path.suffix == ".sqlite":
        for name in ("-wal", "-shm"):
            Path(f"{path}{name}").unlink(missing_ok=True)
        try:
            run_daily(str(path), 2.2)
        except Exception as error:
            assert in_a_line(error, [str(path.parent)]) or isinstance(error, ValueError | OSError)
            raise ValueError from error


SURFACES = {  # what makes the files, what reads one that was mutated, and of CASES one in so many
    "answers": (ANSWERS, answered, 4),
    "robots": ([ROBOTS], ruled, 4),
    "pages": (BODIES, parsed, 1),
    "lists": (LISTS, listed, 1),
    "toml": ([TOML], lambda path: CrawlOptions.read({}, path), 1),
    "pdf": ([SONGS], lambda path: read_pdf("http://a.example/", path.read_bytes()), 100),
    "warc": (warc, replayed, 1),
    "journals": (lambda folder: resumed(folder / "journal.jsonl"), resumed, 4),
    "crawl folders": (crawl_folder, commanded, 4),
    "watch folders": (watch_folder, commanded, 16),
}


@pytest.fixture(scope="module", autouse=True)
def serving():
    with SERVER:
        yield


@pytest.mark.parametrize("name", SURFACES)
def test_mutated(name, tmp_path):
    (made, read, cost), process = SURFACES[name], psutil.Process()
    for n, body in enumerate(made if isinstance(made, list) else []):
        (tmp_path / f"{n}.toml").write_bytes(body)
    if callable(made):
        made(tmp_path)
    files = [f for f in tmp_path.iterdir() if f.suffix not in (".lock", ".part") and f.is_file()]
    bodies, ended, before = {file: file.read_bytes() for file in sorted(files)}, Counter(), None
    for case in range(CASES // cost):
        rng = Random(f"{name} {case}")
        file, body = list(bodies.items())[
            case if case < len(bodies) else rng.randrange(len(bodies))
        ]
        file.write_bytes(mutated(body, rng) if case >= len(bodies) else body)
        start = time.process_time()
        try:
            read(file)
            ended["read"] += 1
        except (ValueError, FetchError):
            ended["refused"] += 1
        except BaseException:
            shutil.copy(file, f"{tmp_path}/case-{case}-{file.name}")
            print(f"{name}, case {case}: {tmp_path}")
            raise
        file.write_bytes(body)
        if case >= len(bodies):  # the first cases load the libraries
            before = before or process.memory_info().rss
            if process.memory_info().rss - before > MOST * 2**20:
                gc.collect()
            assert process.memory_info().rss - before < MOST * 2**20, f"{name}, case {case}"
            assert time.process_time() - start < SLOWEST, f"{name}, case {case}"
    print(f"\n{name}: {dict(ended)}")
