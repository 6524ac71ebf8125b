"""The plan of the stored runs, by chapter."""

from collections import Counter

import pytest

from tres_book.chapters import (
    c03_classifier as c03,
    c05_comparison,
    c06_ablations,
    c07_complexity as c07,
    c09_refresh as c09,
    c10_whittle as c10,
    c11_foragers as c11,
    c12_deep_web as c12,
)
from tres_book.study import results
from tres_book.study.results import all_studies
from tres_webs.files import RESULTS

STUDIES = all_studies()


def crawlers_of(name: str) -> Counter:
    return Counter((s["policy"], s["limit"]) for s in STUDIES[name].settings)


def test_the_plan_is_the_papers():
    table = STUDIES["table-3"].settings
    crawlers = crawlers_of("table-3")
    assert set(crawlers.values()) == {3 * 10}  # topics, webs
    assert {limit for _, limit in crawlers} == {"none"} and len(crawlers) == 12
    assert {s["budget"] for s in table} == {20_000} and {s["sites"] for s in table} == {100_000}
    assert crawlers_of("table-3-sync") == {("sync", "none"): 3 * 10}
    limited = {"tres", "async", "ache", "seedfinder", "prospector", "best-first"}
    last, others = crawlers_of("second-5_2"), crawlers_of("second-limits")
    assert set(last) == {(p, "5_2") for p in {*limited, "tres-each-step"}}
    expected = {(p, limit) for p in limited for limit in ("100", "10", "5")}
    assert set(others) == expected | {("tres-each-step", "5")}
    assert set(last.values()) == {3 * 10} and set(others.values()) == {3 * 5}
    ablations = crawlers_of("second-table-4")
    assert {limit for name, limit in ablations if name == "tres-svm"} == {"10", "5_2"}
    assert "tres" not in {name for name, _ in ablations}


def test_no_crawl_is_planned_twice():
    chapters = (c05_comparison, c06_ablations)
    plans = {s.name: s.settings for chapter in chapters for s in chapter.studies().values()}
    crawls = [tuple(sorted(s.items())) for plan in plans.values() for s in plan]
    assert len(set(crawls)) == len(crawls)
    svm = Counter(s["limit"] for s in plans["second-table-4"] if s["policy"] == "tres-svm")
    assert svm == {"10": 3 * 5, "5_2": 3 * 10}


def test_every_stored_study_has_a_chapter():
    files = {file.stem for file in RESULTS.glob("*.parquet")}
    assert files - STUDIES.keys() == {"ephemeral-regret", "refresh-learning"}  # their sections left
    missing = STUDIES.keys() - files
    assert all(STUDIES[name].under_way for name in missing)


@pytest.mark.slow
@pytest.mark.parametrize("chapter", [c03, c07, c09, c10, c11, c12], ids=lambda c: c.__name__)
def test_chapters_ask_for_stored_runs(chapter):
    """A chapter opened with the sizes that it holds must not begin hours of work."""
    for study in chapter.studies().values():
        assert results.length_if_stored(study, "all"), f"{study.name} asks for runs not stored"


def test_webs_come_one_after_another():
    seeds = [s["web_seed"] for s in STUDIES["second-muted"].settings]
    assert seeds == sorted(seeds) and set(seeds) == set(range(5))


def test_learnt_rates_may_differ_by_the_processor():
    study = STUDIES["one-crawler"]
    names = {s["name"] for s in study.settings if study.tolerance(s) > 1e-9}
    assert {"learnt", "learnt, Last-Modified"} <= names and "one index" not in names
    assert STUDIES["table-3"].tolerance == 1e-9
