"""The runs of chapter 16, small."""

import pandas as pd
import pytest

from tres_book.chapters import c16_costs as costs, c16_shards as trials

SMALL = {"budget": 60, "sites": 400, "epochs": 20}


@pytest.mark.slow
def test_runs_repeat_and_shards_send_links():
    alone, *others = [
        trials.trial("food", 0, shards, rounds, **SMALL)
        for shards, rounds in [(0, 0), (1, 5), (4, 5), (4, 5)]
    ]
    assert alone["sent"] == others[0]["sent"] == 0
    assert others[1]["sent"] > 0 and others[1]["imbalance"] >= 1
    assert others[1] == others[2]
    assert all(0 <= run["true"] <= 100 for run in (alone, *others))


def test_a_plan_holds_each_run_once():
    settings = trials.studies()["shards"].settings
    assert len(settings) == len({tuple(s.items()) for s in settings}) == 3 * (5 * 10 + 3)


def test_losses_are_means_of_topics_by_web():
    rows = [
        {"web_seed": web, "topic": topic, "shards": shards, "rounds": rounds, "true": true + web}
        for web in (1, 2)
        for topic, alone in {"food": 80, "sports": 60}.items()
        for shards, rounds, true in [(0, 0, alone), (16, 20, alone - 4 * web), (256, 20, 20)]
    ]
    lost = costs.losses(pd.DataFrame(rows))
    assert lost[16, 20].to_list() == [-4, -8] and lost[256, 20].to_list() == [-50, -50]
