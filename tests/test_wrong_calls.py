"""Wrong calls of public functions: each raises ValueError at once, and names the argument."""

from __future__ import annotations

import re
from functools import partial

import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, page

import tres_book
import tres_live
import tres_webs as web
from tres_book import intervals, refresh as schedulers, study
from tres_book.chapters.c12_laboratory import load_documents, sample_documents
from tres_book.crawls.muted import MutedWeb
from tres_lib import deepweb, ephemeral, focused, foragers, refresh, topics

A = "http://a.example/"
NAN = float("nan")
EMPTY = DictWeb({})
ONE = DictWeb({A: page(A, text="apple")})
CLASSIFIER = CountingClassifier()
RUNS = pd.DataFrame({"policy": ["a", "b"], "seed": [0, 0], "found": [1.0, 2.0]})
TABLE = pd.DataFrame([[A, "a", "b", "c"]], columns=["url", "title", "snippet", "text"])
DOCUMENT = {"title": "a", "description": "b", "extract": "c", "topic": "d"}
PAGES = {"change_rates": [0.1, 1.0], "request_rates": [1.0, 1.0]}


class ReturnsHtml(DictWeb):
    def fetch(self, url):
        return "<p>apple"


def square(x):
    return {"square": x * x}


def on_this_web(function, **more):
    return partial(function, web=EMPTY, seeds=[A], **more)


def of_topics(name, /, *fixed, **arguments):
    """Load when called: torch and scikit-learn take seconds."""
    return getattr(topics, name)(*fixed, **arguments)


def fitted(*fixed, **arguments):
    return topics.SvmClassifier().fit(*fixed, **arguments)


def exported(**changes):
    return tres_live.export(crawl(), "x", **changes)


def vital_seeds(n=1, rng=0):
    return web.VitalWeb(sites=50).seeds("food", n, rng)


def teach(topic=TOPIC, seeds=(A,), web=EMPTY, **rounds):
    tres_live.OwnTopic(topic, seeds).ask_person(web, **rounds)


site = partial(deepweb.SearchSite, documents=[DOCUMENT])
sources = ephemeral.source([1.0, 2.0], [0.5, 0.5], [1.0, 1.0])
crawl = partial(
    focused.crawl,
    **{"web": ONE, "seeds": [A], "topic": TOPIC, "policy": "bfs", "budget": 2},
    classifier=CLASSIFIER,
    progress=False,
)
first_look = on_this_web(tres_live.first_look, classifier=CLASSIFIER)
least_sure = on_this_web(tres_live.least_sure, classifier=CLASSIFIER)
live = partial(tres_live.LiveWeb, user_agent="me", contact="a@b.example")
simulated = partial(
    refresh.simulate, policy="uniform", **PAGES, **{"bandwidth": 1, "horizon": 10, "rng": 0}
)


def seedfinder(search):
    return crawl(policy=partial(focused.SeedFinder, search=search))


epochs = partial(ephemeral.simulate, sources=sources, crawls_per_epoch=1, epochs=3)

