"""Policies compared: equal terms for all, tables by hand, figures, and what is refused."""

from __future__ import annotations

import matplotlib
import numpy as np
import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, orchard, page, seed_of

matplotlib.use("Agg")

from matplotlib import pyplot as plt

from tres_book import compare
from tres_book.crawls import trial as trials
from tres_book.intervals import mean_interval
from tres_lib import focused
from tres_lib.focused import Policy
from tres_webs import ReplayWeb, Topic

A, B, C = (f"http://{name}.example/" for name in "abc")


class Newest(Policy):
    def __init__(self, context):
        self.context = context

    def choose(self, step):
        return self.context.frontier.live()[-1]


def oldest(context):
    policy = Newest(context)
    policy.choose = lambda step: context.frontier.live()[0]
    return policy


def seeds(web, topic, rng):
    return seed_of(web)


def compared(policies=("bfs", "best-first"), webs=3, **how):
    webs = [orchard(seed, sites=8) for seed in range(webs)]
    how = {"seeds": seeds, "classifier": CountingClassifier(), "progress": False} | how
    return compare(policies, how.pop("topics", TOPIC), webs, how.pop("budget", 15), **how)


@pytest.fixture(scope="module")
def three():
    """Two policies and a class and a function, on three webs, at two limits."""
    return compared(["bfs", "best-first", Newest, oldest], limits=[None, (5, 2)])


@pytest.mark.slow
def test_every_policy_crawls_every_web_at_every_limit(three):
    runs = three.ends[["policy", "limit", "web_seed"]].drop_duplicates()
    assert len(runs) == len(three.ends) == 4 * 2 * 3
    assert set(three.ends["policy"]) == {"bfs", "best-first", "Newest", "oldest"}
    assert set(three.ends["limit"]) == {"none", "5_2"}
    assert (three.logs.groupby(["policy", "limit", "web_seed"])["step"].max() <= 15).all()
    starts = three.logs[three.logs["step"] == 0]
    assert (starts.groupby("web_seed")["url"].nunique() == 1).all()
    rates = three.ends.set_index(["policy", "limit", "web_seed"])["by the truth"]
    pd.testing.assert_series_equal(rates["oldest"], rates["bfs"], check_names=False)


def test_a_run_is_that_of_crawl(three):
    web = orchard(2, sites=8)
    how = {"budget": 15, "rng": 2, "max_per_domain": (5, 2), "policy": Newest, "progress": False}
    alone = focused.crawl(web, seed_of(web), TOPIC, classifier=CountingClassifier(), **how).log
    of_run = three.logs.query("policy == 'Newest' and limit == '5_2' and web_seed == 2")
    columns = [name for name in alone if name != "seconds"]
    pd.testing.assert_frame_equal(of_run[columns].reset_index(drop=True), alone[columns])


def test_the_table_has_means_with_intervals_over_webs(three):
    table = three.table()
    assert list(table.columns.get_level_values("measure")) == three.measures
    rates = three.ends.query("policy == 'best-first' and limit == 'none'")["by the truth"]
    mean, low, high = mean_interval(rates, within=(0, 100))
    cell = table.loc["Best-First", (TOPIC.name, "by the truth")]
    assert cell == f"{mean:.1f} [{low:.1f}, {high:.1f}]"


def test_differences_are_paired_by_web(three):
    rates = three.ends.query("limit == 'none'").pivot_table("domains", "web_seed", "policy")
    mean, low, high = mean_interval(rates["best-first"] - rates["bfs"])
    cell = three.differences("bfs", "domains").loc["best-first", (TOPIC.name, "none")]
    assert cell == f"{mean:.1f} [{low:.1f}, {high:.1f}]"
    with pytest.raises(ValueError, match="^reference='tres'"):
        three.differences("tres")
    with pytest.raises(ValueError, match="^measure='pages'"):
        three.differences("bfs", "pages")


def test_by_hand_without_a_ground_truth():
    """The seed leads to an apple and to a stone; best-first takes the apple."""
    web = DictWeb({A: page(A, (B, "stone"), (C, "apple")), B: page(B), C: page(C, text="apple")})
    how = {"seeds": [A], "classifier": CountingClassifier().proba, "progress": False}
    found = compare(["bfs", "best-first"], TOPIC, web, 1, **how)
    assert found.measures == ["by the classifier", "domains"]
    assert found.ends["by the classifier"].tolist() == [0, 100]
    assert found.ends["domains"].tolist() == [0, 1]  # the seed's does not count
    assert found.table().loc["BFS"].tolist() == ["0.0 (one run)", "0.0 (one run)"]
    assert found.differences("bfs").to_numpy().tolist() == [["100 (one run)"]]


