"""What a site hands out: records of text, in pages of results, and the words in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np

from ..topics.vectors import WORD

KEPT = 1 << 15  # records whose words are kept, as crawls of one site meet the same ones


LONGEST = (3, 6, 9)  # word of each class of lengths but the last
N_LENGTHS = len(LONGEST) + 1
N_KINDS = 3  # English letters, others among them, with a digit


class Part(NamedTuple):
    """A piece of a record: tag and class of its HTML node, depth in the DOM tree, text."""

    tag: str
    depth: int
    text: str


Record = tuple[Part, ...]


@dataclass(frozen=True)
class ResultPage:
    """One page of results.

    total : number of records that match, as the site states it; None if it does not.
    ids, records : what stands on the page, equally many.
    more : whether a further page can be asked for.
    """

    total: int | None
    ids: tuple[Hashable, ...]
    records: tuple[Record, ...]
    more: bool


class Site(Protocol):
    """A database behind a query interface, as a crawler sees it.

    ``len(site)``, the number of its records, is offered by sites that know it, and coverage
    can be told of these only.
    """

    def front_page(self) -> str:
        """The text of the page that has the form, whose words may start a crawl."""

    def page(self, term: str, number: int) -> ResultPage:
        """Page 1, 2, ... of the results for a term."""


class WordCounts(NamedTuple):
    """The words of a record, each once, in the order of their occurrence.

    words : (w,) str.
    tf : (w,) how often each occurs.
    length : number of words with repetitions.
    nodes : (tag, depth) of each kind of node in it.
    word, node : (p,) rows of ``words`` and of ``nodes``, a pair for each word in a kind of node.
    """

    words: tuple[str, ...]
    tf: np.ndarray
    length: int
    nodes: tuple[tuple[str, int], ...]
    word: np.ndarray
    node: np.ndarray


def split_words(text: str) -> list[str]:
    """Words of a text, in lower case; cut before, as a letter such as I with a dot becomes two."""
    return [word.lower() for word in WORD.findall(text)]


@lru_cache(maxsize=KEPT)
def count_words(record: Record) -> WordCounts:
    """Count the words of a record, by part as well."""
    parts = [split_words(part.text) for part in record]
    counts = Counter(chain.from_iterable(parts))
    row = {word: i for i, word in enumerate(counts)}
    depths = {part.tag: part.depth for part in record}
    place = {tag: i for i, tag in enumerate(depths)}
    pairs = dict.fromkeys(
        (row[word], place[part.tag])
        for part, words in zip(record, parts, strict=True)
        for word in words
    )
    word, node = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
    tf = np.array(list(counts.values()), dtype=np.int64)
    return WordCounts(tuple(counts), tf, int(tf.sum()), tuple(depths.items()), word, node)


@lru_cache(maxsize=1 << 17)
def word_traits(word: str) -> tuple[int, int]:
    """Class of a word's length, and its kind."""
    kind = 2 if any(c.isdigit() for c in word) else int(not word.isascii())
    return sum(len(word) > most for most in LONGEST), kind
