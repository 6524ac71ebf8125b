"""Which words move a classifier, also where its probability is all but 1."""

import numpy as np
import pytest

from tres_live import word_weights


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
