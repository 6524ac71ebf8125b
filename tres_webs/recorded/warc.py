"""WARC files (ISO 28500:2017): their whole records, and the pages in these."""

import logging
import math
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from gzip import GzipFile
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from w3lib.encoding import http_content_type_encoding

from ..parsing import MAX_HTML
from ..urls import canonical_url
from .recording import Document, Response

CHUNK = 2**16  # bytes read at once, and unpacked at once
HEAD = 2**10  # bytes of a gzip member by which it is known
IN_VAIN = 2**26  # bytes that may be unpacked of damaged members, or five times the file
HTML_TYPES = ("text/html", "application/xhtml+xml")
REDIRECTS = frozenset({"301", "302", "303", "307", "308"})
START = re.compile(rb"\x1f\x8b\x08|WARC/[01]\.\d")  # of a gzip member, or of a plain record
# What comes first, the length of a body or the blank line before it.
LENGTH = re.compile(rb"\n(?:content-length:[ \t]*(\d{1,18})[ \t]*\r?(?=\n)|\r?\n)", re.I)
BLANK = re.compile(rb"\n\r?\n")
NEXT = re.compile(rb"\s{0,100}(?=\x1f|WARC/|\Z)")

logger = logging.getLogger(__name__)


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

    What lies elsewhere is damaged. ValueError if the file is of another kind.
    """
    if not path.stat().st_size:
        return
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        is_warc = _is_warc(data[:CHUNK])
        start, ends = 0, _Ends(data)
        while match := START.search(data, start):
            start = match.start()
            end = ends.find(start)
            if end is not None:
                is_warc = True
                yield start, end
            start = end or start + 1
    if not is_warc:
        raise ValueError(f"path={str(path)!r} is no WARC file")


class _Ends:
    """Finds where records end; starts must grow, so that no file takes quadratic time."""

    def __init__(self, data: mmap):
        self._data = data
        self._length, self._blank = _ahead(LENGTH, data), _ahead(BLANK, data)
        self._left = max(IN_VAIN, 5 * len(data))

    def find(self, start: int) -> int | None:
        """Return the end of the record or gzip member that starts here; None if it is damaged."""
        data = self._data
        if data[start : start + 1] == b"\x1f":
            sound = self._left > 0 and _is_warc(data[start : start + HEAD])
            return self._end_of_member(start) if sound else None
        length = self._length(start)
        blank = self._blank(length.end()) if length and length[1] else None
        if length is None or blank is None:
            return None
        end = blank.end() + int(length[1])
        gap = NEXT.match(data, end) if end <= len(data) else None
        return gap.end() if gap else None

    def _end_of_member(self, start: int) -> int | None:
        member, end, made, packed = _unzip(), start, 0, b""
        with suppress(zlib.error):
            while not member.eof and (packed := packed or self._data[end : end + CHUNK]):
                end += 0 if member.unconsumed_tail else len(packed)
                made += len(member.decompress(packed, CHUNK))
                packed = member.unconsumed_tail
            if member.eof:
                return end - len(member.unused_data)
        self._left -= end - start + made
        return None


def _ahead(pattern: re.Pattern[bytes], data: mmap) -> Callable[[int], re.Match[bytes] | None]:
    """Return what finds the first match from a place on; places grow, so no byte is read twice."""
    match = pattern.search(data)

    def find(start: int) -> re.Match[bytes] | None:
        nonlocal match
        if match and match.start() < start:
            match = pattern.search(data, start)
        return match

    return find


def _unzip() -> "zlib._Decompress":
    return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)  # 16: gzip


def _is_warc(data: bytes) -> bool:
    """Return whether a file that begins like this may be a WARC file, even if it is torn here."""
    if data[:1] == b"\x1f":
        try:
            data = _unzip().decompress(data, 5)
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
