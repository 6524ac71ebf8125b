"""Wrong calls of public functions: each raises ValueError at once, and names the argument."""

from __future__ import annotations

import re
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, page

import tres_book
import tres_live
import tres_webs as web
from tres_book import intervals, refresh as schedulers, study
from tres_book.chapters.c10_lspe import Lspe
from tres_book.chapters.c12_laboratory import sample_documents
from tres_book.crawls.muted import MutedWeb
from tres_book.world import Rule, World, simulate
from tres_lib import deepweb, ephemeral, focused, foragers, ours, refresh, topics
from tres_lib.deepweb import kernel
from tres_lib.ours.prospector import prospector
from tres_live.command.options import CrawlOptions, WatchOptions

A = "http://a.example/"
NAN, INF = float("nan"), float("inf")
EMPTY = DictWeb({})
ONE = DictWeb({A: page(A, text="apple")})
CLASSIFIER = CountingClassifier()
RUNS = pd.DataFrame({"policy": ["a", "b"], "seed": [0, 0], "found": [1.0, 2.0]})
TABLE = pd.DataFrame([[A, "a", "b", "c"]], columns=["url", "title", "snippet", "text"])
STUBBORN = SimpleNamespace(choose=lambda state: "c")
DOCUMENT = {"title": "a", "description": "b", "extract": "c", "topic": "d"}
NEWS = foragers.NewsWeb.generate(0, 0.25, foragers.NewsSite(sections=1, subhubs=1))
JAZZ = web.Topic("jazz", ("jazz", "blues"), examples=("A jazz band.",))
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


def of_options(kind=CrawlOptions, **changed):
    """Read options of a crawl, or of a watch."""
    given = {
        "topic": "jazz",
        "keywords": ["jazz, ragtime"],
        "seeds": [A],
        "contact": "me@a.example",
    }
    return kind.read(given | changed)


def exported(**changes):
    return tres_live.export(crawl(), "x", **changes)


def of_lab(method, *fixed, **arguments):
    return getattr(web.VitalWeb(sites=50), method)(*fixed, **arguments)


def teach(topic=TOPIC, seeds=(A,), web=EMPTY, **rounds):
    tres_live.OwnTopic(topic, seeds).ask_person(web, **rounds)


site = partial(deepweb.SearchSite, documents=[DOCUMENT])
CLOSED = SimpleNamespace(page=site().page, front_page=site().front_page)  # no query, no words
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


def rates_and(factor, until):
    return lambda view: (factor * view.uniform_rates, until)


optimal = partial(refresh.optimal_rates, **{"change_rates": [1], "request_rates": [1]}, bandwidth=1)
fresh = partial(refresh.freshness, rates=[1], change_rates=[1], request_rates=[1])
sync_bounds = partial(focused.sync_cost_bounds, S=1, T=10, e_d=1, D=2)
regret_a = partial(focused.regret_bound_a, T=10, D=4, eps=0.1, lam=0.5, M_s=2)
epochs = partial(ephemeral.simulate, sources=sources, crawls_per_epoch=1, epochs=3)

