"""Looks at known pages: validators, answers without a body, feeds and sitemaps as pages."""

from __future__ import annotations

import gzip

import pytest
from loopback import Loopback, live, reply

from tres_webs import FetchError, Link, Page

pytestmark = pytest.mark.network
ETAG = {"ETag": '"v1"'}
XML = "application/xml"
RSS = (
    "<?xml version='1.0'?><!-- new --><rss><channel>"
    "<item><link>/old</link><title>Old</title><pubDate>2026-01-01</pubDate></item>"
    "<item><link>/new</link><title>New</title><pubDate>2026-01-02</pubDate></item>"
    "</channel></rss>"
)


def urls(page: Page) -> list[str]:
    return [link.url.partition("/")[2].partition("/")[2].partition("/")[2] for link in page.links]


def test_a_look_tells_what_the_next_one_asks():
    routes = {"/a": [reply("<p>One", **ETAG, Last_Modified="Thu, 01 Jan 2026"), reply(status=304)]}
    with Loopback(routes) as server:
        asking = live()
        first = asking.look(server.url("/a"), {})
        again = asking.look(server.url("/a"), first.conditions)
    assert first.page.text == "One" and again.page is None
    assert again.conditions == first.conditions
    asked = [asked.headers for asked in server.asked if asked.path == "/a"]
    assert "if-none-match" not in asked[0]
    assert asked[1]["if-none-match"] == '"v1"'
    assert asked[1]["if-modified-since"] == "Thu, 01 Jan 2026"


@pytest.mark.parametrize("etag", ["\u00e9", "x" * 1_001, '"a\tb"'])
def test_unsound_validators_are_not_sent_back(etag):
    with Loopback({"/a": reply("<p>One", ETag=etag)}) as server:
        assert live().look(server.url("/a"), {}).conditions == {}


def test_conditions_are_for_the_url_itself_and_a_304_must_be_asked_for():
    routes = {
        "/a": reply(status=301, Location="/b"),
        "/b": reply("<p>Other"),
        "/c": reply(status=304),
    }
    with Loopback(routes) as server:
        asking = live()
        found = asking.look(server.url("/a"), {"If-None-Match": '"v1"'})
        with pytest.raises(FetchError, match="HTTP 304"):
            asking.look(server.url("/c"), {})
        asking.close()
    assert found.page.url == server.url("/b") and found.conditions == {}
    assert "if-none-match" not in server.asked[-2].headers


def test_a_look_obeys_robots_txt():
    routes = {"/robots.txt": reply("User-agent: *\nDisallow: /a")}
    with Loopback(routes) as server, pytest.raises(FetchError, match="disallows"):
        live().look(server.url("/a"), {})


@pytest.mark.parametrize(
    "answer",
    [
        reply(RSS, Content_Type=XML), reply(RSS, Content_Type="application/rss+xml"), reply(RSS),
        reply(gzip.compress(RSS.encode()), Content_Type="application/gzip"),
        reply(RSS, Content_Type=""),
    ],
)  # fmt: skip
def test_feeds_are_pages_latest_first(answer):
    with Loopback({"/feed": answer}) as server:
        page = live(feeds=True).fetch(server.url("/feed"))
    assert urls(page) == ["new", "old"] and page.links[0].anchor == "New"
    assert [link.time for link in page.links] == [1_767_312_000, 1_767_225_600]
    assert page.title == page.text == ""


def test_pages_lead_to_feeds_and_home_pages_to_sitemaps():
    named = "<title>Jazz</title><link rel=alternate type='application/rss+xml' href=/n.rss>Text"
    sitemap = "<urlset><url><loc>/b</loc><lastmod>2026-01-01</lastmod></url></urlset>"
    routes = {
        "/": reply(named),
        "/a": reply(named),
        "/map.xml.gz": reply(gzip.compress(sitemap.encode()), Content_Type="application/x-gzip"),
        "/robots.txt": reply("Sitemap: /map.xml.gz"),
    }
    with Loopback(routes) as server:
        asking = live(feeds=True)
        assert urls(asking.fetch(server.url("/"))) == ["n.rss", "map.xml.gz"]
        page = asking.fetch(server.url("/a"))
        assert page.links == (Link(server.url("/n.rss"), "Jazz"),)
        listed = asking.fetch(server.url("/map.xml.gz"))
        assert urls(listed) == ["b"] and listed.links[0].time is None  # of its change, not its age
        assert not live().fetch(server.url("/")).links
