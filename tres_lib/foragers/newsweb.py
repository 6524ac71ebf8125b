"""The time-evolving news web (URLs, versions of their pages, link slots), and its rewirings."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tres_webs.checks import generator, one_of, positive

from .growth import grow
from .settings import ARTICLE, HOUR, SUBHUB, NewsSite

#: The ways of `NewsWeb.rewired` to rewire a web.
REWIRINGS = ("edge", "time", "static", "newsout")
BIN = 6 * HOUR


@dataclass(frozen=True, eq=False)
class NewsWeb:
    """A web of n URLs, v versions of their pages and m link slots, which change over time.

    Times are seconds since the start.
    """

    kind: np.ndarray  # (n,) int8, an index of `settings.KINDS_OF_PAGE`; URL 0 is the front page
    published: np.ndarray  # (n,) of a URL's first version; -inf before the start, but for articles
    url: np.ndarray  # (v,) int32
    born: np.ndarray  # (v,) when a version appeared, ascending
    state: np.ndarray  # (v, k) float32, a version's state vector
    listed_from: np.ndarray  # (v,) int64: window of listing slots that a version shows
    listed_to: np.ndarray  # (v,) int64
    # The slots of one source are a row of a CSR matrix: first the permanent ones, then, on hubs,
    # one for each article listed, oldest first. A version shows the permanent slots and a window of
    # the others. So a rewiring permutes one array, and hubs still show the latest slots.
    first_slot: np.ndarray  # (n + 1,) int64: URL u has slots first_slot[u] to first_slot[u + 1]
    standing_to: np.ndarray  # (n,) int64: its slots before this one are permanent
    destination: np.ndarray  # (m,) int32, the URL that a slot leads to
    appears: np.ndarray  # (m,) when a slot is first shown
    days: float  # length of the simulated time

    @classmethod
    def generate(
        cls, rng: np.random.Generator | int, days: float = 18, site: NewsSite | None = None
    ) -> "NewsWeb":
        """Grow a news site for some days.

        Examples
        --------
        >>> web = NewsWeb.generate(0, days=1)
        >>> len(web), len(web.edges())
        (26571, 59406)
        """
        days = positive("days", days)
        return cls(**grow(generator("rng", rng), days, site or NewsSite()), days=days)

    def __len__(self) -> int:
        return len(self.kind)

    def sources(self) -> np.ndarray:
        """Return the source URL of each slot, (m,) int64."""
        return np.repeat(np.arange(len(self)), np.diff(self.first_slot))

    def edges(self) -> np.ndarray:
        """Return source and destination of all links over the whole time, (m, 2) int64."""
        return np.column_stack([self.sources(), self.destination.astype(np.int64)])

    @cached_property
    def version_links(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a CSR of the URLs that each version links to, each once: (v + 1,), (links,)."""
        n = len(self)
        standing = _ranges(self.first_slot[self.url], self.standing_to[self.url])
        owner, slot = np.hstack([standing, _ranges(self.listed_from, self.listed_to)])
        key = np.sort(owner * n + self.destination[slot])
        owner, link = np.divmod(key[np.diff(key, prepend=-1) > 0], n)
        return np.searchsorted(owner, np.arange(len(self.url) + 1)), link

    @cached_property
    def stored_versions(self) -> np.ndarray:
        """Return the version to which each of `version_links` first led, (links,); -1: none."""
        first, link = self.version_links
        v = len(self.url)
        stored = np.maximum(self.born, 0)  # what was there before was stored at the start
        there = np.searchsorted(self.born, stored, side="right")
        order = np.sort(self.url.astype(np.int64) * v + np.arange(v))  # by URL, then by birth
        place = np.searchsorted(order, link * v + np.repeat(there, np.diff(first))) - 1
        url, version = np.divmod(order[place], v)
        return np.where(url == link, version, -1)

    def rewired(self, rng: np.random.Generator | int, kind: str = "edge") -> "NewsWeb":
        """Return the same web with link ends permuted; all in- and out-degrees stay.

        The kind "edge" permutes all ends, as the paper's text says; "time" those of links that
        appear within the same 6 hours, so that hubs go on to list recent pages; "static" links to
        pages other than articles: news stay on their hubs; "newsout" exchanges each listing of an
        article on a hub with a random link of a page that is no hub: only the news leave the hubs.
        """
        # Pages, versions and times stay, so a link may lead to a page that is not there yet.
        order = self._order(generator("rng", rng), one_of("kind", kind, REWIRINGS))
        return replace(self, destination=self.destination[order])

    def _order(self, rng: np.random.Generator, kind: str) -> np.ndarray:
        """Return the slots whose destinations a rewiring puts in each place, (m,)."""
        slots = np.arange(len(self.destination))
        if kind == "edge":
            return rng.permutation(slots)
        order = slots.copy()
        if kind == "time":
            group = np.floor(np.maximum(self.appears, 0) / BIN)
            order[np.argsort(group, kind="stable")] = np.lexsort((rng.random(len(slots)), group))
            return order
        to_article = self.kind[self.destination] == ARTICLE
        if kind == "static":
            order[~to_article] = rng.permutation(slots[~to_article])
            return order
        on_hub = self.kind[self.sources()] <= SUBHUB
        news = slots[on_hub & to_article]
        others = rng.permutation(slots[~on_hub & ~to_article])[: len(news)]
        news = rng.permutation(news)[: len(others)]
        order[news] = others
        order[others] = news
        return order


def _ranges(start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """Return the range that each number belongs to, and the numbers of all ranges, (2, total)."""
    length = stop - start
    owner = np.repeat(np.arange(len(start)), length)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    return np.stack([owner, start[owner] + within])