def test_a_crawl_that_ends_early_has_found_nothing_in_what_is_left():
    web = DictWeb({A: page(A, (C, "apple")), C: page(C, text="apple")}, {C})
    how = {"seeds": [A], "classifier": CountingClassifier(), "progress": False}
    assert compare("bfs", TOPIC, web, 4, **how).ends["by the truth"].tolist() == [25]


@pytest.mark.slow
def test_figures(three):
    grid = three.plot_over_time()
    assert grid.axes.shape == (2, 1) and grid.axes[0, 0].get_ylabel() == "true harvest rate"
    ax = three.plot_pareto("Newest").axes[0, 0]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("by the classifier", "domains")
    with pytest.raises(ValueError, match="^front='tres'"):
        three.plot_pareto("tres")
    plt.close("all")


def test_topics_have_their_own_classifier_and_keywords():
    stone = Topic("stone", keywords=("stone",))
    own = {TOPIC.name: CountingClassifier(), "stone": lambda texts: ["stone" in t for t in texts]}
    words = {TOPIC.name: ["apple"], "stone": ["stone"]}
    found = compared("best-first", 1, topics=[TOPIC, stone], classifier=own, keywords=words)
    found = found.ends.set_index("topic")["by the classifier"]
    assert found[TOPIC.name] > 50 and found["stone"] > 50
    with pytest.raises(ValueError, match="^classifier: give a mapping .* topic"):
        compared("bfs", topics=[TOPIC, stone])
    with pytest.raises(ValueError, match="^keywords: none for 'fruit'"):
        compared("bfs", keywords={"stone": ["stone"]})


def test_texts_are_scored_once_for_all_crawls():
    judge = CountingClassifier()
    compared(["bfs", "linear", Newest], 1, classifier=judge)
    assert len(judge.asked) == len(set(judge.asked)) > 15


def test_a_comparison_goes_on_from_its_folder(tmp_path):
    webs = [orchard(seed, sites=8) for seed in range(2)]
    how = {"seeds": seeds, "classifier": CountingClassifier(), "progress": False}
    how["checkpoint"] = tmp_path / "journals"
    first = compare(["bfs", Newest], TOPIC, webs, 10, **how)
    fetched = [list(web.fetched) for web in webs]
    again = compare(["bfs", Newest], TOPIC, webs, 10, **how)
    assert [web.fetched for web in webs] == fetched
    assert len(list((tmp_path / "journals").glob("*.jsonl"))) == 4
    pd.testing.assert_frame_equal(again.ends, first.ends)


def test_a_recording_is_one_web_though_it_lists_pages():
    recording = ReplayWeb.from_pages({A: "<a href='/b'>apple</a>", A + "b": "apple"})
    how = {"seeds": [A], "classifier": CountingClassifier(), "progress": False}
    assert len(compare("bfs", TOPIC, recording, 1, **how).ends) == 1


@pytest.mark.slow
def test_an_int_is_a_vital_web_and_its_runs_are_those_of_the_book():
    classifier, keywords = trials.classifier_of("sports", 20, "paper")
    how = {"classifier": classifier, "keywords": keywords, "progress": False, "limits": [10]}
    ours = compare("ache", "sports", [1], 8, **how).logs
    book = trials.trial("ache", "sports", web="second", web_seed=1, limit="10", budget=8)
    columns = ["url", "reward", "p", "q", "limit", "stopped"]
    pd.testing.assert_frame_equal(ours[columns], book[columns])


class Single(Policy):
    def choose(self, step):
        return 0


WRONG = {
    "policies": [None, 5, [], ["tress"], [Single()], ["bfs", "bfs"], {}, [None]],
    "topics": ["fruits", [], 5, [TOPIC, TOPIC]],
    "webs": [None, [], "web", [0, 0], [None], DictWeb, object()],
    "budget": [0, -1, 1.5, "10", None, np.nan],
    "seeds": [0, None, "http://a.example/", [], [5], -1],
    "limits": [0, [-1], ["10"], [], [(2, 5)], "none"],
    "classifier": [5, "svm", CountingClassifier],
    "anchor_classifier": [5, "svm"],
    "keywords": ["apple", [5]],
    "rng": [-1, None, "0", 0.5],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
@pytest.mark.slow
def test_a_wrong_argument_is_named_before_a_fetch(name, value):
    web = orchard(sites=8)
    good = {"policies": ["bfs"], "topics": TOPIC, "webs": [web, orchard(1, sites=8)]}
    good |= {"budget": 3, "seeds": seeds, "classifier": CountingClassifier(), "progress": False}
    alias = {"topics": "topic", "webs": "web", "limits": "max_per_domain"}
    with pytest.raises(ValueError, match=rf"^({name}|{alias.get(name, name)})\b"):
        compare(**good | {name: value})
    assert web.fetched == []
