"""The links of a visited page: new ones are added, and dated ones tell of changes."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from tres_webs import Failure, Link, Web, domain

from ..scope import Scope
from ..web.feeds import DatedLink
from ..web.guard import Guard
from ..web.politeness import host_of
from .candidates import OpenLink
from .judging import Judge, Judged, number_of
from .memory import bin_of
from .session import Session

RECENT = 30.0  # days; what a feed says is older is no news


class Intake:
    """Takes in links for a watch; `scope`: which are followed."""

    def __init__(self, web: Web, judge: Judge, scope: Scope | None, session: Session):
        self._judge = judge
        self._scope = scope
        self._session = session
        self.traps = Guard(web)
        copies = "SELECT url FROM look WHERE failure = ?"
        for (url,) in session.store.rows(copies, str(Failure.COPY)):
            self.traps.count_copy(url)

    def add_seeds(self, urls: list[str]) -> None:
        """Add seeds that are neither links nor known pages as links that are likely relevant."""
        store, seeds = self._session.store, {number_of(url): Link(url, "") for url in urls}
        new = store.unknown(seeds)
        links = [(seeds[id], bin_of(1.0, True), math.nan) for id in seeds if id in new]
        with store.transaction():
            self._add(links, 0.0, None)

    def take(self, judged: Judged, row: int, last: float, day: float) -> int:
        """Take in the links of a page; return how many are new to the watch and have room.

        `last`: the day of its last visit; NaN: there was none.
        """
        session = self._session
        links: dict[int, Link] = {}  # a feed may name a page twice
        for link in filter(self._follows, judged.links):
            links.setdefault(number_of(link.url), link)
        new = session.store.unknown(list(links)[: self.traps.settings.max_links])
        added = {id: link for id, link in links.items() if id in new}
        scores = self._judge.links([*added.values()])
        bins = [bin_of(score, judged.relevant) for score in scores]
        born = [self._born(link, last, day) for link in added.values()]
        self._add(zip(added.values(), bins, born, strict=True), day, row)
        sites = {domain(url) for url in (judged.url, *(link.url for link in added.values()))}
        dropped = set(session.links.crop(sites, session.room))
        session.store.drop_links(dropped)
        bins = [bin for id, bin in zip(added, bins, strict=True) if id not in dropped]
        page = session.calendar.pages[row : row + 1]
        session.memory.see_links(page, bins, not math.isnan(last))
        self._take_hints(links, row, day)
        return len(bins)

    def _follows(self, link: Link) -> bool:
        in_scope = self._scope is None or self._scope.follows(link.url, 0)
        return in_scope and self.traps.passes(link)

    def _born(self, link: Link, last: float, day: float) -> float:
        """Return the day on which a link was new; NaN: long ago."""
        time = link.time if isinstance(link, DatedLink) else None
        if time is not None and (born := self._session.day(time)) <= day:
            return born if day - born < RECENT else math.nan
        return (last + day) / 2

    def _add(self, links: Iterable[tuple[Link, int, float]], day: float, hub: int | None) -> None:
        """Add links, each with its bin and the day on which it was new; NaN: it is old."""
        rows = []
        for link, bin, born in links:
            news = not math.isnan(born)
            since = born if news else day
            id, host = number_of(link.url), host_of(link.url)
            self._session.links.add(OpenLink(-since, id, host, bin, news))
            row = {"id": id, "url": link.url, "host": host, "bin": bin, "news": int(news)}
            rows.append(row | {"since": since, "hub": hub, "tries": 0, "open": 1})
        self._session.store.add("link", rows)

    def _take_hints(self, links: Mapping[int, Link], row: int, day: float) -> None:
        """Take in when a feed or sitemap says that known pages of its own host have changed."""
        session, pages = self._session, self._session.calendar.pages
        said = {
            id: session.day(link.time)
            for id, link in links.items()
            if isinstance(link, DatedLink) and link.time is not None
        }
        hinted = []
        for id, other in sorted(session.store.rows_of("url", said).items()):
            page = pages[other]
            own = page["host"] == pages["host"][row] and other != row
            waits = page["failures"] >= 0 and not page["stale"]  # the first hint counts
            if own and waits and page["look"] < said[id] <= day:
                page["stale"] = session.hosts.list_trust(int(page["host"]))
                page["stale_on"] = said[id]
                hinted.append(other)
        if hinted:
            session.calendar.put(np.array(hinted), session.common)
