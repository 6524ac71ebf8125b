"""Sweeps as data: what is in them and in which order."""

from __future__ import annotations

import inspect

import pytest

from tres_book.chapters.c05_comparison import FAITHFUL, studies
from tres_book.chapters.c06_ablations import CRAWLERS
from tres_book.crawls.plan import plan
from tres_book.crawls.tables import paper_table
from tres_book.crawls.trial import LIMITS, trial
from tres_book.crawls.variants import RIVALS, VARIANTS
from tres_lib.focused import POLICIES

WEB = {"budget": 100, "sites": 2_000, "epochs": 1}


# Not in the stored crawls of Wikispeedia.
NEW = {"tres-pretrained", "prospector-flat", "parent", "ache", "seedfinder", "sb"}


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


def test_controls_stand_beside_the_papers_crawlers():
    ours = crawlers(table_3(["food"], [0]))
    for policy in ("tres", "ache", "seedfinder", "async", "best-first", "prospector"):
        assert {limit for name, limit in ours if name == policy} == set(LIMITS)
    for policy in ("random", "tree-random", "bfs", "linear", "oracle", "tres-async"):
        assert [limit for name, limit in ours if name == policy] == ["none"]
    assert {*POLICIES, *RIVALS} - {name for name, _ in ours} == {"sync", "sb"}


def test_every_ablation_has_tres_at_its_limit():
    ours = crawlers(table_4(["food"], [0]))
    assert {("tres", limit) for _, limit in ours} <= ours
    assert set(VARIANTS) <= {name for name, _ in ours}


def test_settings_are_arguments_of_a_trial_and_each_occurs_once():
    for make in (table_3, table_4):
        settings = make(["food", "sports"], range(2), **WEB)
        for setting in settings:
            inspect.signature(trial).bind(**setting)
        assert len({tuple(sorted(setting.items())) for setting in settings}) == len(settings)


def test_runs_of_one_topic_and_web_follow_one_another():
    places = [(s["topic"], s["web_seed"]) for s in table_3(["food", "sports"], range(3))]
    changes = sum(one != next_ for one, next_ in zip(places, places[1:], strict=False))
    assert changes == 5 and places[0] == ("food", 0)


def test_the_same_run_has_the_same_setting_in_both_tables():
    third, fourth = (make(["food"], [0], **WEB) for make in (table_3, table_4))
    shared = [setting for setting in third if setting in fourth]
    assert crawlers(shared) == {("tres", "10"), ("tres", "5"), ("tres", "5_2")}


def test_some_limits_only():
    ours = crawlers(table_3(["food"], [0], limits=["10", "5_2"]))
    assert {limit for _, limit in ours} == {"10", "5_2"}
    with pytest.raises(ValueError, match=r"limits=\['7'\]"):
        table_3(["food"], [0], limits=["7"])


def test_wikispeedia_has_every_policy_and_no_limit():
    settings = studies()["wikispeedia"].settings
    assert crawlers(settings) == {(policy, "none") for policy in {*POLICIES, *RIVALS} - NEW}
    assert {setting["web"] for setting in settings} == {"wikispeedia"}
    assert {setting["web_seed"] for setting in settings} == set(range(10))
