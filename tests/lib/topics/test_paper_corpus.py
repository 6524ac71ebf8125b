"""Training texts in the paper's amount: counts, labels, groups, and the turns of the articles."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

import tres_webs as web
from tres_lib.topics import corpus
from tres_lib.topics.classifiers.stored import stratified_folds
from tres_lib.topics.corpus import other_subjects, pages_by_turns, paper_corpus

SIZES = {"relevant": 150, "each": 20, "hubs": 30}


@pytest.fixture(scope="module")
def lab():
    return web.VitalWeb(seed=1, sites=300, half="training")


@pytest.fixture(scope="module")
def sports():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "PAPER_SITES", 1_000)
        yield paper_corpus(web.get_topic("sports"), **SIZES)


@pytest.mark.slow
def test_the_counts_are_exact(sports):
    pages, hubs = sports.of_form("page"), sports.of_form("hub")
    assert len(pages.texts) == 150 + 9 * 20 and pages.labels.sum() == 150
    assert 20 <= len(hubs.texts) <= 30
    assert set(sports.forms) == {"page", "anchor", "hub"}
    assert 1.5 < len(sports.of_form("anchor").texts) / len(pages.texts) < 3


@pytest.mark.slow
def test_no_article_is_in_two_folds(sports):
    labels, groups = sports.labels, sports.groups
    for group in np.unique(groups):
        assert len(set(labels[groups == group])) == 1
    for train, test in stratified_folds(labels, groups, 5, rng=0):
        assert not set(groups[train]) & set(groups[test])


def test_articles_take_turns(lab):
    articles = largest(lab, 3)
    urls = pages_by_turns(lab, articles, 8, np.random.default_rng(0))
    assert len(set(urls)) == 8 and all(lab.kind(url) == "article" for url in urls)
    assert sorted(Counter(map(lab.article, urls)).values()) == [2, 3, 3]


def largest(lab, n):
    pages = np.bincount(lab.table.article, weights=lab.table.count, minlength=len(lab.titles))
    return np.isin(np.arange(len(pages)), np.argsort(-pages)[:n])


def test_other_subjects_are_near_first_then_large():
    category = np.repeat(np.arange(11), np.arange(1, 12))  # the last is the largest
    small = SimpleNamespace(graph=SimpleNamespace(category=category))
    on_topic = category == 2  # all relevant articles are in the third
    assert other_subjects(small, on_topic).tolist() == [2, 10, 9, 8, 7, 6, 5, 4, 3]
