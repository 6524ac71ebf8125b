"""Several pages in flight at once, and crawls that stop because they cannot go on."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, orchard, seed_of

from tres_lib import focused
from tres_lib.focused import drivers
from tres_webs import FetchError


def crawl(web, **changed):
    arguments = {"policy": "tres", "budget": 80, "classifier": CountingClassifier(), **changed}
    return focused.crawl(web, seed_of(orchard()), TOPIC, progress=False, **arguments)


def same(first, second):
    pd.testing.assert_frame_equal(
        first.log.drop(columns="seconds"), second.log.drop(columns="seconds")
    )


class Uneven(DictWeb):
    """Pages take different times; it counts how many are being fetched at once."""

    def __init__(self, web: DictWeb, seed: int = 0):
        super().__init__(web.pages, web.truth)
        self.delays = iter(np.random.default_rng(seed).random(1_000) / 200)
        self.lock, self.now, self.most = threading.Lock(), 0, 0

    def fetch(self, url):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
            delay = next(self.delays)
        time.sleep(delay)
        with self.lock:
            self.now -= 1
            return super().fetch(url)


class Broken(DictWeb):
    """A web whose network goes away after some fetches."""

    def __init__(self, web: DictWeb, fetches: int):
        super().__init__(web.pages, web.truth)
        self.left = fetches

    def fetch(self, url):
        self.left -= 1
        if self.left < 0:
            raise FetchError(url, "no route to host")
        return super().fetch(url)


@pytest.mark.slow
def test_as_many_as_allowed_are_in_flight():
    web = Uneven(orchard())
    web.delays = itertools.repeat(0.05)  # long enough to overlap on a busy machine
    result = crawl(web, in_flight=4)
    assert web.most == 4
    assert result.stopped == "budget spent"
    assert result.log.step.tolist() == list(range(81))
    assert result.log.url.is_unique and len(web.fetched) == 81


@pytest.mark.slow
def test_one_in_flight_never_overlaps():
    web = Uneven(orchard())
    same(crawl(web), crawl(orchard()))
    assert web.most == 1


@pytest.mark.slow
def test_the_journal_keeps_the_order_of_arrivals(tmp_path):
    path = tmp_path / "crawl.jsonl"
    first = crawl(Uneven(orchard(), 1), in_flight=4, checkpoint=path)
    web = orchard()
    same(first, crawl(web, in_flight=4, checkpoint=path))
    assert web.fetched == []


@pytest.mark.slow
def test_a_crawl_with_pages_in_flight_is_resumed(tmp_path):
    path = tmp_path / "crawl.jsonl"
    crawl(Uneven(orchard(), 1), in_flight=4, checkpoint=path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:40]) + lines[40][:9])
    web = orchard()
    resumed = crawl(web, in_flight=4, checkpoint=path)
    visited = [json.loads(line)["url"] for line in lines[1:40]]
    assert resumed.log.url[:39].tolist() == visited
    assert len(resumed.log) == 81 and len(web.fetched) == 81 - 39
    assert resumed.log.url.is_unique


@pytest.mark.slow
def test_a_cap_holds_for_pages_in_flight():
    result = crawl(Uneven(orchard()), in_flight=8, max_per_domain=2, budget=40)
    assert result.log[result.log.step > 0].domain.value_counts().max() <= 2


@pytest.mark.slow
@pytest.mark.parametrize("in_flight", [1, 3])
def test_without_a_network_the_crawl_stops_and_goes_on_later(tmp_path, in_flight):
    path = tmp_path / "crawl.jsonl"
    settings = {"checkpoint": path, "patience": 10, "in_flight": in_flight}
    first = crawl(Broken(orchard(), 30), **settings)
    assert first.stopped == "10 fetches in a row failed, the last one: no route to host"
    assert (first.log.reason == "no route to host").sum() == 10
    web = orchard()
    second = crawl(web, **settings)
    assert second.stopped == "budget spent"
    assert "no route to host" not in set(second.log.reason)
    if in_flight == 1:
        same(second, crawl(orchard()))
        assert len(set(web.fetched)) == len(web.fetched) <= 81 - 29


@pytest.mark.slow
def test_scattered_failures_do_not_stop_a_crawl():
    assert crawl(orchard(), patience=8).stopped == "budget spent"


@pytest.mark.slow
def test_a_web_is_told_what_the_journal_had(tmp_path):
    path = tmp_path / "crawl.jsonl"
    crawl(orchard(), checkpoint=path, budget=20)

    class Forgetful(DictWeb):
        told = []

        def remember(self, url, page):
            self.told.append((url, page.url))

    web = Forgetful(orchard().pages, orchard().truth)
    result = crawl(web, checkpoint=path, budget=20)
    had = result.log[result.log.reason == ""]
    assert [url for url, _ in web.told] == had.url.tolist()


SLOW = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # also in the background
sys.path[:0] = [{tests!r}, "tests"]
import test_in_flight as t
class Slow(t.DictWeb):
    def fetch(self, url):
        if len(self.fetched) >= 12:
            print("waits\\n", end="", flush=True)
            time.sleep(60)
        return super().fetch(url)
web = t.orchard()
t.crawl(Slow(web.pages, web.truth), policy="bfs", checkpoint={path!r}, in_flight={n}, grow=0)
"""


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.parametrize("in_flight", [1, 8])
def test_ctrl_c_ends_a_crawl_whose_pages_do_not_come(tmp_path, in_flight):
    path, here = tmp_path / "crawl.jsonl", Path(__file__).parent
    script = SLOW.format(tests=str(here), path=str(path), n=in_flight)
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=here.parents[1], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for _ in range(in_flight):
        assert process.stdout.readline() == "waits\n"
    time.sleep(0.2)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=5)
    finally:
        process.kill()
        process.communicate()
    assert time.monotonic() - begun < 5
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) >= 8 and all(json.loads(line) for line in lines)
    web = orchard()
    resumed = crawl(web, policy="bfs", checkpoint=path, in_flight=in_flight)
    assert resumed.stopped == "budget spent" and len(web.fetched) == 81 - (len(lines) - 1)


