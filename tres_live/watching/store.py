"""The store of a watch: one SQLite file, of which each look is one transaction."""

import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from filelock import Timeout

from tres_lib.store import StorageError, file_lock

from .records import PAGE

VERSION = 6


@dataclass
class Row:
    """A row of the log: what was fetched, why, and what it showed.

    Attributes
    ----------
    time : float
        Seconds since 1970.
    arm : {"link", "page", "hub"}
        A new link; or a known page, by the higher of its two values.
    worth, price : float
        Requests that the fetch was expected to serve, and its price then.
    row : int or None
        Number of the known page; None for a link that led to none.
    failure, reason : str
        Why there is no page, or no new one, as a `web.Failure` and in words; "" if there is one.
    validated : bool
        Whether the server says that the page is as it was (304).
    changed, relevant : bool
        Whether the main text had changed; whether the page is on the topic.
    p : float or None
        The probability of that.
    links : int
        Links that are new to the watch.
    title, difference : str
        The page's title, and the first lines that changed.
    """

    look: int
    time: float
    url: str
    arm: str
    worth: float
    price: float
    row: int | None = None
    failure: str = ""
    reason: str = ""
    validated: bool = False
    changed: bool = False
    relevant: bool = False
    p: float | None = None
    links: int = 0
    title: str = ""
    difference: str = ""


LOG = [field.name for field in fields(Row)]
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
CHUNK = 500  # questions to SQLite at once


class Store:
    """The file of a watch; ValueError if it is another file or another process writes to it.

    A kill of the process loses nothing. A power failure may lose the last looks, as a rule those
    since SQLite last moved its log into the file (``synchronous = NORMAL``), but whole ones only:
    the watch goes on from the one before, and they are made again. To wait for the disk at each
    look (``FULL``) took 4 to 8 ms a look where it now takes 1.5.

    If it is read only another process may write meanwhile; else it is made if need be.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False):
        self.path = Path(path)
        self.read_only = read_only
        self._lock = file_lock(self.path)
        if read_only and not self.path.exists():
            raise ValueError(f"store={str(path)!r}: there is no such file")
        if not read_only:
            self._acquire()
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            self.close()
            raise ValueError(
                f"store={str(path)!r} is no store of a watch; name another file ({error})"
            ) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file, and let another process write to it."""
        if hasattr(self, "_file"):
            self._file.close()
        self._lock.release()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all that happens within, or nothing; StorageError if it cannot be written."""
        self._file.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._file.execute("COMMIT")
        except BaseException as error:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise StorageError(f"{str(self.path)!r} could not be written: {error}") from error
            raise

    def meta(self, name: str) -> Any:
        """Return the value stored under a name, or None."""
        row = self._file.execute("SELECT value FROM meta WHERE name = ?", [name]).fetchone()
        return row[0] if row else None

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
        for row, page in self.each("SELECT row, page FROM url"):
            data[row * PAGE.itemsize : (row + 1) * PAGE.itemsize] = page
        return np.frombuffer(data, PAGE)

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """Return what a query finds."""
        return self._file.execute(sql, values).fetchall()

    def each(self, sql: str) -> Iterator[sqlite3.Row]:
        """Yield the rows of a query one by one, for large results."""
        yield from self._file.execute(sql)

    def unknown(self, ids: list[int]) -> set[int]:
        """Return which of these are neither links nor known URLs."""
        return set(ids).difference(self._rows_of("link", ids), self._rows_of("url", ids))

    def known(self, ids: list[int]) -> dict[int, int]:
        """Return the rows of those of these that are known URLs."""
        return self._rows_of("url", ids)

    def _rows_of(self, table: str, ids: list[int]) -> dict[int, int]:
        """Return the rows of a table that have these ids, by id."""
        rows: dict[int, int] = {}
        for start in range(0, len(ids), CHUNK):
            some = ids[start : start + CHUNK]
            marks = ", ".join("?" * len(some))
            query = f"SELECT id, rowid FROM {table} WHERE id IN ({marks})"
            rows.update(tuple(row) for row in self._file.execute(query, some))
        return rows

    def _acquire(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise ValueError(
                f"store={str(self.path)!r} is in use by another watch: "
                "wait for its end or name another file"
            ) from None

    def _open(self) -> None:
        if self.read_only:
            real = self.path.resolve()
            # On read-only media SQLite cannot make the files by which processes share this one.
            alone = int(not os.access(real.parent, os.W_OK) and not Path(f"{real}-wal").exists())
            place = f"{real.as_uri()}?mode=ro&immutable={alone}"
            self._file = sqlite3.connect(place, uri=True, isolation_level=None)
        else:
            self._file = sqlite3.connect(self.path, isolation_level=None)
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")
        self._file.row_factory = sqlite3.Row
        if not self.rows("SELECT name FROM sqlite_master LIMIT 1") and not self.read_only:
            self._file.executescript(f"BEGIN; {SCHEMA} COMMIT;")
        if (version := self.meta("version")) not in (None, VERSION):
            raise ValueError(
                f"store={str(self.path)!r} was written by version {version}, this is {VERSION}; "
                "name another file"
            )


def packed(text: str) -> bytes:
    """Return a text compressed."""
    return zlib.compress(text.encode("utf-8", "replace"))


def unpacked(data: bytes | None) -> str:
    """Return a packed text; "" for None."""
    return "" if data is None else zlib.decompress(data).decode("utf-8", "replace")
