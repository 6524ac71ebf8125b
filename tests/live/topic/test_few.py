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


def test_to_be_unlike_a_few_examples_turns_no_page_down(tmp_path):
    plain, taught = FewTexts(["Oper"]).fit([], []), FewTexts(["Oper"]).fit(OPERA, [True] * 3)
    pages = [*OTHER, "Oper Oper", "Der Vergaser der Oper, eine Oper.", OPERA[0]]
    gain = taught.proba(pages) - plain.proba(pages)
    assert (gain >= -1e-12).all() and gain[-1] > 0.05
    taught.save(tmp_path)
    assert (FewTexts.load(tmp_path).proba(pages) == taught.proba(pages)).all()


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


def test_pages_around_stand_in_for_irrelevant_ones():
    around = [f"{text} Gestern schrieb die Zeitung darüber." for text in OTHER * 2]
    alone = FewTexts(["Oper"]).fit(OPERA, [True] * 3)
    beside = FewTexts(["Oper"]).fit(OPERA, [True] * 3, background=around)
    new = ["Die Zeitung schrieb gestern über Steuern", "Ein Komponist, ein Orchester und Gesang"]
    assert beside.proba(new)[0] < 0.1 < alone.proba(new)[1] < beside.proba(new)[1]


@pytest.mark.parametrize("labels", [[1, 0], [1, 1]])
def test_texts_without_a_stem_teach_nothing(labels):
    """All their words are short, so that no vector has an entry."""
    texts = ["An oboe", "A cat and a dog"]
    alone = FewTexts(["oboe"]).fit([], []).proba(texts)
    bias = FewTexts(["oboe"]).fit(texts, labels)
    assert bias.proba(texts)[0] >= bias.proba(texts)[1]
    np.testing.assert_allclose(bias.proba(texts), alone, atol=0.3)


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
    keywords = FewTexts(["Oper"]).fit([], [])
    both = FewTexts(["Oper"]).fit([*OPERA, OTHER[0]], [True] * 3 + [False])
    assert both.proba(OTHER[:1]) < keywords.proba(OTHER[:1])
    assert (both.proba(OPERA) > keywords.proba(OPERA)).all()


def test_a_background_tells_common_words_from_rare_ones():
    common = [f"Gestern scheint draussen die Sonne {i}" for i in range(50)]
    known = FewTexts(["nichts"]).fit(["Gestern singt die Sängerin"], [True], background=common)
    rare, usual, neither = known.proba(["Sängerin", "gestern", ""])
    assert rare > usual and rare > neither


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


def test_an_unfitted_one_and_wrong_labels_are_named():
    with pytest.raises(ValueError, match="call fit or load"):
        FewTexts(["Oper"]).proba(["x"])
    with pytest.raises(ValueError, match="labels: shape"):
        FewTexts(["Oper"]).fit(["x"], [])


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
