"""The concept graph on leads small enough to read."""

import numpy as np
import pytest

from tres_webs import load_articles
from tres_webs.lab.articles import Articles
from tres_webs.lab.concepts import concept_graph, surface

TITLES = ("Cheese", "Milk", "Polish", "Tennis", "Tennis court", "Whey (drink)")
LEADS = (
    "Cheese is made of milk. The milk is curdled; whey remains.",
    "Milk is white.",
    "Polish is a language.",
    "Tennis is played on a tennis court.",
    "A Tennis court is not for cheese.",
    "Whey is left when milk becomes cheese, MILK no more.",
)


def graph_of(members, categories=("food", "food", "words", "sport", "sport", "food")):
    articles = Articles(TITLES, ("",) * 6, LEADS, categories, np.zeros(6, bool))
    # Six leads: a title in one of them is "common" at one per cent, so widen the rule.
    return concept_graph(articles, np.array(members))


@pytest.fixture(autouse=True)
def every_title_counts(monkeypatch):
    monkeypatch.setattr("tres_webs.lab.concepts.COMMON_SURFACE", 1.0)


def mentions(graph):
    m = graph.mentions.tocoo()
    return {(TITLES[i], TITLES[j]) for i, j in zip(m.row, m.col, strict=True)}


def test_mentions_take_the_longest_title_and_mind_the_case():
    assert mentions(graph_of(range(6))) == {
        ("Cheese", "Milk"),
        ("Cheese", "Whey (drink)"),
        ("Tennis", "Tennis court"),  # not Tennis in itself, nor Tennis inside Tennis court
        ("Tennis court", "Cheese"),
        ("Whey (drink)", "Milk"),
        ("Whey (drink)", "Cheese"),
    }


def test_missing_articles_are_bridged():
    # Without Milk, Cheese and Whey are still tied by Milk; Tennis keeps its own tie.
    near = graph_of([0, 2, 3, 4, 5]).near.toarray()
    assert near[0, 4] > 0 and near[4, 0] > 0
    assert near[1].sum() == 0  # Polish is mentioned nowhere
    assert near.sum(axis=1)[[0, 2, 3, 4]] == pytest.approx(1.0)


def test_hubs_without_category_take_that_of_their_ties():
    graph = graph_of(range(6), ("food", "Uncategorized", "words", "sport", "sport", "food"))
    assert graph.categories[graph.category[1]] == "food"


def test_surface_drops_the_parenthesised_part():
    assert surface("Time (magazine)") == "Time"


def test_split_is_about_half_and_fixed():
    articles = load_articles()
    assert 0.45 < articles.training.mean() < 0.55
    assert not articles.training[articles.titles.index("Association football")]
    with pytest.raises(ValueError, match="language"):
        load_articles("xx")
