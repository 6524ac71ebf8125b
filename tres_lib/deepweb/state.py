"""The state of a crawl: the acquired records, their words, and the issued queries."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from tres_webs.forms.answers import Record, Site

from ..topics.vectors import WORD

CACHED = 1 << 15  # records whose words are cached, as crawls of one site meet the same ones
LONGEST = (3, 6, 9)  # word of each class of lengths but the last
N_LENGTHS = len(LONGEST) + 1
N_KINDS = 3  # all letters English, others among them, with a digit


class WordCounts(NamedTuple):
    """The words of a record, each once, in the order of their occurrence."""

    words: tuple[str, ...]
    tf: np.ndarray
    nodes: tuple[tuple[str, int], ...]  # tag and depth of each kind of HTML node in the record
    word: np.ndarray  # with `node` pairs of places in `words` and `nodes`, of each word in a kind
    node: np.ndarray


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.lower() for word in WORD.findall(text)]  # lower() may turn a letter into two


@lru_cache(maxsize=CACHED)
def count_words(record: Record) -> WordCounts:
    """Count the words of a record, in all and by kind of node."""
    parts = [split_words(part.text) for part in record]
    counts = Counter(chain.from_iterable(parts))
    row = {word: i for i, word in enumerate(counts)}
    depths = {part.tag: part.depth for part in record}
    place = {tag: i for i, tag in enumerate(depths)}
    pairs = dict.fromkeys(
        (row[w], place[part.tag]) for part, words in zip(record, parts, strict=True) for w in words
    )
    word, node = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
    tf = np.array(list(counts.values()), dtype=np.int64)
    return WordCounts(tuple(counts), tf, tuple(depths.items()), word, node)


@lru_cache(maxsize=1 << 17)
def word_traits(word: str) -> tuple[int, int]:
    """Return the class of a word's length, and its kind."""
    kind = 2 if any(c.isdigit() for c in word) else int(not word.isascii())
    return sum(len(word) > most for most in LONGEST), kind


TAGS = 8  # kinds of HTML node that count apart; the last adds up all further ones
DEPTHS = 16
_TF, _DF, _WEIGHT, _TAG = range(4)  # rows of the table of counts; from _TAG on DF by kind of node


class Issued(NamedTuple):
    """An issued query, and how many records it brought."""

    term: str
    word: int  # its place in `State.words`
    total: int | None  # matches, as the site states them
    returned: int
    new: int  # those that had not been acquired before
    df: int  # acquired records that contained the word at its issue


class State:
    """The acquired records S_i, counts of their V words, and the issued queries T."""

    def __init__(self, site: Site, rng: np.random.Generator):
        self.site = site  # for the oracle only
        self.rng = rng
        self.issued: list[Issued] = []
        self.captures: Counter[Hashable] = Counter()  # responses by id of the acquired records
        self.words: list[str] = []  # (V,) in the order in which they were first met
        self.depth_of_tag = np.zeros(TAGS, np.int64)
        self.tf = np.zeros(0)
        self._reached: Counter[int] = Counter()  # records that were in at least so many responses
        self._row: dict[str, int] = {}
        self._tags: dict[str, int] = {}
        self._counts = np.zeros((_TAG + TAGS, 1024))
        self._traits = np.zeros((2, 1024), np.int64)  # see `records.word_traits`
        self._open = np.ones(1024, bool)
        self._extend()

    @property
    def n(self) -> int:
        """Return |S_i|, the number of acquired records."""
        return len(self.captures)

    @property
    def once(self) -> int:
        """Return the number of records that were in one response."""
        return self._reached[1] - self._reached[2]

    @property
    def twice(self) -> int:
        """Return the number of records that were in two responses."""
        return self._reached[2] - self._reached[3]

    def pool(self, size: int | None = None) -> np.ndarray:
        """Return the candidates, rising rows in `words`, or so many of them, of the highest DF."""
        rows = np.flatnonzero(self._open[: len(self.words)])
        if size is None or len(rows) <= size:
            return rows
        place = rows - self.df[rows] * len(self.words)
        return np.sort(rows[np.argpartition(place, size - 1)[:size]])

    def note(self, text: str) -> None:
        """Make candidates of the words of a text that is no record and so counts in no table."""
        self._rows(split_words(text))
        self._extend()

    def learn(self, term: str, total: int | None, response: Mapping[Hashable, Record]) -> Issued:
        """Add the records of a term's response, by id; `total` are the matches, if stated."""
        words = split_words(term)
        (word,) = self._rows(words if len(words) == 1 else [term])
        self._extend()
        self._open[word] = False
        new = [record for i, record in response.items() if i not in self.captures]
        self.issued.append(Issued(term, word, total, len(response), len(new), int(self.df[word])))
        self.captures.update(response.keys())
        self._reached.update(self.captures[i] for i in response)
        if new:
            self._count([count_words(record) for record in new])
        return self.issued[-1]

    def _count(self, records: list[WordCounts]) -> None:
        rows = [np.array(self._rows(record.words), np.int64) for record in records]
        self._extend()
        tags = [np.array([self._tag(*n) for n in r.nodes], np.int64) for r in records]
        together = np.concatenate(rows)
        np.add.at(self.tf, together, np.concatenate([r.tf for r in records]))
        np.add.at(self.df, together, 1)
        np.add.at(self.weight, together, np.concatenate([r.tf / r.tf.sum() for r in records]))
        words = [row[record.word] for row, record in zip(rows, records, strict=True)]
        nodes = [tag[record.node] for tag, record in zip(tags, records, strict=True)]
        np.add.at(self.df_by_tag, (np.concatenate(nodes), np.concatenate(words)), 1)

    def _tag(self, tag: str, depth: int) -> int:
        row = self._tags.setdefault(tag, min(len(self._tags), TAGS - 1))
        self.depth_of_tag[row] = min(depth, DEPTHS - 1)
        return row

    def _rows(self, words: Sequence[str]) -> list[int]:
        """Return the rows of words; new ones become candidates."""
        row = self._row
        for word in [word for word in words if word not in row]:
            if row.setdefault(word, len(row)) == len(self.words):
                self.words.append(word)
        return list(map(row.__getitem__, words))

    def _extend(self) -> None:
        """Make room in the tables for the words that `_rows` has met, and as many again."""
        size = len(self.words)
        if size > len(self._open):
            self._counts = np.pad(self._counts, ((0, 0), (0, size)))
            self._traits = np.pad(self._traits, ((0, 0), (0, size)))
            self._open = np.pad(self._open, (0, size), constant_values=True)
        old = len(self.tf)
        traits = [word_traits(word) for word in self.words[old:]]
        self._traits[:, old:size] = np.reshape(traits, (-1, 2)).T
        self.traits = self._traits[:, :size]
        # (V,) each: occurrences in the acquired records, records that contain a word, the sum over
        # the records of its share of their words; (TAGS, V): records with it in each kind of node.
        self.tf, self.df, self.weight = self._counts[:_TAG, :size]
        self.df_by_tag = self._counts[_TAG:, :size]
