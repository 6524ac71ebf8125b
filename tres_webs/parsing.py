"""The parsing of a document into a `Page`: its title, text and canonical links."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from .page import Link, Page
from .reader import MAX_ANCHOR, Reader, decoded, fold, printable
from .urls import MAX_URL, PLAIN, canonical_url

MAX_HTML = 15_000_000  # bytes or characters of a document that are read, as many as Google reads
# Microseconds, roughly, that a crawl may spend on the URLs of a page's links: 1 a character; where
# a URL is not plain, 100 more, and 10 for each parameter and each letter outside ASCII,
# and 700 for a host in other letters (IDNA) or by address (IPv6).
MAX_EFFORT = 800_000
COSTLY = re.compile(r"[&\x80-\U0010ffff]")
T = TypeVar("T")
ODD_HOST = re.compile(r"(?:https?:)?//[^/?#]*[^\x00-\x7f/?#[]|(?:https?:)?//[^/?#]*\[", re.I)


def parse_page(
    url: str,
    html: bytes | str,
    encoding: str | None = None,
    extensions: frozenset[str] = frozenset(),
) -> Page:
    """Read a document's title, visible text and links; never raise.

    A byte-order mark beats `encoding`, which beats ``<meta charset>``. Without any of them the
    document is UTF-8 if valid, or else of the encoding that its letters suggest, by default
    windows-1252. Malformed HTML is read as far as it goes, at worst as an empty page. Links come
    from ``a[href]`` and ``area[href]``, nofollow included, resolved against ``<base href>``; each
    target is kept once with its first anchor that is not empty, and the path to that; links of the
    page to itself are left out. An anchor is the link's text, else its image's ``alt``, else its
    ``title`` or ``aria-label``. Work is bounded: a document is `truncated` after 15,000,000 bytes,
    or where its end tags would take quadratic time; 5,000 distinct targets are kept, fewer if their
    URLs are long or odd. Two million bytes take about a second at most.

    `encoding` is what the HTTP header names; for `extensions` of links see `canonical_url`.

    Examples
    --------
    >>> page = parse_page("http://a.example/", "<title>Jazz</title> <a href='/songs'>Songs</a>")
    >>> page.title, page.text, page.links
    ('Jazz', 'Songs', (Link(url='http://a.example/songs', anchor='Songs'),))
    """
    if not isinstance(html, str | bytes | bytearray | memoryview):
        html = b""
    head = html[:MAX_HTML]
    text = head.removeprefix("\ufeff") if isinstance(head, str) else decoded(bytes(head), encoding)
    document = text.replace("\0", "\ufffd").encode("utf-8", "replace")
    reader = Reader(document)
    base = (canonical_url(reader.base, url) if reader.base else None) or url
    links = canonical_links(reader.links, base, extensions)
    lines = map(str.split, "".join(reader.text).split("\n"))
    return Page(
        url=url,
        status=200,
        title=fold(printable(reader.title))[:MAX_ANCHOR],
        text="\n".join(" ".join(words) for words in lines if words),
        links=distinct_links(links, canonical_url(url)),
        html=document,
        truncated=len(html) > MAX_HTML or reader.cut,
    )


def canonical_links(
    hrefs: dict[str, T], base: str, extensions: frozenset[str] = frozenset()
) -> Iterator[tuple[str | None, T]]:
    """Yield the canonical URL and the value of each link, as long as the effort is bearable."""
    effort = 0
    for href, value in hrefs.items():
        url = canonical_url(href, base, extensions)
        yield url, value
        effort += len(url or f"{base}{href[:MAX_URL]}")
        if url is None or not PLAIN.fullmatch(url):
            effort += 100 + 10 * len(COSTLY.findall(href[:MAX_URL]))
            effort += 700 * bool(ODD_HOST.match(href[:MAX_URL]))
        if effort > MAX_EFFORT:
            return


def distinct_links(
    links: Iterable[tuple[str | None, tuple[str, str]]], own: str | None
) -> tuple[Link, ...]:
    """Return each target but `own` once, with its first anchor not empty, and the path to that."""
    found: dict[str | None, tuple[str, str]] = {}
    for to, said in links:
        if to not in found or (said[0] and not found[to][0]):
            found[to] = said
    return tuple(Link(to, *said) for to, said in found.items() if to is not None and to != own)
