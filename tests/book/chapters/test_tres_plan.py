"""Sweeps as data: what is in them and in which order."""

from __future__ import annotations

import inspect

import pytest

from tres_book.chapters.c05_comparison import FAITHFUL
from tres_book.chapters.c06_ablations import CRAWLERS
from tres_book.crawls.sweeps import plan
from tres_book.crawls.tables import paper_table
from tres_book.crawls.trial import trial

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
