"""Pages and links against an exhaustive search, and that nothing hangs on the past."""

from __future__ import annotations

import numpy as np
import pytest

from tres_lib.ours import hub_index, refresh_index
from tres_live.watching.beliefs import (
    BINS,
    COMMON_WEIGHT,
    RATES,
    chances,
    find_due,
    link_terms,
    link_value,
    new_common,
    pace,
    rank,
)
from tres_live.watching.links import Hosts, Links, OpenLink
from tres_live.watching.pages import PAGE, Pages, new_page

pytestmark = pytest.mark.slow  # compiling takes a while
FREE = np.zeros(4)
NONE = frozenset()


def common(price=0.5):
    record = new_common(1.5, 0.2)
    record["price"], record["page"] = price, 2.0
    return record


def random_pages(n, seed=0):
    rng = np.random.default_rng(seed)
    pages = np.zeros(n, PAGE)
    pages["id"], pages["host"] = np.arange(n), rng.integers(0, 4, n)
    pages["look"] = -30 * rng.random(n)
    pages["zeta"] = rng.lognormal(-1, 1, n) * (rng.random(n) < 0.7)
    pages["factor"] = 1.0
    pages["arrivals"], pages["watched"] = rng.poisson(3.0, n), 20.0
    pages["likelihood"] = np.exp(-RATES * rng.exponential(30, (n, 1))).clip(1e-12)
    return pages


def roles_of(pages, at, day=0.0, busy=FREE):
    return rank(pages, np.arange(len(pages)), at, day, busy)


def values(*pages, **when):
    return roles_of(*pages, **when).sum(axis=0)


def test_a_look_at_a_page_of_one_rate_is_worth_the_index():
    page, at = new_page(1, 0, 0.0), common()
    page["zeta"], page["likelihood"] = 2.0, np.arange(len(RATES)) == 12
    for age in (0.1, 1.0, 20.0):
        expected = refresh_index(age, 2.0, RATES[12], 1 / 84)
        assert roles_of(page, at, day=age)[0] == pytest.approx(expected, rel=1e-6)


def test_a_look_at_a_hub_is_worth_the_index_of_its_new_links():
    page, at = new_page(1, 0, 0.0), common(price=1.0)
    page["arrivals"], page["watched"] = 8.0, 4.0
    page["seen"], at["page"] = np.arange(BINS), 0.0  # all that its links bring is news
    listed = np.arange(BINS) + COMMON_WEIGHT / BINS
    value = chances(at)[:, 1] * 0.8 / at["fading"]
    for age in (0.1, 1.0, 20.0):
        of_links = value, at["fading"], 1.0, listed / listed.sum()
        expected = hub_index(age, pace(page[0], at), *of_links)
        assert roles_of(page, at, day=age)[1] == pytest.approx(expected, rel=1e-6)


def test_a_page_is_due_when_it_is_worth_the_price():
    pages, at = random_pages(200), common(price=1.0)
    pages["watched"][::2] = 1e6  # no hubs
    pages["rest"] = pages["look"]
    find_due(pages, np.arange(200), at)
    to_come = np.isfinite(pages["due"]) & (pages["due"] > pages["look"] + 0.002)
    assert 40 < to_come.sum() < 200
    assert (values(pages, at, day=1e3)[np.isinf(pages["due"])] < 1.0).all()
    for row in np.flatnonzero(to_come)[:40]:
        value = values(pages[row : row + 1], at, day=pages["due"][row], busy=FREE - 99)
        assert value[0] == pytest.approx(1.0, rel=1e-3)


def keyed(at, pages):
    """Such pages, keyed at this price."""
    known = Pages(at, Hosts(), None, pages)
    known.put_all()
    return known


def test_the_best_of_those_due_is_the_best_of_all():
    at = common()
    pages = keyed(at, random_pages(300))
    expected = values(pages.records, at)
    best = pages.best(0.0, FREE)
    assert best == (np.argmax(expected), expected.max()) == pages.best_of_all(0.0, FREE)
    busy = np.where(np.arange(4) == pages.records["host"][best.target], 1.0, 0.0)
    expected = values(pages.records, at, busy=busy)
    assert pages.best(0.0, busy).target == np.argmax(expected)


def test_the_best_link_is_that_of_a_free_host_and_domain():
    rng, at, hosts = np.random.default_rng(1), common(), Hosts()
    links = [
        OpenLink(-5 * rng.random(), id, f"{id % 4}.example", int(rng.integers(BINS)), id % 2 == 0)
        for id in range(200)
    ]
    hosts.note(hosts.of("1.example"), True, 6.0)
    hosts.count(hosts.of("2.example"), promised=40)
    waiting, day = Links(at, hosts), 6.0
    waiting.add(links)
    p, ranks = chances(at), {f"{n}.example": hosts.rank(f"{n}.example") for n in range(4)}
    assert ranks["2.example"] == 1

    def value(link):
        passing, *rest = link_terms(at)
        chance = p[link.bin, int(link.new)] / 3 ** ranks[link.host]
        return link_value(chance, link.new * passing, *rest, day + link.order)

    for _ in range(50):
        free = [link for link in links if link.host[0] in "02"]
        link, highest = waiting.best(day, frozenset({"3.example"}))
        assert highest == pytest.approx(max(map(value, free))) == pytest.approx(value(link))
        waiting.take(link)
        links.remove(link)
    assert waiting.best(day + 1, NONE, old=True).target.new is False
    day += 1
    assert waiting.best(day, NONE)[1] == pytest.approx(max(map(value, links)))
    assert len(waiting) == 150
