"""A database that can only be searched: SQLite full-text search behind a query interface."""

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from tres_webs import checks
from tres_webs.forms.answers import LONGEST_TERM, Part, Record, ResultPage

FIELDS = ("title", "description", "extract")
MODES = {"fulltext": FIELDS, "fields": ("title", "description")}
ORDERS = {"rank": "rank, rowid", "static": "rowid"}  # rank is FTS5's name for BM25
# How a record stands in a page of results (see `form`): tag and class, depth below the root.
NODES = {"title": ("h3.title", 6), "description": ("p.description", 6), "extract": ("p.extract", 7)}
FRONT_TITLES = 10  # titles on the front page


@dataclass(frozen=True)
class Hits:
    """All that a site returns for a term."""

    ids: tuple[int, ...]  # of the records returned
    total: int  # records that match
    pages: int  # on which the records are


class SearchSite:
    """Documents that are found by their words, in a real SQLite FTS5 database.

    A term is literal text, no operator, and matches documents with its words side by side in one
    field, whatever the case; accents count. Documents have ``title``, ``description`` and
    ``extract``; what else they have is not indexed, and a document's id is its place. The mode
    "fields" leaves the extract out. At most `max_results` (None: all) are returned, `page_size` a
    page, in the order "rank", the best match first (BM25), or "static", that of the documents.

    Examples
    --------
    >>> site = SearchSite([{"title": "Red wine"}, {"title": "Tea"}, {"title": "White wine"}])
    >>> len(site), site.query("wine")
    (3, Hits(ids=(0, 2), total=2, pages=1))
    """

    def __init__(
        self,
        documents: Sequence[Mapping[str, Any]],
        mode: str = "fulltext",
        page_size: int = 20,
        max_results: int | None = 100,
        order: str = "rank",
    ):
        is_list = isinstance(documents, Sequence) and not isinstance(documents, str)
        if not is_list or not documents or not all(isinstance(d, Mapping) for d in documents):
            raise ValueError(f"documents={documents!r:.80}: give a list of at least one mapping")
        self.mode = checks.one_of("mode", mode, list(MODES))
        self.order = checks.one_of("order", order, list(ORDERS))
        self.page_size = checks.count("page_size", page_size)
        self.max_results = None if max_results is None else checks.count("max_results", max_results)
        self._records = [_record(document) for document in documents]
        self._lock = Lock()  # a server asks from another thread
        self._database = _index(self._records, MODES[mode])
        self._answers: dict[str, Hits] = {}

    def __len__(self) -> int:
        return len(self._records)

    def query(self, term: str) -> Hits:
        """Return all that the site returns for a term, cut off after 1,000 characters."""
        if not isinstance(term, str):
            raise ValueError(f"term={term!r}: give a string")
        with self._lock:
            if term not in self._answers:
                self._answers[term] = self._search(term)
            return self._answers[term]

    def page(self, term: str, number: int = 1) -> ResultPage:
        """Return page 1, 2, ... of a term's results; ValueError beyond the last."""
        hits = self.query(term)
        if not 1 <= number <= max(hits.pages, 1):
            raise ValueError(f"number={number!r}: {term!r} has {hits.pages} pages of results")
        ids = hits.ids[(number - 1) * self.page_size : number * self.page_size]
        records = tuple(self._records[i] for i in ids)
        return ResultPage(hits.total, ids, records, more=number < hits.pages)

    def front_page(self) -> str:
        """See `Site.front_page`: it shows titles."""
        return "\n".join(record[0].text for record in self._records[:FRONT_TITLES])

    def vocabulary(self) -> dict[str, int]:
        """Return the number of matching documents by indexed word, for the oracle alone."""
        with self._lock:
            return dict(self._database.execute("SELECT term, doc FROM words ORDER BY term"))

    def _search(self, term: str) -> Hits:
        # In FTS5's quotes nothing but a quote has a meaning.
        phrase = '"' + _readable(term[:LONGEST_TERM]).replace('"', '""') + '"'
        where = "FROM records WHERE records MATCH ?"
        ((total,),) = self._database.execute(f"SELECT count(*) {where}", (phrase,))
        limit = -1 if self.max_results is None else self.max_results
        query = f"SELECT rowid {where} ORDER BY {ORDERS[self.order]} LIMIT ?"
        ids = tuple(i for (i,) in self._database.execute(query, (phrase, limit)))
        return Hits(ids, total, pages=-(-len(ids) // self.page_size))


def _record(document: Mapping[str, Any]) -> Record:
    return tuple(Part(*NODES[name], _readable(str(document.get(name) or ""))) for name in FIELDS)


def _readable(text: str) -> str:
    """Return the text without what neither a database nor a page of HTML can hold."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def _index(records: Sequence[Record], fields: Sequence[str]) -> sqlite3.Connection:
    """Return a database in memory, in which a row's number is the record's id."""
    database = sqlite3.connect(":memory:", check_same_thread=False)
    names = ", ".join(fields)
    options = "content='', tokenize='unicode61 remove_diacritics 0'"
    database.execute(f"CREATE VIRTUAL TABLE records USING fts5({names}, {options})")
    columns = [FIELDS.index(name) for name in fields]
    rows = ((i, *(record[c].text for c in columns)) for i, record in enumerate(records))
    marks = ", ".join("?" * (len(fields) + 1))
    database.executemany(f"INSERT INTO records(rowid, {names}) VALUES ({marks})", rows)
    database.execute("CREATE VIRTUAL TABLE words USING fts5vocab(records, row)")
    database.commit()
    return database
