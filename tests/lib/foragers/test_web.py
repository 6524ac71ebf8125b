"""The news web: what grows, when it is there, and rewirings that keep every degree."""

from __future__ import annotations

import numpy as np
import pytest

from tres_lib import foragers
from tres_lib.foragers import NewsSite, NewsWeb
from tres_lib.foragers.newsweb import BIN
from tres_lib.foragers.settings import ARTICLE, DAY, FRONT, LEAF, SECTION, SUBHUB

SMALL = NewsSite(sections=3, subhubs=4, archive=10, articles_a_day=60)


@pytest.fixture(scope="module")
def web():
    return NewsWeb.generate(3, days=2, site=SMALL)


def links_at(web, url, time):
    """URLs that a URL's page shows at a time, found slot by slot."""
    version = np.flatnonzero((web.url == url) & (web.born <= time))[-1]
    slots = [*range(web.first_slot[url], web.standing_to[url])]
    slots += range(web.listed_from[version], web.listed_to[version])
    return web.destination[slots]


def test_sizes_and_order(web):
    counts = np.bincount(web.kind)
    assert counts[[FRONT, SECTION, SUBHUB]].tolist() == [1, 3, 12]
    assert counts[ARTICLE] > 150 and counts[LEAF] > 1_000
    assert (web.born[1:] >= web.born[:-1]).all() and web.born[-1] <= 2 * DAY
    assert web.state.shape == (len(web.url), 50) and np.abs(web.state).max() < 1
    assert set(web.url) == set(range(len(web)))  # every URL has a version


def test_links_are_simple_and_reach_everything(web):
    edges = web.edges()
    assert edges.shape == (len(web.destination), 2)
    assert (edges[:, 0] != edges[:, 1]).all() and len(np.unique(edges, axis=0)) == len(edges)
    reached, new = {0}, [0]
    while new:
        new = set(edges[np.isin(edges[:, 0], list(new)), 1].tolist()) - reached
        reached |= new
    assert len(reached) == len(web)


def test_no_link_is_older_than_its_ends(web):
    source, destination = web.edges().T
    assert (web.appears >= web.published[source]).all()
    assert (web.appears >= web.published[destination]).all()


def test_a_subhub_lists_its_latest_articles_after_ten_minutes(web):
    subhub = int(np.flatnonzero(web.kind == SUBHUB)[5])
    source, destination = web.edges().T
    own = destination[(source == subhub) & (web.kind[destination] == ARTICLE)]
    time = 1.5 * DAY
    listed = own[web.published[own] + 600 <= time]
    expected = listed[np.argsort(web.published[listed])][-15:]
    shown = links_at(web, subhub, time)
    assert shown[web.kind[shown] == ARTICLE].tolist() == expected.tolist()


def test_version_links_are_those_of_the_slots(web):
    first, link = web.version_links
    for version in (0, len(web.url) // 2, len(web.url) - 1, int(np.argmax(web.listed_to))):
        url = web.url[version]
        slots = [*range(web.first_slot[url], web.standing_to[url])]
        slots += range(web.listed_from[version], web.listed_to[version])
        expected = sorted(set(web.destination[slots].tolist()))
        assert link[first[version] : first[version + 1]].tolist() == expected


@pytest.mark.parametrize("kind", ["none", "edge"])
def test_stored_links_lead_to_what_was_there_by_brute_force(web, kind):
    web = web if kind == "none" else web.rewired(1, kind)
    first, link = web.version_links
    places = np.random.default_rng(0).choice(len(link), 300, replace=False)
    for place in places:
        version = np.searchsorted(first, place, side="right") - 1
        there = np.flatnonzero((web.url == link[place]) & (web.born <= max(web.born[version], 0)))
        assert web.stored_versions[place] == (there[-1] if len(there) else -1)
    assert (web.stored_versions < 0).any() == (kind == "edge")


@pytest.mark.parametrize("kind", foragers.REWIRINGS)
def test_rewiring_keeps_every_degree(web, kind):
    rewired = web.rewired(7, kind)
    assert (rewired.destination != web.destination).mean() > 0.02
    for before, after in zip(foragers.degrees(web), foragers.degrees(rewired), strict=True):
        np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(rewired.destination, web.rewired(7, kind).destination)
    assert (web.rewired(8, kind).destination != rewired.destination).any()


def test_time_keeps_the_ends_of_each_six_hours(web):
    rewired = web.rewired(7, "time")
    group = np.floor(np.maximum(web.appears, 0) / BIN)
    for number in np.unique(group):
        own = group == number
        np.testing.assert_array_equal(
            np.sort(rewired.destination[own]), np.sort(web.destination[own])
        )


def test_static_leaves_links_to_articles(web):
    rewired = web.rewired(7, "static")
    to_article = web.kind[web.destination] == ARTICLE
    np.testing.assert_array_equal(rewired.destination[to_article], web.destination[to_article])
    assert (rewired.destination[~to_article] != web.destination[~to_article]).mean() > 0.9


def test_newsout_takes_the_articles_off_the_hubs(web):
    rewired = web.rewired(7, "newsout")
    on_hub = web.kind[web.sources()] <= SUBHUB
    assert (web.kind[web.destination[on_hub]] == ARTICLE).sum() > 300
    assert (web.kind[rewired.destination[on_hub]] == ARTICLE).sum() == 0
    untouched = (rewired.destination == web.destination)[~on_hub]
    assert untouched.mean() > 0.5
