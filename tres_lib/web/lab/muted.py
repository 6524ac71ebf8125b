"""A web whose links say less: the same pages behind opaque URLs and empty anchors."""

import hashlib
from dataclasses import replace

import numpy as np

from ..page import FetchError, Link, Page, Web, as_web
from ..topic import Topic

MARK = "/~"  # opens an opaque path; the page's own path follows in hexadecimal digits


class MutedWeb(Web):
    """Another web, on which a share of the URLs is opaque and their links have no anchor.

    It shows how much a crawler owes to what links say. Whether a URL is muted depends on itself
    alone, so links to one page agree. Texts, sites and links stay as they are.

    Parameters
    ----------
    web : Web
    share : float
        Of all URLs, 0 to 1.

    Raises
    ------
    ValueError
        If the share is out of range.

    Examples
    --------
    >>> from tres_lib.web import ReplayWeb
    >>> pages = {"http://a.example/": "<a href=/jazz>Jazz</a>", "http://a.example/jazz": "Jazz"}
    >>> muted = MutedWeb(ReplayWeb.from_pages(pages), share=1.0)
    >>> muted.fetch("http://a.example/").links
    (Link(url='http://a.example/~2f6a617a7a', anchor=''),)
    >>> muted.fetch("http://a.example/~2f6a617a7a").text
    'Jazz'
    """

    def __init__(self, web: Web, share: float):
        if not 0 <= share <= 1:
            raise ValueError(f"share={share!r}: use a part of all URLs, 0 to 1")
        self.web = web
        self.share = share

    def __repr__(self) -> str:
        return f"MutedWeb({self.web!r}, share={self.share})"

    def fetch(self, url: str) -> Page:
        try:
            page = self.web.fetch(self._plain(url))
        except FetchError as error:
            raise FetchError(url, error.reason, error.status) from error
        muted = ((self._muted(link.url), link) for link in page.links)
        links = tuple(link if url == link.url else Link(url, "") for url, link in muted)
        return replace(page, url=self._muted(page.url), links=links)

    def is_relevant(self, url: str, topic: str | Topic) -> bool | None:
        return self.web.is_relevant(self._plain(url), topic)

    def seeds(self, topic: str | Topic, n: int, rng: np.random.Generator | int) -> list[str]:
        return [self._muted(url) for url in as_web(self.web).seeds(topic, n, rng)]

    def random_article_pages(self, n: int, rng: np.random.Generator | int) -> list[str]:
        return [self._muted(url) for url in as_web(self.web).random_article_pages(n, rng)]

    def kind(self, url: str) -> str:
        return as_web(self.web).kind(self._plain(url))

    def _muted(self, url: str) -> str:
        """Return the URL that stands for another web's URL here."""
        digest = hashlib.blake2b(url.encode(), digest_size=8).digest()
        if int.from_bytes(digest, "big") >= self.share * 2**64:
            return url
        scheme, _, rest = url.partition("://")
        host, slash, path = rest.partition("/")
        return f"{scheme}://{host}{MARK}{(slash + path).encode().hex()}"

    def _plain(self, url: str) -> str:
        """Return the other web's URL that a URL stands for."""
        before, mark, digits = url.partition(MARK)
        try:
            return before + bytes.fromhex(digits).decode() if mark else url
        except ValueError:  # not one of ours
            return url
