"""One scope holds at every hop of every request: redirects, sitemaps, feeds, robots.txt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from watching_web import says_apple

import tres_live
from tres_lib import focused
from tres_live.scope import Scope
from tres_live.watching.watch import _is_of_host
from tres_webs import Failure, FetchError, Page, ReplayWeb, Topic

pytestmark = pytest.mark.network
DENIED = "http://denied.example/"
START = "http://ok.example/"
PAGES = {
    START: f"<p>apple <a href=/r>apple</a> <a href={DENIED}link>apple</a>",
    f"{START}robots.txt": f"Sitemap: {DENIED}map.xml\nSitemap: {START}own.xml",
    f"{START}own.xml": "<urlset><url><loc>/listed</loc></url></urlset>",
    f"{START}listed": "<p>an apple that is listed",
    f"{START}r": "",
    f"{DENIED}": "<p>a denied apple",
    f"{DENIED}link": "<p>another",
    f"{DENIED}map.xml": "<urlset><url><loc>http://ok.example/x</loc></url></urlset>",
}


class Redirecting(ReplayWeb):
    asked: list[str] = []

    def fetch(self, url):
        self.asked.append(url)
        page = super().fetch(url)
        return replace(page, url=DENIED) if url == f"{START}r" else page


@pytest.fixture
def served(monkeypatch):
    monkeypatch.setattr(Redirecting, "asked", [])
    with tres_live.serve(Redirecting.from_pages(PAGES)) as server:
        yield tres_live.LiveWeb(
            "t/1", "me@a.example", delay=0, allow_private=True, proxies=server.proxies, feeds=True
        )


SCOPES = [
    Scope(deny=("denied.example",)),
    Scope(allow=("ok.example",)),
    Scope(exclude=(r"//denied\.",)),
    Scope(deny=("denied.example",), include=("ok",)),
]


@pytest.mark.parametrize("scope", SCOPES)
def test_in_a_crawl(served, scope):
    site = tres_live.WithSiteLinks(served, [START])
    options = {"classifier": says_apple, "policy": "bfs", "budget": 5, "progress": False}
    result = focused.crawl(site, [START], Topic("fruit", ["apple"]), follow=scope, **options)
    assert not [url for url in Redirecting.asked if "denied" in url]
    assert f"{START}listed" in set(result.log["url"])
    (led,) = result.log[result.log["url"] == f"{START}r"]["failure"]
    assert led == Failure.OUT_OF_SCOPE
    assert served.fetch(DENIED).url == DENIED  # the crawl's scope ends with it


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES[1:3])
def test_in_a_watch(served, scope, tmp_path):
    with tres_live.watch(
        served, [START], "food", store=tmp_path / "a", bandwidth=20, until=1, scope=scope,
        classifier=says_apple, clock=tres_live.VirtualClock(1.7e9),
    ) as watched:  # fmt: skip
        log = watched.run().log()
    assert not [url for url in Redirecting.asked if "denied" in url]
    assert f"{START}listed" in set(log["url"])
    assert len(log) > 15  # what is out of scope is no failure of its host


def test_a_failure_for_the_scope_is_none_of_the_host():
    assert _is_of_host(FetchError(START, "timeout"))
    assert not _is_of_host(FetchError(START, "out of scope", None, Failure.NOT_OURS))


@pytest.mark.slow
def test_where_a_web_that_knows_no_scope_leads_is_checked(tmp_path):
    class Simple:
        def fetch(self, url):
            return Page(DENIED if url == START else url, 200, "Apple", "An apple.", ())

    with tres_live.watch(
        Simple(), [START], "food", store=tmp_path / "a", bandwidth=5, until=1, scope=SCOPES[0],
        classifier=says_apple, clock=tres_live.VirtualClock(1.7e9),
    ) as watched:  # fmt: skip
        (failure,) = watched.run().log()["failure"]
        assert failure == Failure.OUT_OF_SCOPE and watched.table().empty
