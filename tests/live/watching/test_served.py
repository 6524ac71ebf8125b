"""Days of the live Web's own code, robots.txt and all, on a served web and virtual time."""

from __future__ import annotations

import pytest
from watching_web import DAY, START, TOPIC, DailyWeb, says_apple

import tres_live
from tres_webs import Page

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
