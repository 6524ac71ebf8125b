"""A crawl by a caller's classifier: its forms, its wrong answers, and who else uses it."""

from __future__ import annotations

import logging
from functools import partial

import numpy as np
import pytest
from fakes import TOPIC, CountingClassifier, DictWeb, assert_same, orchard, page, seed_of

from tres_lib import focused
from tres_lib.focused import SearchEngine
from tres_lib.focused.baselines import ache
from tres_lib.topics import CachedScorer

A, B = "http://a.example/", "http://b.example/"


def crawl(classifier, policy="best-first", web=None, **how):
    web = web or orchard(sites=12)
    how = {"budget": 40, "progress": False} | how
    if policy == "seedfinder":
        policy = partial(focused.SeedFinder, search=SearchEngine())
    return focused.crawl(web, seed_of(web), TOPIC, policy=policy, classifier=classifier, **how)


def test_every_form_gives_the_same_crawl():
    reference = crawl(CountingClassifier())
    assert reference.harvest_rate > 0.3
    assert_same(crawl(CountingClassifier().proba), reference)

    class LikeSklearn:
        classes_ = (False, True)

        def predict_proba(self, texts):
            p = CountingClassifier().proba(texts)
            return np.column_stack([1 - p, p])

    assert_same(crawl(LikeSklearn()), reference)


@pytest.mark.parametrize("argument", ["classifier", "anchor_classifier"])
@pytest.mark.parametrize("answer", [7.0, np.nan, -1.0])
def test_a_wrong_probability_is_refused_before_the_first_fetch(argument, answer):
    web = DictWeb({A: page(A, (B, "apple"), text="apple")}, {A})
    given = {"classifier": CountingClassifier(), argument: lambda texts: [answer] * len(texts)}
    with pytest.raises(ValueError, match=f"^{argument} gave {answer}"):
        crawl(web=web, **given)
    assert web.fetched == []


@pytest.mark.parametrize("policy", ["ache", "seedfinder"])
@pytest.mark.slow
def test_on_an_own_topic_ache_prunes_by_the_caller_s_classifier(policy, monkeypatch, caplog):
    monkeypatch.setattr(ache, "svm_of", lambda topic: pytest.fail("trained an SVM"))
    caplog.set_level(logging.INFO)
    web = orchard()
    log = crawl(CountingClassifier(), policy, web=web).log
    assert (log["reward"] > 0).sum() > 5 and not caplog.records
    # No link of a page without apples is followed.
    reward = dict(zip(log["url"], log["reward"], strict=True))
    assert all(reward[parent] for parent in log["parent"] if parent)


@pytest.mark.parametrize("policy", ["ache", "seedfinder"])
def test_on_a_topic_of_the_book_ache_trains_its_svm_and_says_so(policy, monkeypatch, caplog):
    ache.log_classifier.cache_clear()
    asked, svm = [], CountingClassifier()
    kept = CachedScorer(svm)
    monkeypatch.setattr(ache, "svm_of", lambda topic: asked.append(topic) or kept)
    caplog.set_level(logging.INFO)
    web = orchard()
    makes = partial(focused.SeedFinder, search=SearchEngine())
    how = {"budget": 5, "progress": False, "policy": makes if policy == "seedfinder" else policy}
    focused.crawl(web, seed_of(web), "food", classifier=CountingClassifier(), **how)
    assert [topic.name for topic in asked] == ["food"] and svm.asked
    focused.crawl(web, seed_of(web), "food", classifier=CountingClassifier(), **how)
    [record] = caplog.records
    assert "SVM of its own" in record.getMessage() and "classifier=" in record.getMessage()
