"""What every crawler sees of the web: pages, links, and `fetch`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from lxml import etree
from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

from .charset import guess_encoding
from .urls import canonical_url

MAX_HTML = 5_000_000  # bytes or characters of a document that are read
MAX_LINKS = 5_000  # distinct targets written on a page that are read
MAX_ANCHOR = 500  # characters; an unclosed <a> would take in the whole page

# Elements whose content a reader does not see.
UNSEEN = {"script", "style", "noscript", "template", "iframe", "noembed", "noframes"}
# Elements that do not end a block of text; every other one does.
INLINE_TAGS = """a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label
mark nobr q ruby s samp small span strike strong sub sup time tt u var wbr"""
INLINE = frozenset(INLINE_TAGS.split())
# Python codecs that no page is written in: "punycode" alone takes quadratic time.
NOT_FOR_PAGES = {"punycode", "idna", "undefined", "unicode-escape", "raw-unicode-escape"}


@dataclass(frozen=True, slots=True)
class Link:
    """A link to an absolute, canonical URL, and the text that a reader clicks."""

    url: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Page:
    """A fetched page.

    ``text`` is the visible text, one line a block; ``links`` holds each target
    once, in document order; ``html`` is the document as UTF-8, whatever it was
    written in; ``fetched_at`` is a Unix time in seconds.
    """

    url: str
    status: int
    title: str
    text: str
    links: tuple[Link, ...]
    html: bytes | None = None
    fetched_at: float | None = None
    truncated: bool = False


class FetchError(Exception):
    """A page that could not be had: its URL, the reason and the HTTP status if any."""

    def __init__(self, url: str, reason: str, status: int | None = None):
        super().__init__(url, reason, status)
        self.url, self.reason, self.status = url, reason, status

    def __str__(self) -> str:
        return f"{self.url}: {self.reason}"


class Web(Protocol):
    """Where pages come from: the only way in which any crawler sees them."""

    def fetch(self, url: str) -> Page:
        """Return the page at `url`; raise `FetchError` if there is none to be had."""

    def is_relevant(self, url: str, topic: object) -> bool | None:
        """Whether the page is truly about the topic; None where nobody knows."""


def parse_page(url: str, html: bytes | str, encoding: str | None = None) -> Page:
    """Read a document's title, visible text and links; never raise.

    A byte-order mark beats `encoding`, which beats ``<meta charset>``; without
    any of them the document is UTF-8 if it can be, else what its letters look
    like, windows-1252 where in doubt.
    Malformed HTML is read as far as it goes, at worst as an empty page. Links
    come from ``a[href]`` and ``area[href]``, those marked nofollow included,
    resolved against ``<base href>``; each target is kept once with its first
    anchor that is not empty, and links of the page to itself are left out. An
    anchor is the link's text, else its image's ``alt``, else its ``title`` or
    ``aria-label``. Work is bounded: 5,000,000 bytes, 5,000 distinct targets.

    Parameters
    ----------
    url : str
        The page's own URL, to which links are relative.
    html : bytes or str
        The document.
    encoding : str, optional
        Encoding named by the HTTP header.
    """
    document = _decode(html, encoding).replace("\0", "\ufffd").encode("utf-8", "replace")
    reader = _Reader()
    parser = etree.HTMLParser(target=reader, recover=True, huge_tree=True, encoding="utf-8")
    with suppress(etree.LxmlError, ValueError):  # what was read before a fault stands
        etree.fromstring(document, parser)
    base = canonical_url(reader.base, url) if reader.base else None
    return Page(
        url=url,
        status=200,
        title=_fold(reader.title)[:MAX_ANCHOR],
        text="\n".join(line for line in map(_fold, "".join(reader.text).split("\n")) if line),
        links=_links(reader.links, url, base or url),
        html=document,
    )


class _Reader:
    """Parser target: lxml calls it once an event, so no depth of nesting can hurt."""

    def __init__(self):
        self.base = ""
        self.title = ""
        self.text: list[str] = []
        self.links: dict[str, str] = {}  # href as written -> first anchor
        self._unseen = 0
        self._in_title = False
        self._untitled = True
        self._anchor: list[str] | None = None  # text of the open <a>
        self._open: tuple[str, str] = ("", "")  # its href and its title
        self._image = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in UNSEEN:
            self._unseen += 1
        if self._unseen:
            return
        if tag not in INLINE:
            self.data("\n")
        if tag == "a" and "href" in attributes:
            self._close_anchor()
            self._open, self._anchor, self._image = _target(attributes), [], ""
        elif tag == "area" and "href" in attributes:
            href, title = _target(attributes)
            self._add(href, attributes.get("alt") or title)
        elif tag == "img" and self._anchor is not None:
            self._image = self._image or attributes.get("alt", "")
        elif tag == "base":
            self.base = self.base or attributes.get("href", "")
        elif tag == "title":
            self._in_title = True

    def end(self, tag: str) -> None:
        if tag in UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag == "a":
            self._close_anchor()
        elif tag == "title":  # an SVG image may bring titles of its own
            self._in_title, self._untitled = False, not self.title.strip()
        if tag not in INLINE and not self._unseen:
            self.data("\n")

    def data(self, data: str) -> None:
        if self._unseen:
            return
        if self._in_title:
            self.title += data if self._untitled and len(self.title) < MAX_ANCHOR else ""
            return
        self.text.append(data)
        if self._anchor is not None:
            self._anchor.append(data)

    def close(self) -> None:
        self._close_anchor()

    def _close_anchor(self) -> None:
        if self._anchor is None:
            return
        href, title = self._open
        self._add(href, "".join(self._anchor), self._image, title)
        self._anchor = None

    def _add(self, href: str, *anchors: str) -> None:
        if len(self.links) < MAX_LINKS or href in self.links:
            anchor = self.links.get(href) or next(filter(None, map(_fold, anchors)), "")
            self.links[href] = anchor[:MAX_ANCHOR]


def _target(attributes: dict[str, str]) -> tuple[str, str]:
    return attributes["href"], attributes.get("title") or attributes.get("aria-label") or ""


def _links(found: dict[str, str], url: str, base: str) -> tuple[Link, ...]:
    anchors: dict[str, str] = {}
    for href, anchor in found.items():
        target = canonical_url(href, base)
        if target is not None:
            anchors[target] = anchors.get(target) or anchor
    anchors.pop(canonical_url(url), None)
    return tuple(Link(target, anchor) for target, anchor in anchors.items())


def _fold(text: str) -> str:
    return " ".join(text.split())


def _decode(html: bytes | str, encoding: str | None) -> str:
    if isinstance(html, str):
        return html[:MAX_HTML].removeprefix("\ufeff")
    if not isinstance(html, bytes | bytearray | memoryview):
        return ""
    html = bytes(html[:MAX_HTML])
    marked, mark = read_bom(html)
    declared = html_body_declared_encoding(html)
    if declared and declared.startswith(("utf-16", "utf-32")):
        declared = "utf-8"  # it could not have been read as ASCII otherwise
    for name in (marked, encoding, declared):
        decoded = _decode_as(html[len(mark or b"") :], name)
        if decoded is not None:
            return decoded
    try:
        return html.decode("utf-8")
    except UnicodeDecodeError:
        return html.decode(guess_encoding(html), "replace")


def _decode_as(html: bytes, name: str | None) -> str | None:
    """The text in the named encoding, or None if it names none for text."""
    try:
        codec = resolve_encoding(name) if name else None
        if codec is None or codec in NOT_FOR_PAGES:
            return None
        return html.decode(codec, "replace")
    except (LookupError, ValueError, TypeError, AttributeError):
        return None
