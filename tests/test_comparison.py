"""Tables of crawls side by side, by hand."""

import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, orchard

from tres_lib import focused


def log(policy, rewards, truths, seed=0, kinds=None):
    n = len(rewards)
    return pd.DataFrame(
        {
            "topic": "fruit",
            "policy": policy,
            "web_seed": seed,
            "step": range(n),
            "reward": rewards,
            "relevant_true": pd.array(truths, dtype="boolean"),
            "domain": [f"site{i}.example" for i in range(n)],
            "kind": kinds or ["article"] * n,
        }
    )


@pytest.fixture
def logs():
    return pd.concat(
        [
            log("tres", [1, 0, 1, 1, 1], [True, False, True, True, False]),
            log("random", [1, 0, 0, 0, 1], [True, False, True, False, True]),
        ]
    )


def test_over_time_counts_without_the_seed(logs):
    tres = focused.over_time(logs).query("policy == 'tres'")
    assert tres["step"].tolist() == [1, 2, 3, 4]
    assert tres["harvest rate"].tolist() == pytest.approx([0, 1 / 2, 2 / 3, 3 / 4])
    assert tres["relevant found"].tolist() == [0, 1, 2, 2]


def test_over_time_thins_long_crawls():
    long = log("tres", [1] * 401, [True] * 401)
    assert focused.over_time(long, points=40)["step"].tolist() == list(range(10, 401, 10))


def test_at_the_end(logs):
    table = focused.at_the_end(logs, exploration=2).set_index("policy")
    assert table.loc["tres", "by the classifier"] == 75
    assert table.loc["tres", "by the truth"] == 50
    assert table.loc["tres", "after exploring"] == 100
    assert table.loc["tres", "domains"] == 3
    assert table["pages"].tolist() == [4, 4]


def test_a_crawl_that_finds_nothing_has_no_domains():
    assert focused.at_the_end(log("bfs", [1, 0, 0], [True, False, False]))["domains"].item() == 0


def test_errors_by_kind():
    kinds = ["article", "front", "front", "article", "article"]
    table = focused.errors_by_kind(
        log("tres", [1, 1, 0, 0, 1], [True, False, False, True, True], kinds=kinds)
    )
    assert table.loc["front", "judged relevant, is not"] == 1
    assert table.loc["article", "judged irrelevant, is relevant"] == 1
    assert table.loc["article", "relevant"] == 1
    assert table["all"].sum() == 4  # the seed is not counted


def test_cold_starts_of_the_policies_that_explore(logs):
    oracle = log("oracle", [1, 0, 0, 0, 0], [True] * 5)
    table = focused.cold_starts(pd.concat([logs, oracle]), exploration=1)
    assert table.index.tolist() == ["tres", "random"]
    assert table["met no relevant page while exploring"].tolist() == [1, 1]


def test_pictures_of_a_real_crawl():
    web = orchard()
    start = sorted(web.truth)[0]
    result = focused.crawl(
        web, [start], TOPIC, budget=150, classifier=CountingClassifier(), progress=False
    )
    words = focused.tree_in_words(result.policy.tree, depth=2)
    assert words["parent"].isna().sum() == 1
    inner = [text for text in words["text"] if text.endswith("?")]
    assert inner and all(any(name in text for name in focused.FEATURES) for text in inner)
    links, sites = focused.site_map(result.log, most=5)
    assert len(sites) == 5 and sites["harvest"].between(0, 1).all()
    assert (links["source"] != links["target"]).all()
    assert set(links["source"]) | set(links["target"]) <= set(sites.index)
