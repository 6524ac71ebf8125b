"""The clock of a crawl: what it counts, not how long that takes."""

from __future__ import annotations

import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, orchard, seed_of

from tres_lib import focused
from tres_lib.experiments import tres_timing as timing
from tres_lib.web import FetchError


def test_the_clock_notes_each_fetch_and_changes_no_crawl():
    web = orchard()
    common = {"classifier": CountingClassifier(), "budget": 60, "progress": False}
    clock = timing.Clock(web)
    timed = focused.crawl(clock, seed_of(web, 2), TOPIC, policy="bfs", **common)
    plain = focused.crawl(web, seed_of(web, 2), TOPIC, policy="bfs", **common)
    assert timed.log["url"].tolist() == plain.log["url"].tolist()
    assert timed.log["relevant_true"].tolist() == plain.log["relevant_true"].tolist()
    assert len(clock.between) == len(clock.fetching) == len(timed.log) == 62
    assert min(clock.between + clock.fetching) >= 0
    assert (timed.log["reason"] != "").any()  # a dead link is a fetch, too


def test_times_are_told_apart(monkeypatch):
    ticks = iter([10.0, 11.0, 15.0, 15.5, 15.75])
    monkeypatch.setattr(timing.time, "process_time", lambda: next(ticks))
    web = orchard()
    clock = timing.Clock(web)
    clock.fetch(seed_of(web)[0])
    with pytest.raises(FetchError):
        clock.fetch("http://nowhere.example/")
    assert clock.between == [1.0, 0.5] and clock.fetching == [4.0, 0.25]


def test_a_timed_trial_is_a_log_with_times(monkeypatch):
    web = orchard()
    web.seeds = lambda topic, n, rng: seed_of(web, n)
    monkeypatch.setattr(timing, "VitalWeb", lambda *setting: web)
    monkeypatch.setattr(timing, "default_classifier", lambda *setting: CountingClassifier())
    monkeypatch.setattr(timing, "topic_keywords", lambda topic: topic)
    log = timing.timed_trial("tres-gamma-0", TOPIC, budget=30)
    assert log["step"].tolist() == list(range(31))
    assert (log[["cpu", "fetching"]] >= 0).all(axis=None)
    times = pd.DataFrame({"step": [0, 1, 2, 3], "cpu": [9, 9, 1, 3], "fetching": [9, 9, 0.5, 0.5]})
    monkeypatch.setattr(timing, "timed_trial", lambda *given, **setting: times)
    assert timing.seconds_a_step("bfs", TOPIC) == 2.5


def test_bad_arguments():
    with pytest.raises(ValueError, match="budget=1"):
        timing.seconds_a_step("bfs", "sports", budget=1)
    with pytest.raises(ValueError, match="limit='7'"):
        timing.timed_trial("bfs", "sports", limit="7")
