"""One visit: a fetch, what it shows, and its row in the log, in one transaction."""

import json
import math
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

import numpy as np

from tres_webs.page import Failure, FetchError, Web, as_web
from tres_webs.reader import printable

from ..scope import Scope
from ..web.feeds import DatedLink, seconds_of
from .candidates import Choice, OpenLink
from .digest import difference
from .intake import Intake
from .judging import Judge, Judged, number_of
from .records import kind_of, new_page
from .session import Session
from .store import Row
from .values import freshness, rank

GONE = (404, 410)
PATIENCE = 3  # times that a page is gone, or a link fails, until it is given up
SOONEST = 1 / 24  # days between two visits to one page, whatever their value
MISSED = 0.25  # days before a failed page is retried; doubled after each failure
DOUBLINGS = 8
UNASKED = 20  # every so many visits a page comes in any case: a 304 may be wrong


class Visitor:
    """Fetches links and known pages for a watch, and takes in what they show."""

    def __init__(self, web: Web, judge: Judge, scope: Scope | None, session: Session):
        self._web = as_web(web)
        self._judge = judge
        self._session = session
        self._asks = (scope or Scope()).requests()
        self._intake = Intake(web, judge, scope, session)
        self.add_seeds = self._intake.add_seeds

    def visit(self, choice: Choice, now: float) -> Row:
        """Fetch the chosen page, store what it shows, and return the row of the log."""
        if isinstance(choice.target, OpenLink):
            return self._follow(choice.target, choice.value, now)
        return self._again(choice.target, choice.value, now)

    def _follow(self, link: OpenLink, value: float, now: float) -> Row:
        """Fetch a link, and take in what it led to."""
        session, day = self._session, self._session.day(now)
        (target,) = session.store.rows("SELECT * FROM link WHERE id = ?", link.id)
        row = self._row(target["url"], "link", value, now)
        answer = self._fetch(row, {})
        waits = False
        with self._recorded(row, answer, now):
            session.links.take(link)
            if isinstance(answer, Judged):
                session.store.change("link", "id", link.id, open=0)
                self._meet(row, answer, -link.order if link.news else math.nan, day)
            else:
                waits = self._give_up(link, target["tries"] + 1, day)
            if target["hub"] is not None and not waits:
                session.see_link(row.url, link, row.relevant)
        return row

    def _again(self, place: int, value: float, now: float) -> Row:
        """Fetch a known page again, and record what changed."""
        session, day = self._session, self._session.day(now)
        (target,) = session.store.rows("SELECT * FROM url WHERE row = ?", place)
        page = session.calendar.pages[place : place + 1]
        roles = rank(page, np.arange(1), session.common, day)[:, 0]
        row = self._row(target["url"], "hub" if roles[1] > roles[0] else "page", value, now)
        row.row, row.title = place, target["title"]
        in_any_case = page["looks"][0] % UNASKED == UNASKED - 1
        answer = self._fetch(row, {} if in_any_case else json.loads(target["conditions"]))
        with self._recorded(row, answer, now):
            if isinstance(answer, FetchError):
                self._miss(page, answer, place, day)
            elif answer is None:
                row.validated, row.p, row.relevant = True, target["p"], target["p"] >= 0.5
                self._see(page, float(page["importance"][0]), False, day)
            else:
                self._compare(row, target, answer, day)
            session.calendar.put(np.array([place]), session.common)
        return row

    def _compare(self, row: Row, target: sqlite3.Row, judged: Judged, day: float) -> None:
        """Take in what a known page is now, against what the store has of it."""
        place, hosts = target["row"], self._session.hosts
        page = self._session.calendar.pages[place : place + 1]
        host, last = int(page["host"][0]), float(page["look"][0])
        row.changed = judged.digest != int(page["digest"][0])
        if row.changed and (before := target["text"]) is not None:
            row.difference = difference(zlib.decompress(before).decode(), judged.text)
        page["digest"] = judged.digest
        said = _modified(judged.conditions)
        hint = self._session.day(said), hosts.trust(host)
        if said > _modified(json.loads(target["conditions"])):
            hosts.count(host, hints=1, held=row.changed)
        self._store_page(row, target["url"], judged)
        self._see(page, judged.importance, row.changed, day, *hint)
        row.links = self._intake.take(judged, place, last, day)

    def _row(self, url: str, arm: str, value: float, now: float) -> Row:
        price = float(self._session.common["price"][0])
        return Row(self._session.n, now, url, arm, float(value), price)

    def _fetch(self, row: Row, conditions: Mapping[str, str]) -> Judged | FetchError | None:
        """Return the page as it is judged, or why there is none; None: it is as it was."""
        try:
            page, later = self._web.look(row.url, conditions)
        except FetchError as error:
            row.failure, row.reason = str(error.failure), printable(error.reason)
            return error
        return None if page is None else self._judge.page(page, later)

    @contextmanager
    def _recorded(self, row: Row, answer: Judged | FetchError | None, now: float) -> Iterator[None]:
        """Store the row and all that changes within, or nothing."""
        session, day = self._session, self._session.day(now)
        host_failed = isinstance(answer, FetchError) and _is_of_host(answer)
        with session.store.transaction():
            session.charge(row.url)
            session.hosts.note(session.hosts.of(row.url), host_failed, day)
            yield
            session.settle_price(row.url, row.worth, row.arm != "link", day)
            session.store.add("look", [asdict(row)])
            session.commit(now)

    def _give_up(self, link: OpenLink, tries: int, day: float) -> bool:
        """Record a failed link; return whether it waits for a retry while its host is down."""
        waits = tries < PATIENCE and self._session.hosts.busy_of(link.host) > day
        self._session.store.change("link", "id", link.id, tries=tries, open=waits)
        if waits:
            self._session.links.add(link)
        return waits

    def _meet(self, row: Row, judged: Judged, born: float, day: float) -> None:
        """Take in a page that is new to the watch."""
        session = self._session
        if self._is_known(row, judged):
            row.title, row.p = judged.title, judged.p
            return
        kind = kind_of(judged.url, any(isinstance(link, DatedLink) for link in judged.links))
        host = session.hosts.of(judged.url)
        page = new_page(number_of(judged.url), host, day, kind)
        page["born"], page["rest"] = born, day + SOONEST
        page["digest"] = judged.digest
        page["likelihood"] = session.hosts.records["prior"][host]
        changed = session.day(_modified(judged.conditions))
        session.memory.meet(page, judged.importance, day, changed, session.hosts.trust(host))
        row.row = place = session.calendar.add(page)
        session.pages_of[host] += 1
        self._store_page(row, judged.url, judged)
        row.links = self._intake.take(judged, place, math.nan, day)
        session.calendar.put(np.array([place]), session.common)

    def _is_known(self, row: Row, judged: Judged) -> bool:
        """Return whether this page is known, a copy or out of scope, and note that in the row."""
        store, leads = self._session.store, f"leads to {judged.url}"
        alike = store.rows("SELECT url FROM url WHERE words = ? ORDER BY row", judged.words)
        if judged.url != row.url and not self._asks(judged.url):
            row.failure, row.reason = str(Failure.OUT_OF_SCOPE), leads
        elif store.rows_of("url", [number_of(judged.url)]):
            row.failure, row.reason = str(Failure.DUPLICATE), leads
        elif alike:
            row.failure, row.reason = str(Failure.COPY), f"copy of {alike[0][0]}"
            self._intake.traps.count_copy(row.url)
        return bool(row.failure)

    def _see(
        self, page: np.ndarray, importance: float, changed: bool, day: float, *hint: float
    ) -> None:
        """Take in that a known page is there, and whether it has changed; see `Memory.see`."""
        session = self._session
        page["failures"], page["rest"] = 0, day + SOONEST
        if stale := float(page["stale"][0]):  # by what a list said
            look = float(page["look"][0])
            page["stale"] = 0
            # `freshness` counts ended pages as not fresh; this one is there.
            alive = np.exp(-float(session.common["end"][0]) * (day - look))
            fresh = float(freshness(page, session.common, day)[0] / alive)
            session.hosts.count(int(page["host"][0]), expected=fresh, stayed=not changed)
            # When it changed first since the last visit, for that is why it is visited now. Rates
            # follow from that as from the time since the last change.
            hint = day - (float(page["stale_on"][0]) - look), stale
        session.memory.see(page, importance, changed, day, *hint)

    def _miss(self, page: np.ndarray, error: FetchError, place: int, day: float) -> None:
        """Record a failed fetch; drop the page after three answers 404 or 410."""
        if _is_of_host(error):  # which is left alone itself
            page["rest"] = day + SOONEST
            return
        page["failures"] += 1
        page["rest"] = day + MISSED * 2.0 ** min(int(page["failures"][0]) - 1, DOUBLINGS)
        if error.status in GONE and page["failures"][0] >= PATIENCE:
            page["failures"] = -1
            self._session.common["ends"] += page["importance"] > 0
            self._session.store.change("url", "row", place, words=None)  # no longer has copies

    def _store_page(self, row: Row, url: str, judged: Judged) -> None:
        """Store what a page is, and its text if later changes are to be shown."""
        row.title, row.p, row.relevant = judged.title, judged.p, judged.relevant
        text = zlib.compress(judged.text.encode("utf-8", "replace")) if judged.relevant else None
        conditions = json.dumps(dict(judged.conditions))
        names = {"row": row.row, "id": number_of(url), "url": url, "title": judged.title}
        facts = {"text": text, "words": judged.words, "p": judged.p, "conditions": conditions}
        self._session.store.add("url", [{**names, **facts}])


def _modified(conditions: Mapping[str, str]) -> float:
    """Return when a server said that a page changed last, in seconds; NaN if it did not."""
    said = seconds_of(conditions.get("If-Modified-Since", ""))
    return math.nan if said is None else said


def _is_of_host(error: FetchError) -> bool:
    """Return whether a host did not answer, or was busy or broken, rather than one page."""
    silent = error.status is None and error.failure is Failure.OTHER
    return silent or error.status == 429 or (error.status or 0) >= 500
