"""A database that can only be searched: SQLite full-text search behind a query interface."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from .documents import FIELDS
from .records import Part, Record, ResultPage

MODES = {"fulltext": FIELDS, "fields": ("title", "description")}
ORDERS = {"rank": "rank, rowid", "static": "rowid"}  # rank is FTS5's name for BM25
# How a record stands in a page of results (see `form`): tag and class, depth below the root.
NODES = {"title": ("h3.title", 6), "description": ("p.description", 6), "extract": ("p.extract", 7)}
LONGEST_TERM = 1_000  # characters; a search box cuts off what is beyond
SHOWN = 10  # titles on the front page


@dataclass(frozen=True)
class Hits:
    """What a term brings: ``ids`` handed out, on ``pages`` pages, of ``total`` that match."""

    ids: tuple[int, ...]
    total: int
    pages: int


class SearchSite:
    """Documents that are found by the words in them, in a real SQLite FTS5 database.

    A term is text, never an operator: documents match that contain its words one after another
    (in one field), whatever their case. Accents count. A term without words matches nothing.

    Parameters
    ----------
    documents : sequence of mappings
        With ``title``, ``description`` and ``extract``; other keys, such as ``topic``, are neither
        indexed nor shown. A document's id is its place in the sequence.
    mode : {"fulltext", "fields"}
        What is searched: all of the text, or title and description only.
    page_size : int
        Records on a page of results.
    max_results : int or None
        The site hands out at most so many records for a term; None for all.
    order : {"rank", "static"}
        Best match first (BM25), or in the order of the documents, whatever the term.

    Raises
    ------
    ValueError
        If there are no documents or an argument is not as described.
    """

    def __init__(
        self,
        documents: Sequence[Mapping[str, Any]],
        mode: str = "fulltext",
        page_size: int = 20,
        max_results: int | None = 100,
        order: str = "rank",
    ):
        _check(documents, mode, page_size, max_results, order)
        self.mode, self.order = mode, order
        self.page_size, self.max_results = page_size, max_results
        self._records = [_record(document) for document in documents]
        self._lock = Lock()  # a server asks from another thread
        self._database = _index(self._records, MODES[mode])
        self._answers: dict[str, Hits] = {}

    def __len__(self) -> int:
        return len(self._records)

    def query(self, term: str) -> Hits:
        """All that the site hands out for a term.

        Raises
        ------
        ValueError
            If the term is not a string.
        """
        if not isinstance(term, str):
            raise ValueError(f"term={term!r}: give a string")
        with self._lock:
            if term not in self._answers:
                self._answers[term] = self._search(_phrase(term))
            return self._answers[term]

    def page(self, term: str, number: int = 1) -> ResultPage:
        """Page 1, 2, ... of the results; there is at least one, be it empty.

        Raises
        ------
        ValueError
            If there is no such page.
        """
        hits = self.query(term)
        if not 1 <= number <= max(hits.pages, 1):
            raise ValueError(f"number={number!r}: {term!r} has {hits.pages} pages of results")
        ids = hits.ids[(number - 1) * self.page_size : number * self.page_size]
        records = tuple(self._records[i] for i in ids)
        return ResultPage(hits.total, ids, records, more=number < hits.pages)

    def front_page(self) -> str:
        """The titles that stand on the page of the form."""
        return "\n".join(record[0].text for record in self._records[:SHOWN])

    def vocabulary(self) -> dict[str, int]:
        """All indexed words, with the number of documents that match: the oracle's knowledge."""
        with self._lock:
            return dict(self._database.execute("SELECT term, doc FROM words ORDER BY term"))

    def _search(self, phrase: str) -> Hits:
        where, limit = "FROM records WHERE records MATCH ?", -1
        ((total,),) = self._database.execute(f"SELECT count(*) {where}", (phrase,))
        if self.max_results is not None:
            limit = self.max_results
        rows = self._database.execute(
            f"SELECT rowid {where} ORDER BY {ORDERS[self.order]} LIMIT ?", (phrase, limit)
        )
        ids = tuple(i for (i,) in rows)
        return Hits(ids, total, pages=-(-len(ids) // self.page_size))


def _record(document: Mapping[str, Any]) -> Record:
    texts = {name: _readable(str(document.get(name) or "")) for name in FIELDS}
    return tuple(Part(*NODES[name], text) for name, text in texts.items())


def _readable(text: str) -> str:
    """The text without what neither a database nor a page of HTML can hold."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def _phrase(term: str) -> str:
    """The term in FTS5's quotes, within which nothing but a quote has a meaning."""
    return '"' + _readable(term[:LONGEST_TERM]).replace('"', '""') + '"'


def _index(records: Sequence[Record], fields: Sequence[str]) -> sqlite3.Connection:
    """A database in memory of the fields, in which a row's number is the record's id."""
    database = sqlite3.connect(":memory:", check_same_thread=False)
    database.execute(
        f"CREATE VIRTUAL TABLE records USING fts5({', '.join(fields)}, content='', "
        "tokenize='unicode61 remove_diacritics 0')"
    )
    columns = [FIELDS.index(name) for name in fields]
    rows = ((i, *(record[c].text for c in columns)) for i, record in enumerate(records))
    marks = ", ".join("?" * (len(fields) + 1))
    database.executemany(f"INSERT INTO records(rowid, {', '.join(fields)}) VALUES ({marks})", rows)
    database.execute("CREATE VIRTUAL TABLE words USING fts5vocab(records, row)")
    database.commit()
    return database


def _check(
    documents: object, mode: object, page_size: object, max_results: object, order: object
) -> None:
    if (
        isinstance(documents, (str, Mapping))
        or not isinstance(documents, Sequence)
        or not documents
    ):
        raise ValueError(f"documents={documents!r:.80}: give a list of at least one mapping")
    wrong = next((d for d in documents if not isinstance(d, Mapping)), None)
    if wrong is not None:
        raise ValueError(f"documents: {wrong!r:.80} is no mapping with title, description, extract")
    for name, value, known in (("mode", mode, MODES), ("order", order, ORDERS)):
        if value not in known:
            raise ValueError(f"{name}={value!r}: use one of {', '.join(known)}")
    for name, value in (("page_size", page_size), ("max_results", max_results)):
        is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        if not is_count and not (name == "max_results" and value is None):
            raise ValueError(f"{name}={value!r}: give a number of records, at least 1")
