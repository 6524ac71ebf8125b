"""The store of a watch: one SQLite file, of which each look is one transaction."""

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from filelock import Timeout

from tres_webs.files import StorageError, file_lock, open_file

from .records import PAGE

VERSION = 7


@dataclass
class Row:
    """A row of the log: what was fetched, why, and what it showed."""

    look: int
    time: float  # seconds since 1970
    url: str
    arm: str  # "link": a new one; "page", "hub": a known page, by the higher of its two values
    worth: float  # requests that the fetch was expected to serve
    price: float  # of a fetch then
    row: int | None = None  # of the known page; None for a link that led to none
    failure: str = ""  # why there is no page, or no new one, as a `web.Failure`; "": there is one
    reason: str = ""  # the same in words
    validated: bool = False  # the server said that the page is as it was (304)
    changed: bool = False  # of the main text
    relevant: bool = False
    p: float | None = None  # probability that it is relevant
    links: int = 0  # that are new to the watch
    title: str = ""
    difference: str = ""  # the first lines that changed


LOG = [field.name for field in fields(Row)]
SHAPE = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
META = "SELECT value FROM meta WHERE name = ?"
SCHEMA = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE host (host INTEGER PRIMARY KEY, name TEXT UNIQUE, record BLOB);
CREATE TABLE url (row INTEGER PRIMARY KEY, id INTEGER UNIQUE, url TEXT, title TEXT, text BLOB,
    words INTEGER, p REAL, conditions TEXT, page BLOB);
CREATE INDEX of_words ON url (words);
CREATE TABLE link (id INTEGER PRIMARY KEY, url TEXT, host TEXT, bin INTEGER, news INTEGER,
    since REAL, hub INTEGER, tries INTEGER, open INTEGER);
CREATE INDEX of_open ON link (id) WHERE open;
CREATE TABLE look (look INTEGER PRIMARY KEY, {", ".join(LOG[1:])});
CREATE INDEX of_time ON look (time);
"""


class Store:
    """The file of a watch; ValueError if it is another file or another process writes to it.

    A kill of the process loses nothing. A power failure may lose the last looks, as a rule those
    since SQLite last moved its log into the file (``synchronous = NORMAL``), but whole ones only:
    the watch goes on from the one before, and they are made again.

    If it is read only another process may write meanwhile; else it is made if need be.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False):
        self.path = Path(path)
        store = f"store={str(path)!r}"
        if read_only and not self.path.exists():
            raise ValueError(f"{store}: there is no such file")
        for end in ("", "-wal", "-shm", "-journal"):
            with suppress(FileNotFoundError):
                open_file(f"{path}{end}").close()  # SQLite follows links, and waits for a FIFO
        try:
            with ExitStack() as held:
                if not read_only:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                    held.enter_context(file_lock(self.path).acquire(blocking=False))
                place = f"{self.path.resolve().as_uri()}?{self._how(read_only)}"
                self._file = sqlite3.connect(place, uri=True, isolation_level=None)
                held.callback(self._file.close)
                self._open(read_only)
                self._held = held.pop_all()
        except Timeout:
            remedy = "is in use by another watch: wait for its end or name another file"
            raise ValueError(f"{store} {remedy}") from None
        except sqlite3.DatabaseError as error:
            remedy = f"is no store of a watch; name another file ({error})"
            raise ValueError(f"{store} {remedy}") from error

    def close(self) -> None:
        """Close the file, and let another process write to it."""
        self._held.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all that happens within, or nothing; StorageError if it cannot be written."""
        self._file.execute("BEGIN IMMEDIATE")
        try:
            with self._file:  # commits, or rolls back
                yield
        except sqlite3.Error as error:
            raise StorageError(f"{str(self.path)!r} could not be written: {error}") from error

    def meta(self, name: str) -> Any:
        """Return the value stored under a name, or None."""
        return next((value for (value,) in self.rows(META, name)), None)

    def keep(self, **values: Any) -> None:
        """Store values under their names."""
        self._file.executemany("REPLACE INTO meta VALUES (?, ?)", values.items())

    def add(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows to a table, or replace those of the same key."""
        listed = list(rows)
        if listed:
            names = ", ".join(listed[0])
            marks = ", ".join(f":{name}" for name in listed[0])
            self._file.executemany(f"REPLACE INTO {table} ({names}) VALUES ({marks})", listed)

    def change(self, table: str, key: str, value: int, **columns: Any) -> None:
        """Change columns of the row with this key."""
        names = ", ".join(f"{name} = :{name}" for name in columns)
        self._file.execute(f"UPDATE {table} SET {names} WHERE {key} = :_", columns | {"_": value})

    def drop_links(self, ids: Iterable[int]) -> None:
        """Forget links."""
        self._file.executemany("DELETE FROM link WHERE id = ?", ((id,) for id in ids))

    def keep_pages(self, rows: Iterable[int], pages: np.ndarray) -> None:
        """Store the records of these rows of all pages."""
        records = [(pages[row].tobytes(), row) for row in sorted(rows)]
        self._file.executemany("UPDATE url SET page = ? WHERE row = ?", records)

    def pages(self) -> np.ndarray:
        """Return the records of all known URLs by row, (n,) of `PAGE`."""
        ((n,),) = self.rows("SELECT count(*) FROM url")
        data = bytearray(n * PAGE.itemsize)  # filled piece by piece: there may be a million
        for row, page in self._file.execute("SELECT row, page FROM url"):
            data[row * PAGE.itemsize : (row + 1) * PAGE.itemsize] = page
        return np.frombuffer(data, PAGE)

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """Return what a query finds."""
        return self._file.execute(sql, values).fetchall()

    def rows_of(self, table: str, ids: Collection[int]) -> dict[int, int]:
        """Return by id the rows of a table that have these ids."""
        query = f"SELECT id, rowid FROM {table} WHERE id IN (SELECT value FROM json_each(?))"
        return {id: row for id, row in self.rows(query, json.dumps([*ids]))}

    def unknown(self, ids: Collection[int]) -> set[int]:
        """Return which of these are neither links nor known URLs."""
        return set(ids).difference(self.rows_of("link", ids), self.rows_of("url", ids))

    def _how(self, read_only: bool) -> str:
        if not read_only:
            return "mode=rwc"
        # On read-only media SQLite cannot make the files by which processes share this one.
        real = self.path.resolve()
        alone = int(not os.access(real.parent, os.W_OK) and not Path(f"{real}-wal").exists())
        return f"mode=ro&immutable={alone}"

    def _open(self, read_only: bool) -> None:
        self._file.row_factory = sqlite3.Row
        there = self.rows(SHAPE)
        has_meta = ("table", "meta") in [(kind, name) for kind, name, *_ in there]
        if has_meta and (version := self.meta("version")) not in (None, VERSION):
            problem = f"was written by version {version}, this is {VERSION}; name another file"
            raise ValueError(f"store={str(self.path)!r} {problem}")
        with closing(sqlite3.connect(":memory:")) as ours:
            ours.executescript(SCHEMA)
            shape = ours.execute(SHAPE).fetchall()
        if (there or read_only) and [*map(tuple, there)] != shape:
            raise sqlite3.DatabaseError("it has other tables")
        if not read_only:  # only now, for this changes the file
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")
            if not there:
                self._file.executescript(f"BEGIN; {SCHEMA} COMMIT;")
