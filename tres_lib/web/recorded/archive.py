"""Keeping what was fetched in a WARC file, from which `ReplayWeb.from_warc` makes a web again."""

from __future__ import annotations

import zlib
from io import BytesIO
from pathlib import Path
from threading import Lock

from ..page import Page, Web

CHUNK = 2**20  # bytes read at once


class Archive:
    """Another web, of which each fetched page is written to a WARC file before it is handed out.

    A record holds the document as UTF-8 and just the headers needed to read it again, not
    the bytes that came over the network. A page reached by a redirect has a record for that as
    well. A record torn by a crash is cut off when the file is opened again.

    Parameters
    ----------
    web : Web
    path : str or Path
        A file ``*.warc.gz``, made or appended to.

    Raises
    ------
    ValueError
        If the name ends otherwise, or the file is no WARC file.
    """

    def __init__(self, web: Web, path: str | Path):
        self.web, self.path = web, Path(path)
        if not self.path.name.endswith(".warc.gz"):
            raise ValueError(f"path={str(path)!r}: give a name that ends in .warc.gz")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        _cut_torn(self.path)
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"Archive({self.web!r})"

    def fetch(self, url: str) -> Page:
        """The page, once it is in the file; OSError if the file cannot be written."""
        page = self.web.fetch(url)
        if page.html is not None:
            with self._lock:
                self._write(url, page)
        return page

    def is_relevant(self, url: str, topic: object) -> bool | None:
        """What the other web says of the page."""
        return self.web.is_relevant(url, topic)

    def remember(self, url: str, page: Page) -> None:
        """Tell the other web of a page that a crawl's journal has; it is in the file already."""
        if hasattr(self.web, "remember"):
            self.web.remember(url, page)

    def _write(self, url: str, page: Page) -> None:
        from warcio.warcwriter import BufferWARCWriter

        records = BufferWARCWriter(gzip=True)
        if page.url != url:
            _add(records, url, "302 Found", [("Location", page.url)], b"")
        headers = [("Content-Type", "text/html; charset=utf-8")]
        _add(records, page.url, f"{page.status} OK", headers, page.html)
        with self.path.open("ab") as file:
            file.write(records.get_contents())


def _add(records, url: str, status: str, headers: list[tuple[str, str]], body: bytes) -> None:
    from warcio.statusandheaders import StatusAndHeaders

    length = ("Content-Length", str(len(body)))
    http = StatusAndHeaders(status, [*headers, length], protocol="HTTP/1.1")
    records.write_record(
        records.create_warc_record(url, "response", payload=BytesIO(body), http_headers=http)
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
    member, position, whole, chunk = None, 0, 0, b""
    with path.open("rb") as file:
        while chunk := chunk or file.read(CHUNK):
            member = member or zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)  # 16: gzip
            member.decompress(chunk)
            position += len(chunk) - len(member.unused_data)
            chunk = member.unused_data
            if member.eof:
                whole, member = position, None
    return whole
