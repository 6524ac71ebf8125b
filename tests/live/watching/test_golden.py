"""A watch of 318 looks, in three parts, is the one recorded before its code was redrawn."""

from __future__ import annotations

import hashlib
import json
from email.utils import formatdate, parsedate_to_datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from watching_web import DAY, START, TOPIC, ZERO, DailyWeb, says_apple, spelt

import tres_live
from tres_webs import Failure, FetchError, Link, Page, Revisit

pytestmark = pytest.mark.slow  # compiling takes a while
GOLDEN = Path(__file__).parents[2] / "golden" / "watch.json"
FARM, OUTSIDE = "http://farm.example/", "http://outside.example/"
PARTS = ((0.0, 3.0), (3.7, 4.5), (4.4, 9.5))  # days by its clock, which once was set back


class Varied(DailyWeb):
    """What a watch meets: hints, feeds, failures, robots.txt, redirects, copies, a link farm."""

    def look(self, url, conditions):
        day, (site, kind, n) = self.clock.now() / DAY, self._parts(url)
        if kind != "old" or site > 1:
            return Revisit(self.fetch(url), {})
        version = int(day / (n + 1) ** 1.5 + 0.618 * n)
        at = self._at(n, version) if site == 0 else self.clock.now() // 60 * 60  # boasts
        if "If-Modified-Since" in conditions:
            said = parsedate_to_datetime(conditions["If-Modified-Since"]).timestamp()
            if said == at:
                return Revisit(None, conditions)
        return Revisit(self.fetch(url), {"If-Modified-Since": formatdate(at, usegmt=True)})

    def fetch(self, url):
        day = (self.clock.now() - ZERO) / DAY
        site, kind, n = self._parts(url)
        if url.startswith(FARM):
            links = [Link(f"{url}-{k}", "apple news") for k in range(30)]
            return Page(url, 200, f"Apple {named(url)}", f"The farm {named(url)}", (*links,))
        if kind == "go":  # a redirect, to a known page, out of scope or to a copy
            to = (f"http://site{n % 2}.example/", f"{OUTSIDE}{n}", f"http://site3.example/as/{n}")
            text = f"An apple of day {n} is as red as any."
            return super().fetch(to[0]) if n % 3 == 0 else Page(to[n % 3], 200, "Day", text, ())
        if kind == "shut":
            raise FetchError(url, "robots.txt", None, Failure.ROBOTS)
        if site == 2 and 2 < day < 2.6:
            raise FetchError(url, "HTTP 503", 503)
        if site == 2 and kind == "old" and day > 4 and n % 2:
            raise FetchError(url, f"HTTP {410 - 7 * (n % 4 == 1)}", 410 - 7 * (n % 4 == 1))
        page = super().fetch(url)
        return Page(page.url, 200, page.title, page.text, (*self._more(url, page), *page.links))

    def _parts(self, url):
        if url.startswith("http://site"):
            return super()._parts(url)
        return -1, "", 0

    def _more(self, url, page):
        if url == START:
            return [Link(FARM, "apple"), Link(OUTSIDE, "apple")]
        if url == "http://site3.example/":
            also = [Link(f"{url}{kind}/{n}", "apple") for kind in ("go", "shut") for n in range(14)]
            return [*also, Link(f"{url}{'a' * 600}", "apple")]
        if url != "http://site0.example/":
            return []
        items = ((k, int(k.url.rpartition("/")[2])) for k in page.links if "/item/" in k.url)
        dated = [tres_live.DatedLink(k.url, k.anchor, time=n * DAY / 2) for k, n in items]
        version = [int(self.clock.now() / DAY / (n + 1) ** 1.5 + 0.618 * n) for n in range(12)]
        return dated + [
            tres_live.DatedLink(f"{url}old/{n}", "apple page", time=self._at(n, version[n]))
            for n in range(12)
        ]

    def _at(self, n, version):
        """When old page n changed to a version."""
        return float(np.ceil((version - 0.618 * n) * (n + 1) ** 1.5 * DAY))


def named(url):
    return spelt(int.from_bytes(hashlib.sha256(url.encode()).digest()[:4], "big"))


def plain(value):
    """A value as JSON has it, numbers to nine digits."""
    if isinstance(value, float):
        return float(f"{value:.9g}") if value == value else None
    return value.item() if isinstance(value, np.generic) else value


def lines(table):
    rows = table.astype(object).itertuples(index=False)
    return [[plain(value) for value in row] for row in rows]


def record(folder):
    """Return each look with what is known after it, and what is told of all at the end."""
    after = []
    for begin, until in PARTS:
        clock = tres_live.VirtualClock(ZERO + begin * DAY)
        with tres_live.watch(
            Varied(clock), [START], TOPIC, store=folder / "a.sqlite", clock=clock, bandwidth=36,
            until=until, classifier=says_apple, max_per_domain=30, half_life=2.0, lasting=0.8,
            importance=lambda page: 2.0 if "site2" in page.url else 1.0,
            scope=tres_live.Scope(deny=("outside.example",)),
        ) as watched:  # fmt: skip

            def on_look(row, watched=watched):
                table = watched.table()
                facts = table[["p", "importance", "fresh", "worth"]].sum().tolist()
                due = table["next_look"]
                days = (due.min().timestamp() - ZERO) / DAY if due.notna().any() else None
                known = [watched.price, len(table), *facts, int(due.notna().sum()), days]
                after.append([row.look, *map(plain, known)])

            watched.run(on_look)
            watched.write_digests(folder / f"{until}")
            if until == PARTS[-1][1]:
                return json.loads(json.dumps(found(watched, after, folder)))


def found(watched, after, folder):
    log, table = watched.log(), watched.table()
    for name in ("last_look", "next_look"):
        table[name] = [None if pd.isna(t) else round(t.timestamp(), 3) for t in table[name]]
    log["difference"] = log["difference"].str.replace("\n", "|")
    files = sorted(folder.rglob("*.html")) + sorted(folder.rglob("*.xml"))
    return {
        "log": [[*log.columns], *lines(log)],
        "after": after,
        "table": [[*table.columns], *lines(table)],
        "spent": {by: watched.spent(by).to_dict() for by in ("arm", "day", "host", "reason")},
        "words": watched.in_words(),
        "digests": {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:24]
            for path in files
        },
    }


def test_a_watch_is_the_recorded_one(tmp_path):
    made, recorded = record(tmp_path), json.loads(GOLDEN.read_text(encoding="utf-8"))
    for name, rows in recorded.items():
        for one, other in zip(made[name], rows, strict=True):
            assert one == other
        assert made[name] == rows
