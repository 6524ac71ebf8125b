"""Keywords of a topic: discovering more of them, and counting them in texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress
from typing import TYPE_CHECKING

import numpy as np

from tres_webs import checks

from .vectors import UNSPACED, fold, tokenize

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

SHORTEST_CANDIDATE = 3  # letters
CACHED_COUNTS = 2**14  # texts; a crawl meets the same anchors again and again
ROUNDING = 1e-12  # a candidate exactly at the threshold is in, whatever the order of the sums


@dataclass(frozen=True)
class KeywordExpansion:
    """The result of Algorithm 1 of TRES."""

    keywords: tuple[str, ...]  # the expanded set, initial keywords first
    discovered: tuple[str, ...]  # the new ones, best first
    threshold: float  # b of Equation 2
    scores: dict[str, float]  # mean cosine of each candidate with the initial keywords
    skipped: tuple[str, ...]  # words without a vector, of the keywords first


def expand_keywords(
    keywords: Iterable[str], candidates: Iterable[str], vectors: KeyedVectors
) -> KeywordExpansion:
    """Return the given keywords and candidates that resemble them (TRES, Algorithm 1).

    A candidate is discovered if its mean cosine with the initial keywords is at least their mean
    pairwise cosine b (Equation 2). Candidates are words such as ``candidate_words(texts)``, vectors
    such as ``load_vectors()``. ValueError if fewer than two keywords have a vector.

    Examples
    --------
    >>> from gensim.models import KeyedVectors
    >>> vectors = KeyedVectors(2)
    >>> words = ["football", "tennis", "goal", "river"]
    >>> vectors.add_vectors(words, np.array([[1, 0.2], [1, -0.2], [1, 0], [0, 1]]))
    >>> expand_keywords(["football", "tennis"], ["goal", "river"], vectors).discovered
    ('goal',)
    """
    keywords = checks.texts("keywords", keywords)
    candidates = checks.texts("candidates", candidates)
    if not hasattr(vectors, "vector_size"):
        raise ValueError(f"vectors={vectors!r}: give KeyedVectors, such as load_vectors()")
    initial = list(dict.fromkeys(keywords))
    _, seed, seeds_skipped = _unit_vectors(initial, vectors)
    n = len(seed)
    if n < 2:
        raise ValueError(
            f"keywords={initial!r}: the threshold needs at least two keywords that have a word "
            f"vector, here are {n}; without one: {seeds_skipped}"
        )
    centre = seed.mean(axis=0)
    # The sum over all pairs, the n pairs of a keyword with itself (cosine 1) taken out.
    threshold = float((n * n * centre @ centre - n) / (n * (n - 1)))
    words, units, candidates_skipped = _unit_vectors(dict.fromkeys(candidates), vectors)
    scores = dict(zip(words, (units @ centre).tolist(), strict=True))
    given = {*initial, *map(fold, initial)}
    passed = [w for w in words if scores[w] >= threshold - ROUNDING and w not in given]
    discovered = tuple(sorted(passed, key=lambda w: (-scores[w], w)))
    skipped = tuple(dict.fromkeys(seeds_skipped + candidates_skipped))
    return KeywordExpansion((*initial, *discovered), discovered, threshold, scores, skipped)


def candidate_words(texts: Iterable[str]) -> list[str]:
    """Return the distinct words of the texts, sorted: the candidates of Algorithm 1.

    The paper takes all; here they are alphabetic, of three letters or more. Stop words stay.
    """
    words = {word for text in checks.texts("texts", texts) for word in tokenize(text)}
    return sorted(w for w in words if len(w) >= SHORTEST_CANDIDATE and w.isalpha())


class KeywordMatcher:
    """Finds keywords in a text as whole words, whatever the case and the punctuation between them.

    In Chinese, Japanese, Korean, Thai and their like a keyword is found inside words too.

    Examples
    --------
    >>> KeywordMatcher(["ice hockey", "goal"]).count("A goal in ICE-HOCKEY, two goals in all.")
    2
    >>> KeywordMatcher(["爵士乐"]).count("我喜欢爵士乐和歌剧")
    1
    """

    def __init__(self, keywords: Iterable[str]):
        self._by_first_word: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        self._keywords = listed = checks.texts("keywords", keywords)
        self._inside: set[str] = set()
        for words in filter(None, (tokenize(fold(keyword)) for keyword in listed)):
            if UNSPACED.search("".join(words)):
                self._inside.add("".join(words))
            else:
                self._by_first_word[words[0]].add(tuple(words))
        self._count = lru_cache(CACHED_COUNTS)(lambda text: len(self.starts(tokenize(fold(text)))))

    def __reduce__(self) -> tuple[object, ...]:  # a cache cannot be pickled, as for a worker
        return KeywordMatcher, (self._keywords,)

    def starts(self, words: list[str]) -> list[int]:
        """Return where keywords begin among a text's words (of `tokenize`), rising; all count."""
        if not "".join(words).isascii():
            words = list(map(fold, words))
        places = [
            i
            for i, word in enumerate(words)
            if word in self._by_first_word
            for keyword in self._by_first_word[word]
            if tuple(words[i : i + len(keyword)]) == keyword
        ]
        inside = (
            [i] * word.count(keyword) for keyword in self._inside for i, word in enumerate(words)
        )
        return sorted(chain(places, *inside)) if self._inside else places

    def count(self, text: str) -> int:
        """Return the number of keyword occurrences in a text."""
        return self._count(text)


def keyword_counts(texts: Iterable[str], keywords: Iterable[str]) -> np.ndarray:
    """Return the number of keyword occurrences in each text, (n,) int64, as Table 2 averages it.

    Examples
    --------
    >>> keyword_counts(["a goal, a team", "a river"], ["goal", "team"])
    array([2, 0])
    """
    matcher = KeywordMatcher(keywords)
    return np.array([matcher.count(t) for t in checks.texts("texts", texts)], dtype=np.int64)


def _unit_vectors(
    terms: Iterable[str], vectors: KeyedVectors
) -> tuple[list[str], np.ndarray, list[str]]:
    """Return terms with a vector, their unit vectors as rows, and the words without one."""
    with_vector, rows, skipped = [], [], []
    for term in terms:
        words = [term] if term in vectors else tokenize(term) or [term]
        present = [word for word in words if word in vectors]
        skipped += [word for word in words if word not in vectors]
        if present:
            with_vector.append(term)
            rows.append(vectors[present].mean(axis=0))
    matrix = np.array(rows, dtype=np.float64).reshape(len(with_vector), vectors.vector_size)
    lengths = np.linalg.norm(matrix, axis=1)
    nonzero = lengths > 0
    skipped += compress(with_vector, ~nonzero)
    return list(compress(with_vector, nonzero)), matrix[nonzero] / lengths[nonzero, None], skipped
