"""Runs of chapter 12 as data, what is compared in them, and its controls."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pandas as pd
import pytest

from tres_book.chapters import c12_deep_web as trials
from tres_book.chapters.c12_laboratory import CONTROLS, WordList, generic_words, sample_documents
from tres_lib.deepweb import SearchSite, State, surface

SMALL = {"queries": 8, "documents": 120, "page_size": 5, "max_results": 15}


def test_a_seed_is_a_site_a_first_term_and_a_crawl():
    one, same = (trials.trial("random", seed=1, **SMALL) for _ in range(2))
    assert one.equals(same) and len(one) == 8
    assert (one["coverage"] == one["acquired"] / 120).all()
    other = trials.trial("tfidf", seed=1, **SMALL)
    assert other["term"][0] == one["term"][0] and other["term"][1] != one["term"][1]
    assert not trials.trial("random", seed=2, **SMALL).equals(one)


def test_modes_and_orders_share_the_first_term():
    firsts = {
        trials.trial("frequency", seed=3, mode=mode, order=order, **SMALL)["term"][0]
        for mode in ("fulltext", "fields")
        for order in ("rank", "static")
    }
    assert len(firsts) == 1


@pytest.mark.parametrize("name", ["completion 02", "completion 03"])
def test_a_completion_takes_one_of_each_open_choice(name):
    choices = trials.COMPLETIONS[name]
    assert all(choices[key] in given for key, given in trials.OPEN.items())
    log = trials.trial(name, **SMALL)
    assert log["acquired"].iloc[-1] > 0 and (log["term"][0] == "of") == (choices["first"] == "of")


def test_response_sizes():
    full = trials.response_sizes("fulltext", documents=120)
    assert (full["size"] == full["df"]).all() and full["rank"].tolist() == list(
        range(1, len(full) + 1)
    )
    assert full["df"].is_monotonic_decreasing
    fields = trials.response_sizes("fields", documents=120)
    assert (fields["size"] <= fields["df"]).all() and (fields["size"] < fields["df"]).any()


def log(policy, seed, acquired, site="a"):
    acquired = pd.Series(acquired)
    table = {"site": site, "seed": seed, "policy": policy, "query": range(1, 5)}
    table |= {"new": acquired.diff().fillna(acquired[0]), "coverage": acquired / 10}
    table |= {"returned": [1, 2, 3, 4], "expected_size": [None, 1.0, 5.0, 7.0]}
    return pd.DataFrame(table)


FOUND = {"x": ([1, 2, 4, 4], [2, 4, 6, 6]), "y": ([1, 1, 1, 1], [2, 2, 2, 4])}
FOUND |= {"z": ([3, 3, 3, 3], [0, 0, 0, 0])}
LOGS = pd.concat(
    [log(policy, seed, found) for policy, both in FOUND.items() for seed, found in enumerate(both)]
)


def test_summary_by_hand():
    row = trials.summary(LOGS).iloc[0]
    assert row["coverage"] == pytest.approx(27.5) and row["final"] == pytest.approx(40)
    assert row["fruitless"] == 50  # of queries 3 and 4 the last
    assert row["agreement"] == pytest.approx(1)


def test_gains_are_over_the_best_on_the_mean():
    runs = trials.summary(LOGS)
    gain = trials.gains(runs, "x", ["y", "z"], "coverage")
    assert set(gain["best"]) == {"y"}  # 17.5 on the mean, z 15
    assert gain["gain"].tolist() == pytest.approx([17.5, 20])


def test_readings_of_results_and_candidates():
    sites = [", ".join(kind) for kind in trials.FOUR]
    runs = pd.DataFrame({"site": sites})
    both = {name: (policy, set(part["site"])) for name, policy, part in trials.readings(runs)}
    assert both == {
        "ranked, all words": ("rl-printed", {"fulltext, rank", "fields, rank"}),
        "own order, all words": ("rl-printed", {"fulltext, static", "fields, static"}),
        "500 words": ("printed, pool: 500", {"fulltext, static", "fields, rank"}),
    }
    one = {name: set(part["site"]) for name, _, part in trials.readings(runs, "fields")}
    assert list(one.values()) == [{"fields, rank"}, {"fields, static"}, {"fields, rank"}]
    assert list(one)[2] == "ranked, 500 words"
    assert trials.VARIANTS[trials.POOLED].pool == 500


def test_what_is_judged_of_a_policy():
    runs = trials.summary(LOGS)
    share = trials.share_of_oracle(runs.replace({"policy": {"z": "oracle"}}), "x", "final")
    assert share["share"].tolist() == pytest.approx([100 * 40 / 30, np.inf])
    spared = trials.spared(runs.replace({"policy": {"z": "frequency"}}), "x")
    assert spared["gain"].tolist() == [50, 50]  # 50 % of x's late queries are in vain, all of z's
    used = trials.used(LOGS, "y", "z").set_index("seed")["used"]
    assert used.to_dict() == {0: 1, 1: 1}
    assert trials.used(LOGS, "y", "y")["used"].tolist() == [0, 0]


def test_completions_by_hand(monkeypatch):
    monkeypatch.setattr(trials, "COMPLETIONS", {"one": {}, "two": {}})
    values = {"one": (4, 2), "two": (3, 3), "tfidf": (2, 1), "harvest": (1, 1), "frequency": (1, 1)}
    values["oracle"] = (8, 4)
    runs = pd.DataFrame(
        {"site": site, "seed": 20, "policy": policy, "final": value}
        for policy, pair in values.items()
        for site, value in zip("ab", pair, strict=True)
    )
    other = runs[~runs["policy"].isin(["one", "two"])].assign(seed=29, final=9)
    table = trials.by_completion(pd.concat([runs, other]), "final")
    table = table.set_index(["policy", "site"])
    assert table["gain"].to_dict() == {
        **{("one", "a"): 2, ("one", "b"): 1},
        **{("two", "a"): 1, ("two", "b"): 2},
    }
    assert table.loc[("two", "b"), "share"] == 75 and len(table) == 4
    assert trials.extremes(table.reset_index(), "share") == {"best": "one", "worst": "two"}


def test_effects_are_paired_with_the_unchanged_method():
    names = [*trials.CHANGES, *trials.VARIANTS]
    rows = [("a", seed, name, 10 * i + seed) for seed in (0, 1) for i, name in enumerate(names)]
    runs = pd.DataFrame(rows, columns=["site", "seed", "policy", "coverage"])
    effects = trials.effects(runs).set_index(["change", "seed"])["gain"]
    assert effects["overlap: hits", 1] == 20 and effects["printed, pool: 500", 0] == 80
    assert len(effects) == 2 * len(trials.VARIANTS)


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
