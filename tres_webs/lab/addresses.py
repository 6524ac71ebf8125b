"""VitalWeb's URL grammar: from a page reference to its URL and back, with nothing stored.

Some sites spell an article's title in the path, others show a number. Hosts end in the reserved
``.example``, so no made-up page claims a real site.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np

from .concepts import surface

Kind = Literal["article", "print", "section", "front", "directory", "calendar", "about", "moved"]
FIXED: dict[str, Kind] = {"/": "front", "/links": "directory", "/about": "about"}
PATHS = {kind: path for path, kind in FIXED.items()}
_CODES = {kind: code for code, kind in enumerate(get_args(Kind))}
NO_SLUG = re.compile(r"[^a-z0-9]+")
_MODULUS = 1 << 31
_FACTOR = 1_103_515_245  # odd, hence invertible modulo a power of two
_INVERSE = pow(_FACTOR, -1, _MODULUS)
_VARIANT_BITS = 13  # no site has 8,192 pages on one article: the largest has 6,000 in all
# How sites write an article's address, by their number modulo 4: two with titles, two with codes.
# The first are those of a web of the first law.
_STYLES = (
    ("/{}/{}", r"/([a-z0-9-]+)/(\d{1,6})"),
    ("/wiki/{}-{}.html", r"/wiki/([a-z0-9-]+)-(\d{1,6})\.html"),
    ("/index.php?id={}", r"/index\.php\?id=([0-9a-z]{1,6})"),
    ("/p/{}", r"/p/([0-9a-z]{1,6})"),
)
# And on one of the second. A code holds whether the page has moved, its article and its variant.
_TITLED_STYLES = (
    ("/{0}-{1}", r"/[a-z0-9-]*-([0-9a-f]{1,8})"),
    ("/{0}/{1}.html", r"/[a-z0-9-]*/([0-9a-f]{1,8})\.html"),
    ("/index.php?id={1}", r"/index\.php\?id=([0-9a-f]{1,8})"),
    ("/p/{1}", r"/p/([0-9a-f]{1,8})"),
)
_TITLED_BITS = 17  # of a variant; 13 are left for the article


class Ref(NamedTuple):
    """A page: its kind, site, article, variant (a section: number and page; a calendar: month)."""

    kind: Kind
    site: int
    a: int = 0
    b: int = 0

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Return the page as integers, to seed its dice."""
        kind = "article" if self.kind == "moved" else self.kind  # it leads to that page
        return self.site, _CODES[kind], self.a, self.b

    @property
    def on_article(self) -> bool:
        """Return whether the page is on one article, not a hub."""
        return self.kind in ("article", "print", "moved")


def slug(title: str) -> str:
    """Return a title in lower-case ASCII letters, digits and hyphens."""
    plain = surface(title)
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    return NO_SLUG.sub("-", plain.lower()).strip("-")


def base36(n: int) -> str:
    """Return a number in digits and lower-case letters."""
    return np.base_repr(n, 36).lower()


