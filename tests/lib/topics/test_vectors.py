import numpy as np
import pytest

from tres_lib.topics import load_vectors
from tres_lib.topics.vectors import keyed_vectors, tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Hockey-Stick, 1961!", ["the", "hockey", "stick", "1961"]),
        ("snake_case and São Paulo", ["snake", "case", "and", "são", "paulo"]),
        ("...", []),
    ],
)
def test_tokenize_gives_lower_case_words(text, words):
    assert tokenize(text) == words


@pytest.mark.slow
def test_glove_is_whole_and_knows_which_words_are_alike():
    glove = load_vectors()
    assert glove.vectors.shape == (400_000, 50)
    assert glove.vectors.dtype == np.float32
    assert glove.similarity("football", "soccer") > 0.7 > glove.similarity("football", "cheese")
    assert "basketball" in [word for word, _ in glove.most_similar("football", topn=10)]


@pytest.mark.slow
def test_words_restrict_the_set_and_keep_their_vectors_and_order():
    few = load_vectors("glove-6b-50d", words=["tennis", "qqqzzz", "cheese", "tennis"])
    assert few.index_to_key == ["tennis", "cheese"]
    np.testing.assert_array_equal(few["cheese"], load_vectors()["cheese"])
    assert len(load_vectors()) == 400_000  # the shared set is left alone


def test_keyed_vectors_looks_up_rows():
    vectors = keyed_vectors(["a", "b"], np.array([[1.0, 0.0], [0.0, 2.0]]))
    np.testing.assert_array_equal(vectors["b"], [0.0, 2.0])
    assert "c" not in vectors
