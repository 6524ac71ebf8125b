"""Best-first by meaning: how near the words of a link are to those of the topic."""

from collections.abc import Iterable

import numpy as np

from ...topics import anchor_text
from ...topics.vectors import tokenize, word_table
from ..policy import Context
from .simple import Ranked


class Embedding(Ranked):
    """The action whose text is nearest to the topic, the oldest among equals; it learns nothing.

    A text's embedding is the mean of its words' GloVe vectors, without stop words and numbers. The
    priority is the cosine of two: that of a link's anchor and URL words, and that of the topic's
    keywords. It is 0 for a link none of whose words has a vector.

    ValueError if no keyword has a vector.
    """

    def __init__(self, context: Context):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        super().__init__(context)
        assert context.links and context.topic, "a crawl offers both"
        self._links = context.links
        self._stop_words = ENGLISH_STOP_WORDS
        self._vectors = word_table()
        self._topic = self._embedded(context.topic.keywords)
        if not self._topic.any():
            keywords = ", ".join(context.topic.keywords)
            raise ValueError(f"policy='embedding': no keyword has a word vector: {keywords}")

    def _priorities(self, ids: np.ndarray, x: np.ndarray) -> np.ndarray:
        self.evaluations += len(ids)
        texts = [[anchor_text(link)] for link in self._links(ids)]
        return np.array([self._embedded(text) @ self._topic for text in texts])

    def _embedded(self, texts: Iterable[str]) -> np.ndarray:
        """Return the mean vector of all words, scaled to length 1; zeros if none has a vector."""
        words = [w for text in texts for w in tokenize(text) if w in self._vectors]
        words = [w for w in words if not (w in self._stop_words or w.isdigit())]
        if not words:
            return np.zeros(self._vectors.vector_size)
        mean = self._vectors[words].mean(axis=0, dtype=float)
        return mean / np.linalg.norm(mean)
