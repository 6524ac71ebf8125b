"""A crawl that is killed goes on where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, assert_same, orchard, seed_of

from tres_lib import focused
from tres_lib.focused.fetching import Visit
from tres_webs import Failure, FetchError, Link, Page

BUDGET = 60


def crawl(checkpoint=None, web=None, topic=TOPIC, n=1, **changed):
    web = web or orchard()
    how = {"policy": "tres", "budget": BUDGET, "classifier": CountingClassifier()} | changed
    return focused.crawl(web, seed_of(web, n), topic, checkpoint=checkpoint, progress=False, **how)


class Limited(DictWeb):
    """A web that stops the program after some fetches."""

    def __init__(self, web: DictWeb, fetches: int):
        super().__init__(web.pages, web.truth)
        self.left = fetches

    def fetch(self, url):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        return super().fetch(url)


def interrupted(path, fetches):
    with pytest.raises(KeyboardInterrupt):
        crawl(path, Limited(orchard(), fetches))


@pytest.mark.slow
def test_a_torn_header_is_written_again(tmp_path):
    path = tmp_path / "crawl.jsonl"
    interrupted(path, 0)
    path.write_bytes(path.read_bytes()[:30])
    assert_same(crawl(path), crawl())


def test_another_crawl_is_refused(tmp_path):
    path, other = tmp_path / "crawl.jsonl", replace(TOPIC, name="vegetables")
    small(path)
    before = path.read_bytes()
    for name, given in (("rng", {"rng": 1}), ("topic", {"topic": other}), ("seeds", {"n": 2})):
        with pytest.raises(ValueError, match=f"other arguments: {name} was"):
            small(path, **given)
    assert path.read_bytes() == before


def test_a_journal_keeps_pages_as_they_were(tmp_path):
    """Odd characters, errors and times survive."""
    url, other = "http://a.example/", "http://b.example/"
    links = (Link(other, "“x”", "html i#é a"),)
    odd = Page(url, 200, "\ud800 t\n", "naïve  \x00", links, fetched_at=1.5, truncated=True)

    gone = FetchError(other, "gone", 410, Failure.COPY, url)
    for visit in (Visit.of(url, odd, 0.5), Visit.of(other, gone, 1)):
        assert Visit.from_json(json.loads(json.dumps(visit.as_json()))) == visit
    assert str(Visit.of(other, gone).error) == str(gone)


@pytest.mark.slow
@pytest.mark.parametrize("in_flight", [1, 4])
def test_of_two_crawls_on_a_checkpoint_the_second_is_refused(tmp_path, in_flight):
    path = tmp_path / "crawl.jsonl"

    class Meddler(DictWeb):
        def fetch(self, url):
            if len(self.fetched) == 5:
                with pytest.raises(ValueError, match=r"crawl\.jsonl.* in use .*another file"):
                    crawl(path, policy="bfs", in_flight=in_flight)
            return super().fetch(url)

    web = orchard()
    first = crawl(path, Meddler(web.pages, web.truth), policy="bfs", in_flight=in_flight)
    assert first.stopped == "budget spent" and len(first.log) == BUDGET + 1
    again = crawl(path, DictWeb({}, web.truth), policy="bfs", in_flight=in_flight)
    assert_same(first, again)


def small(checkpoint=None, **changed):
    return crawl(checkpoint, orchard(sites=5, pages=5), policy="bfs", budget=5, **changed)


def edited(path, number, edit):
    """Replace a line of a journal, counted from 1, by what a function makes of it."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1] = edit(lines[number - 1])
    path.write_bytes(b"".join(lines))


def change(**values):
    return lambda line: json.dumps(json.loads(line) | values).encode() + b"\n"


