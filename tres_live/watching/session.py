"""A watch that is under way, in memory as in its store."""

import numpy as np

from .candidates import Calendar, Choice, OpenLink, OpenLinks
from .clock import DAY, Tokens
from .engine import choose
from .memory import Memory
from .records import COMMON, Hosts, new_common
from .store import VERSION, Store

CHEAPER = 0.8  # of the price at which all pages were keyed: below it they are keyed anew
ONE_GROUP = np.zeros(2, np.int64), np.ones(1), np.zeros(1)  # links and pages share all bandwidth


class Session:
    """Beliefs, calendar, open links, hosts and tokens; `commit` stores what a visit has changed.

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
    ):
        self.store = store
        if store.meta("version") is None:
            self._begin(topic, half_life, lasting, now)
        if store.meta("topic") != topic:
            other = f"was {store.meta('topic')!r} in {str(store.path)!r}"
            raise ValueError(f"topic={topic!r} {other}; give that or name another store")
        self.began: float = store.meta("began")
        self.n: int = store.meta("looks")
        self.tokens = Tokens(bandwidth, store.meta("level"), store.meta("at"))
        common = np.frombuffer(store.meta("common"), COMMON).copy()
        common["fading"], common["lasting"] = np.log(2) / half_life, lasting
        self.common = common
        self.memory = Memory(common)
        self.hosts = Hosts()
        self.calendar = Calendar(np.frombuffer(store.meta("keyed_common"), COMMON))
        self.links = OpenLinks()
        self._load()
        self._keyed = int(common["keyed"][0])  # of the copy in the store

    def day(self, now: float) -> float:
        """Return the days since the beginning."""
        return (now - self.began) / DAY

    def choose(self, day: float) -> Choice[int] | Choice[OpenLink] | None:
        """Return the most valuable known page or link; None if there is none."""
        self.renew(day)
        if self.common["price"][0] < CHEAPER * self.common["keyed_price"][0]:
            self.calendar.put_all(self.common)
        page = self.calendar.best(self.common, day, self.hosts.busy)
        link = self.links.best(self.common, day, self.hosts.busy)
        if page is None and link is None:
            page = self.calendar.best_of_all(self.common, day, self.hosts.busy)
            if page is not None:  # nothing reaches the price, so the price was wrong
                self.common["price"] = page.value
        best = np.array([choice.value if choice else -1.0 for choice in (link, page)])
        return (link, page, None)[choose(best, *ONE_GROUP, -1.0)]

    def renew(self, day: float) -> None:
        """Learn from all pages together, once a day."""
        if self.memory.renew(self.calendar.pages, self.hosts.records, day):
            self.hosts.changed.update(range(len(self.hosts)))
            self.calendar.put_all(self.common)

    def settle_price(self, value: float, known: bool, day: float) -> None:
        """Move the price towards the value of a fetched known page, or of a link below the price.

        After another link it follows the best of the old links that wait, if that is above it:
        what may be fetched at any time has no value above the price.
        """
        price = self.common["price"][0]
        if known or value < price:
            self.memory.follow(value)
        elif (waiting := self.links.best_old(self.common, day)) > price:
            self.memory.follow(waiting)

    def commit(self, now: float) -> None:
        """Write all changes; call it within a transaction."""
        store = self.store
        self.n += 1
        self.tokens.spend(now)
        store.keep(looks=self.n, level=self.tokens.level, at=self.tokens.at)
        store.keep(common=self.common.tobytes())
        if self.common["keyed"][0] != self._keyed:
            self._keyed = int(self.common["keyed"][0])
            store.keep(keyed_common=self.calendar.common.tobytes())
        store.keep_pages(self.calendar.changed, self.calendar.pages)
        store.add("host", map(self.hosts.row, sorted(self.hosts.changed)))
        self.calendar.changed.clear()
        self.hosts.changed.clear()

    def _begin(self, topic: str, half_life: float, lasting: float, now: float) -> None:
        common = new_common(half_life, lasting).tobytes()
        with self.store.transaction():
            self.store.keep(version=VERSION, topic=topic, began=now, looks=0, level=1.0, at=now)
            self.store.keep(common=common, keyed_common=common)

    def _load(self) -> None:
        for host in self.store.rows("SELECT * FROM host ORDER BY host"):
            self.hosts.load(dict(host))
        self.calendar.load(self.store.pages())
        open_links = "SELECT since, id, host, bin, news FROM link WHERE open"
        for since, id, host, bin, news in self.store.each(open_links):
            self.links.add(OpenLink(-since, id, host, bin, bool(news)))
