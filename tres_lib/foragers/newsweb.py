"""The time-evolving news web: URLs, the versions of their pages, and link slots."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

import numpy as np

from .law import NewsLaw
from .rewiring import permuted


@dataclass(frozen=True, eq=False)
class NewsWeb:
    """A web whose pages appear and change in time.

    A URL's page has versions. A link slot has a source and a destination URL; the slots of one
    source are a row of a CSR matrix, first those that stand for good, then, on hubs, one for each
    article listed, oldest first. A version shows the standing slots and a window of the others. So
    a rewiring permutes one array, ``destination``, and hubs still show the latest slots.

    Attributes
    ----------
    kind : (n,) int8
        Of each URL, an index of `law.KINDS_OF_PAGE`. URL 0 is the front page.
    published : (n,) float64
        Seconds since the start when a URL's first version appeared; before the start -inf for all
        but articles.
    url, born, state : (v,) int32, (v,) float64, (v, k) float32
        Of each version: its URL, when it appeared, its state vector. Ordered by ``born``.
    shown_from, shown_to : (v,) int64
        Window of listing slots that a version shows.
    first_slot, standing_to : (n + 1,) and (n,) int64
        Slots of URL u are first_slot[u] to first_slot[u + 1]; up to standing_to[u] they stand.
    destination : (m,) int32
        URL that each slot leads to.
    appears : (m,) float64
        When a slot is shown first.
    days : float
        Length of the simulated time.
    """

    kind: np.ndarray
    published: np.ndarray
    url: np.ndarray
    born: np.ndarray
    state: np.ndarray
    shown_from: np.ndarray
    shown_to: np.ndarray
    first_slot: np.ndarray
    standing_to: np.ndarray
    destination: np.ndarray
    appears: np.ndarray
    days: float

    @classmethod
    def generate(
        cls,
        rng: np.random.Generator | int,
        days: float = 18,
        law: NewsLaw | None = None,
    ) -> NewsWeb:
        """Grow a news site.

        Parameters
        ----------
        rng : numpy.random.Generator or int
        days : float
            Simulated time, in days.
        law : NewsLaw, optional
            Sizes, rhythm, links and texts of the site.

        Raises
        ------
        ValueError
            If days is not a positive number.
        """
        from .growth import grow

        if not (isinstance(days, Real) and 0 < days < np.inf):
            raise ValueError(f"days={days!r}: give a positive number of days, such as 18")
        return grow(np.random.default_rng(rng), float(days), law or NewsLaw())

    def __len__(self) -> int:
        """Number of URLs."""
        return len(self.kind)

    def sources(self) -> np.ndarray:
        """Source URL of each slot, (m,) int64."""
        return np.repeat(np.arange(len(self)), np.diff(self.first_slot))

    def edges(self) -> np.ndarray:
        """Source and destination of all links that there ever are, (m, 2) int64.

        No link occurs twice in a generated web; in a rewired one that may happen.
        """
        return np.column_stack([self.sources(), self.destination.astype(np.int64)])

    @cached_property
    def version_links(self) -> tuple[np.ndarray, np.ndarray]:
        """CSR of the URLs that each version links to, each once: (v + 1,) and (links,) int64."""
        n, versions = len(self), len(self.url)
        standing = _ranges(self.first_slot[self.url], self.standing_to[self.url])
        owner, slot = np.hstack([standing, _ranges(self.shown_from, self.shown_to)])
        key = np.sort(owner * n + self.destination[slot])
        owner, link = np.divmod(key[np.diff(key, prepend=-1) > 0], n)
        return np.searchsorted(owner, np.arange(versions + 1)), link

    def rewired(self, rng: np.random.Generator | int, kind: str = "edge") -> NewsWeb:
        """The same web with link ends permuted; all in- and out-degrees stay.

        Pages, versions and times stay as well, so a link may lead to a page that is not there yet.

        Parameters
        ----------
        rng : numpy.random.Generator or int
        kind : {"edge", "time", "static", "newsout"}
            What may be permuted, see `rewiring.permuted`. The paper's text says "edge".

        Raises
        ------
        ValueError
            If the kind is unknown.
        """
        return replace(self, destination=permuted(self, np.random.default_rng(rng), kind))


def _ranges(start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """The numbers of all ranges one after another, below which range each is of, (2, total)."""
    length = stop - start
    owner = np.repeat(np.arange(len(start)), length)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    return np.stack([owner, start[owner] + within])
