"""Canonical URLs, registered domains and the words of a URL, all offline."""

import re
from functools import lru_cache
from ipaddress import IPv4Address
from typing import Any
from urllib.parse import unquote_plus, urljoin, urlsplit

import yarl
from w3lib.url import canonicalize_url

MAX_URL = 2_000  # characters; longer URLs are crawler traps or data, not pages
CACHE = 2**16  # a crawl asks for the same URLs again and again, 40 a page

# File name extensions that never hold an HTML page.
BINARY_EXTENSIONS = """
pdf ps eps djvu doc docx xls xlsx ppt pptx odt ods odp rtf epub mobi csv tsv json rss atom
zip gz tgz bz2 xz 7z rar tar jar war iso dmg exe msi deb rpm apk bin css js mjs map wasm
jpg jpeg jpe png gif bmp tif tiff webp avif svg ico heic psd raw woff woff2 ttf otf eot swf
mp3 m4a ogg oga opus wav flac aac wma mid mp4 m4v mpg mpeg mov avi mkv webm wmv flv 3gp
torrent parquet"""
BINARY = frozenset(BINARY_EXTENSIONS.split())
# Query parameters that name a visit, not a page.
VISIT = re.compile(r"(?:utm_\w+|phpsessid|jsessionid|aspsessionid\w*|gclid|fbclid)(?:=|$)", re.I)
SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid)=[^/;?]*", re.I)

# A URL of this form is canonical already: the common case, answered at once.
PLAIN = re.compile(
    r"https?://(?:(?!xn--)[a-z](?:[a-z0-9-]{0,30}[a-z0-9])?\.){1,4}[a-z]{2,24}"
    r"/(?:[A-Za-z0-9_~-]+/)*(?:[A-Za-z0-9_~-]+(?:\.html?)?)?"
)
# The parts of a URL without anything to undo or to check: host, path, query.
PLAIN_PARTS = re.compile(r"https?://([a-z0-9.-]+)(/[A-Za-z0-9_~./-]*)(?:\?([A-Za-z0-9_~.=&-]*))?")
LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
HOST_NAME = re.compile(rf"{LABEL}(?:\.{LABEL})*")
NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
HAS_SCHEME = re.compile(r"https?://", re.I)
LINE_BREAKS = re.compile(r"[\t\n\r]")
BLANKS = "".join(map(chr, range(33)))

PAGE_EXTENSION = re.compile(r"\.(?:[sx]?html?|php\d?|aspx?|jspx?|cgi|cfm|do)$", re.I)
WORD = re.compile(r"[^\W\d_]+|\d+")


def canonical_url(
    url: str, base: str | None = None, extensions: frozenset[str] = frozenset()
) -> str | None:
    """Return the one spelling of a URL by which a crawler knows a page; never raise.

    Scheme and host in lower case (IDNA), no default port, credentials or fragment, dot segments
    resolved, percent-encoding normalised, query sorted, session and campaign parameters
    (``utm_*``, ``PHPSESSID``, ``jsessionid``, ...) dropped.

    The result is ASCII, and a fixed point of this function. It is None for what a crawler must not
    fetch: another scheme than http and https, no or an invalid host or port, more than 2,000
    characters, or the file name extension of a binary file, feed, style sheet or script.

    Any text is taken. A relative URL is resolved by `base`, that of the page (or its ``<base>``).
    File name `extensions`, such as {"pdf"}, are taken although they are not of pages.

    Examples
    --------
    >>> canonical_url("HTTP://Example.com:80/a/../b?z=1&utm_source=x&a=2#top")
    'http://example.com/b?a=2&z=1'
    >>> canonical_url("../logo.png", "http://example.com/a/") is None
    True
    """
    if isinstance(url, bytes):
        url = url.decode("utf-8", "replace")
    if not isinstance(url, str):
        return None
    url = LINE_BREAKS.sub("", url.strip(BLANKS)).partition("#")[0]
    if len(url) > MAX_URL:
        return None
    if base is not None and not HAS_SCHEME.match(url):
        try:
            url = urljoin(base, url)
        except (ValueError, TypeError, AttributeError):
            return None
    return _canonical(url, extensions)


