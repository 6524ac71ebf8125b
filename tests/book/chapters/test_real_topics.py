"""Own topics on real manuals: the fixture, a small run of the study, and its tables by hand."""

import re
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from tres_book.chapters import c13_found, c13_real
from tres_webs import ReplayWeb, load_articles, load_topics
from tres_webs.recorded.manifest import read_manifest
from tres_webs.topic import own_topics

WINE, TAX = "the wine of the grape, wine and grape", "the tax of the state"
WORDS = ["".join(letters) for letters in permutations("bcdfghk", 4)]


def page(n: int) -> str:
    own = " ".join(WORDS[30 * n : 30 * n + 30])  # else it is a copy of another
    return f"<title>Page {n}</title><p>{WINE if n < 6 else TAX} and {own}"


PAGES = {
    "http://a.example/": "".join(f"<a href=/{n}>page {n}</a>" for n in range(12)),
    **{f"http://a.example/{n}": page(n) for n in range(12)},
    "http://b.example/": "<p>elsewhere",
}


class Recorded:
    """What `PinnedWeb` says of pages, of a few made up ones."""

    def __init__(self):
        pages = PAGES | {
            "http://a.example/0": PAGES["http://a.example/0"] + "<a href=//b.example/>"
        }
        self._web = ReplayWeb.from_pages(pages)

    def __getattr__(self, name):
        return getattr(self._web, name)

    def site(self, url):
        return url[7:8] if url in PAGES else ""

    def kind(self, url):
        return "index" if url.endswith("/5") else "article"


@pytest.fixture
def small(monkeypatch):
    given = ("http://a.example/",), ("http://a.example/0",)
    topic = c13_real.RealTopic("Wine.", "a", ("wine", "grape"), *given, (r"^[0-7]$",))
    recorded = Recorded()
    monkeypatch.setattr(c13_real, "web", lambda: recorded)
    monkeypatch.setattr(c13_real, "topics", lambda: {"wine": topic})
    monkeypatch.setattr(c13_real, "address", lambda site: "http://a.example/")
    return topic


def test_sites_are_rows_of_the_whole_web_and_urls_are_on_their_topics(monkeypatch):
    assert set(read_manifest("real-topics")) <= set(read_manifest("debian-docs"))
    monkeypatch.setattr(c13_real, "web", lambda: ReplayWeb.from_pages({}))
    monkeypatch.setattr(ReplayWeb, "kind", lambda *_: "article", raising=False)
    topics = c13_real.topics()
    assert len(topics) == len({topic.site for topic in topics.values()}) == 6
    for topic in topics.values():
        assert 3 <= len(topic.keywords) <= 6 and len(topic.examples) <= 5
        assert not set(topic.seeds) & set(topic.examples)
        assert all(map(topic.is_on, topic.seeds + topic.examples))
        assert not topic.is_on(c13_real.address(topic.site))
        assert not any(re.search(r"\s", pattern) for pattern in topic.truth)


def test_a_site_has_no_links_out_of_it(small):
    site = c13_real.OneSite("a")
    assert Recorded().fetch("http://a.example/0").links
    assert not site.fetch("http://a.example/0").links
    assert len(site.fetch("http://a.example/").links) == 12


def test_what_is_generated_is_on_no_topic(small):
    assert small.is_on("http://a.example/4") and not small.is_on("http://a.example/5")
    assert not small.is_on("http://a.example/8")


def test_a_trial_counts_what_the_tool_takes(small, monkeypatch):
    """Pages 0 to 4 are on the topic and have its words; 6 and 7 are on it without; 5 has them."""
    monkeypatch.setattr(c13_real, "ANSWERS", 3)
    row = c13_real.trial("wine")
    ways = {way: i for i, way in enumerate(row["way"])}
    assert set(ways) == {"keywords", "examples", "review", "before", "after"}
    plain, before = ways["keywords"], ways["before"]
    assert row["of"][plain] == 7 and row["labels"][plain] == 0
    assert (row["found"][plain], row["false"][plain]) == (5, 1)
    assert row["labels"][ways["review"]] == 3 and row["labels"][before] == 0
    asked = row["positive"][ways["review"]]
    assert row["found"][before] == 5 - asked and row["of"][before] == 7 - asked