CALLS = [  # functions, and wrong values of their arguments
    (tres_live.GuardSettings, {"max_links": [-1, 0.5], "max_url": ["long"], "max_copies": [0]}),
    (tres_live.Guard, {"web": [None, A, DictWeb]}),
    (partial(tres_live.Guard, EMPTY), {"settings": [{"max_links": 5}]}),
    (partial(tres_live.Archive, path="x.warc.gz"), {"web": [None]}),
    (tres_live.serve, {"web": [None]}),
    (partial(tres_live.serve, EMPTY), {"port": [-1, 70_000, "http"]}),
    (live, {"user_agent": ["", 5, "a\r\nX: y", "é"], "contact": ["", None, " "]}),
    (live, {"delay": [-1, NAN, "1", 90.0], "timeout": [0, INF], "deadline": [0]}),
    (live, {"max_bytes": [0, 1.5], "retries": [-1, 0.5], "max_redirects": [-1], "max_wait": [-1]}),
    (live, {"allow_private": [["nowhere"], 7], "proxies": [{"http": "socks5://127.0.0.1:1"}]}),
    (live, {"pdf": ["yes"], "feeds": [1], "headers": [{"https://a.example/page": {}}]}),
    (partial(tres_live.WithSiteLinks, seeds=[A]), {"web": [ONE]}),
    (partial(tres_live.WithSiteLinks, live()), {"seeds": [A]}),
    (partial(tres_live.site_links, page=page(A)), {"web": [ONE]}),
    (tres_live.Scope, {"allow": [A, "a.example"], "deny": [[A]], "max_depth": [0]}),
    (tres_live.Scope, {"include": [["("], ["a(?!b)"]], "exclude": [["(a{999}){999}"], [""]]}),
    (of_options, {"topic": [None, " "], "seeds": [[], ["seeds.txt"], [f"{A}x.pdf"]]}),
    (of_options, {"keywords": [[], ["jazz"]], "contact": [None, "nobody"], "rng": [-1]}),
    (of_options, {"budget": [0, "many"], "policy": ["oracle", "seedfinder", "worst"]}),
    (of_options, {"in_flight": [0], "patience": [-1], "delay": [-1.0], "max_depth": [-1]}),
    (of_options, {"max_per_domain": [-2], "classifier": ["svm"], "cookies": ["no.txt"]}),
    (of_options, {"include": [["("]], "intranet": [["10.0.0"]]}),
    (of_options, {"proxy": ["http://me:secret@a.example:8080"]}),
    (of_options, {"cluster": ["a.example:8786", "inproc://a"]}),
    (partial(of_options, kind=WatchOptions), {"bandwidth": [0.0, 5e-324, 1e-6, -1.0]}),
    (partial(of_options, kind=WatchOptions), {"budget": [5], "max_depth": [2], "policy": ["bfs"]}),
    (partial(tres_live.FewTexts(["jazz"]).fit, ["x"]), {"labels": [[]]}),
    (partial(MutedWeb, share=0.5), {"web": [None]}),
    (partial(MutedWeb, EMPTY), {"share": [2, NAN, "half"]}),
    (web.ReplayWeb.from_directory, {"folders": ["/x", None, ["/x"]]}),
    (web.ReplayWeb.from_pages, {"pages": [None, 5, "<p>text", {A: 7}, {"mailto:x": "a"}]}),
    (web.ReplayWeb.from_warc, {"paths": [None, [5]]}),
    (web.VitalWeb, {"sites": [0, -5, "many", 2.5], "seed": [-1, "a", None], "half": ["both"]}),
    (partial(of_lab, "seeds", "food", rng=0), {"n": [0, -1, "two"]}),
    (partial(of_lab, "seeds", "food", 1), {"rng": ["a"]}),
    (web.get_topic, {"topic": [None, ["food"], "jazz"]}),
    (partial(web.Topic, keywords=["a"]), {"name": ["", " ", 5]}),
    (partial(web.Topic, "a"), {"keywords": [[], "jazz", ("guitar", 3)]}),
    (partial(web.Topic, "a", ["a"]), {"rules": [("(",), "b"], "examples": [("",)]}),
    (partial(web.Topic, "a", ["a"], exclude=("A",)), {"include": [("A",)]}),
    (partial(of_lab, "is_relevant", A), {"topic": ["sprots"]}),
    (web.load_articles, {"language": ["xx-yy", None]}),
    (partial(of_topics, "training_corpus"), {"topic": [5]}),
    (partial(of_topics, "training_corpus", amount="paper"), {"topic": [JAZZ]}),
    (partial(of_topics, "topic_keywords"), {"topic": [{}]}),
    (partial(of_topics, "load_vectors"), {"name": ["word2vec"]}),
    (partial(of_topics, "load_classifier"), {"directory": ["/nowhere", None]}),
    (
        partial(of_topics, "classifier", "food"),
        {"seed": [-1, "a"], "kind": ["best"], "amount": ["much"]},
    ),
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
    (crawl, {"seeds": [["ftp://a.example/"]], "topic": ["gardening"], "follow": ["a.example"]}),
    (crawl, {"keywords": ["jazz", [1]], "on_row": [3], "budget": [0, NAN, "10"], "grow": [-1]}),
    (crawl, {"rng": ["a", -1], "policy": ["tress", None, lambda: None, focused.Path]}),
    (crawl, {"max_per_domain": [0, "5", (2, 5), (5, 3, 2)], "errors": ["ignore"]}),
    (crawl, {"classifier": [5, lambda texts: 7.0], "anchor_classifier": ["svm"]}),
    (crawl, {"in_flight": [0, 1.5, "2"], "patience": [0, "x"], "checkpoint": [5]}),
    (partial(crawl, checkpoint="x.jsonl"), {"rng": [np.random.default_rng(0)]}),
    (seedfinder, {"search": ["google"]}),
    (focused.search_engine, {"web": [None, EMPTY]}),
    (focused.CrawlResult.from_parquet, {"path": ["/nowhere"]}),
    (focused.DDQN, {"n_features": [0, "8"]}),
    (partial(focused.DDQN, 8), {"rng": [-1], "settings": ["small"]}),
    (focused.DDQNSettings, {"hidden": [(0, 16), 16], "learning_rate": [-1], "gamma": [2, NAN]}),
    (focused.DDQNSettings, {"batch": [0], "memory": [-1]}),
    (focused.DDQN(2).q, {"x": [[[0.0, 0.0, 0.0]]]}),
    (partial(focused.DDQN(2).observe, [0, 0], 1), {"next_x": [[[0.0, 0.0, 0.0]]]}),
    (focused.TreeFrontier, {"n_features": [0, 2.5]}),
    (partial(focused.TreeFrontier, 8), {"rng": ["a"], "min_split": [0]}),
    (focused.TresSettings, {"min_split": [0], "explore": [2, NAN], "target": ["all"]}),
    (focused.TresSettings, {"explore_at_most": [-1], "train_every": [0]}),
    (prospector.ProspectorSettings, {"without": [("besides",)], "first_fit": [0]}),
    (
        partial(focused.best_split, rewards=[1, 2]),
        {"x": [[[1.0]], [1.0, 2.0], [["a"], ["b"]], [[NAN], [1.0]]]},
    ),
    (partial(focused.best_split, rewards=[1]), {"x": [5]}),
    (partial(focused.best_split, [[1.0], [2.0]]), {"rewards": [[[1], [2]], ["a", "b"], [NAN, 1]]}),
    (partial(focused.TreeFrontier(2).add_experience, reward=0), {"x": [[0], [0, INF]]}),
    (partial(focused.TreeFrontier(2).add_experience, [0, 0]), {"reward": [NAN]}),
    (partial(focused.variance_reduction, mask=[True]), {"rewards": [[1, 2]]}),
    (partial(focused.variance_reduction, mask=[True, False]), {"rewards": [["a", "b"]]}),
    (partial(focused.variance_reduction, [1, 2]), {"mask": [[True, True], [False, False], [True]]}),
    (focused.tree_cost_bound, {"T": [-1, "a", NAN, True, 10**400]}),
    (sync_bounds, {"T": [-1], "S": [0], "e_d": [3], "D": [INF]}),
    (regret_a, {"T": [NAN], "D": [-1], "eps": [0], "lam": [1], "M_s": [0.5]}),
    (partial(focused.regret_bound_b, T=10, D=1, eps=0.1), {"lam": [1, 1 / 8]}),
    (partial(focused.regret_bound_c, T=10, D=1, eps=0.1), {"lam": [1, 1 / 32, None]}),
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
    (simulated, {"policy": [lambda view: None, rates_and(2, INF)]}),
    (simulated, {"policy": [rates_and(-1, INF), rates_and(1, 0.0), rates_and(1, NAN)]}),
    (simulated().regret, {"t": [11, [-1, 3], NAN, "late"]}),
    (simulated().freshness, {"t": [[-1.0]]}),
    (optimal, {"bandwidth": [0, -1, NAN, "2"], "refresh": ["even"], "change_rates": [[[1.0]]]}),
    (optimal, {"change_rates": [None, [], ["a"], [-2], [0], [NAN], [INF]]}),
    (optimal, {"request_rates": [[1.0, 1.0], [-1], [NAN], [0]]}),
    (fresh, {"rates": [[-1], [1, 2]], "refresh": ["even"]}),
    (refresh.EpsilonGreedy, {"share": [-1, NAN, 1.5]}),
    (refresh.ExploreCommit, {"horizon": [-1, 0.0, NAN]}),
    (partial(refresh.best_horizon, [1.0], [1.0], 1), {"time": [-1]}),
    (partial(refresh.best_horizon, [1.0], bandwidth=1, time=1), {"request_rates": [[1.0, 1.0]]}),
    (partial(refresh.information_rate, refresh_rate=1.0), {"change_rates": [[-1.0]]}),
    (partial(refresh.information_rate, [1.0]), {"refresh_rate": [0.0]}),
    (partial(refresh.information_rate, [1.0], 1.0), {"refresh": ["even"]}),
    (partial(refresh.sample_pages, 5), {"rng": ["a"]}),
    (partial(refresh.sample_pages, 3, 1), {"tail": [-2]}),
    (partial(refresh.sample_pages, rng=0), {"n": [0, 2.5]}),
    (partial(refresh.estimate_change_rate, gaps=[]), {"changed": [[]]}),
    (
        partial(refresh.estimate_change_rate, gaps=[1.0]),
        {"changed": [[2], ["yes"], [1, 0], [NAN], [[1]]]},
    ),
    (partial(refresh.estimate_change_rate, [True]), {"gaps": [[-1.0], [NAN], [INF]]}),
    (
        partial(refresh.estimate_change_rate, [1], [1.0]),
        {"method": ["bayes"], "bounds": [(2, 1), (0, 1), 3]},
    ),
    (partial(refresh.estimate_change_rates, gaps=[1.0, 1]), {"changed": [[1, 0]]}),
    (
        partial(refresh.estimate_change_rates, [1, 0], [1.0, 1], n_pages=3),
        {"pages": [[0.5, 1], [0], [0, -1], [0, 5]]},
    ),
    (
        partial(refresh.confidence_interval, [1], [1.0]),
        {"delta": [0, 1.0, NAN, "5%"], "method": ["wald"], "bounds": [(1, INF)]},
    ),
    (partial(ours.refresh_index, request_rate=1, change_rate=1), {"age": [-1.0]}),
    (partial(ours.refresh_index, 1.0, change_rate=1), {"request_rate": [NAN]}),
    (partial(ours.page_value, 1.0, 1, price=1), {"end_rate": [0.0]}),
    (partial(ours.hub_index, 1.0, 1, decay=[1.0]), {"worth": [1.0]}),
    (partial(ours.hub_index, 1.0, 1, [1.0]), {"decay": [[0.0]]}),
    (partial(ours.link_index, worth=1, decay=1, age=0), {"relevance": [1.5]}),
    (partial(ours.crossing_age, request_rate=1, change_rate=1), {"price": [-1]}),
    (partial(schedulers.logarithmic_gaps, scale=1.0), {"n": [-1, 0]}),
    (partial(schedulers.logarithmic_gaps, 5), {"scale": [-1.0]}),
    (partial(schedulers.best_test_error, np.ones(1), other=1.0), {"rate": [NAN]}),
    (schedulers.load_histories, {"path": ["/nowhere"]}),
    (partial(schedulers.draw_changes, 5, 0), {"days": [-1], "precision": [0, 2], "recall": [-1]}),
    (partial(ephemeral.whittle_index, alpha=0.5, u=1.0), {"x": [-1.0, "a", [1, NAN]]}),
    (partial(ephemeral.whittle_index, 1.0, u=1.0), {"alpha": [2, 1, NAN]}),
    (partial(ephemeral.whittle_index, 1.0, 0.5), {"u": [-1]}),
    (partial(ephemeral.whittle_index, [1, 2], u=1), {"alpha": [[0.1, 0.2, 0.3]]}),
    (partial(ephemeral.source, [1.0], arrival_rate=[1.0]), {"decay": [[-1.0], ["a"], 0]}),
    (partial(ephemeral.source, [1, 2], arrival_rate=1), {"decay": [[1, 2, 3]]}),
    (partial(ephemeral.source, [1.0], [1.0]), {"arrival_rate": [[-1.0], NAN, [1, INF]]}),
    (partial(ephemeral.source, decay=1, arrival_rate=1), {"mean_utility": [[NAN], None, -1]}),
    (partial(ephemeral.source, [1.0], [1.0], [1.0]), {"period": [0, [1, 2]]}),
    (partial(ephemeral.Sources, u=1), {"alpha": [1.5, 1.0, []]}),
    (sources.copies, {"n": [0]}),
    (epochs, {"sources": [None], "crawls_per_epoch": [-1, NAN, 0, 5, 1.5]}),
    (epochs, {"policy": ["best", 5, lambda x, age: x[:1], lambda x, age: x * NAN]}),
    (epochs, {"epochs": [0, "3", 1.5], "x0": ["v", [1.0], [1, -4]]}),
    (epochs, {"weights": [[1], [1, 0]]}),
    (partial(epochs, weights=[1, 1]), {"crawls_per_epoch": [9.0]}),
    (partial(epochs, stochastic=True, rng=0), {"observed": [[True]]}),
    (partial(ephemeral.lagrangian_bound, crawls_per_epoch=1), {"sources": [None]}),
    (partial(ephemeral.lagrangian_bound, sources), {"crawls_per_epoch": [-1, "a", 0, 2.1, [1, 2]]}),
    (partial(ephemeral.lagrangian_bound, sources, 1), {"weights": [[1]]}),
    (partial(tres_book.exact_optimum, crawls_per_epoch=1), {"sources": [5, sources.copies(4)]}),
    (partial(tres_book.exact_optimum, sources), {"crawls_per_epoch": [0, 1.0, 5]}),
    (partial(Lspe, prior=(1, 1)), {"n": [0]}),
    (partial(Lspe, 2), {"prior": [(0, 1)]}),
    (foragers.run_fleet, {"newsweb": [None, "web"]}),
    (partial(foragers.run_fleet, NEWS), {"kind": ["wl", "", "SARSA", ["WL", "xx"], []]}),
    (partial(foragers.freshness_and_age, NEWS), {"found_at": [np.zeros(3)]}),
    (
        partial(foragers.freshness_and_age, NEWS, np.zeros(len(NEWS.url))),
        {"scope": ["week"], "since": ["ever"]},
    ),
    (partial(NEWS.rewired, 0), {"kind": ["nodes"]}),
    (foragers.graph_statistics, {"newsweb": [None]}),
    (foragers.degrees, {"newsweb": [None]}),
    (foragers.NewsWeb.generate, {"rng": [-1, "a"]}),
    (partial(foragers.NewsWeb.generate, 0), {"days": [0, -1, NAN, INF, "one", None]}),
    (foragers.NewsSite, {"sections": [0], "archive": [2.5], "articles_a_day": [-1.0, 0.0]}),
    (foragers.NewsSite, {"innovation": [1.2], "updates": [NAN]}),
    (foragers.FleetSettings, {"start_size": [0, 101], "beta": [-1, 1.5], "founders": [0, 17]}),
    (foragers.FleetSettings, {"max_step": [1.5], "gamma": [NAN], "slice_seconds": [0.0]}),
    (foragers.FleetSettings, {"seconds_a_download": [-1.0]}),
    (foragers.fit_power_law, {"values": [[], ["a"], [-1, 2], [1.5, 2], [1, NAN], [[1, 2]]]}),
    (partial(foragers.fit_power_law, [1, 2, 3]), {"xmin": [3, 0]}),
    (site, {"documents": [[], None, "text"], "mode": ["all"], "page_size": [0, "ten"]}),
    (site, {"max_results": [-1, 0], "order": ["random"]}),
    (site().query, {"term": [None, 7, b"bank", NAN]}),
    (partial(site().page, "a"), {"number": [2]}),
    (partial(sample_documents, n=1, rng=0), {"language": ["xx-yy"]}),
    (partial(sample_documents, "en-us", rng=0), {"n": [-1, 0]}),
    (partial(sample_documents, "en-us", 5), {"rng": ["a"]}),
    (
        partial(deepweb.surface, site(), "random", 3),
        {"rng": [-1, None], "first_term": [5, ""], "patience": [0]},
    ),
    (
        partial(deepweb.surface, site(), max_cost=3, checkpoint="x.jsonl"),
        {"rng": [np.random.default_rng(0)]},
    ),
    (partial(deepweb.surface, max_cost=3), {"site": [None, A]}),
    (partial(deepweb.surface, policy="oracle", max_cost=3, first_term="of"), {"site": [CLOSED]}),
    (partial(deepweb.surface, site(), max_cost=3, first_term="c"), {"policy": [STUBBORN]}),
    (partial(deepweb.surface, site(), max_cost=3), {"policy": ["best", 5]}),
    (partial(deepweb.surface, site(), "random"), {"max_cost": [0, 0.5, NAN, "9"]}),
    (partial(kernel.ridf, df=2, n=16), {"tf": [1, NAN]}),
    (partial(kernel.ridf, 20, n=16), {"df": [17]}),
    (partial(kernel.ridf, 1, 1), {"n": [0]}),
    (partial(deepweb.gaussian_kernel, [[1.0]], [[1.0]]), {"sigma": [0, NAN]}),
    (partial(deepweb.gaussian_kernel, [1, 2], sigma=1), {"y": [[1]]}),
    (partial(deepweb.linear_kernel, [[1.0]]), {"y": [[[1.0, 2.0]]]}),
    (partial(deepweb.linear_kernel, y=[1]), {"x": [[INF]]}),
    (partial(kernel.hybrid_kernel, [1, 2]), {"weights": [[0.5, 0.6], [1.5, -0.5], [1]]}),
    (partial(kernel.hybrid_kernel, weights=[0.5, 0.5]), {"kernels": [[[1], [[2]]]]}),
    (partial(kernel.estimate_sizes, sizes=[3]), {"kernel": [[-1]]}),
    (partial(kernel.estimate_sizes, [1, 2]), {"sizes": [[3], []]}),
    (partial(kernel.estimate_sizes, [1], [3]), {"k": [0]}),
    (partial(kernel.q_values, [1, 2], [1, 2]), {"acquired": [0]}),
    (partial(kernel.q_values, [1, 2], acquired=5), {"df": [[1]]}),
    (partial(kernel.q_values, df=[1, 2], acquired=5), {"rewards": [[1, NAN]]}),
    (partial(kernel.reward, df=[1]), {"sizes": [[INF]]}),
    (partial(deepweb.fit_zipf, size=[5, 6]), {"rank": [[1, 1], [0, 1]]}),
    (partial(deepweb.fit_zipf, [1, 2]), {"size": [[5, 0], [5]]}),
    (deepweb.Costs, {"query": [-1, 0.5, NAN], "page": [-1], "record": [INF]}),
    (deepweb.RlSettings, {"overlap": ["none"], "features": ["old"], "h": [2], "pool": [0]}),
    (deepweb.RlSettings, {"neighbours": [-1]}),
    (partial(simulate, World.sample(0)), {"bandwidth": [0]}),
    (partial(simulate, World.sample(0), horizon=9), {"warm_up": [9]}),
    (Rule, {"shares": [(0.5, 0.6, 0.1)], "ranking": ["odd"]}),
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
    (study.Claims.load, {"path": ["/nowhere"]}),
    (
        partial(study.run_sweep, settings=[{"x": 1}]),
        {"function": [lambda x: {"x": x}, max, None, "square"]},
    ),
    (partial(study.run_sweep, square), {"settings": [None, {"x": 1}, [1]]}),
    (partial(study.run_sweep, square, workers=1), {"settings": [[{"x": object()}]]}),
    (partial(study.run_sweep, square, [{"x": 1}]), {"workers": [-1, "two"], "executor": ["no"]}),
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
