"""The body of an HTTP answer: unpacked within a limit, and whether it is HTML at all."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator

from ..page import FetchError

ACCEPT_CODINGS = "gzip, deflate"
CHUNK = 2**14  # bytes read at a time
WINDOW_BITS = {"gzip": 31, "x-gzip": 31, "deflate": 15}
HTML_TYPES = ("text/html", "application/xhtml+xml")
MEDIA_TYPE = re.compile(r"\s*([\w!#$&^.+-]{1,80}/[\w!#$&^.+-]{1,80})")
# What a browser takes for HTML where the header does not tell (WHATWG MIME sniffing).
HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]{0,500}"
    rb"<(?:!doctype html|!--|\?xml|(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|"
    rb"body|br|p|meta|link)(?=[\s>/]))",
    re.I,
)
# How files that call themselves HTML by mistake begin.
OTHER_START = re.compile(
    rb"%PDF-|%!PS|\x89PNG|GIF8[79]a|\xff\xd8\xff|BM....\0\0\0\0|RIFF....|PK\x03\x04|\x1f\x8b|Rar!|"
    rb"7z\xbc\xaf|\x7fELF|MZ\x90|OggS|ID3|wOF[F2]|\0\0\0.ftyp",
    re.S,
)


def read_body(url: str, response, limit: int) -> bytes:
    """The unpacked body of a streamed answer, at most `limit` + 1 bytes of it.

    Parameters
    ----------
    url : str
        For the error.
    response : requests.Response
        Got with ``stream=True``, nothing read yet.
    limit : int
        Bytes after decompression; reading stops beyond them.

    Raises
    ------
    FetchError
        If it is packed by a method that was not asked for, or damaged.
    """
    coding = response.headers.get("Content-Encoding", "").strip().lower() or "identity"
    if coding != "identity" and coding not in WINDOW_BITS:
        reason = f"packed by {coding[:40]!r}, which was not asked for"
        raise FetchError(url, reason, response.status_code)
    chunks = response.raw.stream(CHUNK, decode_content=False)
    if coding != "identity":
        chunks = _unpacked(chunks, coding)
    try:
        return _head(chunks, limit + 1)
    except zlib.error as error:
        raise FetchError(url, f"damaged {coding} data: {error}", response.status_code) from error


def is_html(content_type: str | None, head: bytes) -> bool:
    """Whether a body is HTML, by its header and its first bytes.

    A header that names another type is believed; without one the bytes decide;
    and a file that is plainly something else is no HTML, whatever the header says.
    """
    named = media_type(content_type)
    if named is None:
        return HTML_START.match(head) is not None
    return named in HTML_TYPES and not OTHER_START.match(head)


def declared_length(header: str | None) -> int:
    """The bytes that a Content-Length header announces; 0 without a sound one."""
    return int(header[:18]) if header and header.isascii() and header.isdecimal() else 0


def media_type(content_type: str | None) -> str | None:
    """The type that a Content-Type header names, in lower case; None if it names none."""
    found = MEDIA_TYPE.match(content_type or "")
    return found[1].lower() if found else None


def _head(chunks: Iterable[bytes], limit: int) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk[: limit - len(body)]
        if len(body) >= limit:
            break
    return bytes(body)


def _unpacked(chunks: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """Decompress in pieces of bounded size, however much a piece may swell."""
    stream = None
    for chunk in chunks:
        while chunk:
            if stream is None or stream.eof:
                if stream and not chunk.startswith(b"\x1f"):
                    return  # a gzip file may go on with another member; this is padding
                stream = _decompressor(coding, chunk)
            yield stream.decompress(chunk, CHUNK)
            chunk = stream.unused_data if stream.eof else stream.unconsumed_tail
    if stream and not stream.eof:
        raise zlib.error("cut off")


def _decompressor(coding: str, start: bytes):
    """For "deflate" it depends: many servers send it without the wrapping that the RFC asks for."""
    bare = coding == "deflate" and start[0] & 0x8F != 8
    return zlib.decompressobj(-15 if bare else WINDOW_BITS[coding])
