"""Sweeps as data: what is in them."""

import inspect

import pytest

from tres_book.chapters import (
    c05_comparison as c05,
    c05_third,
    c06_ablations as c06,
    c14_prospector,
)
from tres_book.crawls.comparison import paper_table
from tres_book.crawls.trial import trial


@pytest.mark.parametrize(("plan", "name"), [(c05.FAITHFUL, "table 3"), (c06.CRAWLERS, "table 4")])
def test_every_row_of_the_papers_tables_is_run(plan, name):
    printed = paper_table(name)
    ours = {(policy, limit) for policy, limits in plan.items() for limit in limits}
    assert set(zip(printed["policy"], printed["limit"], strict=True)) <= ours


@pytest.mark.parametrize("chapter", [c05, c05_third, c06, c14_prospector])
def test_settings_are_arguments_of_a_trial_and_each_occurs_once(chapter):
    for study in chapter.studies().values():
        for setting in study.settings:
            inspect.signature(trial).bind(**setting)
        keys = {tuple(sorted(setting.items())) for setting in study.settings}
        assert len(keys) == len(study.settings), study.name
