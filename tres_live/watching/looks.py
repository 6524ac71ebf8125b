"""One look: a fetch, what it shows, and its row in the log, in one transaction."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

import numpy as np

from tres_lib.focused.scope import Scope
from tres_lib.web.page import Failure, FetchError, Link, Revisit, Web
from tres_lib.web.reader import printable

from ..web.feeds import DatedLink, seconds_of
from .calendar import Choice
from .frontier import Waiting
from .judging import Judge, Judged, Traps
from .memory import bin_of
from .records import kind_of, new_page
from .state import State
from .store import Row
from .text import difference, number_of, packed, unpacked
from .worth import chances, freshness, hub_worth, link_ages, pace, page_worth

GONE = (404, 410)
PATIENCE = 3  # times that a page is gone, or a link fails, until it is given up
SOONEST = 1 / 24  # days between two looks at one page, whatever it is worth
MISSED = 0.25  # days before a failed page is retried; doubled after each failure
DOUBLINGS = 8
UNASKED = 20  # every so many looks a page comes in any case: a 304 may be wrong
RECENT = 30.0  # days; what a feed says is older is no news


class Looker:
    """Fetches links and known pages for a watch, and takes in what they tell.

    Parameters
    ----------
    web : Web
        May offer ``look(url, conditions)``, as `LiveWeb` does.
    judge : Judge
    scope : Scope, optional
        Which links are followed.
    state : State
    """

    def __init__(self, web: Web, judge: Judge, scope: Scope | None, state: State):
        self._ask = getattr(web, "look", None) or (lambda url, _: Revisit(web.fetch(url), {}))
        self._judge = judge
        self._scope = scope
        self._state = state
        self._traps = Traps(web)
        for (url,) in state.store.each(f"SELECT url FROM look WHERE failure = '{Failure.COPY}'"):
            self._traps.count(url)

    def look(self, choice: Choice | tuple[Waiting, float], now: float) -> Row:
        """Fetch the chosen page, store what it shows, and return the row of the log."""
        if isinstance(choice, Choice):
            return self._look_again(choice.row, choice.worth, now)
        return self._follow(*choice, now)

    def add_seeds(self, urls: list[str]) -> None:
        """Add seeds that are neither links nor known pages as links that are likely relevant."""
        store = self._state.store
        new = store.unknown([number_of(url) for url in urls])
        links = [Link(url, "") for url in dict.fromkeys(urls) if number_of(url) in new]
        with store.transaction():
            n = len(links)
            self._add_links(links, [bin_of(1.0, True)] * n, [math.nan] * n, 0.0, None)
            store.add("host", map(self._state.hosts.row, sorted(self._state.hosts.changed)))

    def _follow(self, link: Waiting, worth: float, now: float) -> Row:
        """Fetch a link, and take in what it led to."""
        state = self._state
        (target,) = state.store.rows("SELECT * FROM link WHERE id = ?", link.id)
        row = self._row(target["url"], "link", worth, now)
        found, judged = self._fetch(row.url, {})
        waits = False
        with self._kept(row, found, now):
            state.frontier.take(link)
            if isinstance(found, FetchError) or judged is None:
                waits = self._give_up(link, target["tries"] + 1, state.day(now))
            else:
                state.store.change("link", "id", link.id, open=0)
                born = -link.order if link.news else math.nan
                self._meet(row, found, judged, born, state.day(now))
            if target["hub"] is not None and not waits:
                state.memory.see_link(link.bin, link.news, row.relevant)
        return row

    def _look_again(self, place: int, worth: float, now: float) -> Row:
        """Fetch a known page again, and record what changed."""
        state, day = self._state, self._state.day(now)
        (target,) = state.store.rows("SELECT * FROM url WHERE row = ?", place)
        record = state.calendar.pages[place : place + 1]
        row = self._row(target["url"], self._arm(record[0], day), worth, now)
        row.row, row.title = place, target["title"]
        in_any_case = record["looks"][0] % UNASKED == UNASKED - 1
        conditions = {} if in_any_case else json.loads(target["conditions"])
        found, judged = self._fetch(row.url, conditions)
        with self._kept(row, found, now):
            if isinstance(found, FetchError):
                self._miss(record, found, place, day)
            elif judged is None:
                row.validated, row.p, row.relevant = True, target["p"], target["p"] >= 0.5
                self._see(record, float(record["importance"][0]), False, day)
            else:
                last = float(record["look"][0])
                row.changed = judged.digest != int(record["digest"][0])
                if row.changed and target["text"] is not None:
                    row.difference = difference(unpacked(target["text"]), judged.text)
                record["digest"] = judged.digest
                told = _modified(found.conditions)
                hint = state.day(told), state.hosts.trust(int(record["host"][0]))
                if told > _modified(json.loads(target["conditions"])):
                    state.hosts.note_hint(int(record["host"][0]), row.changed)
                self._keep(row, place, found, judged)
                self._see(record, judged.importance, row.changed, day, *hint)
                self._see_links(row, place, judged, last, day)
            state.calendar.put(np.array([place]), state.common)
        return row

    def _row(self, url: str, arm: str, worth: float, now: float) -> Row:
        price = float(self._state.common["price"][0])
        return Row(self._state.n, now, url, arm, float(worth), price)

    def _fetch(
        self, url: str, conditions: Mapping[str, str]
    ) -> tuple[Revisit | FetchError, Judged | None]:
        """Return the answer to a fetch, and the judged page if there is one."""
        try:
            found: Revisit = self._ask(url, conditions)
        except FetchError as error:
            return error, None
        return found, None if found.page is None else self._judge.page(found.page)

    @contextmanager
    def _kept(self, row: Row, found: Revisit | FetchError, now: float) -> Iterator[None]:
        """Keep the row and all that changes within, or nothing."""
        state = self._state
        error = found if isinstance(found, FetchError) else None
        with state.store.transaction():
            host_failed = error is not None and _is_of_host(error)
            state.hosts.note(state.hosts.of(row.url), host_failed, state.day(now))
            if error is not None:
                row.failure, row.reason = str(error.failure), printable(error.reason)
            yield
            state.settle_price(row.worth, row.arm != "link", state.day(now))
            state.store.add("look", [asdict(row)])
            state.commit(now)

    def _give_up(self, link: Waiting, tries: int, day: float) -> bool:
        """Record a failed link; return whether it is kept for a retry while its host is down."""
        waits = tries < PATIENCE and bool(self._state.hosts.busy[link.host] > day)
        self._state.store.change("link", "id", link.id, tries=tries, open=waits)
        if waits:
            self._state.frontier.add(link)
        return waits

    def _meet(self, row: Row, found: Revisit, judged: Judged, born: float, day: float) -> None:
        """Take in a page that was not known."""
        state = self._state
        if known := self._known_by(judged):
            failure, row.reason = known
            row.title, row.p, row.failure = judged.title, judged.p, str(failure)
            if failure is Failure.COPY:
                self._traps.count(row.url)
            return
        kind = kind_of(judged.url, any(isinstance(link, DatedLink) for link in judged.links))
        record = new_page(number_of(judged.url), state.hosts.of(judged.url), day, kind)
        record["born"], record["rest"] = born, day + SOONEST
        record["digest"] = judged.digest
        host = int(record["host"][0])
        record["likelihood"] = state.hosts.priors[host]
        changed = state.day(_modified(found.conditions))
        state.memory.meet(record, judged.importance, day, changed, state.hosts.trust(host))
        row.row = place = state.calendar.add(record)
        state.store.add("url", [{"row": place, "id": int(record["id"][0]), "url": judged.url}])
        self._keep(row, place, found, judged)
        self._see_links(row, place, judged, math.nan, day)
        state.calendar.put(np.array([place]), state.common)

    def _see(
        self, record: np.ndarray, importance: float, changed: bool, day: float, *hint: float
    ) -> None:
        """Take in that a known page is there, and whether it has changed; see `Memory.see`."""
        record["failures"] = 0
        if told := float(record["told"][0]):
            hint = self._check_hint(record, changed, day), told
        record["rest"] = day + SOONEST
        self._state.memory.see(record, importance, changed, day, *hint)

    def _check_hint(self, record: np.ndarray, changed: bool, day: float) -> float:
        """Compare with what a list said of a page; return the day of a change as for a date of it.

        What is known is when it changed first since the last look, for that is why it is looked at
        now. Rates follow from that as from the time since the last change.
        """
        host, look = int(record["host"][0]), float(record["look"][0])
        record["told"] = 0
        # `freshness` counts ended pages as not fresh; this one is there.
        alive = np.exp(-float(self._state.common["end"][0]) * (day - look))
        fresh = float(freshness(record, self._state.common, day)[0] / alive)
        self._state.hosts.note_listed(host, fresh, changed)
        return day - (float(record["said"][0]) - look)

    def _miss(self, record: np.ndarray, error: FetchError, place: int, day: float) -> None:
        """Record a failed fetch; drop the page after three answers 404 or 410."""
        if _is_of_host(error):  # which is left alone itself
            record["rest"] = day + SOONEST
            return
        record["failures"] += 1
        record["rest"] = day + MISSED * 2.0 ** min(int(record["failures"][0]) - 1, DOUBLINGS)
        if error.status in GONE and record["failures"][0] >= PATIENCE:
            record["failures"] = -1
            self._state.common["ends"] += record["importance"] > 0
            self._state.store.change("url", "row", place, words=None)  # no copy of it any more

    def _see_links(self, row: Row, place: int, judged: Judged, last: float, day: float) -> None:
        """Take in the links of a page that are new to the watch; `last`: its last look, or NaN."""
        state = self._state
        some: dict[int, Link] = {}  # a feed may name a page twice
        for link in filter(self._follows, judged.links):
            some.setdefault(number_of(link.url), link)
        new = state.store.unknown(list(some)[: self._traps.settings.max_links])
        links = [link for id, link in some.items() if id in new]
        scores = self._judge.links(links) if links else []
        bins = [bin_of(score, judged.relevant) for score in scores]
        record = state.calendar.pages[place : place + 1]
        state.memory.see_links(record, bins, not math.isnan(last))
        self._add_links(links, bins, [self._born(link, last, day) for link in links], day, place)
        row.links = len(links)
        dated = {id: link for id, link in some.items() if isinstance(link, DatedLink)}
        self._take_hints({id: link for id, link in dated.items() if id not in new}, place, day)

    def _take_hints(self, links: Mapping[int, DatedLink], place: int, day: float) -> None:
        """Take in when a feed or sitemap says that known pages of its own host have changed."""
        state, pages = self._state, self._state.calendar.pages
        hinted = []
        for id, row in sorted(state.store.known(list(links)).items()):
            page, time = pages[row], links[id].time
            said = math.nan if time is None else state.day(time)
            own = page["host"] == pages["host"][place] and row != place
            waits = page["failures"] >= 0 and not page["told"]  # the first hint counts
            if own and waits and page["look"] < said <= day:
                page["told"], page["said"] = state.hosts.lists_tell(int(page["host"])), said
                hinted.append(row)
        if hinted:
            state.calendar.put(np.array(hinted), state.common)

    def _follows(self, link: Link) -> bool:
        in_scope = self._scope is None or self._scope.follows(link.url, 0)
        return in_scope and self._traps.passes(link)

    def _born(self, link: Link, last: float, day: float) -> float:
        """Return the day on which a link was new; NaN: long ago."""
        time = link.time if isinstance(link, DatedLink) else None
        if time is not None and (born := self._state.day(time)) <= day:
            return born if day - born < RECENT else math.nan
        return (last + day) / 2

    def _add_links(
        self, links: list[Link], bins: list[int], born: list[float], day: float, hub: int | None
    ) -> None:
        """Add links; `born`: the days on which they were new, NaN for an old one."""
        state = self._state
        rows = []
        for link, bin, new in zip(links, bins, born, strict=True):
            news = not math.isnan(new)
            since = new if news else day
            id, host = number_of(link.url), state.hosts.of(link.url)
            state.frontier.add(Waiting(-since, id, host, bin, news))
            kept = {"id": id, "url": link.url, "host": host, "bin": bin, "news": int(news)}
            rows.append({**kept, "since": since, "hub": hub, "tries": 0, "open": 1})
        state.store.add("link", rows)

    def _keep(self, row: Row, place: int, found: Revisit, judged: Judged) -> None:
        """Keep what a page is, and its text if later changes are to be shown."""
        row.title, row.p, row.relevant = judged.title, judged.p, judged.relevant
        columns = {
            "title": judged.title,
            "text": packed(judged.text) if judged.relevant else None,
            "p": judged.p,
            "words": judged.words,
            "conditions": json.dumps(dict(found.conditions)),
        }
        self._state.store.change("url", "row", place, **columns)

    def _known_by(self, judged: Judged) -> tuple[Failure, str] | None:
        """Return which known page this is, or is a copy of; None if it is new."""
        known = "SELECT url FROM url WHERE id = ?"
        if self._state.store.rows(known, number_of(judged.url)):
            return Failure.DUPLICATE, f"leads to {judged.url}"
        alike = "SELECT url FROM url WHERE words = ? ORDER BY row LIMIT 1"
        found = self._state.store.rows(alike, judged.words)
        return (Failure.COPY, f"copy of {found[0][0]}") if found else None

    def _arm(self, record: np.void, day: float) -> str:
        """Return which role of a known page, page or hub, is worth more now."""
        common = self._state.common
        age = day - record["look"]
        as_hub = hub_worth(record, common, *_of_links(common), pace(record, common), age)
        return "hub" if as_hub > page_worth(record, common, age) else "page"


def _modified(conditions: Mapping[str, str]) -> float:
    """Return when a server said that a page changed last, in seconds; NaN if it did not."""
    told = seconds_of(conditions.get("If-Modified-Since", ""))
    return math.nan if told is None else told


def _of_links(common: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return, by bin, links' probability of relevance and the age at which they are given up."""
    p = chances(common)
    return p, link_ages(common, p)


def _is_of_host(error: FetchError) -> bool:
    """Return whether a host did not answer, or was busy or broken, rather than one page."""
    silent = error.status is None and error.failure is not Failure.ROBOTS
    return silent or error.status == 429 or (error.status or 0) >= 500
