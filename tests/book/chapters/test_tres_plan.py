"""Sweeps as data: what is in them and in which order, and the clock of a crawl."""

from __future__ import annotations

import inspect

import pytest
from fakes import TOPIC, CountingClassifier, orchard, seed_of

from tres_book.chapters.c05_comparison import FAITHFUL
from tres_book.chapters.c06_ablations import CRAWLERS
from tres_book.crawls import timing
from tres_book.crawls.plan import plan
from tres_book.crawls.tables import paper_table
from tres_book.crawls.trial import trial
from tres_lib import focused
from tres_webs import FetchError

WEB = {"budget": 100, "sites": 2_000, "epochs": 1}


# Not in the stored crawls of Wikispeedia.


def crawlers(settings):
    return {(setting["policy"], setting["limit"]) for setting in settings}


def table_3(*given, **common):
    return plan(FAITHFUL, *given, **common)


def table_4(*given, **common):
    return plan(CRAWLERS, *given, **common)


@pytest.mark.parametrize(("make", "name"), [(table_3, "table 3"), (table_4, "table 4")])
def test_every_row_of_the_papers_tables_is_run(make, name):
    printed, ours = paper_table(name), crawlers(make(["food"], [0]))
    assert set(zip(printed["policy"], printed["limit"], strict=True)) <= ours


def test_settings_are_arguments_of_a_trial_and_each_occurs_once():
    for make in (table_3, table_4):
        settings = make(["food", "sports"], range(2), **WEB)
        for setting in settings:
            inspect.signature(trial).bind(**setting)
        assert len({tuple(sorted(setting.items())) for setting in settings}) == len(settings)


def test_some_limits_only():
    ours = crawlers(table_3(["food"], [0], limits=["10", "5_2"]))
    assert {limit for _, limit in ours} == {"10", "5_2"}
    with pytest.raises(ValueError, match=r"limits=\['7'\]"):
        table_3(["food"], [0], limits=["7"])


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


@pytest.mark.slow
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
    monkeypatch.setattr(timing, "VitalWeb", lambda *setting, law: web)
    judge = CountingClassifier()
    monkeypatch.setattr(timing.topics, "classifier", lambda *topic, **setting: judge)
    monkeypatch.setattr(timing, "topic_keywords", lambda topic: topic)
    log = timing.timed_trial("tres-gamma-0", TOPIC, budget=30)
    assert log["step"].unique().tolist() == list(range(31))  # an error is no step
    assert (log[["cpu", "fetching"]] >= 0).all(axis=None)


def test_bad_arguments():
    with pytest.raises(ValueError, match="limit='7'"):
        timing.timed_trial("bfs", "sports", limit="7")
