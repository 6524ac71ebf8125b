"""Thirty days on a virtual clock: what is found, when, at which price; goes on after a stop."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import replace
from random import Random
from unittest.mock import Mock

import numpy as np
import pytest
from watching_web import DAY, START, TOPIC, DailyWeb, says_apple

import tres_live
from tres_live.watching.store import Store
from tres_webs import Link, Page, Revisit

pytestmark = pytest.mark.slow  # compiling takes a while
ZERO = 1_700_000_000.0


def begin(path, clock=None, web=None, **options):
    clock = clock or tres_live.VirtualClock(ZERO)
    options = {"clock": clock, "bandwidth": 24, "until": 30, "classifier": says_apple} | options
    web = web or DailyWeb(clock)
    return tres_live.watch(web, [START], TOPIC, store=path, **options)


@pytest.fixture(scope="module")
def month(tmp_path_factory):
    with begin(tmp_path_factory.mktemp("month") / "watch.sqlite") as watched:
        watched.run()
        yield watched, watched.log(), watched.table()


def test_new_relevant_pages_are_fetched_soon_and_stones_are_left(month):
    _, log, table = month
    items = log[log["url"].str.contains("/item/") & (log["arm"] == "link") & (log["look"] > 300)]
    fetched = items[items["relevant"] == 1]
    age = (
        fetched["time"] - fetched["url"].str.extract(r"item/(\d+)")[0].astype(int) * DAY / 2
    ) / DAY
    assert len(fetched) > 60 and age.median() < 0.6
    by_site = log[log["arm"] == "hub"]["url"].str.extract(r"site(\d)")[0].value_counts()
    assert by_site.get("0", 0) > 2 * by_site.get("1", 0)
    assert (table["p"] >= 0.5).sum() > 100


def test_a_watch_in_two_parts_is_that_in_one(month, tmp_path):
    _, whole, _ = month
    clock = tres_live.VirtualClock(ZERO)
    for days in (3.3, 11, 30):
        with begin(tmp_path / "two.sqlite", clock, until=days) as watched:
            watched.run()
            at = watched.log()["time"].iloc[-1]
        clock = tres_live.VirtualClock(at)
    with begin(tmp_path / "two.sqlite", clock) as watched:
        assert watched.log().equals(whole)


def test_no_burst_after_a_rest(tmp_path):
    with begin(tmp_path / "a.sqlite", until=2) as watched:
        watched.run()
        looks = len(watched.log())
    late = tres_live.VirtualClock(ZERO + 20 * DAY)
    with begin(tmp_path / "a.sqlite", late, until=20.01) as watched:
        assert len(watched.run().log()) - looks <= 24 / 24 + 1


def test_a_second_process_is_refused_and_may_read(tmp_path):
    with begin(tmp_path / "a.sqlite", until=1) as watched:
        watched.run()
        with pytest.raises(ValueError, match="in use by another watch"):
            begin(tmp_path / "a.sqlite")
        reader = tres_live.Report(Store(tmp_path / "a.sqlite", read_only=True))
        assert reader.spent().equals(watched.spent())
    with pytest.raises(ValueError, match="topic='food' was 'fruit'"):
        tres_live.watch(DailyWeb(None), [START], "food", store=tmp_path / "a.sqlite",
                       classifier=says_apple)  # fmt: skip


def test_a_second_signal_ends_it_at_once_and_nothing_is_lost(tmp_path, request):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background: ignored
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    clock = tres_live.VirtualClock(ZERO)

    class Interrupted(DailyWeb):
        def fetch(self, url):
            if len(self.asked) == 40:
                os.kill(os.getpid(), signal.SIGINT)
                os.kill(os.getpid(), signal.SIGINT)
            return super().fetch(url)

    with pytest.raises(KeyboardInterrupt):
        begin(tmp_path / "a.sqlite", clock, Interrupted(clock)).run()
    with begin(tmp_path / "a.sqlite", clock, until=3) as watched:
        assert len(watched.log()) == 40 and len(watched.run().log()) > 60


def jumps_at_random(seed):
    """60 in 15 days, when and by how much: from a second to a year, forward and back."""
    rng = Random(seed)
    sizes = (rng.choice((-1, 1)) * 10 ** rng.uniform(0, 7.5) for _ in range(60))
    return sorted((rng.uniform(0, 15 * DAY), size) for size in sizes)


@pytest.mark.parametrize(
    "jumps",
    [[(3 * DAY, -10 * DAY)], [(3 * DAY, 365 * DAY), (3 * DAY + 3_600, -365 * DAY)],
     [(k * DAY, (-1) ** k * 7 * DAY) for k in range(1, 9)],
     [(k * DAY / 24, (-1) ** k * DAY / 12) for k in range(360)], *map(jumps_at_random, range(2))],
)  # fmt: skip
def test_fetches_go_on_whatever_the_clock_does(tmp_path, jumps, caplog):
    moments = Counter(int(at / DAY) for at, _ in jumps)
    leads = np.maximum.accumulate([0.0, *np.cumsum([size for _, size in jumps])])

    class Jumping(tres_live.VirtualClock):
        passed = 0.0

        def wait(self, seconds, stop):
            super().wait(seconds, stop)
            self.passed += seconds
            while jumps and self.passed >= jumps[0][0]:
                super().wait(jumps.pop(0)[1], stop)
            if self.passed >= 15 * DAY:
                stop.set()

    clock, at = Jumping(ZERO), []
    with begin(tmp_path / "a.sqlite", clock, until=None) as watched:
        log = watched.run(lambda row: at.append(clock.passed / DAY)).log()
    assert log["time"].is_monotonic_increasing
    # What is ahead of all before it brings what an hour brings, one fetch; to and fro brings none.
    assert abs(len(at) - 24 * 15) <= 2 + (np.diff(leads) > 0).sum()
    days = Counter(map(int, at))  # a jump costs or brings at most what an hour brings, one fetch
    assert all(abs(days[day] - 24) <= 2 + moments[day] for day in range(15))
    assert max(b - a for a, b in zip(at, at[1:], strict=False)) < 0.5
    assert "the clock was set back by" in caplog.text
    late = tres_live.VirtualClock(ZERO / 2)  # a restart with a clock that is far behind
    with begin(tmp_path / "a.sqlite", late, until=(log["time"].iloc[-1] - ZERO) / DAY + 1) as more:
        assert len(more.run().log()) > len(log) + 20


def test_an_error_of_the_importance_leaves_the_store_as_it_was(tmp_path):
    def importance(page):
        return -1.0 if "/item/" in page.url else 1.0

    watched = begin(tmp_path / "a.sqlite", importance=importance)
    with pytest.raises(ValueError, match="importance gave -1.0 for http://site"):
        watched.run()
    with begin(tmp_path / "a.sqlite", until=2) as again:
        before = again.log()
        assert not before["url"].str.contains("/item/").any()
        assert len(again.run().log()) > len(before)


class Saying304(DailyWeb):
    """A web whose server says of whatever it is asked about that it is as it was."""

    def look(self, url, conditions):
        page = None if conditions else self.fetch(url)
        return Revisit(page, {"If-None-Match": '"v1"'})


def test_what_a_server_says_of_changes_is_checked_now_and_then(tmp_path):
    clock = tres_live.VirtualClock(ZERO)
    with begin(tmp_path / "a.sqlite", clock, Saying304(clock), until=60) as watched:
        log = watched.run().log()
    again = log[log["arm"] != "link"]
    assert not (again["validated"] & again["changed"]).any()
    assert again["validated"].mean() > 0.9
    assert again[~again["validated"]]["changed"].any()
    relevant = log.groupby("url")["relevant"].nunique()
    assert relevant.max() == 1  # a 304 tells what is known


class Calendar(DailyWeb):
    """A site with an endless calendar, whose pages differ in their numbers alone."""

    def fetch(self, url):
        if "/day/" not in url:
            return super().fetch(url)
        self.asked.append(url)
        n = int(url.rpartition("/")[2])
        links = [Link(f"http://site0.example/day/{n + k}", "apple of the day") for k in (1, 2, 3)]
        return Page(url, 200, f"Day {n}", f"The apple of day {n} is as red as any.", (*links,))


def test_copies_are_no_pages_and_a_calendar_is_left_also_after_a_restart(tmp_path):
    def asked(times):
        clock = tres_live.VirtualClock(ZERO)
        web = Calendar(clock)
        for until in times:
            with tres_live.watch(
                web, ["http://site0.example/day/1", START], TOPIC, store=tmp_path / f"{len(times)}",
                clock=clock, bandwidth=48, until=until, classifier=says_apple,
            ) as watched:  # fmt: skip
                log = watched.run().log()
        return log, [url for url in web.asked if "/day/" in url]

    log, days = asked([4])
    copies = log[log["reason"].str.startswith("copy of http://site0.example/day/1")]
    assert len(copies) and not copies["relevant"].any() and copies["row"].isna().all()
    assert len(days) < 45  # its links were known before ten of them turned out to be copies
    assert asked([0.5, 1, 2, 4])[1] == days


@pytest.mark.parametrize(
    "wrong",
    [
        {"bandwidth": 0}, {"until": -1}, {"half_life": float("nan")}, {"lasting": 2},
        {"importance": 3}, {"scope": "all"}, {"clock": None, "classifier": "svm"},
    ],
)  # fmt: skip
def test_wrong_calls_name_the_argument(tmp_path, wrong):
    with pytest.raises(ValueError, match=list(wrong)[-1]):
        begin(tmp_path / "a.sqlite", web=DailyWeb(None), **wrong)


def test_the_machines_clock_waits_a_day_at_most():
    stop = Mock()
    tres_live.WallClock().wait(1e308, stop)
    stop.wait.assert_called_once_with(DAY)


def test_titles_that_are_no_unicode(tmp_path):
    class Custom(DailyWeb):
        def fetch(self, url):
            return replace(super().fetch(url), title="Apple\ud800\uffff \x1b[2J")

    clock = tres_live.VirtualClock(ZERO)
    with begin(tmp_path / "a.sqlite", clock, Custom(clock), until=2) as watched:
        assert set(watched.run().table()["title"]) == {"Apple [2J"}
        for file in watched.write_digests(tmp_path / "digest"):
            assert "Apple" in file.read_text()
