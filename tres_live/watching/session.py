"""A watch that is under way, in memory as in its store."""

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterator

import numpy as np

from tres_webs.urls import domain

from .candidates import Calendar, Choice, OpenLink, OpenLinks
from .clock import DAY
from .memory import Memory
from .records import COMMON, Hosts, new_common
from .store import VERSION, Store

HOUR = 3_600.0  # seconds
ROUNDING = 1e-6  # of a fetch
CHEAPER = 0.8  # of the price at which all pages were keyed: below it they are keyed anew
# A domain that has had a fifth of the latest fetches waits while others have one that serves
# `LITTLE`; so does one with twice the mean of the domains with relevant pages, so that a hostile
# tenth of them gets no more together than one among few. A domain with both waits while others have
# one that serves `WORTH`. Names cost nothing to make up, so those without a relevant page are none.
SHARE, TIMES_MEAN = 0.2, 2.0
LITTLE, WORTH = 0.3, 0.05  # of the requests a day of a new page
NEARLY = 0.75  # of its share, from which on a domain does not raise the price of the others
LATEST = 25, 100  # at least and at most: those of a day
MOST_OF_SITE = 1_000  # links of a domain that wait
SET_BACK = "the clock was set back by %.1f hours; the watch's time goes on, so much ahead of it"

logger = logging.getLogger(__name__)


