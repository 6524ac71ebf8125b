"""A web whose links say less: the same pages behind opaque URLs and empty anchors."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from ..page import FetchError, Link, Page, Web

MARK = "/~"  # opens an opaque path; the page's own path follows in hexadecimal digits


class MutedWeb:
    """Another web, on which a share of the URLs is opaque and their links have no anchor.

    A control for how much a crawler owes to what links say. Which URLs are muted is
    decided by each URL alone, so links to one page agree. Pages, their texts, sites and links
    stay as they are.

    Parameters
    ----------
    web : Web
    share : float
        Of all URLs, 0 to 1.

    Raises
    ------
    ValueError
        If the share is out of range.
    """

    def __init__(self, web: Web, share: float):
        if not 0 <= share <= 1:
            raise ValueError(f"share={share!r}: use a part of all URLs, 0 to 1")
        self.web, self.share = web, share

    def __repr__(self) -> str:
        return f"MutedWeb({self.web!r}, share={self.share})"

    def fetch(self, url: str) -> Page:
        """The page, with its own URL and its links muted; FetchError as the other web has it."""
        try:
            page = self.web.fetch(self._plain(url))
        except FetchError as error:
            raise FetchError(url, error.reason, error.status) from error
        return replace(page, url=self._muted(page.url), links=tuple(map(self._link, page.links)))

    def is_relevant(self, url: str, topic: object) -> bool | None:
        """What the other web says of the page."""
        return self.web.is_relevant(self._plain(url), topic)

    def seeds(self, topic: object, n: int, rng: object) -> list[str]:
        """The other web's seeds, as this one calls them."""
        return [self._muted(url) for url in self.web.seeds(topic, n, rng)]

    def random_article_pages(self, n: int, rng: object) -> list[str]:
        """Pages of the other web, for a search engine over this one."""
        return [self._muted(url) for url in self.web.random_article_pages(n, rng)]

    def kind(self, url: str) -> str:
        """What kind of page the other web has there."""
        return self.web.kind(self._plain(url))

    def _link(self, link: Link) -> Link:
        url = self._muted(link.url)
        return link if url == link.url else Link(url, "")

    def _muted(self, url: str) -> str:
        """The URL that stands for this one here."""
        if not self._chosen(url):
            return url
        scheme, _, rest = url.partition("://")
        host, slash, path = rest.partition("/")
        return f"{scheme}://{host}{MARK}{(slash + path).encode().hex()}"

    def _plain(self, url: str) -> str:
        """The URL of the other web that this one stands for."""
        before, mark, digits = url.partition(MARK)
        try:
            return before + bytes.fromhex(digits).decode() if mark else url
        except ValueError:  # not one of ours
            return url

    def _chosen(self, url: str) -> bool:
        digest = hashlib.blake2b(url.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") < self.share * 2**64
