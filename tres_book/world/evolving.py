"""EvolvingWeb: the laboratory web as time passes; pages change and end, sites publish news.

Times are days from 0 on, and every event is a function of (seed, page, time). Births are drawn day
by day and kept in a cache. Changes are drawn in stretches of a page's age, each twice as long as
the one before, so that the number of draws until a time grows as its logarithm.

The `Dynamics` hold in the simulated `World`, too. They were fixed before any crawler or policy was
run; "guess" marks what no source was found for.
"""

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tres_webs import FetchError, Page, Topic, VitalWeb, Web, checks, get_topic
from tres_webs.lab.addresses import Ref
from tres_webs.lab.prose import Block, Dice, as_page, normal
from tres_webs.lab.sites import SPAM
from tres_webs.lab.writer import Writer

NTOULAS = "Ntoulas, Cho and Olston, WWW 2004"
CHO = "Cho and Garcia-Molina, VLDB 2000: 40 % change in a week, 23 % of .com in a day"
DEZSO = "Dezso et al., Physical Review E 73, 2006: half-life of a news item 36 hours"
LEFORTIER = "Lefortier et al., CIKM 2013: most short-lived pages appear at few sources"


def sourced(default: Any, source: str) -> Any:
    """Return a dataclass field with a default and where that comes from."""
    return field(default=default, metadata={"source": source})


@dataclass(frozen=True)
class Dynamics:
    """How pages change, end and are asked for, and how hubs publish links; times are in days."""

    # Least and largest log10 of a page's change rate.
    change_decades: tuple[float, float] = sourced((-3.0, 0.5), CHO)
    end_rate: float = sourced(0.0119, f"{NTOULAS}: 8 % of pages are replaced a week")
    arrival_exponent: float = sourced(1.5, "guess: Pareto exponent of a site's news a day")
    most_arrivals: float = sourced(25.0, "guess: largest rate of news of a site")
    item_share: float = sourced(0.85, "guess: news whose interest fades; the others are pages")
    half_life: float = sourced(1.5, DEZSO)
    half_life_spread: float = sourced(0.6, "guess: sigma of the sites' log half-lives")
    item_worth: float = sourced(3.0, "guess: median over sites of an item's mean requests")
    item_worth_spread: float = sourced(0.5, "guess: sigma of its logarithm over sites")
    item_spread: float = sourced(1.0, "guess: sigma of items' log requests within a site")
    request_rate: float = sourced(0.3, "guess: mean requests a day of a page")
    request_spread: float = sourced(1.0, "guess: sigma of pages' log request rates")

    @classmethod
    def sources(cls) -> dict[str, tuple[Any, str]]:
        """Return, by the name of each parameter, its default and its source."""
        return {f.name: (f.default, f.metadata["source"]) for f in fields(cls)}


@dataclass(frozen=True)
class EvolvingLaw(Dynamics):
    """How an `EvolvingWeb` changes: the `Dynamics`, and two parameters of its sites.

    Examples
    --------
    >>> EvolvingLaw.sources()["end_rate"]
    (0.0119, 'Ntoulas, Cho and Olston, WWW 2004: 8 % of pages are replaced a week')
    """

    publishing: float = sourced(0.25, f"guess: share of sites with news; {LEFORTIER}")
    listed: int = sourced(25, "VitalWeb: pages that a section lists")


class Life(NamedTuple):
    """What becomes of a page: when it is born and ends, how it changes and who asks for it."""

    born: float = 0.0
    ends: float = math.inf
    changes: float = 0.0  # a day
    requests: float = 0.0  # a day, when new
    decay: float = 0.0  # rate at which requests fade

    def requests_at(self, day: float) -> float:
        """Return the requests a day on a day."""
        here = self.born <= day < self.ends
        return self.requests * math.exp(-self.decay * (day - self.born)) if here else 0.0


class Desk(NamedTuple):
    """How a site publishes."""

    rate: float  # pages of news a day, 0 for a site without news
    requests: float  # mean of an item, in all
    decay: float  # rate at which they fade


class News(NamedTuple):
    """A page of news: an item, or a page that lasts."""

    ref: Ref
    born: float
    section: int
    lasts: bool


LAW = EvolvingLaw()


