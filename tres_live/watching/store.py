"""The state of a watch and its store: one SQLite file, of which each visit is one transaction."""

import json
import os
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from filelock import Timeout

from tres_webs.files import StorageError, file_lock, open_file

from .beliefs import COMMON, new_common
from .clock import DAY, Budget
from .judging import Judged
from .links import Hosts, Links, OpenLink, Shares
from .pages import PAGE, Pages

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


@dataclass
class State:
    """A watch as it stands: what its choices follow from, and nothing else."""

    common: np.ndarray  # what holds for all pages, (1,) of `COMMON`
    budget: Budget
    hosts: Hosts
    pages: Pages
    links: Links
    shares: Shares
    visits: int


@dataclass
class Visit:
    """What a visit changes in the tables of the store, beside the state."""

    row: Row
    day: float  # since the beginning
    host: int = -1  # that was asked
    page: Judged | None = None  # what was found, if that is to be stored
    gone: bool = False  # a known page, which no longer has copies
    link: list[tuple[int, bool, int]] = field(default_factory=list)  # failures, open or not, and id
    links: list[tuple[OpenLink, str]] = field(default_factory=list)  # new ones, with their URLs
    dropped: list[int] = field(default_factory=list)  # ids of links that are forgotten


class Store:
    """The file of a watch; ValueError if it is another file or another process writes to it.

    A kill loses nothing, a power failure at most the last looks as a whole. If it is read only
    another process may write meanwhile; else it is made if need be.
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
                uri = f"{self.path.resolve().as_uri()}?{self._how(read_only)}"
                self._file = sqlite3.connect(uri, uri=True, isolation_level=None)
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

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read as of one moment what is read within, whatever another process writes."""
        self._file.execute("BEGIN")
        try:
            yield
        finally:
            self._file.rollback()

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

    def load(
        self,
        topic: str,
        half_life: float,
        lasting: float,
        bandwidth: float,
        now: float,
        max_per_domain: int | None = None,
    ) -> State:
        """Return the state as it was stored, or of a watch that begins `now`, in seconds."""
        if self.meta("version") is None:
            fresh = new_common(half_life, lasting).tobytes()
            with self.transaction():
                self.keep(version=VERSION, topic=topic, began=now, common=fresh)
                self.keep(keyed_common=fresh, looks=0, level=1.0, at=now, offset=0.0)
        if self.meta("topic") != topic:
            other = f"was {self.meta('topic')!r} in {str(self.path)!r}"
            raise ValueError(f"topic={topic!r} {other}; give that or name another store")
        common = self.common()
        common["fading"], common["lasting"] = np.log(2) / half_life, lasting
        began, at, level, offset = map(self.meta, ("began", "at", "level", "offset"))
        budget = Budget(began, at, level, offset, bandwidth / DAY)
        shares = Shares(common, bandwidth)
        hosts = Hosts()
        for name, record in self.rows("SELECT name, record FROM host ORDER BY host"):
            hosts.load(name, record)
        pages = self.pages(common, hosts)
        hosts.count_pages(pages.records["host"])
        links = Links(common, hosts, max_per_domain)
        open_links = "SELECT since, id, host, bin, news FROM link WHERE open"
        for since, id, host, bin, new in self.rows(open_links):
            links.add([OpenLink(-since, id, host, bin, bool(new))])
        latest = "SELECT url FROM look ORDER BY look DESC LIMIT ?"
        for (url,) in reversed(self.rows(latest, shares.most)):
            shares.charge(url)
        return State(common, budget, hosts, pages, links, shares, self.meta("looks"))

    def save(self, state: State, visit: Visit) -> None:
        """Write a visit, and the state that it left, in one transaction."""
        row, budget, keyed = visit.row, state.budget, state.pages.keyed
        pages, hosts = state.pages.unsaved(), state.hosts.unsaved()
        with self.transaction():
            run = self._file.executemany
            self.add("look", [asdict(row)])
            if visit.page:
                self.add("url", [_described(row, visit.page)])
            run("UPDATE url SET words = NULL WHERE row = ?", [(row.row,)] * visit.gone)
            run("UPDATE link SET tries = ?, open = ? WHERE id = ?", visit.link)
            self.add_links(visit.links, row.row)
            run("DELETE FROM link WHERE id = ?", [(id,) for id in visit.dropped])
            self.keep(level=budget.level, at=budget.at, offset=budget.offset)
            self.keep(looks=state.visits, common=state.common.tobytes())
            if self.common("keyed_common")["keyed"] != keyed["keyed"]:
                self.keep(keyed_common=keyed.tobytes())
            run("UPDATE url SET page = ? WHERE row = ?", pages)
            run("REPLACE INTO host VALUES (?, ?, ?)", hosts)

    def add_links(self, links: Iterable[tuple[OpenLink, str]], hub: int | None) -> None:
        """Add links with their URLs, found on the page of this row."""
        rows = [
            {"id": link.id, "url": url, "host": link.host, "bin": link.bin, "news": link.new}
            | {"since": -link.order, "hub": hub, "tries": 0, "open": 1}
            for link, url in links
        ]
        self.add("link", rows)

    def common(self, name: str = "common") -> np.ndarray:
        """Return what holds for all pages, or what held when all were keyed ("keyed_common")."""
        return np.frombuffer(self.meta(name), COMMON).copy()

    def pages(self, common: np.ndarray, hosts: Hosts | None = None) -> Pages:
        """Return all known URLs, which are of these hosts."""
        ((n,),) = self.rows("SELECT count(*) FROM url")
        data = bytearray(n * PAGE.itemsize)  # filled piece by piece: there may be a million
        for row, page in self._file.execute("SELECT row, page FROM url"):
            data[row * PAGE.itemsize : (row + 1) * PAGE.itemsize] = page
        keyed, records = self.common("keyed_common"), np.frombuffer(data, PAGE)
        return Pages(common, Hosts() if hosts is None else hosts, keyed, records)

    def row(self, table: str, key: int) -> sqlite3.Row:
        """Return the row of a table with this key."""
        return self.rows(f"SELECT * FROM {table} WHERE rowid = ?", key)[0]

    def rows(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """Return what a query finds."""
        return self._file.execute(sql, values).fetchall()

    def find(self, ids: Collection[int]) -> tuple[set[int], dict[int, int]]:
        """Return which of these are links, and the rows of those that are known URLs."""
        among = "WHERE id IN (SELECT value FROM json_each(?))"
        links = self.rows(f"SELECT id FROM link {among}", json.dumps([*ids]))
        urls = self.rows(f"SELECT id, row FROM url {among}", json.dumps([*ids]))
        return {id for (id,) in links}, {id: row for id, row in urls}

    def known(self, id: int, words: int | None) -> tuple[bool, str | None]:
        """Return whether a URL is known, and the first one of a page that has the same words."""
        alike = self.rows("SELECT url FROM url WHERE words = ? ORDER BY row LIMIT 1", words)
        return id in self.find([id])[1], alike[0][0] if alike else None

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
        with closing(sqlite3.connect(":memory:")) as empty:
            empty.executescript(SCHEMA)
            shape = empty.execute(SHAPE).fetchall()
        known = [*map(tuple, there)] == shape and self.meta("version") in (None, VERSION)
        if (there or read_only) and not known:
            raise sqlite3.DatabaseError("it has other tables, or is of another version")
        if not read_only:  # only now, for this changes the file
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")
            if not there:
                self._file.executescript(f"BEGIN; {SCHEMA} COMMIT;")


def _described(row: Row, page: Judged) -> dict[str, Any]:
    """Return a known URL as a row of its table; with its text if changes are to be shown."""
    text = zlib.compress(page.text.encode("utf-8", "replace")) if page.relevant else None
    about = {"row": row.row, "id": page.id, "url": page.url, "title": page.title, "p": page.p}
    conditions = json.dumps(dict(page.conditions))
    return about | {"text": text, "words": page.words, "conditions": conditions}
