"""Training texts: forms, labels, groups, and the wall between training and crawling."""

from functools import partial

import numpy as np
import pytest

import tres_webs as web
from tres_lib import topics
from tres_lib.topics.defaults import KINDS


@pytest.fixture(scope="module")
def sports():
    return topics.training_corpus("sports")


@pytest.mark.slow
def test_forms_labels_and_groups_go_together(sports):
    n = len(sports.texts)
    assert len(sports.labels) == len(sports.groups) == len(sports.forms) == n
    assert set(sports.forms) == {"lead", "page", "anchor"}
    # All texts of one article have its label.
    for group in np.unique(sports.groups)[:200]:
        assert len(set(sports.labels[sports.groups == group])) == 1


@pytest.mark.slow
def test_labels_of_leads_are_those_of_the_topic(sports):
    leads, topic, articles = sports.of_form("lead"), web.get_topic("sports"), web.load_articles()
    rows = np.flatnonzero(articles.training)
    assert len(leads.texts) == len(rows)
    for i in range(0, len(rows), 50):
        title, about = articles.titles[rows[i]], articles.descriptions[rows[i]]
        assert leads.texts[i].startswith(title)
        assert leads.labels[i] == topic.matches(title, about)


@pytest.mark.slow
def test_no_crawled_article_is_in_the_corpus(sports):
    crawled = set(web.VitalWeb(sites=20).titles)
    leads = sports.of_form("lead").texts
    assert not any(lead.split(". ")[0] in crawled for lead in leads if ". " in lead)


@pytest.mark.slow
def test_a_topic_with_examples_only_learns_from_them():
    texts = ("The guitar has six strings.", "Jazz is played by a band with a saxophone.")
    corpus = topics.training_corpus(web.Topic("music", keywords=("guitar", "jazz"), examples=texts))
    assert set(texts) <= {t for t, on in zip(corpus.texts, corpus.labels, strict=True) if on}
    assert corpus.labels.sum() == 4  # each whole, and its beginning as an anchor


@pytest.mark.slow
def test_a_topic_that_a_pinned_web_has_by_name_alone_is_told_the_remedy():
    with pytest.raises(ValueError, match=r"'databases'.*classifier=.*rules="):
        topics.classifier(web.Topic("databases", ("database", "table")))


@pytest.mark.parametrize(
    "learn", [topics.training_corpus, *(partial(topics.classifier, kind=kind) for kind in KINDS)]
)
def test_a_topic_whose_rules_match_no_article_is_named_with_the_remedy(
    learn, tmp_path, monkeypatch
):
    monkeypatch.setenv("TRES_BUILD", str(tmp_path))
    topic = web.Topic("void", keywords=("football", "tennis"), rules=("no such title as this",))
    with pytest.raises(ValueError, match="'void'.*no training article.*examples"):
        learn(topic)


@pytest.mark.slow
def test_expanded_keywords_start_with_the_topic_s_own():
    expansion = topics.topic_keywords("food")
    own = web.get_topic("food").keywords
    assert expansion.keywords[: len(own)] == own
    assert expansion.discovered


@pytest.mark.slow
@pytest.mark.parametrize(
    "keywords", [("爵士乐", "音乐"), ("Übermütigkeit",), ("μπουζουξής", "λαούτο")]
)
def test_keywords_without_vectors_stay_as_they_are(keywords, caplog):
    expansion = topics.topic_keywords(web.Topic("x", keywords, examples=("Ein Beispiel",)))
    assert expansion.keywords == keywords and expansion.discovered == ()
    assert "used as they are" in caplog.text
