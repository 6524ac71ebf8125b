"""The links of sitemaps, RSS and Atom feeds, each with its title and time.

The reader is ours: feedparser takes 14 times as long, and 236 MB of memory for a hostile megabyte;
ultimate-sitemap-parser stops at a file's first fault.
"""

import zlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from io import BytesIO
from typing import cast
from urllib.parse import urljoin

from lxml import etree

from tres_webs import Link, Page, canonical_url
from tres_webs.parsing import (
    MAX_ANCHOR,
    MAX_LINKS,
    Reader,
    canonical_links,
    distinct_links,
    fold,
    printable,
)

from .http import CHUNK, unpacked

XML_EXTENSIONS = frozenset({"gz", "rss", "atom"})  # beside xml, of sitemaps and feeds
SITEMAP = "sitemap"  # the entry of a sitemap index
ENTRIES = [f"{{*}}{name}" for name in ("url", "item", "entry", SITEMAP)]
TIMES = ("lastmod", "updated", "published", "pubDate", "date")
PARTS = ("loc", "link", "title", *TIMES)
MAX_TIME = 60  # characters
GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class DatedLink(Link):
    """A link of a sitemap or feed; its anchor is the title of the feed's entry."""

    time: float | None = None  # Unix time of its target's publication or last change, by the site


def xml_links(
    document: bytes, base: str, extensions: frozenset[str]
) -> tuple[list[DatedLink], list[DatedLink]]:
    """Return the links of a file's entries to pages and to sitemaps, as far as it can be read."""
    pages: dict[str, dict[str, str]] = {}
    sitemaps: dict[str, dict[str, str]] = {}
    document = document[: document.rfind(b">") + 1]  # no half of a URL where it was cut off
    options = {"recover": True, "resolve_entities": False, "no_network": True}
    with suppress(etree.LxmlError, ValueError):  # what was read before a fault stands
        for _, entry in etree.iterparse(BytesIO(document), tag=ENTRIES, **options):
            parts = _parts(entry)
            entries = sitemaps if _name(entry) == SITEMAP else pages
            entries.setdefault(parts.get("loc") or parts.get("link") or base, parts)
            entry.clear()
            if len(entries) >= MAX_LINKS:
                break
    return _links(pages, base, extensions), _links(sitemaps, base, XML_EXTENSIONS)


def page_feeds(page: Page) -> list[Link]:
    """Return links to the feeds that a page of HTML names."""
    if b"<link" not in (page.html or b"").lower():
        return []
    reader = Reader(page.html or b"")
    return file_links(page, reader.feeds, urljoin(page.url, reader.base))


def file_links(page: Page, hrefs: Iterable[str], base: str) -> list[Link]:
    """Return links to feeds and sitemaps of a page's site, by the page's own title."""
    urls = (canonical_url(href, base, XML_EXTENSIONS) for href in hrefs)
    return [Link(url, page.title) for url in urls if url]


def plain(document: bytes, limit: int) -> bytes:
    """Return a file, unpacked if it is a gzip file, as far as that goes."""
    if not document.startswith(GZIP):
        return document
    body = bytearray()
    # In pieces: behind each gzip member the rest of a piece is copied.
    packed = (document[i : i + CHUNK] for i in range(0, len(document), CHUNK))
    with suppress(zlib.error):
        for piece in unpacked(packed, "gzip"):
            body += piece
            if len(body) > limit:
                break
    return bytes(body[:limit])


def _name(element: etree._Element) -> str:
    return cast(str, element.tag).rpartition("}")[2]


def _links(
    entries: dict[str, dict[str, str]], base: str, extensions: frozenset[str]
) -> list[DatedLink]:
    titles = {to: fold(printable(parts.get("title", ""))) for to, parts in entries.items()}
    urls = canonical_links(titles, base, extensions)  # fewer, if they take too long
    times = (next((p[name] for name in TIMES if name in p), "") for p in entries.values())
    return [
        DatedLink(url, title[:MAX_ANCHOR], time=seconds_of(text))
        for (url, title), text in zip(urls, times, strict=False)
        if url not in (None, base)
    ]


def _parts(entry: etree._Element) -> dict[str, str]:
    """Return the first text of each child that says something of the link, by its plain name."""
    parts: dict[str, str] = {}
    for child in entry.iterchildren("{*}*"):
        name = _name(child)
        target = child.get("href") if name == "link" else None  # in Atom
        if name in PARTS and (target is None or child.get("rel", "alternate") == "alternate"):
            parts.setdefault(name, (target or "".join(child.itertext())).strip())
    return parts


def seconds_of(text: str) -> float | None:
    """Return a time in ISO 8601 or as in a mail, in seconds; None for anything else."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with suppress(ValueError, TypeError, IndexError, OverflowError):
            moment = read(text[:MAX_TIME])
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None


def add_links(page: Page, more: Iterable[Link]) -> Page:
    """Return a page with more links, if it has not got them."""
    links = ((link.url, (link.anchor, link.path)) for link in (*page.links, *more))
    return replace(page, links=distinct_links(links, page.url))