FULL = """
import resource, signal, sys
sys.path[:0] = [{tests!r}, "tests"]
import test_in_flight as t
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
result = t.crawl(t.orchard(), checkpoint={path!r})
print(len(result.log), result.stopped)
"""


@pytest.mark.slow
def test_a_full_disk_ends_the_crawl_with_its_reason_and_it_resumes(tmp_path):
    pytest.importorskip("resource")
    path = tmp_path / "crawl.jsonl"
    script = FULL.format(tests=str(Path(__file__).parent), path=str(path))
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, timeout=120
    )
    count, reason = done.stdout.strip().split(" ", 1)
    assert reason == "the journal could not be written: File too large", done.stderr
    assert 5 < int(count) < 81 and path.stat().st_size <= 20_000
    web = orchard()
    same(crawl(web, checkpoint=path), crawl(orchard()))
    assert len(web.fetched) <= 81 - int(count)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value"), [("in_flight", 0), ("in_flight", 1.5), ("patience", 0), ("patience", "x")]
)
def test_bad_arguments(name, value):
    with pytest.raises(ValueError, match=f"{name}="):
        crawl(orchard(), **{name: value})


@pytest.mark.parametrize(("pause", "rests"), [(60.0, True), (9.0, False)])
@pytest.mark.parametrize("in_flight", [1, 4])
def test_a_host_that_asks_for_a_long_pause_is_passed_over(pause, rests, in_flight, monkeypatch):
    """Its links come last, as no other is left; a pause of up to ten seconds is waited for."""
    waits = []
    monkeypatch.setattr(drivers.time, "sleep", waits.append)

    class Paused(DictWeb):
        def pause(self, url):
            return pause if "//site4." in url else 0.0

    few, many = orchard(sites=12), Paused(orchard(sites=12).pages, orchard(sites=12).truth)
    how = {"policy": "best-first", "budget": 600, "in_flight": in_flight, "grow": 0}
    usual, passed = (list(crawl(web, **how).log["url"]) for web in (few, many))
    of_site = [i for i, url in enumerate(passed) if "//site4." in url]
    assert len(of_site) > 20 and sorted(usual) == sorted(passed)
    assert {round(seconds) for seconds in waits} == ({50} if rests else set())
    assert (min(of_site) > 300) == rests  # then its pages show the way to the last ones