class Chronicle:
    """All events on the web of a writer, by `LAW`."""

    def __init__(self, writer: Writer) -> None:
        self.writer, self.seed = writer, writer.seed
        self.life = lru_cache(2**16)(self._life)
        self.desk = lru_cache(2**14)(self._desk)
        self.published = lru_cache(2**16)(self._published)
        self.stretch = lru_cache(2**14)(self._stretch)

    def latest(self, hub: Ref, day: float) -> list[News]:
        """Return the news that a front page or the first page of a section lists, newest first."""
        news: list[News] = []
        if hub.kind not in ("front", "section") or hub.b or not self.desk(hub.site).rate:
            return news
        for date in range(int(day), -1, -1):
            news += [
                item
                for item in reversed(self.published(hub.site, date))
                if (hub.kind == "front" or item.section == hub.a)
                and item.born <= day < self.life(item.ref).ends
            ]
            if len(news) >= LAW.listed:
                break
        return news[: LAW.listed]

    def news(self, ref: Ref) -> News | None:
        """Return the news that a reference names; None if it names none that ever appears."""
        if ref.kind != "news":
            return None
        date, n = ref.issue
        published = self.published(ref.site, date)
        return published[n] if n < len(published) and published[n].ref == ref else None

    def revisions(self, ref: Ref, day: float) -> tuple[int, float | None]:
        """Return how often a page has changed by a day, and when it last did; None if never."""
        life = self.life(ref)
        if not life.changes or day < life.born:
            return 0, None
        age = min(day, life.ends) - life.born
        version, last = 0, None
        for k in range(int(age + 1).bit_length()):
            moments = self.stretch(life.changes, k, ref.site, ref.a, ref.b)
            if count := int(moments.searchsorted(age, "right")):
                version += count
                last = life.born + float(moments[count - 1])
        return version, last

    def changes_next(self, ref: Ref, day: float) -> float:
        """Return the day after `day` on which a page changes first; inf: never while it lasts."""
        life = self.life(ref)
        age, k = day - life.born, int(day - life.born + 1).bit_length() - 1
        while life.changes and life.born + 2**k - 1 < life.ends:
            moments = self.stretch(life.changes, k, ref.site, ref.a, ref.b)
            if (following := int(moments.searchsorted(age, "right"))) < len(moments):
                return life.born + float(moments[following])
            k += 1
        return math.inf

    def _stretch(self, changes: float, k: int, *page: int) -> np.ndarray:
        """Return the ages from 2^k - 1 to 2^(k+1) - 1 days at which an article page changes."""
        rng = np.random.default_rng([self.seed, 13, *page, k])
        return 2**k * (1 + np.sort(rng.random(rng.poisson(changes * 2**k)))) - 1

    def _published(self, site: int, date: int) -> tuple[News, ...]:
        rng = np.random.default_rng([self.seed, 14, site, date])
        moments = date + np.sort(rng.random(rng.poisson(self.desk(site).rate)))
        dice = Dice(self.seed, 15, site, date)
        news = []
        for n, born in enumerate(moments.tolist()):
            section, article = self.writer.subject(site, dice)
            lasts = dice() >= LAW.item_share
            news.append(News(Ref.news(site, article, date, n), born, section, lasts))
        return tuple(news)

    def _desk(self, site: int) -> Desk:
        dice = Dice(self.seed, 16, site)
        publishes = dice() < LAW.publishing and self.writer.table.role[site] != SPAM
        rate = min((1 - dice()) ** (-1 / LAW.arrival_exponent), LAW.most_arrivals)
        return Desk(
            rate=rate if publishes else 0.0,
            requests=LAW.item_worth * math.exp(LAW.item_worth_spread * normal(dice)),
            decay=math.log(2) / LAW.half_life * math.exp(LAW.half_life_spread * normal(dice)),
        )

    def _life(self, ref: Ref) -> Life:
        if not ref.on_article:
            return Life()
        dice = Dice(self.seed, 17, ref.site, ref.a, ref.b)
        noise, news = normal(dice), self.news(ref)
        born = news.born if news else 0.0
        if news and not news.lasts:
            desk = self.desk(ref.site)
            requests = desk.requests * desk.decay * _lognormal(noise, LAW.item_spread)
            return Life(born, requests=requests, decay=desk.decay)
        low, high = LAW.change_decades
        return Life(
            born=born,
            ends=born - math.log(1 - dice()) / LAW.end_rate,
            changes=10 ** (low + (high - low) * dice()),
            requests=LAW.request_rate * _lognormal(noise, LAW.request_spread),
        )


def _lognormal(noise: float, sigma: float) -> float:
    """Return a number of mean 1, whose logarithm has deviation sigma."""
    return math.exp(sigma * noise - sigma**2 / 2)


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
    >>> evolving = EvolvingWeb(web.VitalWeb(seed=0, sites=2_000), clock=lambda: day)
    >>> url = evolving.seeds("food", 1, rng=0)[0]
    >>> before, day = evolving.fetch(url), 2.0
    >>> evolving.fetch(url).text == before.text
    False
    """

    def __init__(self, lab: VitalWeb, clock: Callable[[], float]):
        if not isinstance(lab, VitalWeb):
            raise ValueError(f"lab={lab!r}: give a VitalWeb")
        if not callable(clock):
            raise ValueError(f"clock={clock!r}: give a function that returns the time in days")
        self.lab = lab
        self.clock = clock
        self.writer = lab.writer
        self.addresses = lab.addresses
        self.chronicle = Chronicle(self.writer)

    def __repr__(self) -> str:
        return f"EvolvingWeb({self.lab!r})"

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

    def last_modified(self, url: str) -> float | None:
        """Return the day on which the page, or a hub's news, last changed or came; else None."""
        last = self._revisions(url)[1]
        return self.born(url) if last is None else last

    def born(self, url: str) -> float | None:
        """Return the day on which news was published; None for other pages, or before it."""
        ref = self.addresses.parse(url)
        there = ref is not None and ref.kind == "news" and self._there(ref, self.today())
        return self.chronicle.life(ref).born if there else None

    def served(self, url: str, since: float, until: float) -> float:
        """Return the requests, from a day to another, that a copy made on the first day serves.

        The copy serves until the page changes or ends. Hubs, ended pages and the other addresses of
        an article get none.
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
