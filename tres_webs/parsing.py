"""The parsing of a document, good or broken, into a `Page`: its title, text and links."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import TypeVar

from lxml import etree
from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding, to_unicode

from .page import Link, Page
from .urls import MAX_URL, PLAIN, canonical_url

MAX_HTML = 15_000_000  # bytes or characters of a document that are read, as many as Google reads
# Microseconds, roughly, that a crawl may spend on the URLs of a page's links: 1 a character; where
# a URL is not plain, 100 more, and 10 for each parameter and each letter outside ASCII,
# and 700 for a host in other letters (IDNA) or by address (IPv6).
MAX_EFFORT = 800_000
COSTLY = re.compile(r"[&\x80-\U0010ffff]")
T = TypeVar("T")
ODD_HOST = re.compile(r"(?:https?:)?//[^/?#]*[^\x00-\x7f/?#[]|(?:https?:)?//[^/?#]*\[", re.I)

MAX_LINKS = 5_000  # distinct targets on a page that are read
MAX_ANCHOR = 500  # characters; an unclosed <a> would take in the whole page
MAX_STEP = 64  # characters of a tag with its classes and id that are kept in a path
MAX_PATH = 1_000  # characters of a path: of the tags nearest to the link...
MAX_DEPTH = 250  # ...but none deeper, for what is open takes memory
# At an end tag and <body>, libxml2 looks through all elements that are open: quadratic time. So a
# document ends after ten million such looks or five a byte; real pages stay far below. A long name
# takes longer to compare, and counts once more every 32 bytes.
LOOKED_UP = re.compile(rb"</[^\s<>/]*|<body", re.I)
MAX_COMPARISONS = 10_000_000

FEEDS = ("application/rss+xml", "application/atom+xml")

# Elements whose content a reader does not see.
UNSEEN = {"script", "style", "noscript", "template", "iframe", "noembed", "noframes"}
# Elements that do not end a block of text; every other one does.
INLINE_TAGS = """a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label
mark nobr q ruby s samp small span strike strong sub sup time tt u var wbr"""
INLINE = frozenset(INLINE_TAGS.split())
# Python codecs that no page is written in: "punycode" alone takes quadratic time.
NOT_FOR_PAGES = {"punycode", "idna", "unicode-escape", "raw-unicode-escape"}
# What pages without a named encoding are written in, beside UTF-8.
WESTERN = "cp1252"
UNNAMED = "cp1251 koi8_r iso8859_5 cp1253 cp1255 cp1256 tis_620 cp932 euc_jp gb18030 big5 cp949"
# Controls but tab and line ends, among them ESC, and the marks of Unicode's property Bidi_Control.
CONTROLS = {*range(9), 11, 12, *range(14, 32), *range(127, 160)}
BIDI = {0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
UNFIT = {*range(0xD800, 0xE000), 0xFFFE, 0xFFFF}  # for UTF-8 or XML
STEERING = dict.fromkeys(CONTROLS | BIDI | UNFIT)
FOREIGN = re.compile(rb"[\x80-\xff][^<>]{0,2000}")  # from a letter outside ASCII to the next tag


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


class Reader:
    """What a document in UTF-8 says, as far as it can be read."""

    def __init__(self, document: bytes):
        self._document = BytesIO(document)
        self._comparisons_left = max(MAX_COMPARISONS, 5 * len(document))
        self._ends = 0  # of the last piece read
        self._depth = 0  # elements that are open
        self._deepest = 0  # since the last piece was read
        # Of each, by depth: the path to it, or its tag and attributes until that is asked for.
        self._paths: dict[int, str | tuple[str, dict[str, str]]] = {0: ""}
        self.cut = False  # whether the rest was left out, for it takes too long to read
        self.base = ""
        self.title = ""
        self.text = ["\n"]  # no block of it ends in two line breaks
        self.links: dict[str, tuple[str, str]] = {}  # href as written -> first anchor, its path
        self.feeds: list[str] = []  # href as written
        self._unseen = 0
        self._in_title = False
        self._untitled = True
        self._anchor: list[str] | None = None  # text of the open <a>
        self._open: dict[str, str] = {}  # its attributes
        self._path = ""  # to it
        self._image = ""
        # lxml calls the target once an event, so no depth of nesting can hurt.
        parser = etree.HTMLParser(target=self, recover=True, huge_tree=True, encoding="utf-8")
        with suppress(etree.LxmlError, ValueError):  # what was read before a fault stands
            etree.parse(self, parser)

    def read(self, size: int) -> bytes:
        """Return the next piece of the document; none if it takes too long to read."""
        self._comparisons_left -= self._deepest * self._ends
        self._deepest = self._depth
        piece = self._document.read(size)
        self._ends = sum(1 + len(tag) // 32 for tag in LOOKED_UP.findall(piece))
        self.cut = self.cut or self._depth * self._ends > self._comparisons_left
        return b"" if self.cut else piece

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take an opening tag."""
        self._depth += 1
        if self._depth <= MAX_DEPTH:
            self._paths[self._depth] = tag, attributes
        if self._depth > self._deepest:
            self._deepest = self._depth
        if tag in UNSEEN:
            self._unseen += 1
        if self._unseen:
            return
        if tag not in INLINE and (self._in_title or self.text[-1] != "\n"):
            self.data("\n")
        if tag == "a" and "href" in attributes:
            self.close()
            self._open = attributes
            href = attributes["href"]
            # Not where it will not be kept: on the page itself, or a target that has an anchor.
            is_new = href[:1] != "#" and not self.links.get(href, ("",))[0]
            self._path = self._path_here() if is_new else ""
            self._anchor = []
            self._image = ""
        elif tag == "area" and "href" in attributes:
            self._add(attributes, self._path_here(), attributes.get("alt") or "")
        elif tag == "img" and self._anchor is not None:
            self._image = self._image or attributes.get("alt", "")
        elif tag == "base":
            self.base = self.base or attributes.get("href", "")
        elif tag == "link" and attributes.get("type", "").lower() in FEEDS:
            self.feeds.append(attributes.get("href", ""))
        elif tag == "title":
            self._in_title = True

    def end(self, tag: str) -> None:
        """Take a closing tag."""
        self._depth -= 1
        if tag in UNSEEN:
            self._unseen = max(0, self._unseen - 1)
        elif tag == "a":
            self.close()
        elif tag == "title":  # an SVG image may bring titles of its own
            self._in_title = False
            self._untitled = not self.title.strip()
        if tag not in INLINE and (self._in_title or self.text[-1] != "\n"):
            self.data("\n")

    def data(self, data: str) -> None:
        """Take a piece of text."""
        if self._unseen:
            return
        if self._in_title:
            self.title += data if self._untitled and len(self.title) < MAX_ANCHOR else ""
            return
        self.text.append(data)
        if self._anchor is not None:
            self._anchor.append(data)

    def close(self) -> None:
        """Keep the link that is open, if any."""
        if self._anchor is not None:
            self._add(self._open, self._path, "".join(self._anchor), self._image)
            self._anchor = None

    def _path_here(self) -> str:
        """Return the path to the element opened last."""
        here = depth = max(0, min(self._depth, MAX_DEPTH))
        waiting = []
        while not isinstance(path := self._paths[depth], str):
            waiting.append(path)
            depth -= 1
        for level in range(depth + 1, here + 1):
            path = f"{path} {step(*waiting.pop())}".lstrip()
            if len(path) > MAX_PATH:
                path = path[-MAX_PATH:].partition(" ")[2]
            self._paths[level] = path
        return path

    def _add(self, attributes: dict[str, str], path: str, *anchors: str) -> None:
        href = attributes["href"]
        if len(self.links) < MAX_LINKS or href in self.links:
            named = attributes.get("title") or attributes.get("aria-label") or ""
            anchor = next(filter(None, map(fold, [*anchors, named])), "")[:MAX_ANCHOR]
            if href not in self.links or (anchor and not self.links[href][0]):
                self.links[href] = anchor, path


