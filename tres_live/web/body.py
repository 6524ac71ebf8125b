"""The body of an HTTP answer: unpacked within a limit, and whether it is HTML at all."""

import re
import zlib
from collections.abc import Iterable, Iterator

import requests

from tres_lib.web.page import FetchError

CODINGS = ("gzip", "x-gzip", "deflate")
CHUNK = 2**14  # bytes read at a time
GZIP_OR_ZLIB = 47  # zlib's "window bits" for either header
BARE_DEFLATE = -15
HTML_TYPES = ("text/html", "application/xhtml+xml")
PDF_TYPES = ("application/pdf", "application/x-pdf")
PDF_START = b"%PDF-"
MEDIA_TYPE = re.compile(r"\s*([\w!#$&^.+-]{1,80}/[\w!#$&^.+-]{1,80})")
# What a browser takes for HTML where the header does not tell (WHATWG MIME sniffing).
HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]{0,500}"
    rb"<(?:!doctype html|!--|\?xml|(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|"
    rb"body|br|p|meta|link)(?=[\s>/]))",
    re.I,
)
# How files begin that are no HTML, whatever their header says.
OTHER_START = re.compile(
    rb"%PDF-|%!PS|\x89PNG|GIF8[79]a|\xff\xd8\xff|BM....\0\0\0\0|RIFF....|PK\x03\x04|\x1f\x8b|Rar!|"
    rb"7z\xbc\xaf|\x7fELF|MZ\x90|OggS|ID3|wOF[F2]|\0\0\0.ftyp",
    re.S,
)
CUT_LETTER = re.compile(rb"[\xc0-\xff][\x80-\xbf]{0,2}\Z")  # UTF-8 that may go on after a cut


def read_body(url: str, response: requests.Response, limit: int) -> bytes:
    """Return the unpacked body of a streamed answer, at most `limit` + 1 bytes of it."""
    coding = response.headers.get("Content-Encoding", "").strip().lower() or "identity"
    # urllib3 would unpack as well, but takes a stream that ends too early for a whole one.
    chunks: Iterable[bytes] = response.raw.stream(CHUNK, decode_content=False)
    if coding in CODINGS:
        chunks = unpacked(chunks, coding)
    elif coding != "identity":
        raise FetchError(url, f"packed by {coding[:40]!r}, which was not asked for", 200)
    body = bytearray()
    try:
        for chunk in chunks:
            body += chunk[: limit + 1 - len(body)]
            if len(body) > limit:
                break
    except zlib.error as error:
        raise FetchError(url, f"damaged {coding} data: {error}", 200) from error
    return bytes(body)


def is_html(content_type: str | None, head: bytes) -> bool:
    """Return whether a body is HTML by its header, or without one by its first bytes."""
    named = media_type(content_type)
    if named is None:
        return HTML_START.match(head) is not None
    return named in HTML_TYPES and not OTHER_START.match(head)


def media_type(content_type: str | None) -> str | None:
    """Return the type that a Content-Type header names, in lower case; None if it names none."""
    found = MEDIA_TYPE.match(content_type or "")
    return found[1].lower() if found else None


def unpacked(chunks: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """Decompress in pieces of bounded size, however much a piece may swell."""
    stream = None
    for chunk in chunks:
        while chunk:
            if stream is None or stream.eof:
                if stream and not chunk.startswith(b"\x1f"):
                    return  # a gzip file may go on with another member; this is padding
                # Many servers send "deflate" without the wrapping that the RFC asks for.
                bare = coding == "deflate" and chunk[0] & 0x8F != 8
                stream = zlib.decompressobj(BARE_DEFLATE if bare else GZIP_OR_ZLIB)
            yield stream.decompress(chunk, CHUNK)
            chunk = stream.unused_data if stream.eof else stream.unconsumed_tail
    if stream and not stream.eof:
        raise zlib.error("cut off")
