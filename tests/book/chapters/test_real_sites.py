"""Crawls of real sites: what is stored of one, how chapter 17 reads it, and the leaderboard."""

import runpy
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit
from scipy.stats import kendalltau
from sklearn.metrics import f1_score

from tres_book import leaderboard
from tres_book.chapters import c17_real_sites as chapter
from tres_book.crawls import real_sites as sites
from tres_book.crawls.record import POINTS
from tres_lib import focused
from tres_lib.topics import CachedScorer, Corpus, SvmClassifier, SvmSettings
from tres_webs import ReplayWeb, Topic

BUDGET = 6


class Newest(focused.Policy):
    """The newest link."""

    def __init__(self, context):
        self.frontier = context.frontier

    def choose(self, step):
        return self.frontier.live()[-1]


def test_tau_of_many_orders_is_that_of_scipy():
    orders = np.random.default_rng(0).integers(4, size=(2, 30, 6)).astype(float)
    expected = [kendalltau(*pair).statistic for pair in zip(*orders, strict=True)]
    np.testing.assert_allclose(chapter.tau(*orders), expected)


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A hub, three relevant pages of one host, and three others; the classifier knows "cloud"."""
    start = "http://a.example/"
    hub = "".join(f"<a href='http://{'ab'[i % 2]}.example/{i}'>page {i}</a>" for i in range(6))
    pages = {start: hub} | {
        f"http://{'ab'[i % 2]}.example/{i}": f"a text on {['cloud', 'cheese'][i % 2]} {i}"
        for i in range(6)
    }
    labels = {url: "clouds" if url.startswith(start) else [] for url in pages}
    web = ReplayWeb.from_pages(pages, labels)
    web.topics, web.site = {"clouds": Topic("clouds", ["cloud"])}, lambda url: url[7]
    scorer = CachedScorer(lambda texts: [float("cloud 2" in text) for text in texts], 2**10)
    monkeypatch.setattr(sites, "web_of_sites", lambda: web)
    monkeypatch.setattr(sites, "classifier", lambda topic: scorer)
    monkeypatch.setattr(sites, "seeds", lambda topic, seed: [start])
    monkeypatch.setattr(leaderboard, "is_here", lambda: True)
    monkeypatch.setenv("TRES_BUILD", str(tmp_path))
    return web


def test_a_crawl_is_stored_by_its_judge(tiny):
    row = sites.record("bfs", "clouds", 0, "classifier", budget=BUDGET)
    assert row["truly found"][-1] == 3 and row["found"][-1] == row["both"] == 1
    assert row["busiest"][-1] == 3 and row["sites"] == 1 and row["pages"] == BUDGET
    assert len(row["found"]) == POINTS
    told = sites.record("bfs", "clouds", 0, "labels", budget=BUDGET)
    assert told["found"] == told["truly found"] == row["truly found"] and told["both"] == 3


@pytest.mark.parametrize("policy", chapter.BLIND)
def test_the_judge_does_not_move_the_blind(tiny, policy):
    found = [
        sites.record(policy, "clouds", 0, judge, budget=BUDGET)["truly found"]
        for judge in ("classifier", "labels")
    ]
    assert found[0] == found[1]


def test_a_judge_has_the_threshold_of_the_best_f1_held_out(tmp_path):
    script = Path(__file__).parents[3] / "benchmarks" / "debian_classifiers.py"
    words = SvmSettings(min_texts=1, folds=4)
    rng = np.random.default_rng(0)
    on = np.arange(80) % 8 == 0
    drawn = [["a cloud", "a tale"][rng.random() < 0.3 + 0.5 * (not label)] for label in on]
    texts = tuple(f"{word} {i % 5}" for i, word in enumerate(drawn))
    known = Corpus(texts, on, np.arange(80) // 2, np.array(["page"] * 80))
    judge = runpy.run_path(str(script))["learn"](known, words)
    shift = logit(judge.proba(["a cloud"])) - logit(
        SvmClassifier(words).fit(texts, on, known.groups).proba(["a cloud"])
    )
    here = f1_score(on, logit(judge.held_out) + shift > -1e-9)
    assert here == max(f1_score(on, judge.held_out >= p) for p in judge.held_out) > 0
    judge.save(tmp_path)
    assert (SvmClassifier.load(tmp_path).proba(texts) == judge.proba(texts)).all()


def test_links_reach_what_is_linked(monkeypatch):
    links = {"a": frozenset("b"), "b": frozenset("ca"), "c": frozenset(), "d": frozenset("a")}
    monkeypatch.setattr(sites, "graph", lambda: links)
    assert sites.reached(["a"]) == set("abc") and sites.reached(["d", "c"]) == set("abcd")


def table(policies, found, topics=("audio", "clouds"), seeds=range(2), judge="classifier"):
    """Return crawls that find ``found(policy, topic, seed)`` pages in every 20 fetches."""
    keys = list(product(policies, topics, seeds))
    rows = pd.DataFrame(keys, columns=["policy", "topic", "seed"])
    counts = [np.arange(1, POINTS + 1) * found(*key) for key in keys]
    how = {"judge": judge, "limit": "none", "reachable": 1_000, "truly found": counts}
    return rows.assign(crawler=rows["policy"], **how)


def test_readings_and_needs_by_hand():
    crawls = table(["bfs"], lambda *_: 4, ["audio"], [0])
    read = chapter.readings(crawls)
    assert read["fetches"].tolist() == [400, 1_000, 4_000] and set(read["harvest"]) == {20}
    assert read["share"].tolist() == [8, 20, 80]
    half, most = (chapter.needs(crawls, share).iloc[0] for share in (0.5, 0.9))
    assert half == 2_500 and most == np.inf
    cell = chapter.means(crawls, "share")["bfs", "classifier", 4_000]
    assert cell == (80, 80, 80, 1)
    assert chapter.table(crawls, "share").loc["bfs", ("classifier", 4_000)] == "80.0 [80.0, 80.0]"


def test_both_topics_and_seeds_spread():
    of_topics = np.array([[0.0, 0.0], [8.0, 8.0]])
    of_seeds = of_topics.T
    assert chapter.interval(of_topics) == (4, 0, 8, 4)
    mean, low, high, _ = chapter.interval(of_seeds)
    assert mean == 4 and low < 4 < high
    assert set(np.unique(chapter.resampled(of_seeds))) == {0, 2, 4, 6, 8}


def test_leads_and_who_is_sooner():
    crawls = table(["bfs", "tres", "sb"], lambda policy, *_: {"bfs": 1, "tres": 5, "sb": 6}[policy])
    found = chapter.lead(400, "tres", ("bfs", "sb"), crawls)
    assert found.value == -5 and found.interval == (-5, -5) and found.n == 4
    told = crawls.assign(judge="labels")
    assert chapter.sooner(0.9, "sb", "tres", told).value == 1
    assert chapter.sooner(0.9, "bfs", "tres", told).value == -1
    both = pd.concat([crawls, told])
    least = chapter.least_lead("tres", "bfs", both)
    assert least[:3] == (20, (20, 20), 2) and len(least.among) == 12


def test_the_order_of_the_stored_laws_agrees_with_itself():
    law = chapter.stored_crawls("second-free").query("limit == 'none'")
    found = chapter.true_harvest(law, 4_000)
    means = found.groupby([law["policy"], law["topic"]]).mean().groupby("policy").mean()
    names = [name for name in chapter.CONTENDERS if name in means]
    crawls = table(names, lambda policy, *_: 20 * means[policy])
    found = chapter.agreement(crawls, 4_000)
    assert found.value == found.interval[0] == 1 and found.n == 4


def test_a_policy_of_ones_own_comes_onto_the_leaderboard(tiny, capsys, monkeypatch):
    few = {"TOPICS": ["clouds"], "SEEDS": 1, "BUDGET": 400, "LENGTHS": [400]}
    with monkeypatch.context() as patch:
        for name, value in few.items():
            patch.setattr(leaderboard, name, value)
        for name in (f"{__name__}:Newest", "bfs"):
            assert leaderboard.main([name]) == 0
    rows = leaderboard.table()
    both = rows[rows["crawls"] == 1]  # those that are stored have more
    assert set(both["policy"]) == {f"{__name__}:Newest", "bfs"}
    assert (both["400"] == 100 * 3 / 400).all()
    assert both["web"].nunique() == 1 and both["logs"].nunique() == 2
    assert (rows["note"] == "").all() and rows["4000"][:-2].is_monotonic_decreasing
    assert "Newest" in capsys.readouterr().out
    monkeypatch.setattr(leaderboard, "web_hash", lambda: "new")
    assert set(leaderboard.table()["note"][-2:]) == {"another web"}


def test_the_leaderboard_says_that_the_web_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(leaderboard, "is_here", lambda: False)
    assert leaderboard.main(["bfs"]) == 1 and "tres fetch-web" in capsys.readouterr().out
