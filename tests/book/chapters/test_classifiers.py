"""The network and the SVM on stored folds: gains by form, topic and fold, and claims on them."""

import pandas as pd
import pytest

from tres_book.chapters import c03_classifier as c03

HUBS = "classifier-hubs-paper-amount"
SVM = {"page": 0.8, "anchor": 0.5, "hub": 0.9}
GAINS = {"page": [0.1, 0.0], "anchor": [0.2, 0.3], "hub": [-0.1, -0.3]}


@pytest.fixture
def scores() -> pd.DataFrame:
    """Two folds: in food the network gains as GAINS says, in sports .1 more, in computing .05."""
    rows = []
    for form, fold in ((form, fold) for form in SVM for fold in (0, 1)):
        for topic, more in (("food", 0.0), ("sports", 0.1), ("computing", 0.05)):
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
    computing = (scores["topic"] == "computing") & (scores["form"] == "page")
    scores.loc[computing & (scores["fold"] == 1), "f_macro"] -= 0.04
    found = c03.verdicts(scores, "2 folds")
    names = "tres-classifier-beats-svm-f-macro", "classifier-anchors", HUBS
    assert [found[name].value for name in names] == pytest.approx([5, 25, -20])
    # Student's t of one degree of freedom, 12.706, times half the difference of the two folds
    lows = [found[name].interval[0] for name in names]
    assert lows == pytest.approx([5 - 63.53, 25 - 63.53, -20 - 127.06], abs=0.01)
    values = [value for value, *_ in found["classifier-anchors"].among]
    assert values == pytest.approx([35, 25, 30])
    assert len(found["tres-classifier-beats-svm"].among) == 9  # three measures and topics
    assert found["tres-classifier-f-macro"].value == pytest.approx(85)
    assert found[HUBS].n == 2 and found[HUBS].stored == "2 folds"
    hardest = found["tres-hardware-hardest"]  # 95 and 81 %, food being 90 and 80
    assert hardest.value == pytest.approx(3) and hardest.n == 2
