"""Cosine relevance of a text to a topic, the measure of crawlers without a classifier."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from ..corpus import Corpus
from ..vectors import tokenize
from .stored import read_arrays, read_description, tfidf, write_classifier

MIN_TEXTS = 2  # a word of a single text says nothing about others


class TopicCosine:
    """Cosine of tf-idf vectors of a text and of the topic.

    A word that occurs n times in a text has the weight (1 + ln n) idf, with idf = 1 + ln((1 +
    texts) / (1 + texts with the word)); unknown and stop words have none. The topic is the mean of
    its relevant texts, each of length 1: the centroid, of length 1. `typical` has the mean cosine
    of relevant training texts, of a "page" and of an "anchor".

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
        self._words, self._idf, self._centroid = list(words), idf, centroid
        pairs = zip(idf.tolist(), centroid.tolist(), strict=True)
        self._weights = dict(zip(self._words, pairs, strict=True))

    @classmethod
    def fit(cls, corpus: Corpus) -> Self:
        """Learn idf and centroid from leads and pages, and how relevant pages and anchors score."""
        documents = corpus.of_form("lead", "page")
        if not documents.labels.any():
            raise ValueError("corpus: none of its leads and pages is relevant; give at least one")
        vectorizer = tfidf(stop_words="english", min_df=MIN_TEXTS)
        x = vectorizer.fit_transform(documents.texts)
        centroid = np.asarray(x[documents.labels].mean(axis=0)).ravel()
        centroid /= np.linalg.norm(centroid)
        cosine = cls(vectorizer.get_feature_names_out().tolist(), vectorizer.idf_, centroid, {})
        for form in ("page", "anchor"):
            part = corpus.of_form(form)
            scores = cosine.cosine(part.texts)[part.labels]
            cosine.typical[form] = float(scores.mean()) if scores.any() else 1.0
        return cosine

    def cosine(self, texts: Sequence[str]) -> np.ndarray:
        """Return the cosine (n,) of each text with the topic; 0 for a text without known words."""
        return np.array([self._one(text) for text in texts], np.float64)

    def save(self, directory: str | Path) -> None:
        """Write words as JSON, weights as safetensors."""
        arrays = {"idf": self._idf, "centroid": self._centroid}
        write_classifier(directory, self, arrays, words=self._words, typical=self.typical)

    @classmethod
    def load(cls, directory: str | Path) -> Self:
        """Load what `save` wrote; ValueError if the directory holds none."""
        description = read_description(directory, cls.__name__)
        return cls(description["words"], **read_arrays(directory), typical=description["typical"])

    def _one(self, text: str) -> float:
        dot = squares = 0.0
        for word, n in Counter(tokenize(text)).items():
            if word in self._weights:
                idf, centre = self._weights[word]
                weight = (1.0 + math.log(n)) * idf
                dot += weight * centre
                squares += weight * weight
        return dot / math.sqrt(squares) if squares else 0.0
