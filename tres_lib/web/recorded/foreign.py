"""Recordings of other projects: SB-CLASSIFIER's sites, and Anthelion's graph of URLs."""

import ast
import gzip
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..page import Link, Page
from ..urls import canonical_url
from .recording import Document, Recording, parsed
from .warc import REDIRECTS

TARGET = "target"  # the topic of what Anthelion's crawler looks for


class SbSite(Recording):
    """A site as SB-CLASSIFIER's recorder keeps it: X.db with a table X, a row an answer."""

    def __init__(self, path: Path):
        self._base = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        self._table = '"{}"'.format(path.stem.replace('"', '""'))
        pages, moved = {}, {}
        for given, status, headers in self._select("url, http_response, headers"):
            url, (kind, location) = canonical_url(given) or "", _type_and_location(headers)
            if status == "200" and "html" in kind:
                pages[url] = given
            elif status in REDIRECTS:  # the recorder asks for their ends in lower case
                moved[url] = canonical_url(location.lower(), url) or ""
        pages.pop("", None)  # of URLs that no crawler may fetch
        super().__init__(pages, moved)

    def __getitem__(self, url: str) -> Page:
        ((body,),) = self._select("body", "WHERE url = ?", self.data[url])
        return parsed(url, Document(body or ""))

    def _select(self, columns: str, where: str = "", *values: str) -> sqlite3.Cursor:
        return self._base.execute(f"SELECT {columns} FROM {self._table} {where}", values)


class AnthelionGraph(Recording):
    """The pages of Anthelion's index, without text, and links of its network, without anchors."""

    def __init__(self, index: Path, network: Path, targets: Path):
        urls = {number: canonical_url(rest.partition("\t")[0]) for number, rest in _lines(index)}
        self._urls = {number: url for number, url in urls.items() if url}
        self._links = dict(_lines(network))
        super().__init__({url: number for number, url in self._urls.items()})
        on_topic = {number for number, _ in _lines(targets)}
        self.labels = {url: TARGET if n in on_topic else () for url, n in self.data.items()}

    def __getitem__(self, url: str) -> Page:
        numbers = self._links.get(self.data[url], "").split("\t")
        ends = dict.fromkeys(self._urls[number] for number in numbers if number in self._urls)
        return Page(url, 200, "", "", tuple(Link(end, "") for end in ends))


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the first column of each line, and the rest."""
    with (gzip.open if file.suffix == ".gz" else open)(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            number, _, rest = line.rstrip("\n").partition("\t")
            yield number, rest


def _type_and_location(headers: str) -> tuple[str, str]:
    """Return two headers of a dict as Python writes it, of bytes or lists of bytes; else ""."""
    with suppress(ValueError, SyntaxError, AttributeError, MemoryError, RecursionError):
        given = {name.lower(): value for name, value in ast.literal_eval(headers).items()}
        values = (given.get(name, b"") for name in (b"content-type", b"location"))
        last = (value[-1] if isinstance(value, list) else value for value in values)
        kind, location = (value.decode("latin-1") for value in last)
        return kind.lower(), location
    return "", ""
