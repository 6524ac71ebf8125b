"""A first look at some pages, and which words move a classifier."""

import numpy as np
import pytest
from fakes import CountingClassifier, DictWeb, page

from tres_live import first_look, word_weights
from tres_webs import Link, Page

A, B, C = (f"http://{name}.example/" for name in "abc")


class Counts:
    """Each "jazz" adds 4 to the log-odds, each "band" 2, each "tax" takes 3 away."""

    def __init__(self, start):
        self.start = start

    def proba(self, texts):
        weights = {"jazz": 4, "band": 2, "tax": -3}
        odds = [self.start + sum(weights.get(word, 0) for word in text.split()) for text in texts]
        return 1 / (1 + np.exp(-np.array(odds, float)))


@pytest.mark.parametrize("start", [-9, 0, 9])
def test_words_weigh_the_same_however_sure_the_classifier_is(start):
    table = word_weights(Counts(start), "jazz by a band, and a tax on chess", 3)
    assert table["word"].tolist() == ["jazz", "tax", "band"]
    assert table["weight"].tolist() == pytest.approx([4, -3, 2])


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_a_probability_of_0_or_1_is_no_infinite_weight(p):
    table = word_weights(
        lambda texts: [p if "jazz" in text else 0.5 for text in texts], "jazz band"
    )
    assert np.isfinite(table["weight"]).all() and table["word"][0] == "jazz"


def test_the_first_look_shows_seeds_and_pages_that_they_link_to():
    links = [Link(f"{A}{n}", "") for n in range(20)]
    web = DictWeb({link.url: page(link.url, text="stone") for link in links})
    web.pages[A] = Page(A, 200, "Apples", "an apple", (*links, Link(B, ""), Link(A, "")))
    web.pages[C] = page(C, f"{A}0", f"{C}gone", text="apple")
    table = first_look(web, [A, B, C, f"{A}1"], CountingClassifier(), n=4)
    linked = [f"{A}{n}" for n in (0, 5, 10, 15)]
    assert table["url"].tolist() == [A, B, C, *linked, f"{C}gone"]
    first, last = ["relevant", "not found", "relevant"], ["irrelevant"] * 4
    assert table["verdict"].tolist() == [*first, *last, "not found"]
    assert table["title"][0] == "Apples"
    assert table["p"].isna().tolist() == [False, True, *[False] * 5, True]
