"""A WARC file of what was fetched, from which `ReplayWeb.from_warc` makes a web again."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from ..page import Page, Web, as_web
from ..topic import Topic

if TYPE_CHECKING:
    from warcio.warcwriter import BufferWARCWriter

CHUNK = 2**20  # bytes read at once


class Archive(Web):
    """Another web, of which each fetched page is written to a WARC file before it is handed out.

    A record holds the document as UTF-8 and just the headers needed to read it again, not the
    bytes that came over the network; that of a truncated page says so (WARC-Truncated: length).
    A redirect has a record of its own. A record torn by a crash is cut off when the file is
    opened again.

    Parameters
    ----------
    web : Web
    path : str or Path
        A file ``*.warc.gz``, made or appended to.

    Raises
    ------
    ValueError
        If the name ends otherwise, or the file is no WARC file.

    References
    ----------
    ISO 28500:2017, The WARC file format.
    """

    def __init__(self, web: Web, path: str | Path):
        self.web = web
        self.path = Path(path)
        if not self.path.name.endswith(".warc.gz"):
            raise ValueError(f"path={str(path)!r}: give a name that ends in .warc.gz")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        _cut_torn(self.path)
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"Archive({self.web!r})"

    def fetch(self, url: str) -> Page:
        """Return a page of the other web, once it is in the file.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        page = self.web.fetch(url)
        if page.html is not None:
            with self._lock:
                self._write(url, page, page.html)
        return page

    def is_relevant(self, url: str, topic: str | Topic) -> bool | None:
        """Return the other web's ground truth."""
        return self.web.is_relevant(url, topic)

    def remember(self, url: str, page: Page) -> None:
        """Tell the other web of a page; it is in the file already."""
        as_web(self.web).remember(url, page)

    def _write(self, url: str, page: Page, html: bytes) -> None:
        from warcio.warcwriter import BufferWARCWriter

        records = BufferWARCWriter(gzip=True)
        if page.url != url:
            _add(records, url, "302 Found", ("Location", page.url))
        kind = ("Content-Type", "text/html; charset=utf-8")
        mark = {"WARC-Truncated": "length"} if page.truncated else {}
        _add(records, page.url, f"{page.status} OK", kind, html, mark)
        with self.path.open("ab") as file:
            file.write(records.get_contents())


def _add(
    records: BufferWARCWriter,
    url: str,
    status: str,
    header: tuple[str, str],
    body: bytes = b"",
    mark: Mapping[str, str] | None = None,
) -> None:
    """Add a response with one HTTP header, and `mark` among the headers of the record."""
    from warcio.statusandheaders import StatusAndHeaders

    length = ("Content-Length", str(len(body)))
    records.write_record(
        records.create_warc_record(
            url,
            "response",
            payload=BytesIO(body),
            http_headers=StatusAndHeaders(status, [header, length], protocol="HTTP/1.1"),
            warc_headers_dict=dict(mark or {}),
        )
    )


def _cut_torn(path: Path) -> None:
    """Cut off what follows the last whole record; each record is a gzip member of its own."""
    if not path.exists():
        return
    try:
        whole = _end_of_members(path)
    except zlib.error as error:
        raise ValueError(f"path={str(path)!r} is no WARC file of ours: name another") from error
    with path.open("r+b") as file:
        file.truncate(whole)


def _end_of_members(path: Path) -> int:
    """Return the position after the last whole gzip member."""
    member = None
    position = 0
    whole = 0
    chunk = b""
    with path.open("rb") as file:
        while chunk := chunk or file.read(CHUNK):
            member = member or zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)  # 16: gzip
            member.decompress(chunk)
            position += len(chunk) - len(member.unused_data)
            chunk = member.unused_data
            if member.eof:
                whole = position
                member = None
    return whole