def step(tag: str, attributes: dict[str, str]) -> str:
    """Return a tag with its classes and id, as in a selector of CSS: "ul.toc.wide#menu"."""
    if "class" in attributes:
        tag = ".".join([tag, *attributes["class"][:MAX_STEP].split()])
    if name := attributes.get("id"):
        tag = f"{tag}#{'-'.join(name[:MAX_STEP].split())}"
    return tag[:MAX_STEP]


def printable(text: str) -> str:
    """Return a text without what steers a terminal, turns the direction of text or is no letter."""
    return text.translate(STEERING)


def fold(text: str) -> str:
    """Return a text with each run of white space as one blank."""
    return " ".join(text.split())


def decoded(html: bytes, encoding: str | None) -> str:
    """Return a document's text; unlike `w3lib.encoding.html_to_unicode`, never raise."""
    marked, mark = read_bom(html)
    declared = html_body_declared_encoding(html)
    if declared and declared.startswith(("utf-16", "utf-32")):
        declared = "utf-8"  # it could not have been read as ASCII otherwise
    codec = marked or _codec(encoding) or _codec(declared) or _detect(html)
    return to_unicode(html[len(mark or b"") :], codec)


def _codec(name: str | None) -> str | None:
    """Return the codec that a name stands for; None if it stands for none that pages use."""
    try:
        codec = resolve_encoding(name) if name else None
        b" ".decode(codec or "utf-8", "replace")  # LookupError for "base64", no encoding of text
    except (LookupError, ValueError, TypeError, AttributeError):
        return None
    return None if codec in NOT_FOR_PAGES else codec


def _detect(html: bytes) -> str:
    """Return the likeliest codec of a document that names none, by its text outside ASCII."""
    with suppress(UnicodeDecodeError):
        html.decode("utf-8")
        return "utf-8"
    sample = b" ".join(FOREIGN.findall(html[:200_000]))[:5_000]
    if sum(byte > 127 for byte in sample) < 20:  # quotes and accents in a Western text
        return WESTERN
    from charset_normalizer import from_bytes  # takes a while to load, and few pages need it

    best = from_bytes(sample, cp_isolation=[*UNNAMED.split(), WESTERN]).best()
    return best.encoding if best else WESTERN
