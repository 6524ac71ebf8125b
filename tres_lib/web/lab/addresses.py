"""VitalWeb's URL grammar: a page reference to its URL and back, nothing stored.

Sites differ in style: some spell the article's title in the path, others show
a number. Hosts end in the reserved ``.example``, so no made-up page claims a
real site.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from .concepts import surface

ARTICLE, PRINT, OLD, SECTION, FRONT, LINKS, CALENDAR, ABOUT = (
    "article", "print", "moved", "section", "front", "directory", "calendar", "about",
)  # fmt: skip
MONTHS = 12
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_MODULUS = 1 << 31
_FACTOR = 1_103_515_245  # odd, hence invertible modulo a power of two
_INVERSE = pow(_FACTOR, -1, _MODULUS)
_VARIANT_BITS = 13  # no site has 8,192 pages on one article: the largest has 6,000 in all
NEUTRAL = (
    "daily", "net", "info", "world", "portal", "times", "page", "open", "blue", "north", "city",
    "home", "planet", "forum", "review", "hub",
)  # fmt: skip


class Ref(NamedTuple):
    """A page: its kind, site, and article and variant (or section and page number, or month)."""

    kind: str
    site: int
    a: int = 0
    b: int = 0


def slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", surface(title))
    ascii_title = plain.encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_title).strip("-")


def base36(n: int) -> str:
    digits = ""
    while True:
        n, r = divmod(n, 36)
        digits = _DIGITS[r] + digits
        if n == 0:
            return digits


class Addresses:
    """The grammar for one web: needs the slugs of its articles and a word for each site's host."""

    def __init__(self, titles, host_word, n_sites: int):
        self.slugs = []
        taken: dict[str, int] = {}
        for row, title in enumerate(titles):
            name = slug(title) or f"a{row}"
            name = name if name not in taken else f"{name}-{base36(row)}"
            taken[name] = row
            self.slugs.append(name)
        self._article_of = taken
        self._host_word = host_word
        self._n_sites = n_sites
        self._host = lru_cache(2**16)(self._make_host)
        self._parsed = lru_cache(64)(self._parse)  # a crawler asks for a page and then about it

    def host(self, site: int) -> str:
        return self._host(site)

    def _make_host(self, site: int) -> str:
        prefix = "www." if site % 5 < 3 else ""
        return f"{prefix}{self._host_word(site)}-{base36(site)}.example"

    def site_of(self, host: str) -> int | None:
        match = re.fullmatch(r"(?:www\.)?[a-z0-9-]+-([0-9a-z]{1,6})\.example", host)
        site = int(match[1], 36) if match else -1
        return site if 0 <= site < self._n_sites and self.host(site) == host else None

    def speaking(self, site: int) -> bool:
        """Does the site spell titles in its URLs? Half of them do."""
        return site % 4 < 2

    def url(self, ref: Ref) -> str:
        return f"http://{self.host(ref.site)}{self.path(ref)}"

    def path(self, ref: Ref) -> str:
        if ref.kind in (ARTICLE, PRINT, OLD):
            path = self._article_path(ref.site, ref.a, ref.b)
            if ref.kind == OLD:
                return "/old" + path
            return path + (("&" if "?" in path else "?") + "print=1" if ref.kind == PRINT else "")
        if ref.kind == SECTION:
            return f"/category/{ref.a}" + (f"/{ref.b}" if ref.b else "")
        if ref.kind == CALENDAR:
            return f"/calendar/{2000 + ref.a // MONTHS}-{ref.a % MONTHS + 1:02d}"
        return {FRONT: "/", LINKS: "/links", ABOUT: "/about"}[ref.kind]

    def parse(self, url: str) -> Ref | None:
        """The page a URL means; None outside the grammar. Whether it exists is not checked here."""
        return self._parsed(url)

    def _parse(self, url: str) -> Ref | None:
        try:
            parts = urlsplit(url)
            site = self.site_of(parts.netloc)
            ref = None if site is None else self._parse_path(site, parts.path, parts.query)
        except ValueError:
            return None
        # Encoding again refuses aliases: one page has one URL.
        return ref if ref is not None and self.url(ref) == url else None

    def _article_path(self, site: int, article: int, variant: int) -> str:
        style = site % 4
        if style == 0:
            return f"/{self.slugs[article]}/{variant}"
        if style == 1:
            return f"/wiki/{self.slugs[article]}-{variant}.html"
        code = base36(((article << _VARIANT_BITS | variant) * _FACTOR + site) % _MODULUS)
        return f"/index.php?id={code}" if style == 2 else f"/p/{code}"

    def _parse_path(self, site: int, path: str, query: str) -> Ref | None:
        if path in ("/", "/links", "/about"):
            return Ref({"/": FRONT, "/links": LINKS, "/about": ABOUT}[path], site)
        if match := re.fullmatch(r"/category/(\d{1,3})(?:/(\d{1,6}))?", path):
            return Ref(SECTION, site, int(match[1]), int(match[2] or 0))
        if match := re.fullmatch(r"/calendar/(\d{4})-(\d\d)", path):
            return Ref(CALENDAR, site, (int(match[1]) - 2000) * MONTHS + int(match[2]) - 1)
        kind = OLD if path.startswith("/old/") else PRINT if query.endswith("print=1") else ARTICLE
        return self._parse_article(kind, site, path[4:] if kind == OLD else path, query)

    def _parse_article(self, kind: str, site: int, path: str, query: str) -> Ref | None:
        style = site % 4
        if style < 2:
            pattern = (
                r"/([a-z0-9-]+)/(\d{1,6})" if style == 0 else r"/wiki/([a-z0-9-]+)-(\d{1,6})\.html"
            )
            match = re.fullmatch(pattern, path)
            article = self._article_of.get(match[1]) if match else None
            return None if article is None else Ref(kind, site, article, int(match[2]))
        text = query.removesuffix("&print=1") if style == 2 else path
        match = re.fullmatch(r"id=([0-9a-z]{1,6})" if style == 2 else r"/p/([0-9a-z]{1,6})", text)
        if not match:
            return None
        code = (int(match[1], 36) - site) * _INVERSE % _MODULUS
        return Ref(kind, site, code >> _VARIANT_BITS, code & ((1 << _VARIANT_BITS) - 1))
