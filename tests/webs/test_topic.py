"""Topics: the labels of known articles, the lists behind them, a reader's own topic."""

from dataclasses import replace

import numpy as np
import pytest

from tres_webs.lab.articles import load_articles
from tres_webs.topic import Topic, get_topic, load_topics

KEYWORDS = {"sports": 62, "food": 10, "computing": 11}
ON_TOPIC = {
    "sports": ["Cycling", "Decathlon", "100 metres", "Pelé", "Karate", "Premier League", "Stadium"],
    "food": ["Milk", "Spinach", "Pineapple", "Wheat", "Beef", "Kale", "Restaurant", "Veganism"],
    "computing": ["HTTP", "HTML", "CSS", "Byte", "IBM", "Alan Turing", "Ada Lovelace", "Email"],
}
OFF_TOPIC = {
    "sports": ["Chess", "Garry Kasparov", "Boxer Rebellion", "Walking", "Esports", "Milk"],
    "food": ["Nut (hardware)", "Diabetes", "Cattle", "Agriculture", "Famine", "James Cook"],
    "computing": ["Time (magazine)", "Transistor", "Video game", "Linear programming", "Wikipedia"],
}
KNOWN = [(t, a, True) for t, titles in ON_TOPIC.items() for a in titles] + [
    (t, a, False) for t, titles in OFF_TOPIC.items() for a in titles
]


@pytest.fixture(scope="module")
def articles():
    return load_articles()


@pytest.fixture(scope="module")
def descriptions(articles):
    return dict(zip(articles.titles, articles.descriptions, strict=True))


@pytest.mark.parametrize(("topic", "title", "expected"), KNOWN)
def test_known_articles(descriptions, topic, title, expected):
    assert get_topic(topic).matches(title, descriptions[title]) is expected


@pytest.mark.parametrize(
    ("topic", "least", "most"), [("sports", 160, 200), ("food", 230, 280), ("computing", 80, 120)]
)
def test_counts_and_both_halves(articles, topic, least, most):
    labels = np.array(list(map(get_topic(topic).matches, articles.titles, articles.descriptions)))
    assert least <= labels.sum() <= most
    assert 0.4 < articles.training[labels].mean() < 0.6


@pytest.mark.slow
def test_an_article_has_at_most_one_topic(descriptions):
    topics = load_topics().values()
    shared = {t for t, d in descriptions.items() if sum(x.matches(t, d) for x in topics) > 1}
    assert shared == set()


@pytest.mark.parametrize("name", KEYWORDS)
def test_each_listed_title_exists_and_mends_an_error_of_the_rules(descriptions, name):
    topic = get_topic(name)
    rules_only = replace(topic, include=frozenset(), exclude=frozenset())
    assert not topic.include & topic.exclude
    for title in topic.include | topic.exclude:
        assert rules_only.matches(title, descriptions[title]) is (title in topic.exclude), title


def test_lists_come_before_rules():
    topic = Topic("x", ["y"], rules=["fruit"], include=["Milk"], exclude=["Fruit fly"])
    assert topic.matches("Milk") and topic.matches("Apple", "Edible fruit")
    assert not topic.matches("Fruit fly", "Eats fruit")


def test_topic_by_examples_has_no_rules():
    topic = Topic("music", keywords=("guitar",), examples=("A guitar has six strings.",))
    assert not topic.has_rules
    with pytest.raises(ValueError, match="'music' has no rules"):
        topic.matches("Guitar", "Instrument")


def test_get_topic_takes_a_topic_or_a_name_and_lists_the_names():
    own = Topic("music", keywords=("guitar",))
    assert get_topic(own) is own
    assert get_topic("food") is load_topics()["food"]
    with pytest.raises(ValueError, match="'musik'.*sports, food, computing"):
        get_topic("musik")
