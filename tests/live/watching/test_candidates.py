"""Calendar and waiting against an exhaustive search, and that nothing hangs on the past."""

from __future__ import annotations

import numpy as np
import pytest

from tres_lib.ours import hub_index, refresh_index
from tres_live.watching.beliefs import RATES
from tres_live.watching.candidates import Calendar, OpenLink, OpenLinks
from tres_live.watching.engine import link_value
from tres_live.watching.records import BINS, PAGE, new_common, new_page
from tres_live.watching.values import COMMON_WEIGHT, chances, find_due, link_terms, pace, rank

pytestmark = pytest.mark.slow  # compiling takes a while
FREE = np.zeros(4)


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


def values(*looks, **when):
    return roles_of(*looks, **when).sum(axis=0)


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
    later = np.isfinite(pages["due"]) & (pages["due"] > pages["look"] + 0.002)
    assert 40 < later.sum() < 200
    assert (values(pages, at, day=1e3)[np.isinf(pages["due"])] < 1.0).all()
    for row in np.flatnonzero(later)[:40]:
        value = values(pages[row : row + 1], at, day=pages["due"][row], busy=FREE - 99)
        assert value[0] == pytest.approx(1.0, rel=1e-3)


def test_the_best_of_those_due_is_the_best_of_all():
    calendar, at = Calendar(common()), common()
    calendar.load(random_pages(300))
    calendar.put_all(at)
    expected = values(calendar.pages, at)
    best = calendar.best(at, 0.0, FREE)
    assert best == (np.argmax(expected), expected.max())
    busy = np.where(np.arange(4) == calendar.pages["host"][best.target], 1.0, 0.0)
    expected = values(calendar.pages, at, busy=busy)
    assert calendar.best(at, 0.0, busy).target == np.argmax(expected)


def test_where_the_price_has_risen_pages_wait_again():
    calendar, at = Calendar(common()), common()
    calendar.load(random_pages(300))
    calendar.put_all(at)
    at["price"] = 1.0
    best = calendar.best(at, 0.0, FREE)
    assert best.value == values(calendar.pages, at).max() and calendar.changed
    assert (calendar.pages["due"][list(calendar.changed)] > 0).all()


def test_where_nothing_is_due_the_first_to_come_is_next():
    calendar, at = Calendar(common()), common(price=2.0)
    pages = random_pages(100)
    pages["look"] = 0.0
    calendar.load(pages)
    calendar.put_all(at)
    best = calendar.best(at, 1e-3, FREE)
    assert best.target == np.argmin(calendar.pages["due"]) and best.value < 2.0
    assert calendar.next_due() == calendar.pages["due"].min()


def test_a_calendar_that_was_stored_chooses_the_same():
    calendar, at = Calendar(common()), common()
    calendar.load(random_pages(300))
    calendar.put_all(at)
    stored = calendar.pages.copy()  # as a store has them, but for those that change
    chosen = []
    for k in range(60):
        day = k / 10
        if k == 30:
            again = Calendar(calendar.common)
            again.load(stored.copy())
            calendar = again
        row = calendar.best(at, day, FREE).target
        calendar.pages["look"][row] = calendar.pages["rest"][row] = day
        calendar.put(np.array([row]), at)
        stored[list(calendar.changed)] = calendar.pages[list(calendar.changed)]
        at["price"] *= 1.003
        chosen.append(row)
    whole, at = Calendar(common()), common()
    whole.load(random_pages(300))
    whole.put_all(at)
    for k, row in enumerate(chosen):
        assert whole.best(at, k / 10, FREE).target == row
        whole.pages["look"][row] = whole.pages["rest"][row] = k / 10
        whole.put(np.array([row]), at)
        at["price"] *= 1.003


def test_the_waiting_gives_the_best_link_of_a_free_host():
    rng, at = np.random.default_rng(1), common()
    links = [
        OpenLink(-5 * rng.random(), id, f"{id % 4}.example", int(rng.integers(BINS)), id % 2 == 0)
        for id in range(200)
    ]
    waiting = OpenLinks()
    for link in links:
        waiting.add(link)
    day = 6.0
    p = chances(at)

    def value(link):
        news, *rest = link_terms(at)
        return link_value(p[link.bin, int(link.news)], link.news * news, *rest, day + link.order)

    for _ in range(50):
        free = [link for link in links if link.host[0] in "02"]
        link, highest = waiting.best(at, day, lambda host: 9.0 * (host[0] in "13"))
        assert highest == pytest.approx(max(map(value, free))) == pytest.approx(value(link))
        waiting.take(link)
        links.remove(link)
    assert waiting.best(at, day, lambda host: 0.0)[1] == pytest.approx(max(map(value, links)))
    assert len(waiting) == 150
