"""ACHE's links: their words, and the classifier that is learnt on these."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from zlib import crc32

import numpy as np

from tres_webs.extras import optional
from tres_webs.page import Link
from tres_webs.urls import url_words

from ...topics.vectors import tokenize

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


def words_of(link: Link, around: Sequence[str]) -> array:
    """Return the numbers of a link's words, each once: stems, hashed, apart for each field."""
    fields = (around, tokenize(url_words(link.url)), tokenize(link.anchor))
    buckets = [(n, _bucket(word)) for n, words in enumerate(fields) for word in words]
    return array("i", sorted({n * BUCKETS + b for n, b in buckets if b != NO_WORD}))


def in_rows(words: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the links' words, (m,) int32, one link after the other, and the row of each."""
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    rows = np.repeat(np.arange(len(words)), lengths)
    return np.fromiter(chain.from_iterable(words), np.int32, len(rows)), rows


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
        """Learn from links, as `in_rows` gives them; None if no word is a feature."""
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
    with optional("bilstm"):
        from gensim.parsing.porter import PorterStemmer
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    if len(word) < SHORTEST or word in ENGLISH_STOP_WORDS:
        return NO_WORD
    return crc32(PorterStemmer().stem(word).encode()) % BUCKETS
