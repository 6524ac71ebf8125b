"""The labelling study: its plan, one small run, and how its table is made."""

import numpy as np
import pandas as pd
import pytest

from tres_book.chapters import c13_found, c13_labels
from tres_book.code_hash import modules_behind
from tres_lib.topics import CachedScorer
from tres_live import FewTexts
from tres_live.topic import own
from tres_webs import load_articles, load_topics
from tres_webs.topic import own_topics


@pytest.mark.slow
def test_the_topics_are_a_person_s_own_and_large_enough():
    articles = load_articles()
    topics = own_topics()
    assert len(topics) >= 12 and not topics.keys() & load_topics().keys()
    for name, topic in topics.items():
        about = zip(articles.titles, articles.descriptions, strict=True)
        on = np.array([topic.matches(*pair) for pair in about])
        assert min(on[articles.training].sum(), on[~articles.training].sum()) >= 25, name


@pytest.mark.slow
def test_a_reader_names_only_titles_in_which_the_rules_err():
    articles = load_articles()
    about = zip(articles.titles, articles.descriptions, articles.training, strict=True)
    crawled = {title: text for title, text, training in about if not training}
    rules = own_topics()
    for name, topic in c13_labels.read_topics().items():
        assert topic.definition and topic.rules == rules[name].rules
        for title in topic.include | topic.exclude:
            assert rules[name].matches(title, crawled[title]) == (title in topic.exclude), title


def test_each_topic_has_a_web_of_its_own():
    settings = c13_labels.studies()["labels"].settings
    assert [s["topic"] for s in settings] == list(own_topics())
    assert len({s["web_seed"] for s in settings}) == len(settings)


@pytest.mark.slow
def test_a_trial_counts_what_a_classifier_of_keywords_takes(monkeypatch):
    """Every way gives the same stub, so all items but the numbers of labels are equal."""
    keywords = own_topics()["astronomy"].keywords
    stub = CachedScorer(FewTexts(keywords).fit([], []))
    asked = []

    def trained(topic, seed, answers, around):
        asked.append((len(topic.examples), topic.has_rules, len(answers)))
        return stub

    monkeypatch.setattr(own, "trained", trained)
    row = c13_labels.label_trial("astronomy", 500, sites=300)
    assert row == c13_labels.label_trial("astronomy", 500, sites=300)
    assert row["way"] == ["examples", "rules", *["active"] * 5, *["random"] * 5]
    assert row["labels"] == [0, 0, *[0, 10, 20, 40, 60] * 2]
    assert len(set(row["found"])) == len(set(row["false"])) == 1
    assert 0 < row["found"][0] < row["of"] < 100
    assert (10, False, 0) in asked and (0, True, 0) in asked and (2, False, 60) in asked
    assert all(0 <= p <= n for p, n in zip(row["positive"], row["labels"], strict=True))


def test_scores_by_hand():
    lists = {"way": ["active", "random"], "labels": [0, 20], "positive": [0, 5]}
    row = {"topic": "x", "of": 10, **lists, "found": [0, 6], "false": [0, 2]}
    table = c13_labels.label_scores(pd.DataFrame([row]))
    assert table["way"].tolist() == ["active", "random"]
    assert table["precision"].tolist() == [1.0, 0.75]
    assert table["recall"].tolist() == [0.0, 0.6]
    assert table["f1"].tolist() == pytest.approx([0.0, 2 * 0.75 * 0.6 / 1.35])


def test_the_fingerprint_of_a_trial_does_not_rest_on_its_stored_results():
    assert "tres_book.study.results" not in modules_behind(c13_labels.__name__)


def test_what_labels_gain_is_paired_by_topic(monkeypatch):
    lists = {"way": ["active", "active", "rules"], "labels": [0, 20, 0], "positive": [0, 9, 0]}
    rows = [
        {"topic": topic, "of": 10, **lists, "found": [n, 8, 9], "false": [n, 8, 0]}
        for topic, n in {"a": 4, "b": 6}.items()
    ]
    monkeypatch.setattr(c13_found.results, "stored", lambda name: pd.DataFrame(rows))
    found = c13_found.figures()
    assert found["recall"]._0.value == 0.5 and found["recall"]._20.value == 0.8
    assert found["recall_gain"]._20.value == pytest.approx(0.3)
    assert found["precision_gain"]._20 == (0, 0, 0, 2)
