"""Tables of crawls side by side, by hand; the paper's printed numbers, spot-checked."""

import numpy as np
import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, orchard

from tres_book.chapters import c04_crawl as of_log
from tres_book.crawls.comparison import at_the_end, beside_paper, crawler, paper_table
from tres_lib import focused
from tres_webs import load_topics


def log(policy, rewards, truths, limit="none", stopped="budget spent"):
    n = len(rewards)
    return pd.DataFrame(
        {
            "topic": "fruit",
            "policy": policy,
            "limit": limit,
            "web_seed": 0,
            "stopped": stopped,
            "step": range(n),
            "reward": rewards,
            "relevant_true": pd.array(truths, dtype="boolean"),
            "domain": [f"site{i}.example" for i in range(n)],
        }
    )


def test_ends_by_hand():
    """Ache ended early, bfs before its first step, and the web of "blind" knows no truth."""
    logs = pd.concat(
        [
            log("tres", [1, 0, 1, 1, 1], [True, False, True, True, False]),
            log("tres", [1, 0, 0, 0, 1], [True, False, True, False, True], limit="5_2"),
            log("ache", [1, 1, 1], [True, True, False], stopped="frontier empty"),
            log("bfs", [1.0], [True], stopped="frontier empty"),
            log("blind", [1, 1], [None, None]),
        ]
    )
    names = ["by the classifier", "by the truth", "domains", "true domains", "pages", "complete"]
    table = at_the_end(logs, budget=4).set_index("crawler")
    assert table.loc["TRES", names].tolist() == [75, 50, 3, 2, 4, True]
    assert table.loc["TRES_5_2", names].tolist() == [25, 50, 1, 2, 4, True]
    assert table.loc["ACHE", names].tolist() == [50, 25, 2, 1, 2, False]
    assert table.loc["BFS", names].tolist() == [0, 0, 0, 0, 0, False]
    assert np.isnan(table.loc["blind", "by the truth"])
    over_pages = at_the_end(logs).set_index("crawler")["by the classifier"]
    assert over_pages["ACHE"] == over_pages["blind"] == 100  # over what it fetched: Eq. 6


def test_the_ends_agree_with_the_results_of_crawls():
    web = orchard()
    options = {"budget": 60, "classifier": CountingClassifier(), "progress": False}
    result = focused.crawl(web, sorted(web.truth)[:1], TOPIC, policy="bfs", **options)
    named = {"topic": "fruit", "policy": "bfs", "limit": "none", "web_seed": 0}
    end = at_the_end(result.log.assign(**named, stopped=result.stopped)).iloc[0]
    assert end["by the classifier"] == pytest.approx(100 * result.harvest_rate)
    assert end["by the truth"] == pytest.approx(100 * result.true_harvest_rate)


def test_crawlers_are_called_as_in_the_paper():
    named = [("ache", "none"), ("tres-nh", "10"), ("mine", "5")]
    assert [crawler(*pair) for pair in named] == ["ACHE", "TRES_NH_10", "mine_5"]


@pytest.mark.slow
def test_the_tree_of_a_real_crawl_in_words():
    web, how = orchard(), {"classifier": CountingClassifier(), "progress": False}
    result = focused.crawl(web, sorted(web.truth)[:1], TOPIC, budget=80, **how)
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


def test_sums_of_the_papers_columns():
    """A slip of the finger in any number shows; the sums were taken from the paper's text."""
    sums = {
        "table 3": {"computing": (612.08, 18_473), "food": (940.25, 38_470)}
        | {"sports": (898.78, 39_589)},
        "table 4": {"computing": (327.19, 16_962), "food": (696.14, 35_588)}
        | {"sports": (597.51, 33_650)},
    }
    for name, crawlers in {"table 3": 18, "table 4": 8}.items():
        table = paper_table(name)
        assert table["crawler"].nunique() == crawlers and len(table) == 3 * crawlers
        assert set(table["topic"]) <= set(load_topics())
        found = table.groupby("topic")[["harvest rate %", "domains"]].sum()
        expected = pd.DataFrame(sums[name], found.columns).T
        assert found.to_numpy() == pytest.approx(expected.to_numpy())


def test_beside_ours():
    row = {"topic": "food", "budget": 100, "domains": 60, "true domains": 50}
    rates = {("Random", 0): (9, 8), ("Random", 1): (9, 6), ("Linear", 0): (80, 70)}
    ends = pd.DataFrame(
        row | {"crawler": name, "web_seed": web, "by the classifier": rate, "by the truth": true}
        for (name, web), (rate, true) in rates.items()
    )
    table = beside_paper(ends, "table 3")["food"]
    assert table.loc["Random"].str[:4].tolist() == ["8.97", "9.0 ", "59", "60.0", "7.0 "]
    assert table.loc["Linear"].str[:4].tolist() == ["", "80.0", "", "60.0", "70.0"]
