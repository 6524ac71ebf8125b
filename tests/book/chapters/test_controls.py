"""The controls of chapter 12: runs repeat, and each keeps to its rule."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from tres_book.chapters import c12_deep_web as trials
from tres_book.chapters.c12_laboratory import CONTROLS, WordList, generic_words, sample_documents
from tres_lib.deepweb import SearchSite, State, surface


@pytest.fixture(scope="module")
def site():
    return SearchSite(sample_documents("en-us", 300, rng=3), "fields", 5, 20)


@pytest.mark.parametrize("name", ["ridge", "random-pool"])
def test_a_run_repeats_and_no_term_does(site, name):
    runs = [surface(site, CONTROLS[name], 12, 5, "river").log for _ in range(2)]
    assert runs[0].equals(runs[1]) and runs[0]["term"].is_unique and len(runs[0]) == 12
    empty = State(site, np.random.default_rng(0))
    assert CONTROLS[name]().choose(empty) is None


def test_the_random_pool_keeps_to_the_frequent(site):
    state = State(site, np.random.default_rng(0))
    state.learn("american", None, dict(enumerate(site.page("american").records)))
    policy = CONTROLS["random-pool"].func(5)
    drawn = {policy.choose(state) for _ in range(60)}
    assert drawn == {state.words[i] for i in state.pool(5)}


def test_a_word_list_is_taken_in_its_order(site):
    result = surface(site, WordList(["of", "in", "of", "the"]), max_cost=9, first_term="in")
    assert result.log["term"].tolist() == ["in", "of", "the"]
    assert result.stopped == "candidates"


@pytest.mark.slow  # loads the GloVe vectors
def test_generic_words_are_common_and_english():
    first = list(islice(generic_words(), 50))
    assert "the" in first and "of" in first and "," not in first


def test_a_trial_takes_them_by_name():
    small = {"queries": 8, "documents": 120, "page_size": 5, "max_results": 15}
    assert trials.trial("ridge", **small)["acquired"].iloc[-1] > 0
    assert set(CONTROLS) <= set(trials.POLICIES)
