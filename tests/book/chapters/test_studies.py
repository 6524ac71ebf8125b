"""The plan of the stored runs, by chapter."""

import pickle

import pytest

from tres_book.chapters import (
    c03_classifier as c03,
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


def test_every_study_goes_to_another_process():
    assert pickle.loads(pickle.dumps(STUDIES)).keys() == STUDIES.keys()


def test_every_stored_study_has_a_chapter():
    files = {file.stem for file in RESULTS.glob("*.parquet")}
    history = {"ephemeral-regret", "refresh-learning", "labels", "second-shards"}
    assert files - STUDIES.keys() == history  # their code left
    missing = STUDIES.keys() - files
    assert all(STUDIES[name].under_way for name in missing)


@pytest.mark.slow
@pytest.mark.parametrize("chapter", [c03, c07, c09, c10, c11, c12], ids=lambda c: c.__name__)
def test_chapters_ask_for_stored_runs(chapter):
    """A chapter opened with the sizes that it holds must not begin hours of work."""
    for study in chapter.studies().values():
        assert results.length_if_stored(study, "all"), f"{study.name} asks for runs not stored"


def test_learnt_rates_may_differ_by_the_processor():
    study = STUDIES["one-crawler"]
    names = {s["name"] for s in study.settings if study.tolerance(s) > 1e-9}
    assert {"learnt", "learnt, Last-Modified"} <= names and "one index" not in names
    assert STUDIES["table-3"].tolerance == 1e-9
