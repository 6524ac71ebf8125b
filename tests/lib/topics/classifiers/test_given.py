"""A caller's classifier: each usual form serves, and wrong answers are named."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from tres_lib.topics import CachedScorer, as_classifier

TEXTS = ["jazz songs", "jazz band", "a jazz singer", "tax law", "a tax", "the law of tax"]
LABELS = [True, True, True, False, False, False]


def by_word(texts):
    return [0.9 if "jazz" in text else 0.2 for text in texts]


class HasProba:
    proba = staticmethod(by_word)


@pytest.mark.parametrize("given", [by_word, HasProba(), lambda texts: np.array(by_word(texts))])
def test_a_function_or_an_object_with_proba(given):
    p = as_classifier(given).proba(("jazz", "law", "jazz"))
    assert p.tolist() == [0.9, 0.2, 0.9] and p.dtype == np.float64


@pytest.mark.parametrize("names", [(False, True), (0, 1), ("other", "relevant"), ("no", "yes")])
def test_a_scikit_learn_pipeline_gives_the_column_of_the_relevant_class(names):
    labels = np.array(names)[np.array(LABELS, int)]
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression(C=100)).fit(TEXTS, labels)
    assert (as_classifier(pipeline).proba(["jazz", "tax"]) >= 0.5).tolist() == [True, False]


def test_the_class_called_relevant_counts_wherever_it_stands():
    three = np.array(["other", "relevant", "spam"] * 2)
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(TEXTS, three)
    p = as_classifier(pipeline).proba(TEXTS)
    np.testing.assert_array_equal(p, pipeline.predict_proba(TEXTS)[:, 1])


def test_a_float32_softmax_may_exceed_one_by_rounding():
    p = as_classifier(lambda texts: np.float32([1 + 1e-7, -1e-8])).proba(["a", "b"])
    assert p.tolist() == [1, 0]


def test_no_texts_are_no_call():
    assert as_classifier(lambda texts: 1 / 0).proba([]).shape == (0,)


def test_what_is_checked_already_stays():
    checked = as_classifier(by_word)
    scorer = CachedScorer(by_word)
    assert as_classifier(checked) is checked and as_classifier(scorer) is scorer
    assert scorer.proba(["jazz", "law"]).tolist() == [0.9, 0.2]


@pytest.mark.parametrize("given", [None, 5, "svm", object(), [0.5], HasProba, LinearSVC])
def test_what_is_no_classifier_is_refused(given):
    with pytest.raises(ValueError, match="^anchor_classifier="):
        as_classifier(given, "anchor_classifier")


def test_margins_are_no_probabilities():
    svm = make_pipeline(TfidfVectorizer(), LinearSVC())
    with pytest.raises(ValueError, match="(?s)classifier=.*CalibratedClassifierCV"):
        as_classifier(svm)
    calibrated = make_pipeline(TfidfVectorizer(), CalibratedClassifierCV(LinearSVC(), cv=3))
    assert as_classifier(calibrated.fit(TEXTS, LABELS)).proba(["jazz"])[0] > 0.5


ANSWERS = {  # to two texts, with what the error says of it
    "too high": ([0.5, 7.0], "7.0"),
    "negative": ([-0.5, 0.5], "-0.5"),
    "NaN": ([np.nan, 0.5], "nan"),
    "too few": ([0.5], r"shape \(1,\) for 2 texts"),
    "a column": ([[0.5], [0.5]], r"shape \(2, 1\)"),
    "both classes": ([[0.5, 0.5]] * 2, r"shape \(2, 2\)"),
    "a number": (0.5, r"shape \(\)"),
    "nothing": (None, "None"),
    "words": (["0.5", "0.5"], "not numbers"),
    "ragged": ([[0.5], [0.5, 0.5]], "no array"),
    "complex": ([0.5j, 0.5], "not numbers"),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_a_wrong_answer_names_the_argument_and_what_came(case):
    answer, told = ANSWERS[case]
    with pytest.raises(ValueError, match=f"^anchor_classifier.*{told}"):
        as_classifier(lambda texts: answer, "anchor_classifier").proba(["a", "b"])


@pytest.mark.parametrize("shape", [(2,), (2, 1), (2, 3)])
def test_predict_proba_of_no_two_classes_is_refused(shape):
    class Odd:
        def predict_proba(self, texts):
            return np.full(shape, 0.5)

    with pytest.raises(ValueError, match="^classifier: predict_proba.*two classes"):
        as_classifier(Odd()).proba(["a", "b"])