CALLS = [  # functions, and wrong values of their arguments
    (tres_live.GuardSettings, {"max_links": [-1, 0.5], "max_url": ["long"], "max_copies": [0]}),
    (tres_live.Guard, {"web": [None, A, DictWeb]}),
    (partial(tres_live.Guard, EMPTY), {"settings": [{"max_links": 5}]}),
    (partial(tres_live.Archive, path="x.warc.gz"), {"web": [None]}),
    (tres_live.serve, {"web": [None]}),
    (partial(tres_live.serve, EMPTY), {"port": [-1, 70_000, "http"]}),
    (live, {"user_agent": ["", 5], "contact": ["", None], "delay": [-1, NAN, "1"]}),
    (live, {"max_bytes": [0], "retries": [-1], "allow_private": [["nowhere"]]}),
    (live, {"pdf": ["yes"], "feeds": [1]}),
    (partial(MutedWeb, share=0.5), {"web": [None]}),
    (partial(MutedWeb, EMPTY), {"share": [2, NAN, "half"]}),
    (web.ReplayWeb.from_directory, {"folders": ["/x", None, ["/x"]]}),
    (web.ReplayWeb.from_pages, {"pages": [None, 5, "<p>text"]}),
    (web.ReplayWeb.from_warc, {"paths": [None, [5]]}),
    (web.VitalWeb, {"sites": [0, -5, "many", 2.5], "seed": [-1, "a", None], "half": ["both"]}),
    (vital_seeds, {"n": [0, -1, "two"], "rng": ["a"]}),
    (web.get_topic, {"topic": [None, ["food"], "jazz"]}),
    (partial(web.Topic, keywords=["a"]), {"name": ["", 5]}),
    (partial(web.Topic, "a"), {"keywords": [[], "jazz"]}),
    (partial(web.Topic, "a", ["a"]), {"rules": [("(",), "b"]}),
    (web.load_articles, {"language": ["xx-yy", None]}),
    (partial(of_topics, "training_corpus"), {"topic": [5]}),
    (partial(of_topics, "topic_keywords"), {"topic": [{}]}),
    (partial(of_topics, "load_vectors"), {"name": ["word2vec"]}),
    (partial(of_topics, "load_classifier"), {"directory": ["/nowhere", None]}),
    (partial(of_topics, "classifier", "food"), {"seed": [-1, "a"], "kind": ["best"]}),
    (partial(of_topics, "keyword_counts", keywords=["a"]), {"texts": ["text", 5, [None]]}),
    (partial(of_topics, "keyword_counts", ["text"]), {"keywords": ["a", [5]]}),
    (partial(of_topics, "candidate_words"), {"texts": ["text", [5]]}),
    (partial(of_topics, "KeywordMatcher"), {"keywords": ["jazz", [None]]}),
    (partial(of_topics, "expand_keywords", candidates=["a"], vectors=None), {"keywords": ["jazz"]}),
    (partial(of_topics, "expand_keywords", ["a", "b"], vectors=None), {"candidates": ["jazz"]}),
    (partial(of_topics, "expand_keywords", ["a", "b"], ["jazz"]), {"vectors": [None]}),
    (partial(of_topics, "SvmClassifier"), {"settings": [{"cost": 1}], "rng": [-1, "a"]}),
    (partial(fitted, labels=[True, False, True]), {"texts": ["abc"]}),
    (partial(fitted, labels=[True, False]), {"texts": [[1, 2]]}),
    (
        partial(fitted, ["a", "b"]),
        {"labels": [[True], [True, True], ["yes", "no"], [NAN, 0], [2, 0]]},
    ),
    (partial(fitted, []), {"labels": [[]]}),
    (partial(fitted, ["a", "b"] * 9, [True, False] * 9), {"groups": [[1, 2]]}),
    (partial(of_topics, "SvmSettings"), {"folds": [1, 2.5], "cost": [-3, NAN], "min_texts": [0]}),
    (partial(of_topics, "SvmSettings"), {"positive_power": [-1]}),
    (partial(of_topics, "KwBiLSTM"), {"keywords": [[], "jazz", [5]]}),
    (
        partial(of_topics, "KwBiLSTM", ["a"]),
        {"vectors": [None], "rng": [1.5], "settings": ["small"]},
    ),
    (
        partial(of_topics, "KwBiLstmSettings"),
        {"hidden": [0], "dropout": [1.5], "learning_rate": [0]},
    ),
    (partial(of_topics, "KwBiLstmSettings"), {"max_epochs": [0], "validation": [1]}),
    (partial(of_topics, "CachedScorer", CLASSIFIER), {"slots": [0, 2.5, "many"]}),
    (crawl, {"web": [A, ReturnsHtml({})], "seeds": [[5], [None], A], "topic": [None]}),
    (crawl, {"keywords": ["jazz"], "rng": ["a"], "on_row": [3], "budget": [0, NAN, "10"]}),
    (crawl, {"max_per_domain": [0, "5"], "policy": ["tress", None, lambda: None, focused.Path]}),
    (crawl, {"classifier": [5, lambda texts: 7.0], "anchor_classifier": ["svm"]}),
    (crawl, {"in_flight": [0, "2"], "patience": [0], "checkpoint": [5]}),
    (seedfinder, {"search": ["google"]}),
    (focused.search_engine, {"web": [None, EMPTY]}),
    (focused.CrawlResult.from_parquet, {"path": ["/nowhere"]}),
    (focused.DDQN, {"n_features": [0, "8"]}),
    (partial(focused.DDQN, 8), {"rng": [-1], "settings": ["small"]}),
    (focused.DDQNSettings, {"hidden": [(0, 16), 16], "learning_rate": [-1], "gamma": [2, NAN]}),
    (focused.DDQNSettings, {"batch": [0], "memory": [-1]}),
    (focused.TreeFrontier, {"n_features": [0, 2.5]}),
    (partial(focused.TreeFrontier, 8), {"rng": ["a"], "min_split": [0]}),
    (focused.TresSettings, {"min_split": [0], "explore": [2, NAN], "target": ["all"]}),
    (
        partial(focused.best_split, rewards=[1, 2]),
        {"x": [[[1.0]], [1.0, 2.0], [["a"], ["b"]], [[NAN], [1.0]]]},
    ),
    (partial(focused.best_split, rewards=[1]), {"x": [5]}),
    (partial(focused.best_split, [[1.0], [2.0]]), {"rewards": [[[1], [2]], ["a", "b"], [NAN, 1]]}),
    (partial(focused.variance_reduction, mask=[True]), {"rewards": [[1, 2]]}),
    (partial(focused.variance_reduction, mask=[True, False]), {"rewards": [["a", "b"]]}),
    (partial(focused.variance_reduction, [1, 2]), {"mask": [[True, True]]}),
    (focused.tree_cost_bound, {"T": [-1, "a"]}),
    (partial(focused.sync_cost_bounds, S=1, e_d=1, D=1), {"T": [-1]}),
    (partial(focused.regret_bound_a, D=1, eps=1, lam=0.1, M_s=1), {"T": [NAN]}),
    (partial(focused.regret_bound_b, T=10, D=1, eps=0.1), {"lam": [1]}),
    (partial(focused.regret_bound_c, T=10, D=1, eps=0.1), {"lam": [1]}),
    (first_look, {"web": [None], "seeds": [A, [], None], "n": [-1, 0]}),
    (least_sure, {"web": [None], "seeds": [A], "labels": [[5]], "n": [0]}),
    (teach, {"web": [A], "seeds": [A, []], "topic": ["jazz", None]}),
    (teach, {"rounds": [0, "three"], "n": [0]}),
    (tres_live.Labels, {"path": [3]}),
    *(
        (partial(function, "food"), {"labels": ["/no/such.jsonl", 3], "seed": [-1, "a"]})
        for function in (tres_live.own_classifier, tres_live.OwnTopic)
    ),
    (partial(tres_live.label_in_terminal, TABLE), {"labels": [None]}),
    (
        partial(tres_live.label_in_terminal, labels="labels.jsonl"),
        {"table": [None, [], TABLE[["url"]]]},
    ),
    (
        partial(tres_live.OwnTopic.from_examples, EMPTY, TOPIC, seeds=A, folder="x"),
        {"seeds": [5], "examples": [5, "too short"]},
    ),
    (exported, {"kinds": [["pdf"], "csv", 5]}),
    (partial(tres_live.export, folder="x"), {"result": [None]}),
    (tres_live.relevant_pages, {"result": [None]}),
    (simulated, {"policy": ["best", 5], "bandwidth": [1e12, -1, NAN, "1"], "horizon": [0]}),
    (simulated, {"change_rates": [[], [-1, 1], ["a", "b"]], "request_rates": [[1.0], [NAN, 1]]}),
    (simulated, {"rng": [-1, None], "bounds": [(1, 0), 5]}),
    (partial(refresh.optimal_rates, [1.0], [1.0]), {"bandwidth": [0]}),
    (
        partial(refresh.optimal_rates, request_rates=[1.0], bandwidth=1),
        {"change_rates": [[[1.0]], None]},
    ),
    (refresh.EpsilonGreedy, {"share": [-1, NAN]}),
    (refresh.ExploreCommit, {"horizon": [-1]}),
    (partial(refresh.sample_pages, 5), {"rng": ["a"]}),
    (partial(refresh.sample_pages, rng=0), {"n": [0, 2.5]}),
    (partial(schedulers.sample_histories, 5), {"rng": [-1]}),
    (partial(schedulers.sample_histories, rng=0), {"n": [-1]}),
    (partial(refresh.estimate_change_rate, gaps=[]), {"changed": [[]]}),
    (partial(refresh.estimate_change_rate, gaps=[1.0]), {"changed": [[2], ["yes"]]}),
    (partial(refresh.estimate_change_rate, [True]), {"gaps": [[-1.0], [NAN]]}),
    (partial(schedulers.standard_error, 1.0), {"gaps": [[-1.0]]}),
    (partial(schedulers.logarithmic_gaps, scale=1.0), {"n": [-1]}),
    (schedulers.load_histories, {"path": ["/nowhere"]}),
    (partial(schedulers.draw_changes, 5, 0), {"days": [-1], "precision": [0, 2], "recall": [-1]}),
    (partial(schedulers.passage, 1.0, 0.5), {"recall": [2, NAN]}),
    (partial(ephemeral.whittle_index, alpha=0.5, u=1.0), {"x": [-1.0, "a", NAN]}),
    (partial(ephemeral.whittle_index, 1.0, u=1.0), {"alpha": [2, NAN]}),
    (partial(ephemeral.whittle_index, 1.0, 0.5), {"u": [-1]}),
    (partial(ephemeral.source, [1.0], arrival_rate=[1.0]), {"decay": [[-1.0], ["a"]]}),
    (partial(ephemeral.source, [1.0], [1.0]), {"arrival_rate": [[-1.0]]}),
    (partial(ephemeral.source, decay=[1.0], arrival_rate=[1.0]), {"mean_utility": [[NAN], None]}),
    (partial(ephemeral.source, [1.0], [1.0], [1.0]), {"period": [0]}),
    (epochs, {"sources": [None], "crawls_per_epoch": [-1, NAN], "policy": ["best", 5]}),
    (epochs, {"epochs": [0, "3", 1.5], "x0": ["v", [1.0]]}),
    (partial(ephemeral.lagrangian_bound, crawls_per_epoch=1), {"sources": [None]}),
    (partial(ephemeral.lagrangian_bound, sources), {"crawls_per_epoch": [-1, "a"]}),
    (partial(tres_book.exact_optimum, crawls_per_epoch=1), {"sources": [5]}),
    (partial(tres_book.exact_optimum, sources), {"crawls_per_epoch": [0]}),
    (foragers.run_fleet, {"newsweb": [None, "web"]}),
    (foragers.graph_statistics, {"newsweb": [None]}),
    (foragers.degrees, {"newsweb": [None]}),
    (foragers.NewsWeb.generate, {"rng": [-1, "a"]}),
    (partial(foragers.NewsWeb.generate, 0), {"days": [0, NAN, "one"]}),
    (foragers.FleetSettings, {"start_size": [0], "beta": [-1]}),
    (foragers.fit_power_law, {"values": [[], ["a"], [-1, 2]]}),
    (site, {"documents": [[], None, "text"], "mode": ["all"], "page_size": [0, "ten"]}),
    (site, {"max_results": [-1]}),
    (load_documents, {"language": ["xx-yy"]}),
    (partial(sample_documents, "en-us", rng=0), {"n": [-1]}),
    (partial(sample_documents, "en-us", 5), {"rng": ["a"]}),
    (
        partial(deepweb.surface, site(), "random", 3),
        {"rng": [-1], "first_term": [5, ""]},
    ),
    (partial(deepweb.surface, max_cost=3), {"site": [None, A]}),
    (partial(deepweb.surface, site(), max_cost=3), {"policy": ["best", 5]}),
    (partial(deepweb.surface, site(), "random"), {"max_cost": [0, NAN, "9"]}),
    (partial(deepweb.gaussian_kernel, [[1.0]], [[1.0]]), {"sigma": [0, NAN]}),
    (partial(deepweb.linear_kernel, [[1.0]]), {"y": [[[1.0, 2.0]]]}),
    (deepweb.Costs, {"query": [-1, NAN]}),
    (deepweb.RlSettings, {"overlap": ["none"]}),
    (intervals.mean_interval, {"values": [[], ["a"], 5]}),
    (partial(study.summarise, value="found", by="policy"), {"data": [[1, 2], None]}),
    (partial(study.summarise, RUNS, value="found"), {"by": ["nothing", 5]}),
    (partial(study.summarise, RUNS, "policy"), {"value": ["nothing"]}),
    (partial(study.paired, RUNS, on=["seed"], reference={"policy": "a"}), {"value": ["nothing"]}),
    (
        partial(study.paired, RUNS, "found", ["seed"]),
        {"reference": [{"policy": "c"}, {"nothing": "a"}, "a"]},
    ),
    (partial(study.paired, RUNS, "found", reference={"policy": "a"}), {"on": [["nothing"]]}),
    (partial(study.interquartile_means, RUNS, "policy", strata="seed"), {"value": ["nothing"]}),
    (study.Claims.load, {"path": ["/nowhere"]}),
    (
        partial(study.run_sweep, settings=[{"x": 1}]),
        {"function": [lambda x: {"x": x}, max, None, "square"]},
    ),
    (partial(study.run_sweep, square), {"settings": [None, {"x": 1}, [1]]}),
    (partial(study.run_sweep, square, workers=1), {"settings": [[{"x": object()}]]}),
    (partial(study.run_sweep, square, [{"x": 1}]), {"workers": [-1, "two"]}),
]


def name_of(function):
    whole = getattr(function, "func", function)
    return function.args[0] if whole is of_topics else whole.__qualname__


CASES = [
    pytest.param(function, name, value, id=f"{name_of(function)}-{name}-{number}")
    for function, arguments in CALLS
    for name, values in arguments.items()
    for number, value in enumerate(values)
]


@pytest.mark.parametrize(("function", "name", "value"), CASES)
def test_a_wrong_argument_is_named(function, name, value):
    with pytest.raises(ValueError) as caught:
        function(**{name: value})
    assert re.search(rf"\b{name}\b", str(caught.value)), caught.value
