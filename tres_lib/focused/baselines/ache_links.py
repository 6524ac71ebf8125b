"""ACHE's links: their words, kept compactly, and the classifier that is learnt on these."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np

from ...extras import extra
from ...topics.vectors import tokenize
from ...web.page import Link
from ...web.urls import url_words
from ..frontier import grown

FIELDS = {"around": 100, "url": 150, "anchor": 150}  # most frequent words that become features
BUCKETS = 2**20  # for the words of a field: among 10,000 a word shares its own with odds of 1 %
AROUND = 10  # words taken on each side of an anchor
SHORTEST = 3  # letters of a word that is kept
NO_WORD = -1
RARE = 5  # a word of so few training links is no feature...
RARE_AMONG_FEW = 1  # ...or of so few, where no word has more than FEW
FEW = 10
COST = 1.0  # C of the SVM


def neighbourhoods(text: str, anchors: Sequence[str]) -> list[list[str]]:
    """Return the words around each anchor, up to `AROUND` on each side, none if it is not there."""
    page = f" {' '.join(tokenize(text))} "
    place = 0
    around: list[list[str]] = []
    for words in map(tokenize, anchors):
        anchor = f" {' '.join(words)} "
        # Links come in the order of the page: look from the end of the one before, then anywhere.
        at = page.find(anchor, place) if words else -1
        at = page.find(anchor) if words and at < 0 else at
        around.append([])
        if at >= 0:
            place = at + len(anchor) - 1
            before = page[:at].rsplit(None, AROUND)
            around[-1] = before[-AROUND:] + page[place:].split(None, AROUND)[:AROUND]
    return around


def words_of(link: Link, around: Sequence[str]) -> list[int]:
    """Return the numbers of a link's words, each once: stems, hashed, apart for each field."""
    fields = (around, tokenize(url_words(link.url)), tokenize(link.anchor))
    buckets = [(n, _bucket(word)) for n, words in enumerate(fields) for word in words]
    return sorted({n * BUCKETS + bucket for n, bucket in buckets if bucket != NO_WORD})


class LinkWords:
    """Word numbers of links by id, in one flat int32 array: 4 bytes per word, 10 per link."""

    def __init__(self):
        self._words = np.zeros(0, np.int32)
        self._end = 0
        self._start = np.zeros(0, np.int64)  # by id: where its words start, plus one
        self._count = np.zeros(0, np.int16)

    def __contains__(self, action: int) -> bool:
        return 0 <= action < len(self._start) and bool(self._start[action])

    def count(self, action: int) -> int:
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
        self._start = grown(self._start, int(ids.max()) + 1)
        self._count = grown(self._count, len(self._start))
        self._start[ids] = starts + 1
        self._count[ids] = counts

    def of(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the links' words, (m,), one link after the other, and the row in `ids` of each."""
        counts = self._count[ids].astype(np.int64)
        rows = np.repeat(np.arange(len(ids)), counts)
        first = np.cumsum(counts) - counts
        places = np.arange(len(rows)) + np.repeat(self._start[ids] - 1 - first, counts)
        return self._words[places], rows


@dataclass(frozen=True)
class LinkClassifier:
    """A linear SVM over k selected words, each present or not."""

    words: np.ndarray  # rising numbers, as `words_of` gives them
    weights: np.ndarray
    bias: float

    @classmethod
    def fit(
        cls, words: np.ndarray, rows: np.ndarray, labels: np.ndarray, seed: int
    ) -> "LinkClassifier | None":
        """Learn from links, as `LinkWords.of` gives them; None if no word is a feature."""
        from scipy.sparse import csr_array
        from sklearn.svm import LinearSVC

        features = select(words)
        if not len(features):
            return None
        is_feature = np.isin(words, features)
        columns = np.searchsorted(features, words[is_feature]).astype(np.int32)
        places = rows[is_feature].astype(np.int32), columns
        x = csr_array((np.ones(len(columns)), places), (len(labels), len(features)))
        # The dual solver calls no BLAS, which rounds as the processor likes.
        svm = LinearSVC(C=COST, dual=True, random_state=seed).fit(x, labels)
        return cls(features, svm.coef_[0], float(svm.intercept_[0]))

    def scores(self, words: np.ndarray, rows: np.ndarray, n: int) -> np.ndarray:
        """Return the margin of each of n links, (n,), the higher the likelier relevant."""
        columns = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
        weights = np.where(self.words[columns] == words, self.weights[columns], 0.0)
        return np.bincount(rows, weights, minlength=n) + self.bias


def balanced(labels: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return places in labels of at most `most` true ones, and of no more false ones, rising."""
    good, bad = np.flatnonzero(labels), np.flatnonzero(~labels)
    good = good if len(good) <= most else rng.choice(good, most, replace=False)
    bad = bad if len(bad) <= len(good) else rng.choice(bad, len(good), replace=False)
    return np.sort(np.concatenate([good, bad]))


def select(words: np.ndarray) -> np.ndarray:
    """Return the words that become features, rising: the most frequent ones of each field."""
    numbers, counts = np.unique(words, return_counts=True)
    chosen = []
    for field, most in enumerate(FIELDS.values()):
        mine = np.flatnonzero(numbers // BUCKETS == field)
        rare = RARE if counts[mine].max(initial=0) > FEW else RARE_AMONG_FEW
        mine = mine[counts[mine] > rare]
        order = np.argsort(-counts[mine], kind="stable")[:most]
        chosen.append(numbers[mine[order]])
    return np.sort(np.concatenate(chosen))


@lru_cache(maxsize=2**16)
def _bucket(word: str) -> int:
    """Return the number of a word's stem; NO_WORD for stop words and short words."""
    with extra("bilstm"):
        from gensim.parsing.porter import PorterStemmer
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    if len(word) < SHORTEST or word in ENGLISH_STOP_WORDS:
        return NO_WORD
    return crc32(PorterStemmer().stem(word).encode()) % BUCKETS