@pytest.mark.parametrize(
    "edit",
    [
        lambda line: line[:20] + b"\n",
        lambda line: line.replace(b"{", b"", 1),
        lambda line: b"\n" + line,
        lambda line: b"[" * 100_000 + b"\n",
        lambda line: b"\xff\xfe\n",
        lambda line: b'"a text"\n',
        lambda line: b"{}\n",
        change(url="http://elsewhere.example/"),
        change(url=[1]),
        change(seconds=None),
        change(seconds="1"),
        change(seconds=float("nan")),
        change(page=["http://a.example/", "200", "title", "text"]),
        change(page=["http://a.example/", 10**30, "title", "text"]),
        change(page=["http://a.example/", 200, None, "text"]),
        change(page=["http://\ud800.example/", 200, "title", "text"]),
        change(page=7),
        change(links=7),
        change(links=[["http://a.example/", 5]]),
        change(links=[[5, ""]]),
        change(fetched_at="noon"),
    ],
)
def test_a_line_edited_by_hand_is_named_with_the_remedy(tmp_path, edit):
    path = tmp_path / "crawl.jsonl"
    small(path)
    edited(path, 4, edit)
    before = path.read_bytes()
    named = r"checkpoint='.*crawl\.jsonl'.* line 4.*cut .*off.*name another file"
    with pytest.raises(ValueError, match=named):
        small(path)
    assert path.read_bytes() == before
    path.write_bytes(b"".join(before.splitlines(keepends=True)[:3]))
    assert_same(small(path), small())


@pytest.mark.parametrize(
    "edit", [change(status="404"), change(status=10**30), change(reason=None), change(reason=7)]
)
def test_a_failure_edited_by_hand_is_named(tmp_path, edit):
    path, web = tmp_path / "crawl.jsonl", DictWeb({}, set())
    with pytest.raises(ValueError, match="line 2"):
        for _ in range(2):
            focused.crawl(web, ["http://a.example/"], TOPIC, policy="bfs", checkpoint=path,
                          classifier=CountingClassifier(), budget=1, progress=False)  # fmt: skip
            edited(path, 2, edit)


@pytest.mark.parametrize(
    "edit",
    [lambda line: line[9:], lambda line: b"\xff" + line, lambda line: b"[" * 9999 + b"\n",
     lambda line: b"my diary", lambda line: b"[1]\n", lambda line: b'{"a": 1}\n'],
)  # fmt: skip
def test_a_first_line_that_is_none_is_named_and_left_alone(tmp_path, edit):
    path = tmp_path / "crawl.jsonl"
    small(path)
    edited(path, 1, edit)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"crawl\.jsonl.* line 1 .*name another file"):
        small(path)
    assert path.read_bytes() == before


def test_line_ends_of_another_system_and_a_missing_last_one_do_no_harm(tmp_path):
    path = tmp_path / "crawl.jsonl"
    expected = small(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    assert_same(small(path), expected)


SCRIPT = """
import sys, time
sys.path.insert(0, {tests!r})
import test_checkpoint as t
class Slow(t.DictWeb):
    def fetch(self, url):
        time.sleep(0.02)
        return super().fetch(url)
web = t.orchard()
t.crawl({path!r}, Slow(web.pages, web.truth))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_kill_9(tmp_path):
    path = tmp_path / "crawl.jsonl"
    here, tests = Path(__file__).parent, Path(__file__).parents[2]
    search = os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")])
    script = SCRIPT.format(tests=str(here), path=str(path))
    process = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": search}
    )
    deadline = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < 15:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = path.read_bytes().count(b"\n") - 1
    web = orchard()
    assert_same(crawl(path, web), crawl())
    assert 0 < len(web.fetched) == BUDGET + 1 - kept


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_crawl_that_ended_by_an_error_leaves_no_lock(tmp_path, error):
    path = tmp_path / "crawl.jsonl"

    class Ends(DictWeb):
        def is_relevant(self, url, topic):
            if len(self.fetched) > 3:
                raise error
            return True

    web = orchard()
    with pytest.raises(error):
        crawl(path, Ends(web.pages, web.truth), policy="bfs")
    assert crawl(path, policy="bfs").stopped == "budget spent"
