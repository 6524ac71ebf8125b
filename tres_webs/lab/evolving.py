"""EvolvingWeb: the laboratory web as time passes; pages change and end, sites publish news."""

import math
from collections.abc import Callable
from copy import copy
from zlib import crc32

import numpy as np

from .. import checks
from ..page import FetchError, Page, Web
from ..topic import Topic, get_topic
from .addresses import Ref
from .chronicle import Chronicle
from .parameters import EvolvingLaw
from .prose import Block, as_page
from .sites import SPAM
from .vital import VitalWeb


class EvolvingWeb(Web):
    """A `VitalWeb` on which time passes.

    At day 0 it is that very web. From then on the text of each article page changes at a rate of
    its own, a sentence each time. Article pages end: then they are 404, also on sites that hide
    that, and lists of their own site leave them out; links from other sites stay. Hub pages do not
    end. Some sites publish news: items, in which interest fades, and a few pages that last, which
    change and end like others. Their front page and the first page of each section list the latest
    25 first, those of the section there. News is written from an article near one of the site's
    centres. A page is a pure function of (seed, URL, time), whatever was asked before.

    The clock returns the time in days, from 0 on, and is read once for each question. `chronicle`
    says what happens, and when.

    Examples
    --------
    >>> import tres_webs as web
    >>> day = 0.0
    >>> evolving = web.EvolvingWeb(web.VitalWeb(seed=0, sites=2_000), clock=lambda: day)
    >>> url = evolving.seeds("food", 1, rng=0)[0]
    >>> before, day = evolving.fetch(url), 2.0
    >>> evolving.version(url), evolving.fetch(url).text == before.text
    (1, False)
    """

    def __init__(self, lab: VitalWeb, clock: Callable[[], float], law: EvolvingLaw | None = None):
        if not isinstance(lab, VitalWeb):
            raise ValueError(f"lab={lab!r}: give a VitalWeb")
        if not callable(clock):
            raise ValueError(f"clock={clock!r}: give a function that returns the time in days")
        self.lab = lab
        self.clock = clock
        self.law = law or EvolvingLaw()
        self.writer = lab.writer
        self.addresses = lab.addresses
        self.chronicle = Chronicle(self.writer, self.law)

    def __repr__(self) -> str:
        own = self.law != EvolvingLaw()
        law = f", law={crc32(repr(self.law).encode()):08x}" if own else ""
        return f"EvolvingWeb({self.lab!r}{law})"

    def at(self, day: float) -> "EvolvingWeb":
        """Return the same web, held at a day: a copy that shares what was built."""
        held = copy(self)
        held.clock = lambda: day
        return held

    def today(self) -> float:
        """Return the time that the clock shows; ValueError unless it is finite and from 0 on."""
        return checks.number("clock()", self.clock(), 0)

    def fetch(self, url: str) -> Page:
        """Return the page at a URL as it is now; FetchError with status 404 if it has ended."""
        ref, soft_404, title, blocks = self.written(url)
        final = url if soft_404 else self.addresses.url(ref)
        return as_page(final, title, blocks, self.writer.layout(ref))

    def html(self, url: str) -> bytes:
        ref, _, title, blocks = self.written(url)
        return self.writer.html(ref, title, blocks)

    def is_relevant(self, url: str, topic: str | Topic) -> bool | None:
        """Return whether the page is on the topic, by the article that it is or was written on.

        Unpublished news is not. A hub is if half of those that it lists now are.
        """
        topic = get_topic(topic)
        ref, day = self.addresses.parse(url), self.today()
        if ref is None or not topic.has_rules or not self._lists(ref) and ref.kind != "news":
            return self.lab.is_relevant(url, topic)
        labels = self.lab.labels(topic)
        if ref.kind == "news":
            return self._there(ref, day) and bool(labels[ref.a])
        listed = self.writer.listed(ref, lambda page: day < self.chronicle.life(page).ends)
        news = [news.ref.a for news in self.chronicle.latest(ref, day)]
        return bool(len(listed) + len(news) and labels[[*listed, *news]].mean() >= 0.5)

    def seeds(self, topic: str | Topic, n: int, rng: np.random.Generator | int) -> list[str]:
        day = self.today()
        return self.lab.seeds(topic, n, rng, stands=lambda url: self._stands(url, day))

    def random_article_pages(self, n: int, rng: np.random.Generator | int) -> list[str]:
        """Return those that still stand of n article pages that were there on day 0."""
        day = self.today()
        drawn = self.lab.random_article_pages(n, rng)
        return [url for url in drawn if self._stands(url, day)]

    def kind(self, url: str) -> str:
        """Return the kind of page at a URL: "news", "missing" or one of `VitalWeb.kind`."""
        if not self._stands(url, self.today()):
            return "missing"
        ref = self.addresses.parse(url)
        return "news" if ref is not None and ref.kind == "news" else self.lab.kind(url)

    def version(self, url: str) -> int:
        """Return how many times the text of the page has changed, 0 for hubs."""
        return self._revisions(url)[0]

    def last_modified(self, url: str) -> float | None:
        """Return the day on which the page, or a hub's news, last changed or came; else None."""
        last = self._revisions(url)[1]
        return self.born(url) if last is None else last

    def born(self, url: str) -> float | None:
        """Return the day on which news was published; None for other pages, or before it."""
        ref = self.addresses.parse(url)
        there = ref is not None and ref.kind == "news" and self._there(ref, self.today())
        return self.chronicle.life(ref).born if there else None

    def requests(self, url: str) -> float:
        """Return the requests a day that an article page gets now, 0 of an ended page or a hub.

        It stands for a log of them. The other addresses of an article get none.
        """
        ref, day = self.addresses.parse(url), self.today()
        if ref is None or ref.kind not in ("article", "news") or not self._there(ref, day):
            return 0.0
        return self.chronicle.life(ref).requests_at(day)

    def served(self, url: str, since: float, until: float) -> float:
        """Return the requests, from a day to another, that a copy made on the first day serves.

        The copy serves until the page changes or ends. It is 0 where `requests` is.
        """
        ref = self.addresses.parse(url)
        if ref is None or ref.kind not in ("article", "news") or not self._there(ref, since):
            return 0.0
        life = self.chronicle.life(ref)
        days = min(until, life.ends, self.chronicle.changes_next(ref, since)) - since
        if days <= 0:
            return 0.0
        whole = -math.expm1(-life.decay * days) / life.decay if life.decay else days
        return life.requests_at(since) * whole

    def written(self, url: str) -> tuple[Ref, bool, str, list[Block]]:
        """Return a page as it is now: what it is, whether a soft 404, its title and blocks."""
        day = self.today()
        ref, soft_404 = self._resolve(url, day)
        version, _ = self.chronicle.revisions(ref, day)
        news = [self.writer.news_link(news.ref) for news in self.chronicle.latest(ref, day)]
        title, blocks = self.writer.compose(ref, soft_404, version, news)
        return ref, soft_404, title, [
            (text, links and [k for k in links if not self._dropped(k.url, ref.site, day)])
            for text, links in blocks
        ]  # fmt: skip

    def _there(self, ref: Ref, day: float) -> bool:
        """Return whether there is such a page, or was one until it ended."""
        news = self.chronicle.news(ref)
        return news.born <= day if news else self.writer.exists(ref)

    def _stands(self, url: str, day: float) -> bool:
        ref = self.addresses.parse(url)
        return ref is not None and self._there(ref, day) and day < self.chronicle.life(ref).ends

    def _lists(self, ref: Ref) -> bool:
        """Return whether a page may list news, or pages that end."""
        hub = ref.kind in ("front", "section") and self.lab.table.role[ref.site] != SPAM
        return hub and self.writer.exists(ref)

    def _revisions(self, url: str) -> tuple[int, float | None]:
        ref, day = self.addresses.parse(url), self.today()
        if ref is None or not self._there(ref, day):
            return 0, None
        if self._lists(ref):
            return 0, next((news.born for news in self.chronicle.latest(ref, day)), None)
        return self.chronicle.revisions(ref, day)

    def _resolve(self, url: str, day: float) -> tuple[Ref, bool]:
        ref = self.addresses.parse(url)
        if ref is None or not self._there(ref, day):
            return self.lab.resolve(url)
        if day >= self.chronicle.life(ref).ends:
            raise FetchError(url, "not found", 404)
        return (ref, False) if ref.kind == "news" else self.lab.resolve(url)

    def _dropped(self, url: str, site: int, day: float) -> bool:
        """Return whether a link is to an ended page of the same site."""
        ref = self.addresses.parse(url)
        return ref is not None and ref.site == site and day >= self.chronicle.life(ref).ends
