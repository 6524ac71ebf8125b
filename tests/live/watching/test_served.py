"""Weeks of the live Web's own code, robots.txt and all, on served webs and virtual time."""

from __future__ import annotations

import re
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from watching_web import DAY, START, TOPIC, DailyWeb, says_apple

import tres_live
import tres_webs as web
from tres_book.world import EvolvingWeb
from tres_live.watching.judging import main_text
from tres_webs import FetchError, Page

pytestmark = [pytest.mark.slow, pytest.mark.network]
ZERO = 1_700_000_000.0
FEED = "http://site0.example/new.rss"


class WithAFeed(DailyWeb):
    """A site names a feed, and its page lists nothing."""

    def fetch(self, url):
        page = super().fetch(START if url == FEED else url)
        if url == FEED:
            hub = super().fetch("http://site0.example/")
            items = (
                f"<item><link>{link.url}</link><title>{link.anchor}</title></item>"
                for link in hub.links[:10]
            )
            feed = f"<rss><channel>{''.join(items)}</channel></rss>".encode()
            return Page(url, 200, "", "", (), feed)
        if url == "http://site0.example/":
            named = f'<link rel=alternate type="application/rss+xml" href="{FEED}">'
            return Page(url, 200, "apple", "", (), f"<title>apple</title>{named}Apples".encode())
        return page


def live(served):
    return tres_live.LiveWeb("watch/1.0", "me@a.example", delay=0, allow_private=True, feeds=True,
                       proxies=served.proxies)  # fmt: skip


def test_robots_txt_feeds_and_digests_on_a_served_web(tmp_path):
    clock = tres_live.VirtualClock(ZERO)
    daily = WithAFeed(clock, sites=8)
    with tres_live.serve(daily) as served, tres_live.watch(
        live(served), [START], TOPIC, store=tmp_path / "watch.sqlite", bandwidth=40, until=12,
        classifier=says_apple, clock=clock,
    ) as watched:  # fmt: skip
        log = watched.run().log()
        made = watched.write_digests(tmp_path / "digest")
    assert 440 < len(log) < 490 and (log["time"].iloc[-1] - ZERO) / DAY > 11.9
    assert len(made) == 14 and "New pages" in made[5].read_text()
    asked = set(log["url"].str.extract("(http://[^/]+)")[0])
    assert set(daily.asked) >= {f"{host}/robots.txt" for host in asked} and len(asked) > 4
    of_feed = log["url"].str.startswith("http://site0.example/item/") & log["relevant"]
    assert of_feed.sum() > 10  # found by the feed alone
    assert (log["url"] == FEED).sum() > 5


def test_thirty_days_on_an_evolving_web(tmp_path):
    clock = tres_live.VirtualClock(0.0)
    evolving = EvolvingWeb(web.VitalWeb(seed=0, sites=60, law="first"), lambda: clock.now() / DAY)
    words = set(web.get_topic("sports").keywords)

    def says_sports(texts):
        counts = [len(words.intersection(re.findall("[a-z]+", text.lower()))) for text in texts]
        return np.array([0.05, 0.3, 0.95])[np.minimum(counts, 2)]

    with tres_live.serve(evolving) as served, tres_live.watch(
        live(served), evolving.seeds("sports", 3, rng=0), "sports", bandwidth=40, until=30,
        store=tmp_path / "watch.sqlite", classifier=says_sports, clock=clock,
    ) as watched:  # fmt: skip
        log, table = watched.run().log(), watched.table()
    assert 1_180 < len(log) < 1_203 and set(log["arm"]) == {"link", "page", "hub"}
    assert log["validated"].sum() > 20 and not (log["validated"] & log["changed"]).any()
    assert log["changed"].sum() > 20
    pages = table[table["p"] >= 0.5]
    days = (pages["last_look"] - pd.Timestamp(0, tz="UTC")).dt.total_seconds() / DAY
    fresh = [is_fresh(evolving, *page) for page in zip(pages["url"], days, strict=True)]
    assert len(pages) > 25 and np.mean(fresh) == pytest.approx(pages["fresh"].mean(), abs=0.15)


def is_fresh(evolving, url, day):
    """Whether a page is now as it was on a day."""
    with suppress(FetchError):
        return main_text(evolving.at(day).fetch(url)) == main_text(evolving.fetch(url))
    return False
