from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from tres_lib.topics import KeywordMatcher, candidate_words, expand_keywords, keyword_counts
from tres_lib.topics.vectors import keyed_vectors


@pytest.fixture
def plane():
    """Words as arrows in the plane: their cosines can be read off."""
    arrows = {
        "east": (1.0, 0.0),
        "far": (5.0, 0.0),
        "north": (0.0, 2.0),
        "diagonal": (3.0, 3.0),
        "west": (-1.0, 0.0),
        "south": (0.0, -1.0),
        "nowhere": (0.0, 0.0),
    }
    return keyed_vectors(list(arrows), np.array(list(arrows.values())))


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_worked_example_of_algorithm_1(plane):
    # b = cos(east, north) = 0. far: (1 + 0) / 2; diagonal: sqrt(2) / 2; west: (-1 + 0) / 2.
    found = expand_keywords(["east", "north"], ["far", "diagonal", "west", "east"], plane)
    assert found.threshold == pytest.approx(0.0, abs=1e-12)
    assert found.discovered == ("diagonal", "far")
    assert found.keywords == ("east", "north", "diagonal", "far")
    expected = {"far": 0.5, "diagonal": np.sqrt(0.5), "west": -0.5, "east": 0.5}
    assert found.scores == pytest.approx(expected)
    assert found.skipped == ()


def test_a_candidate_exactly_at_the_threshold_is_kept(plane):
    # Pairs: east-far 1, east-north 0, far-north 0, so b = 1/3; north scores (0 + 0 + 1) / 3.
    twin = keyed_vectors([*plane.index_to_key, "up"], np.vstack([plane.vectors, [0.0, 9.0]]))
    found = expand_keywords(["east", "far", "north"], ["up", "west"], twin)
    assert found.threshold == pytest.approx(1 / 3)
    assert found.discovered == ("up",)


def test_several_words_have_the_mean_of_their_vectors(plane):
    # "far north" is (2.5, 1), not the mean of two arrows of length one.
    found = expand_keywords(["far north", "east"], ["far"], plane)
    assert found.threshold == pytest.approx(2.5 / np.hypot(2.5, 1.0))
    assert found.scores["far"] == pytest.approx((2.5 / np.hypot(2.5, 1.0) + 1.0) / 2)


def test_words_without_a_vector_are_skipped_and_reported(plane):
    found = expand_keywords(
        ["east", "lost", "north", "North pole"], ["far", "gone", "nowhere"], plane
    )
    assert found.skipped == ("lost", "pole", "gone", "nowhere")
    assert found.keywords[:4] == ("east", "lost", "north", "North pole")
    assert set(found.scores) == {"far"}


@pytest.mark.parametrize("keywords", [[], ["east"], ["east", "east"], ["east", "lost", "nowhere"]])
def test_fewer_than_two_vectors_leave_the_threshold_undefined(plane, keywords):
    with pytest.raises(ValueError, match="at least two keywords"):
        expand_keywords(keywords, ["far"], plane)


@settings(max_examples=50, deadline=None)
@given(arrays(np.float32, (8, 3), elements=st.integers(1, 9)), st.integers(2, 5))
def test_agrees_with_brute_force(matrix, n):
    words = [f"w{i}" for i in range(8)]
    vector = dict(zip(words, matrix.astype(float), strict=True))
    found = expand_keywords(words[:n], words[n:], keyed_vectors(words, matrix))
    b = np.mean([cosine(vector[v], vector[w]) for v, w in permutations(words[:n], 2)])
    scores = {w: np.mean([cosine(vector[w], vector[k]) for k in words[:n]]) for w in words[n:]}
    assert found.threshold == pytest.approx(b)
    assert found.scores == pytest.approx(scores)
    assert set(found.discovered) == {w for w, s in scores.items() if s >= b - 1e-12}


def test_candidate_words_are_distinct_alphabetic_and_not_short():
    texts = ["The cup, the CUP of 1966!", "an x-ray of a b2b cup"]
    assert candidate_words(texts) == ["cup", "ray", "the"]


def test_keyword_counts_whole_words_and_phrases():
    texts = [
        "Football: the Olympic Games, football and more football.",
        "footballers at the olympic-games",
        "games olympic",
        "",
    ]
    counts = keyword_counts(texts, ["football", "Olympic games"])
    assert counts.tolist() == [4, 1, 0, 0]
    assert counts.dtype == np.int64


def test_matcher_counts_overlapping_keywords_and_ignores_empty_ones():
    matcher = KeywordMatcher(["ice", "ice hockey", "", "--"])
    assert sorted(matcher.starts(["ice", "hockey", "on", "ice"])) == [0, 0, 3]
    assert matcher.count("no such word") == 0


@pytest.mark.parametrize(
    ("keyword", "text", "n"),
    [
        ("Übermut", "ÜBERMUT und übermut, nicht Mut", 2),
        ("Straße", "STRASSE, Straße, strasse", 3),
        ("café", "Le CAFE\u0301 et le café", 2),
        ("café", "cafe", 0),
        ("ΜΟΥΣΙΚΗ", "η μουσική της Ελλάδας", 1),
        ("λόγος", "ΛΟΓΟΣ", 1),
        ("Джаз", "джаз и ДЖАЗ", 2),
        ("爵士乐", "我喜欢爵士乐，爵士乐！", 2),
        ("ジャズ", "モダンジャズの歴史", 1),
        ("음악", "음악을 듣다", 1),
        ("ดนตรี", "ฉันชอบดนตรีแจ๊ส", 1),
        ("jazz", "ＪＡＺＺ", 1),
        ("opera", "operas", 0),
    ],
)
def test_keywords_of_any_language_are_found(keyword, text, n):
    assert keyword_counts([text], [keyword]).tolist() == [n]


def test_a_keyword_inside_words_has_the_place_of_its_word():
    assert KeywordMatcher(["乐", "jazz"]).starts(["我", "音乐乐", "jazz", "乐"]) == [1, 1, 2, 3]
