"""The stored runs of chapter 16, whose code has left."""

import json

import pandas as pd
import pytest

from tres_book.chapters import c16_shards as trials
from tres_book.study import results, verify

SMALL = {"budget": 60, "sites": 400, "epochs": 20, "web": "second"}


@pytest.mark.slow
def test_one_crawl_sends_nothing():
    alone = trials.trial("food", 0, 0, 0, **SMALL)
    assert alone["sent"] == 0 and alone["imbalance"] == 1 and 0 < alone["true"] <= 100


def test_only_crawls_without_shards_are_made_again(monkeypatch):
    study = trials.studies()[trials.STUDY]
    with pytest.raises(ValueError, match="shards=16: .* archive-0.2"):
        trials.trial("food", 0, 16, 20, **SMALL)
    monkeypatch.setattr(verify, "_again", lambda _, row: [json.loads(row["key"])["shards"]] * 7)
    n = len(results.stored(trials.STUDY))
    assert set(verify.verify(study, n)["run"]) == {0} and set(verify.verify(study)["run"]) == {0}


def test_losses_are_means_of_topics_by_web():
    rows = [
        {"web_seed": web, "topic": topic, "shards": shards, "rounds": rounds, "true": true + web}
        for web in (1, 2)
        for topic, alone in {"food": 80, "sports": 60}.items()
        for shards, rounds, true in [(0, 0, alone), (16, 20, alone - 4 * web), (256, 20, 20)]
    ]
    lost = trials.losses(pd.DataFrame(rows))
    assert lost[16, 20].to_list() == [-4, -8] and lost[256, 20].to_list() == [-50, -50]
