"""Cosine relevance of a text to a topic, the measure of crawlers without a classifier."""

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from ..corpus import Corpus
from ..vectors import tokenize
from .stored import TfIdf, read_arrays, read_description, write_classifier

MIN_TEXTS = 2  # a word of a single text says nothing about others


class TopicCosine:
    """Cosine of tf-idf vectors of a text and of the topic, its relevant texts' mean.

    `typical` has the mean cosine of relevant training texts, of a "page" and of an "anchor".

    Examples
    --------
    >>> texts = ("A jazz band", "The jazz club", "The river bank", "A river delta")
    >>> on_topic = np.array([True, True, False, False])
    >>> corpus = Corpus(texts, on_topic, np.arange(4), np.array(["page"] * 4))
    >>> TopicCosine.fit(corpus).cosine(["Jazz!", "jazz on the river", "chess"]).round(2)
    array([1.  , 0.71, 0.  ])
    """

    def __init__(
        self, words: Sequence[str], idf: np.ndarray, centroid: np.ndarray, typical: dict[str, float]
    ):
        self.typical = typical
        self._tfidf, self._centroid = TfIdf(tokenize, words, idf), centroid

    @classmethod
    def fit(cls, corpus: Corpus) -> Self:
        """Learn idf and centroid from leads and pages, and how relevant pages and anchors score."""
        documents = corpus.of_form("lead", "page")
        if not documents.labels.any():
            raise ValueError("corpus: none of its leads and pages is relevant; give at least one")
        tfidf = TfIdf.fit(_without_stop_words, documents.texts, min_texts=MIN_TEXTS)
        centroid = tfidf.rows(documents.texts)[documents.labels].mean(axis=0)
        centroid /= np.sqrt((centroid**2).sum())
        cosine = cls(tfidf.words, tfidf.idf, centroid, {})
        for form in ("page", "anchor"):
            part = corpus.of_form(form)
            scores = cosine.cosine(part.texts)[part.labels]
            cosine.typical[form] = float(scores.mean()) if scores.any() else 1.0
        return cosine

    def cosine(self, texts: Sequence[str]) -> np.ndarray:
        """Return the cosine (n,) of each text with the topic; 0 for a text without known words."""
        return self._tfidf.products(texts, self._centroid)

    def save(self, directory: str | Path) -> None:
        """Write words as JSON, weights as safetensors."""
        arrays = {"idf": self._tfidf.idf, "centroid": self._centroid}
        write_classifier(directory, self, arrays, words=self._tfidf.words, typical=self.typical)

    @classmethod
    def load(cls, directory: str | Path) -> Self:
        """Load what `save` wrote; ValueError if the directory holds none."""
        description = read_description(directory, cls.__name__)
        return cls(description["words"], **read_arrays(directory), typical=description["typical"])


def _without_stop_words(text: str) -> list[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return [word for word in tokenize(text) if word not in ENGLISH_STOP_WORDS]
