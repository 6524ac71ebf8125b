"""Several pages in flight at once, and crawls that stop because they cannot go on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, assert_same, orchard, seed_of

from tres_lib import focused
from tres_lib.focused import drivers
from tres_webs import FetchError


def crawl(web, **changed):
    arguments = {"policy": "tres", "budget": 80, "classifier": CountingClassifier(), **changed}
    return focused.crawl(web, seed_of(orchard()), TOPIC, progress=False, **arguments)


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
        assert_same(second, crawl(orchard()))
        assert len(set(web.fetched)) == len(web.fetched) <= 81 - 29


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
def test_ctrl_c_ends_a_crawl_whose_pages_do_not_come(tmp_path):
    path, here, in_flight = tmp_path / "crawl.jsonl", Path(__file__).parent, 8
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
