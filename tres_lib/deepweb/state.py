"""What a crawler knows: the records it has acquired, their words, the queries it has issued."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from .records import Record, Site, WordCounts, count_words, split_words, word_traits

TAGS = 8  # kinds of HTML node that are told apart; the last adds up all further ones
DEPTHS = 16
_TF, _DF, _WEIGHT, _TAG = 0, 1, 2, 3  # rows of the table of counts


class Answer(NamedTuple):
    """What a term brought: ``ids`` and ``records`` from so many ``pages``, of ``total`` matches."""

    term: str
    total: int | None
    ids: tuple[Hashable, ...]
    records: tuple[Record, ...]
    pages: int


class Issued(NamedTuple):
    """A query of the past.

    word : its row in the words.
    total : matches as the site states them; None if it does not.
    returned, new : records in the response, and those not acquired before.
    df : acquired records that contained the word when it was issued.
    """

    term: str
    word: int
    total: int | None
    returned: int
    new: int
    df: int

    @property
    def duplicates(self) -> int:
        """Records of the response that had been acquired before."""
        return self.returned - self.new


class State:
    """The acquired records S_i, counts of their words, and the issued queries T.

    Words have row numbers, in the order in which they were first met. ``rng`` and ``site`` are
    offered to policies; but for the oracle they leave the site alone.
    """

    def __init__(self, site: Site, rng: np.random.Generator):
        self.site, self.rng = site, rng
        self.words: list[str] = []
        self._row: dict[str, int] = {}
        self._known = 0  # words that the tables below have room for
        self.issued: list[Issued] = []
        self.captures: Counter[Hashable] = Counter()  # responses that each record was in
        self._captured = Counter()  # number of records by their captures
        self._tags: dict[str, int] = {}
        self.depth_of_tag = np.zeros(TAGS, np.int64)
        self._counts = np.zeros((_TAG + TAGS, 1024))
        self._traits = np.zeros((2, 1024), np.int64)
        self._open = np.ones(1024, bool)

    @property
    def n(self) -> int:
        """|S_i|, the number of acquired records."""
        return len(self.captures)

    @property
    def tf(self) -> np.ndarray:
        """(V,) occurrences of each word in the acquired records."""
        return self._counts[_TF, : len(self.words)]

    @property
    def df(self) -> np.ndarray:
        """(V,) acquired records that contain each word."""
        return self._counts[_DF, : len(self.words)]

    @property
    def weight(self) -> np.ndarray:
        """(V,) sum over the acquired records of the share of each word among their words."""
        return self._counts[_WEIGHT, : len(self.words)]

    @property
    def df_by_tag(self) -> np.ndarray:
        """(TAGS, V) acquired records that contain each word in a node of each kind."""
        return self._counts[_TAG:, : len(self.words)]

    @property
    def traits(self) -> np.ndarray:
        """(2, V) class of length, and kind, of each word (see `word_traits`)."""
        return self._traits[:, : len(self.words)]

    @property
    def once(self) -> int:
        """Records that were in one response."""
        return self._captured[1]

    @property
    def twice(self) -> int:
        """Records that were in two responses."""
        return self._captured[2]

    def pool(self, size: int | None = None) -> np.ndarray:
        """Rows of candidates: words not yet issued, the `size` of the highest DF or all.

        Words of equal DF count in the order in which they were met.
        """
        rows = np.flatnonzero(self._open[: len(self.words)])
        if size is None or len(rows) <= size:
            return rows
        place = rows - self.df[rows] * len(self.words)
        return np.sort(rows[np.argpartition(place, size - 1)[:size]])

    def note(self, text: str) -> None:
        """Make candidates of the words of a text that is no record."""
        self._rows(split_words(text))
        self._extend()

    def learn(self, answer: Answer) -> Issued:
        """Take in what a query brought."""
        word = self._issue(answer.term)
        found = dict(zip(answer.ids, answer.records, strict=True))
        new = [record for i, record in found.items() if i not in self.captures]
        df = int(self.df[word])
        issued = Issued(answer.term, word, answer.total, len(found), len(new), df)
        self.issued.append(issued)
        self._capture(found)
        self._count([count_words(record) for record in new])
        return issued

    def _issue(self, term: str) -> int:
        """The row of a term, which ceases to be a candidate."""
        words = split_words(term)
        (row,) = self._rows(words if len(words) == 1 else [term])
        self._extend()
        self._open[row] = False
        return row

    def _capture(self, ids: Iterable[Hashable]) -> None:
        for i in ids:
            before = self.captures[i]
            self.captures[i] = before + 1
            self._captured[before] -= 1
            self._captured[before + 1] += 1

    def _count(self, records: list[WordCounts]) -> None:
        """Add the words of new records."""
        if not records:
            return
        rows = [np.array(self._rows(record.words), np.int64) for record in records]
        self._extend()
        tags = [np.array([self._tag(*n) for n in r.nodes], np.int64) for r in records]
        together = np.concatenate(rows)
        self._add(_TF, together, np.concatenate([record.tf for record in records]))
        self._add(_DF, together, 1)
        self._add(_WEIGHT, together, np.concatenate([r.tf / max(r.length, 1) for r in records]))
        words = [row[record.word] for row, record in zip(rows, records, strict=True)]
        nodes = [tag[record.node] for tag, record in zip(tags, records, strict=True)]
        self._add(_TAG + np.concatenate(nodes), np.concatenate(words), 1)

    def _add(self, line: int | np.ndarray, rows: np.ndarray, values: int | np.ndarray) -> None:
        """Add to cells of the table, of which one may occur repeatedly."""
        np.add.at(self._counts.reshape(-1), line * self._counts.shape[1] + rows, values)

    def _tag(self, tag: str, depth: int) -> int:
        row = self._tags.setdefault(tag, min(len(self._tags), TAGS - 1))
        self.depth_of_tag[row] = min(depth, DEPTHS - 1)
        return row

    def _rows(self, words: Sequence[str]) -> list[int]:
        """Rows of words; new ones become candidates."""
        row = self._row
        for word in [word for word in words if word not in row]:
            if row.setdefault(word, len(row)) == len(self.words):
                self.words.append(word)
        return list(map(row.__getitem__, words))

    def _extend(self) -> None:
        """Make room for the words that `_rows` has met."""
        known, self._known = self._known, len(self.words)
        self._grow(self._known)
        traits = [word_traits(word) for word in self.words[known:]]
        self._traits[:, known : self._known] = np.reshape(traits, (-1, 2)).T

    def _grow(self, size: int) -> None:
        """Make room for the counts of so many words, and as many again."""
        if size > self._counts.shape[1]:
            self._counts = np.pad(self._counts, ((0, 0), (0, size)))
            self._traits = np.pad(self._traits, ((0, 0), (0, size)))
            self._open = np.pad(self._open, (0, size), constant_values=True)
