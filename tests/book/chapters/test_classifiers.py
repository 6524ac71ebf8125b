"""The network and the SVM on stored folds: gains by form, topic and fold, and claims on them."""

import pandas as pd
import pytest

from tres_book.chapters import c03_classifier as c03

HUBS = "classifier-hubs-paper-amount"
SVM = {"page": 0.8, "anchor": 0.5, "hub": 0.9}
GAINS = {"page": [0.1, 0.0], "anchor": [0.2, 0.3], "hub": [-0.1, -0.3]}


@pytest.fixture
def scores() -> pd.DataFrame:
    """Two topics, two folds: in food the network gains as GAINS says, in sports .1 more."""
    rows = []
    for form, fold in ((form, fold) for form in SVM for fold in (0, 1)):
        for topic, more in (("food", 0.0), ("sports", 0.1)):
            for name, gain in (("svm", 0.0), ("kwbilstm", GAINS[form][fold] + more)):
                rows.append((form, name, topic, fold, *[SVM[form] + gain] * 3))
    columns = ["form", "classifier", "topic", "fold", *c03.MEASURES]
    return pd.DataFrame(rows, columns=columns)


def test_gains_are_paired_by_fold_in_points(scores):
    gains = c03.gains_of(scores)
    of_food = gains[(gains["measure"] == "recall") & (gains["topic"] == "food")]
    assert of_food["form"].tolist() == ["page", "page", "anchor", "anchor", "hub", "hub"]
    assert of_food["points"].tolist() == pytest.approx([10, 0, 20, 30, -10, -30])
    assert gains["topic"].iloc[0] == "sports"  # in the order of the book


def test_a_claim_on_classifiers_is_judged_by_its_worst_topic(scores):
    found = c03.verdicts(scores, "2 folds")
    names = "tres-classifier-beats-svm-f-macro", "classifier-anchors", HUBS
    assert [found[name].value for name in names] == pytest.approx([5, 25, -20])
    # Student's t of one degree of freedom, 12.706, times half the difference of the two folds
    lows = [found[name].interval[0] for name in names]
    assert lows == pytest.approx([5 - 63.53, 25 - 63.53, -20 - 127.06], abs=0.01)
    assert [value for value, *_ in found["classifier-anchors"].among] == pytest.approx([35, 25])
    assert len(found["tres-classifier-beats-svm"].among) == 6  # three measures, two topics
    assert found["tres-classifier-f-macro"].value == pytest.approx(85)
    assert found[HUBS].n == 2 and found[HUBS].stored == "2 folds"
    assert "tres-hardware-hardest" not in found


def test_computing_is_compared_with_the_lower_of_the_others(scores):
    harder = scores[scores["topic"] == "food"].assign(topic="computing")
    harder.loc[harder["fold"] == 1, "f_macro"] -= 0.04
    found = c03.verdicts(pd.concat([scores, harder]), "")["tres-hardware-hardest"]
    assert found.value == pytest.approx(-2) and found.n == 2