class Addresses:
    """The grammar of one web: its articles' titles, a word for each host, pages' own titles."""

    def __init__(
        self,
        titles: Sequence[str],
        host_word: Callable[[int], str],
        n_sites: int,
        slug_of: Callable[[int, int, int], str],
    ):
        self._article_of: dict[str, int] = {}
        for row, title in enumerate(titles):
            name = slug(title) or f"a{row}"
            name = name if name not in self._article_of else f"{name}-{base36(row)}"
            self._article_of[name] = row
        self.slugs = list(self._article_of)
        self._host_word = host_word
        self._slug_of = lru_cache(2**16)(slug_of)  # links to a page repeat
        self._n_sites = n_sites
        self.host = lru_cache(2**16)(self._host)
        self.parse = lru_cache(64)(self._parse)  # a crawler asks for a page and then about it

    def _host(self, site: int) -> str:
        return f"{'www.' if site % 5 < 3 else ''}{self._host_word(site)}-{base36(site)}.example"

    def site_of(self, url: str) -> int | None:
        """Return the site of a URL, whatever its path; None if it is none of this web's."""
        match = re.match(r"http://((?:www\.)?[a-z0-9-]+-([0-9a-z]{1,6})\.example)(?=/|\Z)", url)
        site = int(match[2], 36) if match else -1
        return site if match and site < self._n_sites and self.host(site) == match[1] else None

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
            return f"/calendar/{2000 + ref.a // 12}-{ref.a % 12 + 1:02d}"
        path = self._article_path(ref)
        return path + (("&" if "?" in path else "?") + "print=1" if ref.kind == "print" else "")

    def _article_path(self, ref: Ref) -> str:
        template = _STYLES[ref.site % 4][0]
        if ref.site % 4 < 2:
            path = template.format(self.slugs[ref.a], ref.b)
        else:
            code = ((ref.a << _VARIANT_BITS | ref.b) * _FACTOR + ref.site) % _MODULUS
            path = template.format(base36(code))
        return "/old" + path if ref.kind == "moved" else path

    def _parse(self, url: str) -> Ref | None:
        """Return the page that a URL means, whether it exists or not; None outside the grammar."""
        site = self.site_of(url)
        ref = None if site is None else self._parse_path(site, "/" + url.split("/", 3)[-1])
        # Encoding again refuses aliases: one page has one URL.
        return ref if ref is not None and self.url(ref) == url else None

    def _parse_path(self, site: int, path: str) -> Ref | None:
        if path in FIXED:
            return Ref(FIXED[path], site)
        if match := re.fullmatch(r"/category/(\d{1,3})(?:/(\d{1,6}))?", path):
            return Ref("section", site, int(match[1]), int(match[2] or 0))
        if match := re.fullmatch(r"/calendar/(\d{4})-(\d\d)", path):
            return Ref("calendar", site, (int(match[1]) - 2000) * 12 + int(match[2]) - 1)
        article_path = re.sub(r"[?&]print=1$", "", path)
        ref = self._parse_article(site, article_path)
        if ref is None or ref.kind == "moved" or article_path == path:
            return ref
        return ref._replace(kind="print")

    def _parse_article(self, site: int, path: str) -> Ref | None:
        kind: Kind = "article"
        if path.startswith("/old/"):
            kind, path = "moved", path.removeprefix("/old")
        match = re.fullmatch(_STYLES[site % 4][1], path)
        if match is None:
            return None
        if site % 4 < 2:
            article = self._article_of.get(match[1])
            return None if article is None else Ref(kind, site, article, int(match[2]))
        code = (int(match[1], 36) - site) * _INVERSE % _MODULUS
        row = code >> _VARIANT_BITS
        variant = code & ((1 << _VARIANT_BITS) - 1)
        return Ref(kind, site, row, variant) if row < len(self.slugs) else None


class TitledAddresses(Addresses):
    """The grammar of a web of titled pages; moved ones have two addresses, which look alike."""

    def _article_path(self, ref: Ref) -> str:
        row = (ref.kind == "moved") << 13 | ref.a
        code = ((row << _TITLED_BITS | ref.b) * _FACTOR + ref.site) % _MODULUS
        style = ref.site % 4
        spelt = self._slug_of(ref.site, ref.a, ref.b) if style < 2 else ""
        return _TITLED_STYLES[style][0].format(spelt, f"{code:x}")

    def _parse_article(self, site: int, path: str) -> Ref | None:
        match = re.fullmatch(_TITLED_STYLES[site % 4][1], path)
        code = (int(match[1], 16) - site) * _INVERSE % _MODULUS if match else 0
        moved, row = divmod(code >> _TITLED_BITS, 1 << 13)
        if match is None or row >= len(self.slugs):
            return None
        return Ref("moved" if moved else "article", site, row, code & (1 << _TITLED_BITS) - 1)
