"""Chapter 16's crawls, in flight and in shards, on numbers worked out by hand."""

import numpy as np
import pandas as pd
import yaml
from fakes import orchard

from tres_book.chapters import c16_in_flight as chapter, c16_shards as shards
from tres_book.study import results
from tres_book.study.claims import Claim
from tres_webs.files import DATA

RULES = yaml.safe_load((DATA / "in_flight_rules.yaml").read_text(encoding="utf-8"))


def test_pages_arrive_in_any_order_and_all_do():
    web = orchard()
    urls = list(web.pages)[:9]
    some = chapter.AnyOrder(web, np.random.default_rng(3))
    for url in urls:
        some.start(url)
    came = [some.next() for _ in urls]
    assert sorted(visit.url for visit in came) == sorted(urls) != [visit.url for visit in came]
    assert [visit.seconds for visit in came] == list(range(1, 10))


def test_a_pair_is_one_web_and_topic_and_n_counts_webs(monkeypatch):
    rows = [
        {"web": law, "web_seed": web, "topic": topic, "in_flight": k, "true": [t, t + 5.0],
         "harvest": [t, t], "domains": 1}
        for law in chapter.LAWS
        for web in (410, 411)
        for topic, alone in {"food": 80.0, "sports": 60.0}.items()
        for k, t in ((1, alone), (256, alone - web + 410))
    ]  # fmt: skip
    monkeypatch.setattr(results, "stored", lambda name: pd.DataFrame(rows))
    runs = chapter.runs()
    assert len(runs) == 2 * len(rows)
    assert chapter.losses(runs, "second", 5_000).to_list() == [0.0, -1.0]
    assert chapter.figures()["small_20000"][:1] == (-0.5,)


def test_rules_are_claims_that_can_fail():
    for name, rule in RULES.items():
        assert Claim(name, **rule).known
    assert set(RULES) == {f"in-flight-{n}" for n in chapter.LENGTHS}
    assert len(chapter.studies()[chapter.NAME].settings) == 2 * 10 * 3 * 2


def test_losses_of_shards_are_means_of_topics_by_web():
    rows = [
        {"web_seed": web, "topic": topic, "shards": shards, "rounds": rounds, "true": true + web}
        for web in (1, 2)
        for topic, alone in {"food": 80, "sports": 60}.items()
        for shards, rounds, true in [(0, 0, alone), (16, 20, alone - 4 * web), (256, 20, 20)]
    ]
    lost = shards.losses(pd.DataFrame(rows))
    assert lost[16, 20].to_list() == [-4, -8] and lost[256, 20].to_list() == [-50, -50]
