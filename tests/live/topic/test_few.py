"""Few texts of any language: keywords, stems of long words, and what they weigh."""

import numpy as np
import pytest

from tres_lib.topics import load_classifier
from tres_live import FewTexts
from tres_live.topic import few
from tres_live.topic.few import stems

OPERA = [
    "Die Sängerin singt in der Oper von Wien mit dem Orchester.",
    "Das Orchester begleitet die Sängerin, ein Komponist schrieb die Oper.",
    "Ein Komponist der Romantik: Opern, Lieder und Werke für Orchester.",
]
OTHER = [
    "Der Fluss entspringt in den Bergen und mündet in die Nordsee.",
    "Die Regierung beschloss ein Gesetz über die Steuern der Gemeinden.",
    "Der Motor des Wagens braucht Benzin und einen Vergaser.",
]


def test_stems_of_long_words_and_pairs_of_characters():
    assert stems("Der MUSIKER, die Musikerin: Ode") == ["musik", "musik"]
    assert stems("我喜欢") == ["我喜", "喜欢"]
    assert stems("ΦΙΛΟΣΟΦΙΑ φιλοσοφία") == ["φιλοσ", "φιλοσ"]


@pytest.mark.parametrize(("text", "logit"), [("", -1.5), ("Oper", -0.5), ("Oper " * 9, 1.5)])
def test_keywords_alone_give_a_probability(text, logit):
    p = FewTexts(["Oper"]).fit([], []).proba([text])
    assert p == pytest.approx(1 / (1 + np.exp(-logit)))


def test_examples_alone_are_compared_with_what_is_usual_among_them():
    """By hand: each text is two of three words, so that a pair of them has a cosine of 1/2."""
    words = ["erstes", "zweites", "drittes"]
    texts = [" ".join(words[j] for j in range(3) if j != i) for i in range(3)]
    classifier = FewTexts(["nichts"]).fit(texts, [True] * 3)
    mean_cosine = (1 + 0.5 + 0.5) / 3  # of the first text with all three
    logit = -few.NEUTRAL + few.STEEPNESS * (mean_cosine / 0.5 - few.USUAL_SHARE)
    assert classifier.proba(texts[:1]) == pytest.approx(1 / (1 + np.exp(-logit)))


def test_irrelevant_texts_make_a_regression():
    classifier = FewTexts(["Oper"]).fit(OPERA + OTHER, [True] * 3 + [False] * 3)
    new = [
        "Die Sängerin probt mit dem Orchester",
        "Der Fluss hat Berge",
        "Eine Oper, ein Komponist",
    ]
    assert (classifier.proba(new) >= 0.5).tolist() == [True, False, True]
    assert classifier.proba([""])[0] < 0.5


def test_one_irrelevant_text_counts_as_well():
    alone = FewTexts(["Oper"]).fit(OPERA, [True] * 3)
    both = FewTexts(["Oper"]).fit([*OPERA, OTHER[0]], [True] * 3 + [False])
    assert both.proba(OTHER[:1]) < alone.proba(OTHER[:1])


def test_a_background_tells_common_words_from_rare_ones():
    common = ["Gestern scheint draussen die Sonne"] * 50
    text = ["Gestern singt die Sängerin"]
    plain = FewTexts(["nichts"]).fit(text, [True])
    known = FewTexts(["nichts"]).fit(text, [True], background=common)
    ratio = [c.proba(["Sängerin"])[0] / c.proba(["gestern"])[0] for c in (plain, known)]
    assert ratio[0] == pytest.approx(1) and ratio[1] > 1


@pytest.mark.parametrize("n", [0, 1, 3, 6])
def test_it_is_kept_to_the_last_bit(tmp_path, n):
    texts, labels = (OPERA + OTHER)[:n], ([True] * 3 + [False] * 3)[:n]
    first = FewTexts(["Oper", "爵士"]).fit(texts, labels, background=OTHER[: n % 2])
    first.save(tmp_path / "kept")
    again = load_classifier(tmp_path / "kept", FewTexts)
    new = [*OPERA, *OTHER, "爵士乐", "", "Oper"]
    np.testing.assert_array_equal(again.proba(new), first.proba(new))
    assert len(again.proba([])) == 0


def test_an_unfitted_one_and_wrong_labels_are_named():
    with pytest.raises(ValueError, match="call fit or load"):
        FewTexts(["Oper"]).proba(["x"])
    with pytest.raises(ValueError, match="labels: shape"):
        FewTexts(["Oper"]).fit(["x"], [])
