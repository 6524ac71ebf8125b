"""Wrong calls of public functions: each raises ValueError at once, and names the argument."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, page

import tres_live
from tres_book import study
from tres_lib import deepweb, ephemeral, focused, foragers, intervals, refresh, topics, web

A = "http://a.example/"
NAN = float("nan")
DOCUMENT = {"title": "a", "description": "b", "extract": "c", "topic": "d"}


class ReturnsHtml(DictWeb):
    def fetch(self, url):
        return "<p>apple"


def crawl(web=None, seeds=(A,), topic=TOPIC, **how):
    web = web or DictWeb({A: page(A, text="apple")})
    how = {"policy": "bfs", "budget": 2, "classifier": CountingClassifier()} | how
    return focused.crawl(web, list(seeds), topic, progress=False, **how)


def found(**changed):
    how = {"web": DictWeb({}), "seeds": [A], "classifier": CountingClassifier()}
    return tres_live.least_sure(**how | changed)


def teach(web=None, seeds=(A,), topic=TOPIC, **how):
    return tres_live.OwnTopic(topic, seeds).teach(web or DictWeb({}), **how)


def learn(**changed):
    how = {"web": DictWeb({}), "topic": web.Topic("a", ["b", "c"]), "seeds": A, "folder": "x"}
    return tres_live.OwnTopic.learn(**how | changed)


def sources():
    return ephemeral.source([1.0, 2.0], [0.5, 0.5], [1.0, 1.0])


def simulated(**changed):
    how = {"policy": "uniform", "change_rates": [0.1, 1.0], "request_rates": [1.0, 1.0]}
    how |= {"bandwidth": 1, "horizon": 10, "rng": 0}
    return refresh.simulate(**how | changed)


def epochs(**changed):
    how = {"crawls_per_epoch": 1, "epochs": 3}
    return ephemeral.simulate(sources(), **how | changed)


def site(**changed):
    return deepweb.SearchSite(**{"documents": [DOCUMENT]} | changed)


def surfaced(**changed):
    return deepweb.surface(**{"site": site(), "policy": "random", "max_cost": 3} | changed)


def fleet(**changed):
    return foragers.run_fleet(**{"newsweb": None} | changed)


def square(x):
    return {"square": x * x}


RUNS = pd.DataFrame({"policy": ["a", "b"], "seed": [0, 0], "found": [1.0, 2.0]})

TABLE = pd.DataFrame([[A, "a", "b", "c"]], columns=["url", "title", "snippet", "text"])

CALLS = {  # name of the argument, and calls with a wrong value of it
    "max_links": [
        lambda: tres_live.GuardSettings(max_links=-1),
        lambda: tres_live.GuardSettings(max_links=0.5),
    ],
    "max_url": [lambda: tres_live.GuardSettings(max_url="long")],
    "max_copies": [lambda: tres_live.GuardSettings(max_copies=0)],
    "web": [
        lambda: tres_live.Guard(None),
        lambda: tres_live.Guard("http://a.example/"),
        lambda: tres_live.Guard(DictWeb),
        lambda: tres_live.Archive(None, "x.warc.gz"),
        lambda: web.MutedWeb(None, 0.5),
        lambda: tres_live.serve(None),
        lambda: crawl(web="http://a.example/"),
        lambda: crawl(web=ReturnsHtml({})),
        lambda: tres_live.first_look(None, [A], CountingClassifier()),
        lambda: focused.search_engine(None),
        lambda: found(web=None),
        lambda: teach(web="http://a.example/"),
        lambda: focused.search_engine(DictWeb({})),
    ],
    "share": [
        lambda: web.MutedWeb(DictWeb({}), 2),
        lambda: web.MutedWeb(DictWeb({}), NAN),
        lambda: web.MutedWeb(DictWeb({}), "half"),
        lambda: refresh.EpsilonGreedy(share=-1),
        lambda: refresh.EpsilonGreedy(share=NAN),
    ],
    "folders": [
        lambda: web.ReplayWeb.from_directory("/x"),
        lambda: web.ReplayWeb.from_directory(None),
        lambda: web.ReplayWeb.from_directory(["/x"]),
    ],
    "pages": [
        lambda: web.ReplayWeb.from_pages(None),
        lambda: web.ReplayWeb.from_pages(5),
        lambda: web.ReplayWeb.from_pages("<p>text"),
    ],
    "paths": [lambda: web.ReplayWeb.from_warc(None), lambda: web.ReplayWeb.from_warc([5])],
    "topic": [
        lambda: web.get_topic(None),
        lambda: web.get_topic(["food"]),
        lambda: web.get_topic("jazz"),
        lambda: topics.training_corpus(5),
        lambda: topics.topic_keywords({}),
        lambda: crawl(topic=None),
        lambda: tres_live.own_classifier("jazz"),
        lambda: teach(topic="jazz"),
        lambda: teach(topic=None),
    ],
    "name": [
        lambda: topics.load_vectors("word2vec"),
        lambda: web.Topic("", ["a"]),
        lambda: web.Topic(5, ["a"]),
    ],
    "rules": [
        lambda: web.Topic("a", ["a"], rules=("(",)),
        lambda: web.Topic("a", ["a"], rules="b"),
    ],
    "sites": [
        lambda: web.VitalWeb(sites=0),
        lambda: web.VitalWeb(sites=-5),
        lambda: web.VitalWeb(sites="many"),
        lambda: web.VitalWeb(sites=2.5),
    ],
    "seed": [
        lambda: web.VitalWeb(-1),
        lambda: web.VitalWeb("a"),
        lambda: web.VitalWeb(None),
        lambda: topics.default_classifier("food", seed=-1),
        lambda: topics.default_classifier("food", seed="a"),
    ],
    "half": [lambda: web.VitalWeb(half="both")],
    "port": [
        lambda: tres_live.serve(DictWeb({}), port=-1),
        lambda: tres_live.serve(DictWeb({}), port=70_000),
        lambda: tres_live.serve(DictWeb({}), port="http"),
    ],
    "user_agent": [
        lambda: tres_live.LiveWeb("", "a@b.example"),
        lambda: tres_live.LiveWeb(5, "a@b.example"),
    ],
    "contact": [lambda: tres_live.LiveWeb("me", ""), lambda: tres_live.LiveWeb("me", None)],
    "delay": [
        lambda: tres_live.LiveWeb("me", "a@b.example", delay=-1),
        lambda: tres_live.LiveWeb("me", "a@b.example", delay=NAN),
        lambda: tres_live.LiveWeb("me", "a@b.example", delay="1"),
    ],
    "max_bytes": [lambda: tres_live.LiveWeb("me", "a@b.example", max_bytes=0)],
    "retries": [lambda: tres_live.LiveWeb("me", "a@b.example", retries=-1)],
    "allow_private": [lambda: tres_live.LiveWeb("me", "a@b.example", allow_private=["nowhere"])],
    "language": [
        lambda: web.load_articles("xx-yy"),
        lambda: deepweb.load_documents("xx-yy"),
        lambda: web.load_articles(None),
    ],
    "texts": [
        lambda: topics.keyword_counts("text", ["a"]),
        lambda: topics.keyword_counts(5, ["a"]),
        lambda: topics.keyword_counts([None], ["a"]),
        lambda: topics.candidate_words("text"),
        lambda: topics.candidate_words([5]),
        lambda: topics.SvmClassifier().fit("abc", [True, False, True]),
        lambda: topics.SvmClassifier().fit([1, 2], [True, False]),
    ],
    "labels": [
        lambda: topics.SvmClassifier().fit(["a", "b"], [True]),
        lambda: topics.SvmClassifier().fit(["a", "b"], [True, True]),
        lambda: topics.SvmClassifier().fit([], []),
        lambda: topics.SvmClassifier().fit(["a", "b"], ["yes", "no"]),
        lambda: topics.SvmClassifier().fit(["a", "b"], [NAN, 0]),
        lambda: topics.SvmClassifier().fit(["a", "b"], [2, 0]),
        lambda: tres_live.own_classifier("food", labels="/no/such.jsonl"),
        lambda: tres_live.own_classifier("food", labels=3),
        lambda: tres_live.OwnTopic("food", labels="/no/such.jsonl"),
        lambda: tres_live.OwnTopic("food", labels=3),
        lambda: found(labels=None),
        lambda: found(labels=[5]),
        lambda: tres_live.label_in_terminal(TABLE, None),
        lambda: tres_live.labelling_panel(TABLE, None),
    ],
    "groups": [lambda: topics.SvmClassifier().fit(["a", "b"] * 9, [True, False] * 9, [1, 2])],
    "keywords": [
        lambda: topics.keyword_counts(["text"], "a"),
        lambda: topics.keyword_counts(["text"], [5]),
        lambda: topics.KwBiLSTM([]),
        lambda: topics.KwBiLSTM("jazz"),
        lambda: topics.KwBiLSTM([5]),
        lambda: topics.KeywordMatcher("jazz"),
        lambda: topics.KeywordMatcher([None]),
        lambda: topics.expand_keywords("jazz", ["a"], None),
        lambda: crawl(keywords="jazz"),
        lambda: web.Topic("a", []),
        lambda: web.Topic("a", "jazz"),
        lambda: learn(topic=web.Topic("a", ["b"])),
    ],
    "candidates": [lambda: topics.expand_keywords(["a", "b"], "jazz", None)],
    "vectors": [
        lambda: topics.KwBiLSTM(["a"], None),
        lambda: topics.expand_keywords(["a", "b"], ["jazz"], None),
    ],
    "folds": [lambda: topics.SvmSettings(folds=1), lambda: topics.SvmSettings(folds=2.5)],
    "cost": [lambda: topics.SvmSettings(cost=-3), lambda: topics.SvmSettings(cost=NAN)],
    "min_texts": [lambda: topics.SvmSettings(min_texts=0)],
    "positive_power": [lambda: topics.SvmSettings(positive_power=-1)],
    "hidden": [
        lambda: topics.KwBiLstmSettings(hidden=0),
        lambda: focused.DDQNSettings(hidden=(0, 16)),
        lambda: focused.DDQNSettings(hidden=16),
    ],
    "dropout": [lambda: topics.KwBiLstmSettings(dropout=1.5)],
    "learning_rate": [
        lambda: topics.KwBiLstmSettings(learning_rate=0),
        lambda: focused.DDQNSettings(learning_rate=-1),
    ],
    "max_epochs": [lambda: topics.KwBiLstmSettings(max_epochs=0)],
    "validation": [lambda: topics.KwBiLstmSettings(validation=1)],
    "gamma": [lambda: focused.DDQNSettings(gamma=2), lambda: focused.DDQNSettings(gamma=NAN)],
    "batch": [lambda: focused.DDQNSettings(batch=0)],
    "memory": [lambda: focused.DDQNSettings(memory=-1)],
    "rng": [
        lambda: topics.SvmClassifier(rng=-1),
        lambda: topics.SvmClassifier(rng="a"),
        lambda: topics.KwBiLSTM(["a"], rng=1.5),
        lambda: web.VitalWeb(sites=50).seeds("food", 1, "a"),
        lambda: focused.DDQN(8, rng=-1),
        lambda: focused.TreeFrontier(8, rng="a"),
        lambda: simulated(rng=-1),
        lambda: simulated(rng=None),
        lambda: refresh.sample_pages(5, "a"),
        lambda: refresh.sample_histories(5, -1),
        lambda: surfaced(rng=-1),
        lambda: deepweb.sample_documents("en-us", 5, "a"),
        lambda: foragers.NewsWeb.generate(-1),
        lambda: foragers.NewsWeb.generate("a"),
        lambda: crawl(rng="a"),
    ],
    "n": [
        lambda: web.VitalWeb(sites=50).seeds("food", 0, 0),
        lambda: web.VitalWeb(sites=50).seeds("food", -1, 0),
        lambda: web.VitalWeb(sites=50).seeds("food", "two", 0),
        lambda: refresh.sample_pages(0, 0),
        lambda: refresh.sample_pages(2.5, 0),
        lambda: refresh.sample_histories(-1, 0),
        lambda: deepweb.sample_documents("en-us", -1, 0),
        lambda: refresh.half_band(0, 0.1),
        lambda: refresh.logarithmic_gaps(-1, 1.0),
        lambda: tres_live.first_look(DictWeb({}), [A], CountingClassifier(), n=-1),
        lambda: tres_live.first_look(DictWeb({}), [A], CountingClassifier(), n=0),
        lambda: found(n=0),
        lambda: teach(n=0),
    ],
    "n_features": [
        lambda: focused.DDQN(0),
        lambda: focused.DDQN("8"),
        lambda: focused.TreeFrontier(0),
        lambda: focused.TreeFrontier(2.5),
    ],
    "min_split": [
        lambda: focused.TreeFrontier(8, min_split=0),
        lambda: focused.TresSettings(min_split=0),
    ],
    "explore": [lambda: focused.TresSettings(explore=2), lambda: focused.TresSettings(explore=NAN)],
    "target": [lambda: focused.TresSettings(target="all")],
    "x": [
        lambda: focused.best_split([[1.0]], [1, 2]),
        lambda: focused.best_split([1.0, 2.0], [1, 2]),
        lambda: focused.best_split(5, [1]),
        lambda: focused.best_split([["a"], ["b"]], [1, 2]),
        lambda: focused.best_split([[NAN], [1.0]], [1, 2]),
        lambda: ephemeral.whittle_index(-1.0, 0.5, 1.0),
        lambda: ephemeral.whittle_index("a", 0.5, 1.0),
        lambda: ephemeral.whittle_index(NAN, 0.5, 1.0),
    ],
    "rewards": [
        lambda: focused.best_split([[1.0], [2.0]], [[1], [2]]),
        lambda: focused.best_split([[1.0], [2.0]], ["a", "b"]),
        lambda: focused.best_split([[1.0], [2.0]], [NAN, 1]),
        lambda: focused.variance_reduction([1, 2], [True]),
        lambda: focused.variance_reduction(["a", "b"], [True, False]),
    ],
    "mask": [lambda: focused.variance_reduction([1, 2], [True, True])],
    "T": [
        lambda: focused.tree_cost_bound(-1),
        lambda: focused.tree_cost_bound("a"),
        lambda: focused.regret_bound_a(NAN, 1, 1, 0.1, 1),
        lambda: focused.sync_cost_bounds(1, -1, 1, 1),
    ],
    "lam": [
        lambda: focused.regret_bound_b(10, 1, 0.1, 1),
        lambda: focused.regret_bound_c(10, 1, 0.1, 1),
    ],
    "seeds": [
        lambda: crawl(seeds=[5]),
        lambda: crawl(seeds=[None]),
        lambda: focused.crawl(DictWeb({}), A, TOPIC),
        lambda: tres_live.first_look(DictWeb({}), A, CountingClassifier()),
        lambda: tres_live.first_look(DictWeb({}), [], CountingClassifier()),
        lambda: tres_live.first_look(DictWeb({}), None, CountingClassifier()),
        lambda: learn(seeds=5),
        lambda: found(seeds=A),
        lambda: teach(seeds=A),
        lambda: teach(seeds=[]),
    ],
    "table": [
        lambda: tres_live.label_in_terminal(None, "labels.jsonl"),
        lambda: tres_live.label_in_terminal([], "labels.jsonl"),
        lambda: tres_live.label_in_terminal(TABLE[["url"]], "labels.jsonl"),
        lambda: tres_live.labelling_panel(None, "labels.jsonl"),
    ],
    "rounds": [lambda: teach(rounds=0), lambda: teach(rounds="three")],
    "kind": [lambda: tres_live.own_classifier("food", "forest")],
    "kinds": [
        lambda: tres_live.export(crawl(), "x", ["pdf"]),
        lambda: tres_live.export(crawl(), "x", "csv"),
        lambda: tres_live.export(crawl(), "x", 5),
    ],
    "on_row": [lambda: crawl(on_row=3)],
    "pdf": [lambda: tres_live.LiveWeb("me", "a@b.example", pdf="yes")],
    "feeds": [lambda: tres_live.LiveWeb("me", "a@b.example", feeds=1)],
    "examples": [lambda: learn(examples=5), lambda: learn(examples="too short")],
    "budget": [lambda: crawl(budget=0), lambda: crawl(budget=NAN), lambda: crawl(budget="10")],
    "max_per_domain": [lambda: crawl(max_per_domain=0), lambda: crawl(max_per_domain="5")],
    "policy": [
        lambda: crawl(policy="tress"),
        lambda: crawl(policy=None),
        lambda: crawl(policy=lambda: None),
        lambda: crawl(policy=focused.Path),
        lambda: simulated(policy="best"),
        lambda: simulated(policy=5),
        lambda: epochs(policy="best"),
        lambda: epochs(policy=5),
        lambda: surfaced(policy="best"),
        lambda: surfaced(policy=5),
    ],
    "classifier": [lambda: crawl(classifier=5), lambda: crawl(classifier=lambda texts: 7.0)],
    "anchor_classifier": [lambda: crawl(anchor_classifier="svm")],
    "in_flight": [lambda: crawl(in_flight=0), lambda: crawl(in_flight="2")],
    "patience": [lambda: crawl(patience=0)],
    "search": [lambda: crawl(policy="seedfinder", search="google")],
    "checkpoint": [lambda: crawl(checkpoint=5)],
    "result": [lambda: tres_live.relevant_pages(None), lambda: tres_live.export(None, "x")],
    "bandwidth": [
        lambda: simulated(bandwidth=1e12),
        lambda: simulated(bandwidth=-1),
        lambda: simulated(bandwidth=NAN),
        lambda: simulated(bandwidth="1"),
        lambda: refresh.optimal_rates([1.0], [1.0], 0),
    ],
    "horizon": [lambda: simulated(horizon=0), lambda: refresh.ExploreCommit(-1)],
    "change_rates": [
        lambda: simulated(change_rates=[]),
        lambda: simulated(change_rates=[-1, 1]),
        lambda: simulated(change_rates=["a", "b"]),
        lambda: refresh.optimal_rates([[1.0]], [1.0], 1),
        lambda: refresh.optimal_rates(None, [1.0], 1),
    ],
    "request_rates": [
        lambda: simulated(request_rates=[1.0]),
        lambda: simulated(request_rates=[NAN, 1]),
    ],
    "bounds": [lambda: simulated(bounds=(1, 0)), lambda: simulated(bounds=5)],
    "refresh": [lambda: simulated(refresh="often")],
    "changed": [
        lambda: refresh.estimate_change_rate([], []),
        lambda: refresh.estimate_change_rate([2], [1.0]),
        lambda: refresh.estimate_change_rate(["yes"], [1.0]),
    ],
    "gaps": [
        lambda: refresh.estimate_change_rate([True], [-1.0]),
        lambda: refresh.estimate_change_rate([True], [NAN]),
        lambda: refresh.standard_error(1.0, [-1.0]),
    ],
    "delta": [lambda: refresh.half_band(5, 2), lambda: refresh.half_band(5, NAN)],
    "path": [
        lambda: refresh.load_histories("/nowhere"),
        lambda: list(refresh.read_histories("/nowhere")),
        lambda: focused.CrawlResult.from_parquet("/nowhere"),
        lambda: study.Claims.load("/nowhere"),
        lambda: tres_live.Labels(3),
    ],
    "directory": [lambda: topics.load_classifier("/nowhere"), lambda: topics.load_classifier(None)],
    "decay": [
        lambda: ephemeral.source([1.0], [-1.0], [1.0]),
        lambda: ephemeral.source([1.0], ["a"], [1.0]),
    ],
    "arrival_rate": [lambda: ephemeral.source([1.0], [1.0], [-1.0])],
    "mean_utility": [
        lambda: ephemeral.source([NAN], [1.0], [1.0]),
        lambda: ephemeral.source(None, [1.0], [1.0]),
    ],
    "period": [lambda: ephemeral.source([1.0], [1.0], [1.0], period=0)],
    "sources": [
        lambda: ephemeral.simulate(None, 1, 3),
        lambda: ephemeral.lagrangian_bound(None, 1),
        lambda: ephemeral.exact_optimum(5, 1),
    ],
    "crawls_per_epoch": [
        lambda: epochs(crawls_per_epoch=-1),
        lambda: epochs(crawls_per_epoch=NAN),
        lambda: ephemeral.exact_optimum(sources(), 0),
        lambda: ephemeral.lagrangian_bound(sources(), -1),
        lambda: ephemeral.lagrangian_bound(sources(), "a"),
    ],
    "epochs": [lambda: epochs(epochs=0), lambda: epochs(epochs="3"), lambda: epochs(epochs=1.5)],
    "x0": [lambda: epochs(x0="v"), lambda: epochs(x0=[1.0])],
    "alpha": [
        lambda: ephemeral.whittle_index(1.0, 2, 1.0),
        lambda: ephemeral.whittle_index(1.0, NAN, 1.0),
    ],
    "u": [lambda: ephemeral.whittle_index(1.0, 0.5, -1)],
    "newsweb": [
        lambda: fleet(),
        lambda: fleet(newsweb="web"),
        lambda: foragers.graph_statistics(None),
        lambda: foragers.degrees(None),
    ],
    "days": [
        lambda: foragers.NewsWeb.generate(0, days=0),
        lambda: foragers.NewsWeb.generate(0, days=NAN),
        lambda: foragers.NewsWeb.generate(0, days="one"),
    ],
    "start_size": [lambda: foragers.FleetSettings(start_size=0)],
    "beta": [lambda: foragers.FleetSettings(beta=-1)],
    "values": [
        lambda: foragers.fit_power_law([]),
        lambda: foragers.fit_power_law(["a"]),
        lambda: foragers.fit_power_law([-1, 2]),
        lambda: intervals.mean_interval([]),
        lambda: intervals.mean_interval(["a"]),
        lambda: intervals.mean_interval(5),
    ],
    "level": [
        lambda: intervals.mean_interval([1.0], 2),
        lambda: intervals.mean_interval([1.0], "a"),
    ],
    "by": [
        lambda: study.summarise(RUNS, "nothing", "found"),
        lambda: study.summarise(RUNS, 5, "found"),
    ],
    "value": [
        lambda: study.summarise(RUNS, "policy", "nothing"),
        lambda: study.paired(RUNS, "nothing", ["seed"], {"policy": "a"}),
        lambda: study.interquartile_means(RUNS, "policy", "nothing", "seed"),
    ],
    "reference": [
        lambda: study.paired(RUNS, "found", ["seed"], {"policy": "c"}),
        lambda: study.paired(RUNS, "found", ["seed"], {"nothing": "a"}),
        lambda: study.paired(RUNS, "found", ["seed"], "a"),
    ],
    "on": [lambda: study.paired(RUNS, "found", ["nothing"], {"policy": "a"})],
    "data": [
        lambda: study.summarise([1, 2], "policy", "found"),
        lambda: study.summarise(None, "policy", "found"),
    ],
    "function": [
        lambda: study.run_sweep(lambda x: {"x": x}, [{"x": 1}]),
        lambda: study.run_sweep(max, [{"x": 1}]),
        lambda: study.run_sweep(None, [{"x": 1}]),
        lambda: study.run_sweep("square", [{"x": 1}]),
    ],
    "settings": [
        lambda: study.run_sweep(square, None),
        lambda: study.run_sweep(square, {"x": 1}),
        lambda: study.run_sweep(square, [1]),
        lambda: study.run_sweep(square, [{"x": object()}], workers=1),
        lambda: tres_live.Guard(DictWeb({}), {"max_links": 5}),
        lambda: topics.SvmClassifier({"cost": 1}),
        lambda: topics.KwBiLSTM(["a"], settings="small"),
        lambda: focused.DDQN(8, "small"),
    ],
    "workers": [
        lambda: study.run_sweep(square, [{"x": 1}], workers=-1),
        lambda: study.run_sweep(square, [{"x": 1}], workers="two"),
    ],
    "documents": [
        lambda: site(documents=[]),
        lambda: site(documents=None),
        lambda: site(documents="text"),
    ],
    "mode": [lambda: site(mode="all")],
    "page_size": [lambda: site(page_size=0), lambda: site(page_size="ten")],
    "max_results": [lambda: site(max_results=-1)],
    "site": [lambda: surfaced(site=None), lambda: surfaced(site="http://a.example/")],
    "max_cost": [
        lambda: surfaced(max_cost=0),
        lambda: surfaced(max_cost=NAN),
        lambda: surfaced(max_cost="9"),
    ],
    "first_term": [lambda: surfaced(first_term=5), lambda: surfaced(first_term="")],
    "sigma": [
        lambda: deepweb.gaussian_kernel([[1.0]], [[1.0]], 0),
        lambda: deepweb.gaussian_kernel([[1.0]], [[1.0]], NAN),
    ],
    "y": [lambda: deepweb.linear_kernel([[1.0]], [[1.0, 2.0]])],
    "query": [lambda: deepweb.Costs(query=-1), lambda: deepweb.Costs(query=NAN)],
    "overlap": [lambda: deepweb.RlSettings(overlap="none")],
    "slots": [
        lambda: topics.CachedScorer(CountingClassifier(), slots=0),
        lambda: topics.CachedScorer(CountingClassifier(), slots=2.5),
        lambda: topics.CachedScorer(CountingClassifier(), slots="many"),
    ],
}
CASES = [
    pytest.param(name, call, id=f"{name}-{number}")
    for name, calls in CALLS.items()
    for number, call in enumerate(calls)
]


@pytest.mark.parametrize(("name", "call"), CASES)
def test_a_wrong_argument_is_named(name, call):
    with pytest.raises(ValueError) as caught:
        call()
    assert re.search(rf"\b{name}\b", str(caught.value)), caught.value