@lru_cache(maxsize=CACHE)
def domain(url: str) -> str:
    """Return the registered domain of a URL by the public-suffix list, read offline.

    An IP address, a name without a dot (localhost) and a bare public suffix are their own domain;
    under an unknown suffix the last two labels count. It is empty for a URL without a valid host.
    The private part of the list does not count: github.io is one domain.

    Examples
    --------
    >>> domain("https://news.example.co.uk/today")
    'example.co.uk'
    >>> domain("https://me.github.io/")
    'github.io'
    """
    try:
        plain = PLAIN_PARTS.match(url)
        return _registered(plain[1] if plain else urlsplit(url).hostname or "")
    except (ValueError, TypeError, AttributeError):
        return ""


@lru_cache(maxsize=CACHE)
def url_words(url: str) -> str:
    """Return the words of a URL's path and query, without host and file name extension.

    Words end at whatever is not a letter or digit, and between a letter and a digit; single blanks
    part them, percent-encoding is undone. A URL that cannot be split has none.

    Examples
    --------
    >>> url_words("http://example.com/wiki/Top10_%C3%89coles.html?q=a")
    'wiki Top 10 Écoles q a'
    """
    try:
        plain = PLAIN_PARTS.fullmatch(url)
        _, _, path, query, _ = ("", *plain.groups(""), "") if plain else urlsplit(url)
    except (ValueError, TypeError, AttributeError):
        return ""
    return " ".join(WORD.findall(unquote_plus(f"{PAGE_EXTENSION.sub('', path)} {query}")))


@lru_cache(maxsize=CACHE)
def _canonical(url: str, extensions: frozenset[str]) -> str | None:
    if len(url) <= MAX_URL and PLAIN.fullmatch(url):
        return url
    # Undoing one layer can bare another ("/;jsessionid=1/.."): go on until nothing changes.
    for _ in range(4):
        before = url
        url = _normalise(before, extensions) or ""
        if url in ("", before) or PLAIN.fullmatch(url):
            return url or None
    return None


def _normalise(url: str, extensions: frozenset[str] = frozenset()) -> str | None:
    """Do one pass of normalisation; return None for what must not be fetched."""
    url = url.encode("utf-8", "replace").decode("utf-8")  # lone surrogates have no UTF-8
    head, mark, query = url.partition("?")
    try:
        # Browsers read a backslash as a slash; so must the host that we check.
        parts = yarl.URL(head.replace("\\", "/") + mark + query)
        if parts.scheme not in ("http", "https") or not _valid_host(parts):
            return None
        host = (parts.host or "").rstrip(".")
        url = canonicalize_url(str(parts.with_user(None).with_host(host)))
    except (ValueError, TypeError, IndexError):  # yarl has the last for "http://[]@"
        return None
    path, _, query = SESSION_PATH.sub("", url).partition("?")
    query = "&".join(part for part in query.split("&") if part and not VISIT.match(part))
    url = f"{path}?{query}" if query else path
    _, dot, extension = path.rpartition("/")[2].rpartition(".")
    is_binary = dot and extension.lower() in BINARY - extensions
    return None if is_binary or len(url) > MAX_URL or not url.isascii() else url


def _valid_host(parts: yarl.URL) -> bool:
    """Return whether the host is a DNS name or a usually spelt IP address, the port not 0."""
    host = (parts.raw_host or "").rstrip(".")
    if parts.explicit_port == 0:
        return False
    if ":" in host:
        return "%" not in host  # no zone of an IPv6 address
    if NUMBER.fullmatch(host.rpartition(".")[2]):
        try:  # "2130706433" and "0x7f.1" would reach 127.0.0.1 unrecognised
            return str(IPv4Address(host)) == host
        except ValueError:
            return False
    return len(host) <= 253 and HOST_NAME.fullmatch(host) is not None


@lru_cache(maxsize=1)
def _suffix_list() -> Any:
    import tldextract  # takes a tenth of a second, and few callers need it

    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


@lru_cache(maxsize=CACHE)
def _registered(host: str) -> str:
    host = host.strip("[]").rstrip(".")
    labels = host.split(".")
    if ":" in host or labels[-1].isdigit():
        return host
    parts = _suffix_list()(host)
    if not parts.suffix:
        return ".".join(labels[-2:])
    return f"{parts.domain}.{parts.suffix}" if parts.domain else host
