"""Runs of a study as data, and what is compared in them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tres_book.chapters import c12_deep_web as trials

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


@pytest.mark.parametrize("name", trials.VARIANTS)
def test_every_variant_runs(name):
    assert trials.trial(name, language="fr-fr", **SMALL)["acquired"].iloc[-1] > 0


@pytest.mark.parametrize("name", ["completion 02", "completion 03"])
def test_a_completion_takes_one_of_each_open_choice(name):
    choices = trials.COMPLETIONS[name]
    assert all(choices[key] in given for key, given in trials.OPEN.items())
    log = trials.trial(name, **SMALL)
    assert log["acquired"].iloc[-1] > 0 and (log["term"][0] == "of") == (choices["first"] == "of")


def test_twenty_completions_are_drawn_and_differ():
    drawn = {repr(choices) for choices in trials.COMPLETIONS.values()}
    assert len(drawn) == 20 and {c["pool"] for c in trials.COMPLETIONS.values()} == {None, 500}


def test_unknown_names():
    with pytest.raises(ValueError, match="policy='best'"):
        trials.trial("best", **SMALL)


def test_response_sizes():
    full = trials.response_sizes("fulltext", documents=120)
    assert (full["size"] == full["df"]).all() and full["rank"].tolist() == list(
        range(1, len(full) + 1)
    )
    assert full["df"].is_monotonic_decreasing
    fields = trials.response_sizes("fields", documents=120)
    assert (fields["size"] <= fields["df"]).all() and (fields["size"] < fields["df"]).any()


def log(policy, seed, acquired, site="a"):
    new = pd.Series(acquired).diff().fillna(acquired[0])
    return pd.DataFrame(
        {
            "site": site,
            "seed": seed,
            "policy": policy,
            "query": range(1, len(acquired) + 1),
            "new": new,
            "acquired": acquired,
            "coverage": pd.Series(acquired) / 10,
            "returned": [1, 2, 3, 4],
            "pages": [1, 1, 2, 2],
            "expected_size": [None, 1.0, 5.0, 7.0],
        }
    )


LOGS = pd.concat(
    [
        log("x", 0, [1, 2, 4, 4]),
        log("x", 1, [2, 4, 6, 6]),
        log("y", 0, [1, 1, 1, 1]),
        log("y", 1, [2, 2, 2, 4]),
        log("z", 0, [3, 3, 3, 3]),
        log("z", 1, [0, 0, 0, 0]),
    ]
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