def test_scores_and_medians_by_hand():
    lists = {"way": ["keywords", "examples", "review"], "labels": [0, 0, 20], "positive": [0, 0, 8]}
    rows = [
        {"topic": topic, **lists, "found": [n, 8, 9], "false": [n, 0, 1], "of": [10, 10, 10]}
        for topic, n in {"a": 4, "b": 6, "c": 10}.items()
    ]
    table = c13_real.scores(pd.DataFrame(rows))
    assert table.loc[("keywords", "b"), "precision"] == 0.5
    assert table.loc["keywords", "claimed"].tolist() == pytest.approx([0.8, 1.2, 2.0])
    found = dict(c13_found.findings(table, "200 fetches"))
    assert found["own-precision"] == (0.5, (0.5, 0.5), 3, "200 fetches", ())
    f1 = [8 / 18, 12 / 22, 20 / 30]
    assert found["own-f1"][0] == pytest.approx(np.median(f1))
    assert found["own-f1"][1] == pytest.approx((f1[0], f1[2]))
    assert found["own-examples"][0] == pytest.approx(16 / 18 - f1[2])
    assert found["own-claimed"][:3] == (pytest.approx(2.0), None, 3)
    assert [one[0] for one in found["own-claimed"].among] == pytest.approx([0.8, 1.2, 2.0])
    assert c13_real.median(table.loc["review", "recall"]) == (0.9, 0.9, 0.9)


@pytest.fixture
def stored(monkeypatch):
    rows = []
    monkeypatch.setattr(c13_found.results, "stored", lambda name: pd.DataFrame(rows))
    return rows


def test_what_labels_gain_is_paired_by_topic(stored):
    lists = {"way": ["active", "active", "rules"], "labels": [0, 20, 0], "positive": [0, 9, 0]}
    for topic, n in {"a": 4, "b": 6}.items():
        stored.append({"topic": topic, "of": 10, **lists, "found": [n, 8, 9], "false": [n, 8, 0]})
    found = c13_found.figures()
    assert found["recall"]._0.value == 0.5 and found["recall"]._20.value == 0.8
    assert found["recall_gain"]._20.value == pytest.approx(0.3)
    assert found["precision_gain"]._20 == (0, 0, 0, 2)
    stored[:] = [stored[0] | {"found": [0, 6, 9], "false": [0, 2, 0]}]
    scores = c13_found.label_scores()
    assert scores["precision"].tolist() == [1.0, 0.75, 1.0]
    assert scores["f1"].tolist() == pytest.approx([0.0, 2 * 0.75 * 0.6 / 1.35, 18 / 19])


def test_coverage_of_two_crawls(stored):
    row = {"steps": [300], "found": [30], "waiting": [50], "policy": "bfs"}
    row |= {"low": [5.0], "high": [15.0], "left": [9.0]}
    stored += [row | {"true": [10]}, row | {"true": [4]}]
    (found,) = c13_found.coverage().to_dict("records")
    assert found["covered"] == 0.5
    assert found["ratio"] == pytest.approx((10 / 11 + 10 / 5) / 2)
    assert found["estimated"] == pytest.approx(30 / 39)


@pytest.mark.slow
def test_topics_of_one_s_own_are_large_enough():
    articles, topics = load_articles(), own_topics()
    assert len(topics) >= 12 and not topics.keys() & load_topics().keys()
    for name, topic in topics.items():
        about = zip(articles.titles, articles.descriptions, strict=True)
        on = np.array([topic.matches(*pair) for pair in about])
        assert min(on[articles.training].sum(), on[~articles.training].sum()) >= 25, name
