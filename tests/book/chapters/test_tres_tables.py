"""Tables of crawls side by side, by hand; the paper's printed numbers, spot-checked."""

import numpy as np
import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, orchard

from tres_book.chapters import c04_crawl as of_log
from tres_book.chapters.c07_complexity import frontier_growth
from tres_book.crawls.comparison import at_the_end, crawler
from tres_book.crawls.tables import beside_paper, paper_table
from tres_lib import focused
from tres_webs import load_topics


def log(policy, rewards, truths, seed=0, kinds=None, limit="none", stopped="budget spent"):
    n = len(rewards)
    return pd.DataFrame(
        {
            "topic": "fruit",
            "policy": policy,
            "limit": limit,
            "web_seed": seed,
            "stopped": stopped,
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


def test_at_the_end(logs):
    table = at_the_end(logs).set_index("policy")
    assert table.loc["tres", "by the classifier"] == 75
    assert table.loc["tres", "by the truth"] == 50
    assert table.loc["tres", "domains"] == 3
    assert table.loc["tres", "true domains"] == 2
    assert table.loc["random", "by the truth"] == 50
    assert table["pages"].tolist() == [4, 4] and table["complete"].all()


def test_the_ends_agree_with_the_results_of_crawls():
    web = orchard()
    start = sorted(web.truth)[0]
    options = {"budget": 60, "classifier": CountingClassifier(), "progress": False}
    result = focused.crawl(web, [start], TOPIC, policy="bfs", **options)
    crawl_log = result.log.assign(
        topic="fruit", policy="bfs", limit="none", web_seed=0, stopped=result.stopped
    )
    end = at_the_end(crawl_log).iloc[0]
    assert end["by the classifier"] == pytest.approx(100 * result.harvest_rate)
    assert end["by the truth"] == pytest.approx(100 * result.true_harvest_rate)


def test_a_crawl_that_finds_nothing_has_no_domains():
    assert at_the_end(log("bfs", [1, 0, 0], [True, False, False]))["domains"].item() == 0


def test_pages_that_an_ended_crawl_lacks_count_as_fetched_in_vain(logs):
    short = log("ache", [1, 1, 1], [True, True, False], stopped="frontier empty")
    table = at_the_end(pd.concat([logs, short]), budget=4).set_index("policy")
    assert table.loc["ache", "by the classifier"] == 50
    assert table.loc["ache", "by the truth"] == 25
    assert table.loc["ache", ["pages", "complete"]].tolist() == [2, False]
    assert table.loc["tres", "by the classifier"] == 75
    assert at_the_end(short)["by the classifier"].item() == 100  # over what it fetched: Eq. 6


def test_a_crawl_without_a_step_is_not_lost():
    table = at_the_end(log("ache", [1.0], [True], stopped="frontier empty"), budget=4)
    assert table[["by the classifier", "by the truth", "domains", "pages"]].values.tolist() == [
        [0, 0, 0, 0]
    ]


def test_a_web_that_does_not_know_the_truth_gives_no_rate_by_it():
    table = at_the_end(log("tres", [1, 1], [None, None]))
    assert np.isnan(table["by the truth"].item()) and table["by the classifier"].item() == 100


def test_limits_are_runs_of_their_own():
    both = pd.concat(
        [log("tres", [1, 1], [True] * 2), log("tres", [1, 0], [True] * 2, limit="5_2")]
    )
    table = at_the_end(both)
    assert table["crawler"].tolist() == ["TRES", "TRES_5_2"]
    assert table["by the classifier"].tolist() == [100, 0]


@pytest.mark.parametrize(
    ("policy", "limit", "name"),
    [("ache", "none", "ACHE"), ("tres-nh", "10", "TRES_NH_10"), ("mine", "5", "mine_5")],
)
def test_crawlers_are_called_as_in_the_paper(policy, limit, name):
    assert crawler(policy, limit) == name


@pytest.mark.slow
def test_the_tree_of_a_real_crawl_in_words():
    web = orchard()
    start = sorted(web.truth)[0]
    result = focused.crawl(
        web, [start], TOPIC, budget=150, classifier=CountingClassifier(), progress=False
    )
    words = of_log.tree_in_words(result.policy.tree, depth=2)
    assert words["parent"].isna().sum() == 1
    inner = [text for text in words["text"] if text.endswith("?")]
    assert inner and all(any(name in text for name in focused.FEATURES) for text in inner)


@pytest.mark.parametrize(
    ("name", "crawler", "topic", "rate", "domains"),
    [
        ("table 3", "Random", "food", 8.97, 59),
        ("table 3", "Async_5_2", "computing", 0, 0),
        ("table 3", "TRES", "sports", 97.43, 83),
        ("table 4", "TRES_Async_5", "sports", 74.17, 3788),
    ],
)
def test_numbers_as_printed(name, crawler, topic, rate, domains):
    row = paper_table(name).set_index(["crawler", "topic"]).loc[(crawler, topic)]
    assert (row["harvest rate %"], row["domains"]) == (rate, domains)


def test_tables_have_all_rows_of_the_paper():
    for name, crawlers in {"table 3": 18, "table 4": 8}.items():
        table = paper_table(name)
        assert table["crawler"].nunique() == crawlers and len(table) == 3 * crawlers
        assert set(table["topic"]) <= set(load_topics())


@pytest.mark.parametrize(
    ("name", "topic", "rates", "domains"),
    [
        ("table 3", "sports", 898.78, 39_589),
        ("table 3", "food", 940.25, 38_470),
        ("table 3", "computing", 612.08, 18_473),
        ("table 4", "sports", 597.51, 33_650),
        ("table 4", "food", 696.14, 35_588),
        ("table 4", "computing", 327.19, 16_962),
    ],
)
def test_sums_of_the_papers_columns(name, topic, rates, domains):
    """A slip of the finger in any number shows; the sums were taken from the paper's text."""
    sums = paper_table(name).query("topic == @topic")[["harvest rate %", "domains"]].sum()
    assert sums.tolist() == pytest.approx([rates, domains])


def test_an_unknown_table_is_named():
    with pytest.raises(ValueError, match="name='table 9': give one of table 3, table 4"):
        paper_table("table 9")


def test_beside_ours():
    row = {"topic": "food", "budget": 100, "domains": 60, "true domains": 50}
    rates = {("Random", 0): (9, 8), ("Random", 1): (9, 6), ("Linear", 0): (80, 70)}
    ends = pd.DataFrame(
        row | {"crawler": name, "web_seed": web, "by the classifier": rate, "by the truth": true}
        for (name, web), (rate, true) in rates.items()
    )
    table = beside_paper(ends, "table 3")["food"]
    assert table.columns.tolist()[:4] == [
        (measure, source)
        for measure in ("harvest rate %", "domains")
        for source in ("paper", "here")
    ]
    assert table.loc["Random"].str[:4].tolist() == ["8.97", "9.0 ", "59", "60.0", "7.0 "]
    assert table.loc["Linear"].str[:4].tolist() == ["", "80.0", "", "60.0", "70.0"]


def test_growth_is_net_and_counts_the_seeds_links():
    log = pd.DataFrame({"step": [0, 0, 1, 2, 3, 4], "frontier": [0, 30, 60, 58, 80, 95]})
    assert frontier_growth(log) == (-2, 30)
