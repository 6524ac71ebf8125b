"""A tiny web that changes by the day: hubs that list new items, and old pages that are rewritten.

All is a function of the clock's time. Sites 0, 2, ... write on apples, the others on stones.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from tres_live import DatedLink, VirtualClock, watch
from tres_live.watching.store import State, Store
from tres_webs import FetchError, Link, Page, Topic

DAY = 86_400.0
TOPIC = Topic("fruit", keywords=("apple", "ripe fruit"))
START = "http://start.example/"
LISTED = 10  # items on a hub
ZERO = 1_700_000_000.0  # when the laboratory's days begin
HUB = "http://site.example/"


def says_apple(texts: list[str]) -> np.ndarray:
    return np.array([0.9 if "apple" in text.lower() else 0.1 for text in texts])


def subject(site: int) -> str:
    return "stone" if site % 2 else "apple"


def spelt(n: int) -> str:
    """A number in letters, as pages that differ in digits alone are copies."""
    return "".join("abcdefghij"[int(digit)] for digit in str(n))


class DailyWeb:
    """A start page, `sites` hubs with an item every `every` days, and 12 old pages a site."""

    def __init__(self, clock: VirtualClock, sites: int = 4, every: float = 0.5):
        self.clock, self.sites, self.every, self.asked = clock, sites, every, []

    def fetch(self, url: str) -> Page:
        self.asked.append(url)
        day = self.clock.now() / DAY
        if url.endswith("/robots.txt"):
            raise FetchError(url, "HTTP 404", 404)
        if url == START:
            hubs = [Link(f"http://site{s}.example/", subject(s)) for s in range(self.sites)]
            return Page(url, 200, "Start", "All sites of this small web are named here.", (*hubs,))
        site, kind, n = self._parts(url)
        if kind == "":
            return self._hub(url, site, day)
        if kind == "old" and n < 12:
            version = int(day / (n + 1) ** 1.5 + 0.618 * n)
            text = (
                f"This {subject(site)} page {spelt(site)} {spelt(n)} was rewritten {version} times."
            )
            return Page(url, 200, f"{subject(site)} {n}", text, ())
        if kind == "item" and n <= day / self.every:
            text = f"News item {spelt(n)} of site {spelt(site)} tells of one {subject(site)} more."
            return Page(url, 200, f"News {n}", text, ())
        raise FetchError(url, "HTTP 404", 404)

    def is_relevant(self, url: str, topic: object) -> None:
        return None

    def _parts(self, url: str) -> tuple[int, str, int]:
        host, _, path = url.removeprefix("http://site").partition(".example/")
        kind, _, n = path.partition("/")
        return int(host), kind, int(n or 0)

    def _hub(self, url: str, site: int, day: float) -> Page:
        last = int(day / self.every)
        word = subject(site)
        items = [Link(f"{url}item/{n}", f"{word} news") for n in range(last, last - LISTED, -1)]
        old = [Link(f"{url}old/{n}", f"{word} page") for n in range(12)]
        gone = Link(f"{url}gone/1", "read more")
        text = f"Site {spelt(site)} lists its latest news here, up to number {last}."
        return Page(url, 200, f"Site {site}", text, (*items, *old, gone))


class Listed:
    """A hub with two news a day and 20 pages that change at random, once in 20 days.

    It dates the pages by their last change (from day 10 on, when all are known), always by now, or
    not at all.
    """

    def __init__(self, clock, says, pages=20, rate=0.05):
        rng = np.random.default_rng(1)
        self.clock, self.says = clock, says
        self.changes = np.cumsum(rng.exponential(1 / rate, (pages, 60)), axis=1)

    def fetch(self, url):
        day, name = (self.clock.now() - ZERO) / DAY, url.rpartition("/")[2]
        if not name:
            pages = [self._dated(n, day) for n in range(len(self.changes))]
            last = 10 + int(2 * day)
            items = [Link(f"{HUB}item{n}", "apple news") for n in range(last, last - 10, -1)]
            return Page(
                url, 200, "Site", f"All of this site, up to {spelt(last)}.", (*pages, *items)
            )
        text = f"Of an apple {name[:4]} {spelt(int(name[4:]))}."
        if name.startswith("page"):
            text += f" Rewritten, version {spelt(self.version(int(name[4:]), day))}."
        return Page(url, 200, f"apple {name}", text, ())

    def is_relevant(self, url, topic):
        return None

    def version(self, n, day):
        return int((self.changes[n] <= day).sum())

    def _dated(self, n, day):
        past = self.changes[n][self.changes[n] <= day]
        truth = ZERO + past[-1] * DAY if len(past) and day > 10 else None
        times = {"never": None, "now": self.clock.now() - 1.0, "truth": truth}
        time = times[self.says] if day > 10 else None
        return DatedLink(f"{HUB}page{n}", "apple page", time=time)


def run_daily(path: str, days: float = 60.0) -> None:
    """Go on with the watch in a store as if no time had passed since its last look."""
    clock = clock_of(path)
    with watch(
        DailyWeb(clock), [START], TOPIC, store=path, clock=clock,
        bandwidth=30, until=days, classifier=says_apple,
    ) as watched:  # fmt: skip
        watched.run()


def write_log(path: str) -> None:
    """Write 40 looks, other ones where it is to be killed, and wait there for the kill."""
    store = Store(path)
    killed = "killed" in path
    store.add("look", [{"look": n, "url": f"{HUB}{n}", "p": killed} for n in range(40)])
    store.close()
    time.sleep(60 * killed)


def write_whole(path: str) -> None:
    """Write 40 looks where nobody kills it, else none."""
    if "killed" not in path:
        write_log(path)


def stored(path: str | Path) -> tuple[Store, State]:
    """The store of a watch, and what it believes by that."""
    store = Store(path)
    return store, store.load(TOPIC.name, 1.5, 0.2, 24, ZERO)


def clock_of(path: str) -> VirtualClock:
    """A clock that stands at the last look of a store, or at the beginning."""
    if Path(path).exists():
        with suppress(ValueError):
            store = Store(path, read_only=True)
            at = store.meta("at")
            store.close()
            return VirtualClock(at or ZERO)
    return VirtualClock(ZERO)
