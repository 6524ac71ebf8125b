"""VitalWeb's URL grammar: from a page reference to its URL and back, with nothing stored.

Sites differ in style: some spell the article's title in the path, others show a number. Hosts
end in the reserved ``.example``, so no made-up page claims a real site.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args
from urllib.parse import urlsplit

import numpy as np

from .concepts import surface

Kind = Literal[
    "article", "print", "section", "front", "directory", "calendar", "about", "moved"
]  # fmt: skip
FIXED: dict[str, Kind] = {"/": "front", "/links": "directory", "/about": "about"}
PATHS = {kind: path for path, kind in FIXED.items()}
CODES = {kind: code for code, kind in enumerate(get_args(Kind))}
MONTHS = 12
_MODULUS = 1 << 31
_FACTOR = 1_103_515_245  # odd, hence invertible modulo a power of two
_INVERSE = pow(_FACTOR, -1, _MODULUS)
_VARIANT_BITS = 13  # no site has 8,192 pages on one article: the largest has 6,000 in all
# How sites write an article's address, by their number modulo 4: two with titles, two with codes.
_STYLES = (
    r"/([a-z0-9-]+)/(\d{1,6})",
    r"/wiki/([a-z0-9-]+)-(\d{1,6})\.html",
    r"/index\.php\?id=([0-9a-z]{1,6})",
    r"/p/([0-9a-z]{1,6})",
)


class Ref(NamedTuple):
    """A page: its kind, site, and article and variant (or section and page number, or month)."""

    kind: Kind
    site: int
    a: int = 0
    b: int = 0

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Return the page as integers, to seed its dice."""
        kind = "article" if self.kind == "moved" else self.kind  # it leads to that page
        return self.site, CODES[kind], self.a, self.b

    @property
    def on_article(self) -> bool:
        """Return whether the page is on one article, not a hub."""
        return self.kind in ("article", "print", "moved")


def slug(title: str) -> str:
    """Return a title in lower-case ASCII letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", surface(title))
    ascii_title = plain.encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_title).strip("-")


def base36(n: int) -> str:
    """Return a number in digits and lower-case letters."""
    return np.base_repr(n, 36).lower()


class Addresses:
    """The grammar of one web, from its articles' titles and a word for each site's host."""

    def __init__(self, titles: Sequence[str], host_word: Callable[[int], str], n_sites: int):
        self.slugs: list[str] = []
        self._article_of: dict[str, int] = {}
        for row, title in enumerate(titles):
            name = slug(title) or f"a{row}"
            name = name if name not in self._article_of else f"{name}-{base36(row)}"
            self._article_of[name] = row
            self.slugs.append(name)
        self._host_word = host_word
        self._n_sites = n_sites
        self.host = lru_cache(2**16)(self._host)
        self.parse = lru_cache(64)(self._parse)  # a crawler asks for a page and then about it

    def _host(self, site: int) -> str:
        prefix = "www." if site % 5 < 3 else ""
        return f"{prefix}{self._host_word(site)}-{base36(site)}.example"

    def site_of(self, host: str) -> int | None:
        """Return the site of a host name; None if it is none of this web's."""
        match = re.fullmatch(r"(?:www\.)?[a-z0-9-]+-([0-9a-z]{1,6})\.example", host)
        site = int(match[1], 36) if match else -1
        return site if 0 <= site < self._n_sites and self.host(site) == host else None

    def url(self, ref: Ref) -> str:
        """Return the URL of a page."""
        return f"http://{self.host(ref.site)}{self.path(ref)}"

    def path(self, ref: Ref) -> str:
        """Return the part of a page's URL after the host."""
        if ref.kind in PATHS:
            return PATHS[ref.kind]
        if ref.kind == "section":
            return f"/category/{ref.a}" + (f"/{ref.b}" if ref.b else "")
        if ref.kind == "calendar":
            return f"/calendar/{2000 + ref.a // MONTHS}-{ref.a % MONTHS + 1:02d}"
        path = self._article_path(ref.site, ref.a, ref.b)
        if ref.kind == "moved":
            return "/old" + path
        return path + (("&" if "?" in path else "?") + "print=1" if ref.kind == "print" else "")

    def _article_path(self, site: int, article: int, variant: int) -> str:
        style = site % 4
        if style == 0:
            return f"/{self.slugs[article]}/{variant}"
        if style == 1:
            return f"/wiki/{self.slugs[article]}-{variant}.html"
        code = base36(((article << _VARIANT_BITS | variant) * _FACTOR + site) % _MODULUS)
        return f"/index.php?id={code}" if style == 2 else f"/p/{code}"

    def _parse(self, url: str) -> Ref | None:
        """Return the page that a URL means, whether it exists or not; None outside the grammar."""
        try:
            host = urlsplit(url).netloc
            site = self.site_of(host)
            path = url.removeprefix(f"http://{host}")
            ref = None if site is None else self._parse_path(site, path)
        except ValueError:
            return None
        # Encoding again refuses aliases: one page has one URL.
        return ref if ref is not None and self.url(ref) == url else None

    def _parse_path(self, site: int, path: str) -> Ref | None:
        if path in FIXED:
            return Ref(FIXED[path], site)
        if match := re.fullmatch(r"/category/(\d{1,3})(?:/(\d{1,6}))?", path):
            return Ref("section", site, int(match[1]), int(match[2] or 0))
        if match := re.fullmatch(r"/calendar/(\d{4})-(\d\d)", path):
            return Ref("calendar", site, (int(match[1]) - 2000) * MONTHS + int(match[2]) - 1)
        kind: Kind = "moved" if path.startswith("/old/") else "article"
        if kind == "article" and path.endswith("print=1"):
            kind = "print"
        style = site % 4
        plain = path.removeprefix("/old" if kind == "moved" else "")
        match = re.fullmatch(_STYLES[style], re.sub(r"[?&]print=1$", "", plain))
        if match is None:
            return None
        if style < 2:
            article = self._article_of.get(match[1])
            return None if article is None else Ref(kind, site, article, int(match[2]))
        code = (int(match[1], 36) - site) * _INVERSE % _MODULUS
        return Ref(kind, site, code >> _VARIANT_BITS, code & ((1 << _VARIANT_BITS) - 1))
