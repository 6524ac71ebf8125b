"""Which words SeedFinder puts into its next query (Vieira et al. 2016)."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice

from ...topics.vectors import tokenize

SHORTEST = 3  # letters of a term
FIRST_SCORE = 0.01  # of a term of a query that no page had


class QueryTerms:
    """Scores of words by relevance feedback.

    A relevant page adds to each of its words the word's share of the page, an irrelevant
    one takes it away; the terms of a query are multiplied by the query's precision.
    """

    def __init__(self):
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        self._stop_words = ENGLISH_STOP_WORDS
        self._scores: defaultdict[str, float] = defaultdict(float)
        self._used: set[str] = set()

    def learn(self, text: str, relevant: bool) -> None:
        """Feedback from a page."""
        words = [w for w in tokenize(text) if self._is_term(w)]
        for word, n in Counter(words).items():
            self._scores[word] += (1 if relevant else -1) * n / len(words)

    def weigh(self, terms: tuple[str, ...], precision: float) -> None:
        """Feedback on a query: the share of relevant pages among its new results."""
        for term in terms:
            self._scores[term] = (self._scores[term] or FIRST_SCORE) * precision

    def choose(self, size: int) -> tuple[str, ...]:
        """The next query: the best `size` - 1 terms, and after them the best that no query had.

        Among equals the alphabet decides. Empty if no new term of positive score is left.
        """
        ranked = sorted((w for w, s in self._scores.items() if s > 0), key=self._rank)
        fresh = (word for word in ranked[size - 1 :] if word not in self._used)
        terms = (*ranked[: size - 1], *islice(fresh, 1))
        if self._used.issuperset(terms):
            return ()
        self._used.update(terms)
        return terms

    def _is_term(self, word: str) -> bool:
        return len(word) >= SHORTEST and not word.isdigit() and word not in self._stop_words

    def _rank(self, word: str) -> tuple[float, str]:
        return -self._scores[word], word
