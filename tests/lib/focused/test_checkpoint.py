"""A crawl that is killed goes on where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, orchard, page, seed_of
from tres_lib.focused.fetcher import Fetcher, Visit

from tres_lib import focused
from tres_lib.journal import Journal
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
    with pytest.raises(ValueError, match="checkpoint=.* line 4 "):
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
    links = (Link(other, "“x”", "html i#é a"),)
    odd = Page(url, 200, "\ud800 t\n", "naïve  \x00", links, fetched_at=1.5, truncated=True)

    class Web:
        def fetch(self, wanted):
            if wanted == url:
                return odd
            raise FetchError(wanted, "gone", 410)

    def visits():
        fetcher = Fetcher(Web(), journal=Journal(tmp_path / "j", {"a": 1}))
        found = []
        for address in (url, other):
            fetcher.ask(address)
            found.append(fetcher.next())
        fetcher.close()
        return found

    first = visits()
    again = visits()
    assert first == again and first[0].page == odd and first[1].status == 410
    assert again[0].page.links[0].path == "html i#é a"


def test_a_journal_of_version_0_1_is_read():
    """It did not say whether a page was truncated, nor where links stand."""
    url = "http://a.example/"
    line = {
        "url": url,
        "seconds": 0.5,
        "page": [url, 200, "t", "x"],
        "links": [["http://b.example/", "b"]],
        "fetched_at": None,
    }
    links = (Link("http://b.example/", "b"),)
    assert Visit.from_json(line).page == Page(url, 200, "t", "x", links)


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


def test_a_link_to_a_journal_is_the_same_journal(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    with (
        Journal(tmp_path / "folder" / "a", {}),
        pytest.raises(ValueError, match="in use"),
        Journal(tmp_path / "link" / "a", {}),
    ):
        pass


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
    with pytest.raises(ValueError, match="other arguments"):
        crawl(path, policy="bfs", budget=5)
    assert crawl(path, policy="bfs").stopped == "budget spent"


HELD = """
import sys, time
from tres_lib.journal import Journal
journal = Journal({path!r}, {{"a": 1}})
print("open", flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_lock_dies_with_its_process(tmp_path):
    path = tmp_path / "crawl.jsonl"
    script = HELD.format(path=str(path))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"open\n"
    with pytest.raises(ValueError, match="in use"):
        Journal(path, {"a": 1})
    process.send_signal(signal.SIGKILL)
    process.communicate()
    Journal(path, {"a": 1}).close()


def small(checkpoint=None):
    return crawl(checkpoint, orchard(sites=4, pages=5), policy="bfs", budget=5)


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
        lambda line: b"",
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
    "edit", [lambda line: line[9:], lambda line: b"\xff" + line, lambda line: b"[" * 9999 + b"\n"]
)
def test_a_first_line_edited_by_hand_is_named(tmp_path, edit):
    path = tmp_path / "crawl.jsonl"
    small(path)
    edited(path, 1, edit)
    with pytest.raises(ValueError, match=r"crawl\.jsonl.* line 1 .*name another file"):
        small(path)


def test_line_ends_of_another_system_and_a_missing_last_one_do_no_harm(tmp_path):
    path = tmp_path / "crawl.jsonl"
    expected = small(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    assert_same(small(path), expected)


@pytest.mark.slow
def test_a_journal_cut_at_any_byte_is_resumed(tmp_path):
    urls = [f"http://a.example/{i}" for i in range(3)]
    path, pages = tmp_path / "crawl.jsonl", {u: page(u, *urls, text="é") for u in urls[:2]}

    def visits():
        fetcher = Fetcher(DictWeb(pages), journal=Journal(path, {"a": 1}))
        with closing(fetcher):
            for url in urls:
                fetcher.ask(url)
                yield replace(fetcher.next(), seconds=0)

    expected = list(visits())
    content = path.read_bytes()
    for left in range(len(content)):
        path.write_bytes(content[:left])
        assert list(visits()) == expected
        assert path.read_bytes().count(b"\n") == 4


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
@pytest.mark.parametrize("policy", ["tres", "prospector", "best-first"])
@pytest.mark.parametrize("stopped_after", [None, 25])
def test_more_budget_for_a_crawl_that_was_finished_or_stopped(tmp_path, policy, stopped_after):
    path = tmp_path / "journal.jsonl"
    whole = crawl(policy=policy, extra=30)
    if stopped_after:
        with pytest.raises(KeyboardInterrupt):
            crawl(path, Limited(orchard(), stopped_after), policy=policy)
    else:
        assert len(crawl(path, policy=policy).log) == BUDGET + 1
    web = orchard()
    longer = crawl(path, web, policy=policy, extra=30)
    assert_same(longer, whole)
    assert len(longer.log) == 1 + BUDGET + 30
    assert len(web.fetched) == 30 + (BUDGET + 1 - stopped_after if stopped_after else 0)
    assert_same(crawl(path, policy=policy), crawl(policy=policy))  # the shorter one is in there


@pytest.mark.slow
def test_the_cap_of_a_longer_crawl_stays_at_its_last_value():
    longer = crawl(policy="bfs", max_per_domain=(5, 2), extra=20).log
    shorter = crawl(policy="bfs", max_per_domain=(5, 2)).log
    assert longer["url"][: len(shorter)].tolist() == shorter["url"].tolist()
    new = longer[longer["step"] > BUDGET]
    counts = longer[longer["step"] > 0].groupby("domain").cumcount() + 1
    assert len(new) == 20 and counts[new.index].max() <= 2


def test_extra_must_be_a_count():
    with pytest.raises(ValueError, match="extra=-1"):
        crawl(extra=-1)


class StoneClassifier(CountingClassifier):
    """Takes what the other turns down."""

    def proba(self, texts):
        return 1 - super().proba(texts)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["prospector", "best-first", "sb", "tree-random"])
@pytest.mark.parametrize("in_flight", [1, 3])
def test_a_course_retraces_a_checkpoint_by_another_classifier(tmp_path, policy, in_flight):
    path, how = tmp_path / "journal.jsonl", {"policy": policy, "in_flight": in_flight}
    first = crawl(path, **how).log
    how |= {"classifier": StoneClassifier(), "course": first["url"][1:].tolist(), "extra": 20}
    web = orchard()
    longer = crawl(path, web, **how).log
    assert longer["url"][: BUDGET + 1].tolist() == first["url"].tolist()
    np.testing.assert_allclose(longer["p"][: BUDGET + 1], 1 - first["p"])
    assert len(web.fetched) == 20 == len(longer) - BUDGET - 1
    if in_flight == 1:
        assert_same(crawl(path, DictWeb({}, web.truth), **how), crawl(None, **how))


@pytest.mark.slow
def test_the_course_that_a_policy_would_choose_changes_nothing():
    whole = crawl(policy="prospector")
    assert_same(crawl(policy="prospector", course=whole.log["url"][1:31].tolist()), whole)
    far = whole.log["url"][30]
    assert crawl(policy="prospector", course=[far]).log["url"][1] == far, "no link to it is open"
