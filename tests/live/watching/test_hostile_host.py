"""One host that always has more must not take a watch, nor make it grow without bound."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest
from watching_web import DAY, says_apple, spelt

import tres_live
from tres_live.watching import links
from tres_live.watching.beliefs import new_common
from tres_live.watching.links import Shares
from tres_webs import Link, Page
from tres_webs.urls import domain

pytestmark = pytest.mark.slow  # compiling takes a while
ZERO = 1_700_000_000.0
HOSTILE = "http://farm.example/"


class WithAFarm:
    """Hubs with four news a day; and a host on which each page links to 50 new ones."""

    def __init__(self, clock, link="http://farm.example/{}"):
        self.clock, self.link, self.numbers = clock, link, count()

    def fetch(self, url):
        n = next(self.numbers)
        if "farm" in url:
            links = [Link(self.link.format(f"{n}-{i}"), "apple news") for i in range(50)]
            return Page(url, 200, f"Apple {spelt(n)}", f"The apple farm {spelt(n)}", (*links,))
        hub, day = url.split("/")[2], int(self.clock.now() / DAY * 4)
        if not url.endswith("/"):
            return Page(url, 200, "An apple", f"The apple of {named(url)}", ())
        links = [Link(f"{url}{k}", "apple") for k in range(day - 8, day + 1)]
        text = f"Hub of apples {spelt(int(hub[1:2]))} and {spelt(day)}"
        return Page(url, 200, "Apples", text, (*links,))


def named(url):
    return spelt(int.from_bytes(url.encode()))


HUBS = [f"http://h{i}.example/" for i in range(10)]


def watched(path, until=8.0, web=None, seeds=(*HUBS, HOSTILE), **options):
    clock = tres_live.VirtualClock(ZERO)
    options = {"bandwidth": 100, "classifier": says_apple, "clock": clock} | options
    web = (web or WithAFarm)(clock)
    return tres_live.watch(web, seeds, "food", store=path, until=until, **options)


def farm_of_hosts(clock):
    return WithAFarm(clock, "http://h{}.farm.example/")


def farm_of_domains(clock):
    return WithAFarm(clock, "http://farm{}.example/")


class Moving(WithAFarm):
    """Each page of the farm leads to another host of its domain."""

    def fetch(self, url):
        page = super().fetch(url)
        return replace(page, url=f"http://to{next(self.numbers)}.farm.example/") \
            if "farm" in url else page  # fmt: skip


def found_and_share(path, **how):
    """The honest news found, and the farm's share of the fetches from day 4 on."""
    with watched(path, **how) as watch:
        log = watch.run().log()
        farm = log["url"].str.contains("farm")
        if farm.any():
            assert "farm.example" in watch.in_words()
    found = (~farm & (log["arm"] == "link") & (log["failure"] == "")).sum()
    return found, farm[log["time"] > ZERO + 4 * DAY].mean()


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return found_and_share(tmp_path_factory.mktemp("alone") / "a.sqlite", seeds=HUBS)[0]


@pytest.mark.parametrize("web", [WithAFarm, farm_of_hosts, Moving])
def test_a_host_that_always_has_more_gets_a_fifth(tmp_path, alone, web):
    found, share = found_and_share(tmp_path / "a.sqlite", web=web)
    print(f"\n{web.__name__}: {share:.1%} of the fetches; {found} of {alone} new pages")
    assert share <= 0.22 and found >= 0.95 * alone  # a rule from before the first measurement


def test_a_domain_has_a_share_also_after_a_restart(tmp_path):
    for until in (1.0, 3.0):
        with watched(tmp_path / "two.sqlite", until) as watch:
            parts = watch.run().log()
    with watched(tmp_path / "one.sqlite", 3.0) as watch:
        whole = watch.run().log()
    # The clock of the second part begins anew, but the choices are the same.
    assert (parts["url"][:100] == whole["url"][:100]).all()
    assert parts["url"].map(domain)[100:].eq("farm.example").mean() < 0.25


@pytest.mark.parametrize(("domains", "share"), [(0, 20), (10, 20), (50, 4), (5_000, 1)])
def test_the_more_domains_the_less_each_may_have(domains, share):
    common = new_common(1.5, 0.2)
    common["domains"], held = domains, Shares(common, 100)
    for _ in range(share):
        assert not held.over
        held.charge(HOSTILE)
    assert held.over == {"farm.example"}


class Lies(WithAFarm):
    """On the farm, no page but the hub is relevant, though all links say so."""

    def fetch(self, url):
        page = super().fetch(url)
        if "farm" not in url or url == HOSTILE:
            return page
        return replace(page, title="Of stones", text=f"A stone {named(url)}")


def test_a_domain_whose_links_lead_to_nothing_relevant_sinks(tmp_path):
    with watched(tmp_path / "a.sqlite", 8.0, Lies, bandwidth=60) as watch:
        log = watch.run().log()
        hosts = watch.state.hosts
        ranks = {site: hosts.rank(site) for site in hosts.of_site}
    farm = log["url"].str.contains("farm") & (log["arm"] == "link")
    assert ranks.pop("farm.example") > 0 == max(ranks.values())
    assert farm[log["time"] > ZERO + 4 * DAY].mean() < 0.15  # less than its share
    with watched(tmp_path / "a.sqlite", 8.0, Lies) as watch:
        assert watch.state.hosts.rank("farm.example") == hosts.rank("farm.example")


@pytest.mark.parametrize("web", [WithAFarm, farm_of_hosts, farm_of_domains])
def test_a_link_farm_does_not_make_a_watch_grow(tmp_path, monkeypatch, web):
    monkeypatch.setattr(links, "MOST", 400)
    monkeypatch.setattr(links, "MOST_OF_SITE", 200)
    with watched(tmp_path / "a.sqlite", 5.0, web) as watch:
        log = watch.run().log()
        store = watch._store
        ((waiting,),) = store.rows("SELECT count(*) FROM link WHERE open")
        ((listed,),) = store.rows("SELECT count(*) FROM link")
        ((hosts,),) = store.rows("SELECT count(*) FROM host")
    assert waiting == len(watch.state.links) <= (440 if web is farm_of_domains else 260)
    assert listed <= waiting + len(log)
    assert hosts <= len(log["url"].map(lambda url: url.split("/")[2]).unique())
