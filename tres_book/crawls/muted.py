"""A web whose links say less: the same pages behind opaque URLs and empty anchors."""

import hashlib
from contextlib import suppress
from dataclasses import replace

from tres_webs import FetchError, Link, Page, Web, Wrapper
from tres_webs.checks import number

MARK = "/~"  # opens an opaque path; a hash of the URL follows in hexadecimal digits
KEY = b"muted"  # of the hash, so that no piece of a path shows


class MutedWeb(Wrapper):
    """Another web, on which a share of the URLs is opaque and their links have no anchor.

    It shows how much a crawler owes to what links say. An opaque path is a keyed 64-bit hash of the
    URL, from which nothing can be read. Texts, sites and links stay. A URL can be fetched once a
    page or `seeds` has shown it. The share, 0 to 1, is of all URLs.

    Examples
    --------
    >>> from tres_webs import ReplayWeb
    >>> pages = {"http://a.example/": "<a href=/jazz>Jazz</a>", "http://a.example/jazz": "Jazz"}
    >>> muted = MutedWeb(ReplayWeb.from_pages(pages), share=1.0)
    >>> muted.fetch("http://a.example/").links
    (Link(url='http://a.example/~dec7a7de2383a40f', anchor=''),)
    >>> muted.fetch("http://a.example/~dec7a7de2383a40f").text
    'Jazz'
    """

    def __init__(self, web: Web, share: float):
        super().__init__(web)
        self.share = number("share", share, 0, 1)
        self._urls: dict[str, str] = {}  # the other web's URL by the opaque one

    def __repr__(self) -> str:
        return f"MutedWeb({self.web!r}, share={self.share})"

    def inner(self, url: str) -> str:
        return self._urls.get(url, url)

    def outer(self, url: str) -> str:
        if int.from_bytes(_digest(url), "big") >= self.share * 2**64:
            return url
        scheme, _, rest = url.partition("://")
        opaque = f"{scheme}://{rest.partition('/')[0]}{MARK}{_digest(url, KEY).hex()}"
        self._urls[opaque] = url
        return opaque

    def fetch(self, url: str) -> Page:
        try:
            page = super().fetch(url)
        except FetchError as error:
            raise FetchError(url, *error.args[1:]) from error
        return replace(page, url=self.outer(page.url), links=tuple(map(self._muted, page.links)))

    def remember(self, url: str, page: Page) -> None:
        with suppress(FetchError):  # its links are shown again
            self.fetch(url)

    def _muted(self, link: Link) -> Link:
        url = self.outer(link.url)
        return link if url == link.url else Link(url, "", link.path)


def _digest(url: str, key: bytes = b"") -> bytes:
    return hashlib.blake2b(url.encode(), digest_size=8, key=key).digest()
