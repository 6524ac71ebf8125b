"""A crawl that is killed goes on where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, orchard, seed_of

from tres_lib import focused
from tres_lib.focused.fetcher import JournalledFetcher, Visit
from tres_lib.web import FetchError, Link, Page

BUDGET = 60


def crawl(checkpoint=None, web=None, **changed):
    web = web or orchard()
    arguments = {"policy": "tres", "budget": BUDGET, "classifier": CountingClassifier(), **changed}
    return focused.crawl(
        web, seed_of(web), TOPIC, checkpoint=checkpoint, progress=False, **arguments
    )


def assert_same(first, second):
    pd.testing.assert_frame_equal(
        first.log.drop(columns="seconds"), second.log.drop(columns="seconds")
    )


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
def test_resumed_after_an_interrupt(tmp_path):
    path = tmp_path / "deep" / "crawl.jsonl"
    interrupted(path, 0)
    interrupted(path, 25)
    web = orchard()
    result = crawl(path, web)
    assert_same(result, crawl())
    assert len(web.fetched) == BUDGET + 1 - 25
    assert result.log.seconds.is_monotonic_increasing


@pytest.mark.slow
def test_a_finished_crawl_is_replayed_without_a_fetch(tmp_path):
    path = tmp_path / "crawl.jsonl"
    first, web = crawl(path), orchard()
    second = crawl(path, web)
    pd.testing.assert_frame_equal(first.log, second.log)
    assert web.fetched == []


@pytest.mark.slow
@pytest.mark.parametrize("cut", [1, 40])
def test_a_torn_last_line_is_fetched_again(tmp_path, cut):
    path = tmp_path / "crawl.jsonl"
    interrupted(path, 20)
    path.write_bytes(path.read_bytes()[:-cut])
    web = orchard()
    assert_same(crawl(path, web), crawl())
    assert len(web.fetched) == BUDGET + 1 - 19
    assert all(json.loads(line) for line in path.read_text().splitlines())


@pytest.mark.slow
def test_a_damaged_line_is_named(tmp_path):
    path = tmp_path / "crawl.jsonl"
    interrupted(path, 5)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], lines[3][:20] + b"\n", *lines[4:]]))
    with pytest.raises(ValueError, match=f"checkpoint=.*byte {sum(map(len, lines[:3]))}"):
        crawl(path)


@pytest.mark.slow
def test_a_torn_header_is_written_again(tmp_path):
    path = tmp_path / "crawl.jsonl"
    interrupted(path, 0)
    path.write_bytes(path.read_bytes()[:30])
    assert_same(crawl(path), crawl())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"),
    [("budget", 61), ("policy", "random"), ("rng", 1), ("max_per_domain", 3), ("keywords", ["x"]),
     ("domain_features", False)],
)  # fmt: skip
def test_other_arguments(tmp_path, name, value):
    path = tmp_path / "crawl.jsonl"
    interrupted(path, 5)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=f"other arguments: {name} was"):
        crawl(path, **{name: value})
    assert path.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("content", ["my diary", "my diary\n", '{"a": 1}\n', "[1]\n"])
def test_another_file_is_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_text(content)
    with pytest.raises(ValueError, match="notes.txt"):
        crawl(path)
    assert path.read_text() == content


@pytest.mark.slow
def test_another_program(tmp_path):
    path = tmp_path / "crawl.jsonl"
    interrupted(path, 40)

    class Contrary(CountingClassifier):
        def proba(self, texts):
            return 1 - super().proba(texts)

    with pytest.raises(ValueError, match="where this crawl takes"):
        crawl(path, classifier=Contrary())


@pytest.mark.slow
def test_another_web_of_known_name(tmp_path):
    class Numbered(Limited):
        def __init__(self, number, fetches):
            super().__init__(orchard(), fetches)
            self.number = number

        def __repr__(self):
            return f"Numbered({self.number})"

    path = tmp_path / "crawl.jsonl"
    with pytest.raises(KeyboardInterrupt):
        crawl(path, Numbered(1, 5))
    with pytest.raises(ValueError, match=r"web was 'Numbered\(1\)', is 'Numbered\(2\)'"):
        crawl(path, Numbered(2, 100))
    assert_same(crawl(path, Numbered(1, 100)), crawl())


def test_a_generator_cannot_be_resumed(tmp_path):
    with pytest.raises(ValueError, match="rng=.*int"):
        crawl(tmp_path / "crawl.jsonl", rng=np.random.default_rng(0))


def test_a_journal_keeps_pages_as_they_were(tmp_path):
    """Odd characters, errors and times survive."""
    url, other = "http://a.example/", "http://b.example/"
    odd = Page(
        url, 200, "\ud800 t\n", "naïve  \x00", (Link(other, "“x”"),), fetched_at=1.5, truncated=True
    )

    class Web:
        def fetch(self, wanted):
            if wanted == url:
                return odd
            raise FetchError(wanted, "gone", 410)

    def visits():
        fetcher = JournalledFetcher(Web(), tmp_path / "j", {"a": 1})
        found = []
        for address in (url, other):
            fetcher.ask(address)
            found.append(fetcher.next())
        fetcher.close()
        return found

    first = visits()
    assert first == visits() and first[0].page == odd and first[1].status == 410


def test_a_journal_of_version_0_1_is_read():
    """It did not say whether a page was truncated."""
    url = "http://a.example/"
    line = {
        "url": url,
        "seconds": 0.5,
        "page": [url, 200, "t", "x"],
        "links": [],
        "fetched_at": None,
    }
    assert Visit.from_json(line).page == Page(url, 200, "t", "x", ())


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
    tests = Path(__file__).parent
    search = os.pathsep.join([str(tests.parent), os.environ.get("PYTHONPATH", "")])
    script = SCRIPT.format(tests=str(tests), path=str(path))
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
