"""Words of a link's URL, anchor and neighbourhood, kept compactly for a whole frontier."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from ...topics.vectors import tokenize
from ...web.urls import url_words
from ..arrays import grown

if TYPE_CHECKING:
    from ...web import Link

FIELDS = ("around", "url", "anchor")
BUCKETS = 2**20  # for the words of a field: among 10,000 a word shares its own with odds of 1 %
AROUND = 10  # words taken on each side of an anchor
SHORTEST = 3  # letters of a word that is kept
NO_WORD = -1


def neighbourhoods(text: str, anchors: Sequence[str]) -> list[list[str]]:
    """Words around each anchor, up to `AROUND` on each side, in a page's text.

    An anchor is looked for from the end of the one before, for links come in the order of
    the page, then from the start. One that is not in the text has no neighbours.
    """
    page, place = f" {' '.join(tokenize(text))} ", 0
    found = []
    for words in map(tokenize, anchors):
        anchor = f" {' '.join(words)} "
        at = page.find(anchor, place) if words else -1
        at = page.find(anchor) if words and at < 0 else at
        if at < 0:
            found.append([])
            continue
        place = at + len(anchor) - 1
        before, after = page[:at].rsplit(None, AROUND), page[place:].split(None, AROUND)
        found.append(before[-AROUND:] + after[:AROUND])
    return found


def words_of(link: Link, around: Sequence[str]) -> list[int]:
    """Numbers of the link's words, each once: stems, hashed, apart for each of `FIELDS`."""
    fields = (around, tokenize(url_words(link.url)), tokenize(link.anchor))
    numbers = set()
    for field, words in enumerate(fields):
        numbers |= {field * BUCKETS + bucket for bucket in map(_bucket, words) if bucket != NO_WORD}
    return sorted(numbers)


class LinkWords:
    """Word numbers of links by id, in one flat int32 array: 4 bytes a word, 10 a link."""

    def __init__(self):
        self._words = np.zeros(0, np.int32)
        self._end = 0
        self._start = np.zeros(0, np.int64)  # by id: where its words start, plus one
        self._count = np.zeros(0, np.int16)

    def __contains__(self, action: int) -> bool:
        return 0 <= action < len(self._start) and bool(self._start[action])

    def count(self, action: int) -> int:
        """Number of words of a link that is in here."""
        return int(self._count[action])

    def add(self, ids: np.ndarray, words: Sequence[Sequence[int]]) -> None:
        """Keep the words of new links."""
        if not len(ids):
            return
        counts = np.array([len(w) for w in words])
        starts = self._end + np.cumsum(counts) - counts
        self._end += int(counts.sum())
        self._words = grown(self._words, self._end)
        self._words[starts[0] : self._end] = [number for w in words for number in w]
        n = int(ids.max()) + 1
        self._start, self._count = grown(self._start, n), grown(self._count, n)
        self._start[ids], self._count[ids] = starts + 1, counts

    def of(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Words (m,) of the links, one after the other, and the row in `ids` of each, (m,)."""
        counts = self._count[ids].astype(np.int64)
        rows = np.repeat(np.arange(len(ids)), counts)
        first = np.cumsum(counts) - counts
        places = np.arange(len(rows)) + np.repeat(self._start[ids] - 1 - first, counts)
        return self._words[places], rows


@lru_cache(maxsize=2**16)
def _bucket(word: str) -> int:
    """Number of a word's stem; NO_WORD for stop words and short words."""
    if len(word) < SHORTEST or word in _stop_words():
        return NO_WORD
    return crc32(_stemmer().stem(word).encode()) % BUCKETS


@cache
def _stemmer():
    from gensim.parsing.porter import PorterStemmer

    return PorterStemmer()


@cache
def _stop_words() -> frozenset[str]:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS
