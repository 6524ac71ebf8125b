"""Cosine relevance: by hand, against scikit-learn, and kept on disk."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from tres_lib import topics
from tres_lib.topics.corpus import Corpus
from tres_lib.topics.vectors import tokenize

TEXTS = (
    "the red apple tree",
    "green apple, green pear tree",
    "stone wall",
    "old stone house, red wall",
    "apple",
    "the stone",
)
FORMS = np.array(["page", "page", "lead", "page", "anchor", "anchor"])


def corpus() -> Corpus:
    labels = np.array(["apple" in text for text in TEXTS])
    return Corpus(TEXTS, labels, np.arange(len(TEXTS)), FORMS)


def test_by_hand():
    cosine = topics.TopicCosine(["apple", "tree"], np.array([1.0, 2.0]), np.array([0.6, 0.8]), {})
    once = (0.6 * 1 + 0.8 * 2) / np.sqrt(1 + 4)
    twice = (0.6 * (1 + np.log(2)) + 0.8 * 2) / np.sqrt((1 + np.log(2)) ** 2 + 4)
    found = cosine.cosine(["apple tree", "Apple apple TREE", "tree, stone", "stone", ""])
    np.testing.assert_allclose(found, [once, twice, 0.8, 0, 0])
    assert cosine.cosine([]).shape == (0,)


def test_fit_is_tf_idf_with_the_mean_of_relevant_documents():
    cosine = topics.TopicCosine.fit(corpus())
    vectorizer = TfidfVectorizer(
        tokenizer=tokenize, token_pattern=None, sublinear_tf=True, min_df=2, stop_words="english"
    ).fit(TEXTS[:4])  # anchors are no documents
    x = vectorizer.transform(TEXTS).toarray()
    centre = x[:2].sum(axis=0)
    expected = x @ centre / np.linalg.norm(centre)
    np.testing.assert_allclose(cosine.cosine(TEXTS), expected)
    assert cosine.typical["page"] == pytest.approx(expected[:2].mean())
    assert cosine.typical["anchor"] == pytest.approx(expected[4])


def test_a_corpus_without_a_relevant_text_is_refused():
    with pytest.raises(ValueError, match="none of its leads and pages is relevant"):
        topics.TopicCosine.fit(Corpus(TEXTS, np.zeros(6, bool), np.arange(6), FORMS))


def test_saved_and_loaded(tmp_path):
    cosine = topics.TopicCosine.fit(corpus())
    cosine.save(tmp_path / "cosine")
    again = topics.TopicCosine.load(tmp_path / "cosine")
    np.testing.assert_array_equal(again.cosine(TEXTS), cosine.cosine(TEXTS))
    assert again.typical == cosine.typical