class Session:
    """Beliefs, calendar, open links and hosts; `commit` stores what a visit has changed.

    ValueError if the store is of another topic. A new watch begins `now`, in seconds since 1970.
    """

    def __init__(
        self,
        store: Store,
        topic: str,
        half_life: float,
        lasting: float,
        bandwidth: float,
        now: float,
        max_per_domain: int | None = None,
    ):
        self.store = store
        if store.meta("version") is None:
            fresh = new_common(half_life, lasting).tobytes()
            with store.transaction():
                store.keep(version=VERSION, topic=topic, began=now, common=fresh)
                store.keep(keyed_common=fresh, looks=0, level=1.0, at=now, offset=0.0)
        if store.meta("topic") != topic:
            other = f"was {store.meta('topic')!r} in {str(store.path)!r}"
            raise ValueError(f"topic={topic!r} {other}; give that or name another store")
        self.began: float = store.meta("began")
        self.n: int = store.meta("looks")
        self.offset: float = store.meta("offset")
        self._rate = bandwidth / DAY
        self._level: float = store.meta("level")  # fetches that were saved up
        self.at: float = store.meta("at")  # the time of that
        common = np.frombuffer(store.meta("common"), COMMON).copy()
        common["fading"], common["lasting"] = np.log(2) / half_life, lasting
        self.common = common
        self.memory = Memory(common)
        self.hosts = Hosts()
        self.calendar = Calendar(np.frombuffer(store.meta("keyed_common"), COMMON))
        self.links = OpenLinks()
        self.over: frozenset[str] = frozenset()  # domains that have had their share of the latest
        self._latest: deque[str] = deque(maxlen=int(np.clip(bandwidth, *LATEST)))  # domains
        self._load()
        self.pages_of = Counter(self.calendar.pages["host"].tolist())  # by host
        self._most = max_per_domain
        self._keyed = int(common["keyed"][0])  # of the copy in the store

    def now(self, clock: float, passed: float = 0.0) -> float:
        """Return the time of the watch by a clock's, of which so many seconds passed for sure.

        It goes on where the clock is set back, and is ahead of it from then on. Where the clock
        jumps forward, the watch first takes back that lead, so that no time comes twice.
        """
        lead = self.at + passed - clock
        if clock + self.offset >= self.at:
            self.offset = min(self.offset, max(lead, 0.0))
        else:
            if (back := lead - self.offset) > HOUR:
                logger.warning(SET_BACK, back / HOUR)
            self.offset = lead
        return clock + self.offset

    def wait(self, now: float) -> float:
        """Return the seconds until a fetch is allowed; at most what an hour brings is saved up."""
        most = max(1.0, self._rate * HOUR)
        self._level = min(most, self._level + max(0.0, now - self.at) * self._rate)
        self.at = max(now, self.at)
        short = 1.0 - self._level
        return 0.0 if short < ROUNDING else short / self._rate

    def day(self, now: float) -> float:
        """Return the days since the beginning."""
        return (now - self.began) / DAY

    def choose(self, day: float) -> Choice | None:
        """Return the most valuable known page or link; None if there is none.

        Domains that have had their share wait while others have a fetch worth one, due or not.
        """
        self.renew(day)
        if self.common["price"][0] < CHEAPER * self.common["keyed_price"][0]:
            self.calendar.put_all(self.common)
        mean = float((1 + self.common["importance"][0]) / (1 + self.common["relevant"][0]))
        held: frozenset[str] | None = None
        best: Choice | None = None
        for waiting, worth in self._waiting():
            if waiting != held:
                held, best = waiting, self._best(waiting, day, WORTH * mean)
            if best and (best.value >= worth * mean or not waiting):
                return best
        return None

    def _waiting(self) -> Iterator[tuple[frozenset[str], float]]:
        """Yield domains that wait, and what fetches of others must be worth for that.

        First those that have had their share; then those with both bounds of it, each time without
        those that had least.
        """
        yield self.over, LITTLE
        had, far = Counter(self._latest), self._with_share(1.0, max)
        for most in (0, *sorted({had[site] for site in far})):
            yield frozenset(site for site in far if had[site] > most), WORTH

    def _best(self, waiting: frozenset[str], day: float, least: float) -> Choice | None:
        """Return the most valuable page or link of the domains that do not wait."""
        self.links.hold(waiting)
        busy = self.hosts.busy(waiting)
        link = self.links.best(self.common, day, self.hosts.busy_of)
        best = _better(link, self.calendar.best(self.common, day, busy))
        if best is None or best.value < least:
            best = _better(best, page := self.calendar.best_of_all(self.common, day, busy))
            if page and best is page:  # nothing reaches the price, so the price was wrong
                self.common["price"] = min(page.value, self.common["price"][0])
        return best

    def charge(self, url: str) -> None:
        """Count a fetch for the domain of its URL."""
        self._latest.append(domain(url))
        self.over = self._with_share(1.0)

    def _with_share(self, part: float, of: Callable[..., float] = min) -> frozenset[str]:
        """Return the domains that have had this part of their share, the least of its bounds."""
        n, domains = self._latest.maxlen or 0, max(int(self.common["domains"][0]), 1)
        least = part * max(of(SHARE * n, TIMES_MEAN * n / domains), 1.0)
        return frozenset(site for site, had in Counter(self._latest).items() if had >= least)

    def see_link(self, url: str, link: OpenLink, relevant: bool) -> None:
        """Learn from whether a link led to a new relevant page."""
        chance = self.memory.see_link(link.bin, link.news, relevant)
        self.hosts.count(self.hosts.of(url), hoped=chance, led=relevant)
        self.links.place(link.site, self.hosts.rank(link.site))

    def room(self, site: str) -> int:
        """Return how many links of a domain may wait."""
        if self._most is None:
            return MOST_OF_SITE
        pages = sum(self.pages_of[host] for host in self.hosts.of_site.get(site, []))
        return min(max(self._most - pages, 0), MOST_OF_SITE)

    def renew(self, day: float) -> None:
        """Learn from all pages together, once a day."""
        pages = self.calendar.pages
        if self.memory.renew(pages, self.hosts.records, day):
            hosts = np.unique(pages["host"][pages["importance"] > 0])
            self.common["domains"] = self.hosts.count_sites(hosts.tolist())
            self.hosts.changed.update(range(len(self.hosts)))
            self.calendar.put_all(self.common)

    def settle_price(self, url: str, value: float, known: bool, day: float) -> None:
        """Move the price towards the value of a fetched known page, or of a link below the price.

        After another link it follows the best of the old links that wait, if that is above it:
        what may be fetched at any time has no value above the price. A domain that has had nearly
        its share does not raise the price, by which the others are judged.
        """
        price = self.common["price"][0]
        if value < price or (known and domain(url) not in self.over):
            self.memory.follow(value)
        elif not known:
            self.links.hold(self._with_share(NEARLY))
            waiting = self.links.best(self.common, day, self.hosts.busy_of, old=True)
            if waiting and waiting.value > price:
                self.memory.follow(waiting.value)

    def commit(self, now: float) -> None:
        """Write all changes; call it within a transaction."""
        store = self.store
        self.n += 1
        self.wait(now)
        self._level -= 1.0
        store.keep(looks=self.n, level=self._level, at=self.at, offset=self.offset)
        store.keep(common=self.common.tobytes())
        if self.common["keyed"][0] != self._keyed:
            self._keyed = int(self.common["keyed"][0])
            store.keep(keyed_common=self.calendar.common.tobytes())
        store.keep_pages(self.calendar.changed, self.calendar.pages)
        store.add("host", map(self.hosts.row, sorted(self.hosts.changed)))
        self.calendar.changed.clear()
        self.hosts.changed.clear()

    def _load(self) -> None:
        for host in self.store.rows("SELECT * FROM host ORDER BY host"):
            self.hosts.load(dict(host))
        for site in self.hosts.of_site:
            self.links.place(site, self.hosts.rank(site))
        self.calendar.load(self.store.pages())
        open_links = "SELECT since, id, host, bin, news FROM link WHERE open"
        for since, id, host, bin, news in self.store.rows(open_links):
            self.links.add(OpenLink(-since, id, host, bin, bool(news)))
        latest = "SELECT url FROM look ORDER BY look DESC LIMIT ?"
        for (url,) in reversed(self.store.rows(latest, self._latest.maxlen)):
            self.charge(url)


def _better(one: Choice | None, other: Choice | None) -> Choice | None:
    """Return the choice of higher value, the first of equal ones."""
    return max(filter(None, (one, other)), key=lambda choice: choice.value, default=None)
