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


@pytest.mark.parametrize(
    ("text", "at_start", "in_1000"),
    [
        ("", 0, 0),
        ("Oper", 1, 20),  # a short text counts as one of 50 words
        ("Oper Oper", 2, 40),
        ("Oper " * 9, 9, 180),
        ("Oper Oper" + " Haus" * 498, 2, 4),
        ("Haus " * 150 + "Oper " * 50, 0, 250),
        ("Ein Haus\nOper | Oper | Oper\n" + "Haus " * 60, 0, 0),  # a menu
    ],
)
def test_keywords_alone_give_a_probability(text, at_start, in_1000):
    """By hand: 1.5 keywords at the start and 8 in 1,000 words are even; the less of both counts."""
    logits = [2 * np.log2(max(n, 0.01) / even) for n, even in ((at_start, 1.5), (in_1000, 8))]
    logit = np.clip(min(logits), -2, 2)
    p = FewTexts(["Oper"]).fit([], []).proba([text])
    assert p == pytest.approx(1 / (1 + np.exp(-logit)))


def test_examples_alone_are_compared_with_what_is_usual_among_them():
    """By hand: each text is two of three words, so that a pair of them has a cosine of 1/2."""
    words = ["erstes", "zweites", "drittes"]
    texts = [" ".join(words[j] for j in range(3) if j != i) for i in range(3)]
    classifier = FewTexts(["nichts"]).fit(texts, [True] * 3)
    mean_cosine = (1 + 0.5 + 0.5) / 3  # of the first text with all three
    logit = -few.SURE + few.STEEPNESS * (mean_cosine / 0.5 - few.USUAL_SHARE)
    assert classifier.proba(texts[:1]) == pytest.approx(1 / (1 + np.exp(-logit)))


def test_texts_add_to_keywords_as_a_regression_by_hand():
    """One stem a text, so that each weight w solves w / 100 = 1 / (1 + exp(logit)) by symmetry."""
    two = FewTexts(["nichts"]).fit(["Geiger", "Steuer"], [True, False])
    logits = np.log(1 / (1 / two.proba(["Geiger", "Steuer", ""]) - 1))
    gain, loss = logits[:2] - logits[2]
    bias = logits[2] + few.SURE
    p = 1 / (1 + np.exp(-logits))
    assert gain == pytest.approx((1 - p[0]) * few.SPREAD**2, rel=1e-2)
    assert loss == pytest.approx(-p[1] * few.SPREAD**2, rel=1e-2)
    assert bias == pytest.approx((1 - p[0] - p[1]) * few.SHIFT**2, abs=1e-3)


@pytest.mark.parametrize("labels", [[1, 0], [1, 1]])
def test_texts_without_a_stem_teach_nothing(labels):
    """All their words are short, so that no vector has an entry."""
    texts = ["An oboe", "A cat and a dog"]
    alone = FewTexts(["oboe"]).fit([], []).proba(texts)
    bias = FewTexts(["oboe"]).fit(texts, labels)
    assert bias.proba(texts)[0] >= bias.proba(texts)[1]
    np.testing.assert_allclose(bias.proba(texts), alone, atol=0.3)


@pytest.mark.parametrize("n", [0, 1, 3, 6])
def test_it_is_kept_to_the_last_bit(tmp_path, n):
    texts, labels = (OPERA + OTHER)[:n], ([True] * 3 + [False] * 3)[:n]
    first = FewTexts(["Oper", "爵士"]).fit(texts, labels, background=OTHER[: n % 2])
    first.save(tmp_path / "kept")
    again = load_classifier(tmp_path / "kept", FewTexts)
    new = [*OPERA, *OTHER, "爵士乐", "", "Oper"]
    np.testing.assert_array_equal(again.proba(new), first.proba(new))
    assert len(again.proba([])) == 0


def test_of_two_beside_each_other_the_higher_probability_counts(tmp_path):
    opera, rivers = (FewTexts(["Oper"]).fit(texts, [True] * 3) for texts in (OPERA, OTHER))
    new = [*OPERA, *OTHER, "Oper", ""]
    apart = [each.proba(new) for each in (opera, rivers)]
    opera.beside = rivers
    np.testing.assert_array_equal(opera.proba(new), np.maximum(*apart))
    assert (apart[0] != apart[1]).any()
    opera.save(tmp_path)
    np.testing.assert_array_equal(FewTexts.load(tmp_path).proba(new), opera.proba(new))


@pytest.mark.parametrize(
    ("keywords", "named", "taken"),
    [
        ("jazz guitar band", "jazz jazz", False),  # 2 ** .5 < 1.5
        ("jazz guitar band", "jazz guitar", True),
        ("jazz guitar band", "jazz jazz jazz", True),  # 3 ** .5 > 1.5
        ("jazz guitar", "jazz jazz", True),
        ("jazz guitar Jazz ?!", "jazz jazz", True),  # two keywords, one of them twice, and signs
    ],
)
def test_one_of_several_keywords_named_again_says_less_than_another(keywords, named, taken):
    few = FewTexts(keywords.split()).fit([], [])
    (p,) = few.proba([f"Title\n{named} and six other words of this text"])
    assert (p >= 0.5) == taken
