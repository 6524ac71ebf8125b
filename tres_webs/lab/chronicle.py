"""What happens on an evolving web, and when; every event is a function of (seed, page, time).

Times are days from 0 on. Births are drawn day by day and kept in a cache. Changes are drawn in
stretches of a page's age, each twice as long as the one before, so that the number of draws until
a time grows as its logarithm.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .addresses import Ref
from .parameters import EvolvingLaw
from .prose import Dice, normal
from .sites import SPAM
from .writer import Writer


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


@dataclass(eq=False)
class Chronicle:
    """All events on the web of a writer."""

    writer: Writer
    law: EvolvingLaw

    def __post_init__(self) -> None:
        self.seed = self.writer.seed
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
            if len(news) >= self.law.listed:
                break
        return news[: self.law.listed]

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
            if (later := int(moments.searchsorted(age, "right"))) < len(moments):
                return life.born + float(moments[later])
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
            lasts = dice() >= self.law.item_share
            news.append(News(Ref.news(site, article, date, n), born, section, lasts))
        return tuple(news)

    def _desk(self, site: int) -> Desk:
        law, dice = self.law, Dice(self.seed, 16, site)
        publishes = dice() < law.publishing and self.writer.table.role[site] != SPAM
        rate = min((1 - dice()) ** (-1 / law.arrival_exponent), law.most_arrivals)
        return Desk(
            rate=rate if publishes else 0.0,
            requests=law.item_worth * math.exp(law.item_worth_spread * normal(dice)),
            decay=math.log(2) / law.half_life * math.exp(law.half_life_spread * normal(dice)),
        )

    def _life(self, ref: Ref) -> Life:
        if not ref.on_article:
            return Life()
        law, dice = self.law, Dice(self.seed, 17, ref.site, ref.a, ref.b)
        noise, news = normal(dice), self.news(ref)
        born = news.born if news else 0.0
        if news and not news.lasts:
            desk = self.desk(ref.site)
            requests = desk.requests * desk.decay * _lognormal(noise, law.item_spread)
            return Life(born, requests=requests, decay=desk.decay)
        low, high = law.change_decades
        return Life(
            born=born,
            ends=born - math.log(1 - dice()) / law.end_rate,
            changes=10 ** (low + (high - low) * dice()),
            requests=law.request_rate * _lognormal(noise, law.request_spread),
        )


def _lognormal(noise: float, sigma: float) -> float:
    """Return a number of mean 1, whose logarithm has deviation sigma."""
    return math.exp(sigma * noise - sigma**2 / 2)
