"""WARC files (ISO 28500:2017): their whole records, and the pages in these."""

import logging
import math
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from gzip import GzipFile
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, NamedTuple

from w3lib.encoding import http_content_type_encoding

from ..parsing import MAX_HTML
from ..urls import canonical_url
from .recording import Document

CHUNK = 2**16  # bytes read at once
HTML_TYPES = ("text/html", "application/xhtml+xml")
REDIRECTS = frozenset({"301", "302", "303", "307", "308"})
START = re.compile(rb"\x1f\x8b\x08|WARC/[01]\.\d")  # of a gzip member, or of a plain record
LINES = rb"(?:[^\r\n]+\r?\n)*?"
HEADER = re.compile(LINES + rb"content-length:[ \t]*(\d{1,18})\s*?\n" + LINES + rb"\r?\n", re.I)
NEXT = re.compile(rb"\s*(?=\x1f|WARC/|\Z)")

logger = logging.getLogger(__name__)


class Response(NamedTuple):
    """What was recorded of a URL: when, in days since 1970, and its page or where it led."""

    day: float
    url: str
    answer: Document | str


def responses(path: Path) -> Iterator[Response]:
    """Yield the HTML pages and redirects of a WARC file, in its order."""
    from warcio.archiveiterator import WARCIterator
    from warcio.limitreader import LimitReader

    last = skipped = 0
    try:
        with path.open("rb") as file:
            for start, end in whole_records(path):
                skipped += start > last
                last = end
                file.seek(start)
                stream = LimitReader(file, end - start)
                if file.peek(1)[:1] == b"\x1f":
                    stream = GzipFile(fileobj=stream)
                try:
                    for record in WARCIterator(stream):
                        if response := _read_record(record):
                            yield response
                except Exception:  # warcio raises all kinds; one bad record must not cost the file
                    skipped += 1
        skipped += path.stat().st_size > last
    except OSError as error:
        raise ValueError(f"path={str(path)!r} cannot be read: {error.strerror}") from error
    if skipped:
        text = "%s: %d record%s skipped, damaged or of an unknown coding"
        logger.warning(text, path, skipped, "s" * (skipped > 1))


def whole_records(path: Path) -> Iterator[tuple[int, int]]:
    """Yield start and end of each whole record, or gzip member of records, in a WARC file.

    What lies between them, or behind the last one, is damaged; ValueError if the file is of another
    kind.
    """
    if not path.stat().st_size:
        return
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        is_warc = _is_warc(data[:CHUNK])
        start = 0
        while match := START.search(data, start):
            start = match.start()
            end = _end(data, start)
            if end is not None:
                is_warc = True
                yield start, end
            start = end or start + 1
    if not is_warc:
        raise ValueError(f"path={str(path)!r} is no WARC file")


def _end(data: mmap, start: int) -> int | None:
    """Return where the record or gzip member that starts here ends; None if it is damaged."""
    if not _is_warc(data[start : start + CHUNK]):
        return None
    if data[start : start + 1] == b"\x1f":
        return _end_of_member(data, start)
    header = HEADER.match(data, start, start + CHUNK)
    end = header.end() + int(header[1]) if header else len(data) + 1
    gap = NEXT.match(data, end) if end <= len(data) else None
    return gap.end() if gap else None


def _end_of_member(data: mmap, start: int) -> int | None:
    member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)  # 16: gzip
    try:
        while start < len(data) and not member.eof:
            chunk = data[start : start + CHUNK]
            member.decompress(chunk)
            start += len(chunk)
    except zlib.error:
        return None
    return start - len(member.unused_data) if member.eof else None


def _is_warc(data: bytes) -> bool:
    """Return whether a file that begins like this may be a WARC file, even if it is torn here."""
    if data[:1] == b"\x1f":
        try:
            data = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(data, 5)
        except zlib.error:
            return False
    return b"WARC/".startswith(data[:5])


def _read_record(record: Any) -> Response | None:
    """Return a record's page or redirect; None if it holds neither."""
    url = canonical_url(record.rec_headers.get_header("WARC-Target-URI", ""))
    if url is None or record.rec_type != "response" or not record.http_headers:
        return None
    status = record.http_headers.get_statuscode()
    day = _day(record.rec_headers.get_header("WARC-Date", ""))
    if status == "200" and (document := _response(record)):
        return Response(day, url, document)
    if status in REDIRECTS:
        location = record.http_headers.get_header("Location", "")
        return Response(day, url, canonical_url(location, url) or url)
    return None


def _day(date: str) -> float:
    """Return a date in days since 1970; minus infinity, before all others, if it is none."""
    with suppress(ValueError):
        return datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp() / 86_400
    return -math.inf


def _response(record: Any) -> Document | None:
    """Return the HTML in a response; None if it holds something else, ValueError if unreadable."""
    from warcio.bufferedreaders import BufferedReader

    kind = record.http_headers.get_header("Content-Type") or ""
    if not kind.strip().lower().startswith(HTML_TYPES):
        return None
    coding = (record.http_headers.get_header("Content-Encoding") or "identity").strip().lower()
    if coding not in ("identity", *BufferedReader.get_supported_decompressors()):
        raise ValueError(f"content encoding {coding!r} is not supported")
    html = record.content_stream().read(MAX_HTML + 1)
    truncated = record.rec_headers.get_header("WARC-Truncated") is not None
    return Document(html, http_content_type_encoding(kind), truncated)
