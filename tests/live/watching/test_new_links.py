"""What is learnt of new links: which pages list them, and whether they lead to relevant pages."""

from __future__ import annotations

import numpy as np
import pytest

from tres_live.watching.beliefs import (
    FIRST_PACES,
    KINDS,
    PACES,
    find_due,
    new_common,
    pace,
    paces_of,
)
from tres_live.watching.links import Hosts
from tres_live.watching.pages import PAGE, Pages, new_page

pytestmark = pytest.mark.slow  # compiling takes a while
FRONT, DEEP = 0, 3


def common_of(low, high, share):
    """A prior by which this share of front pages has the rate `high`, the others `low`."""
    common = new_common(1.5, 0.2)
    common["paces"] = 0.0
    common["paces"][0, FRONT, [low, high]] = 1 - share, share
    return common


def test_a_page_that_may_be_a_hub_is_taken_for_one_until_it_was_watched():
    page, common = new_page(1, 0, 0.0, FRONT), common_of(4, 18, share=0.25)
    assert pace(page[0], common) == pytest.approx(PACES[18])  # more than a tenth may
    few = common_of(4, 18, share=0.05)  # half of the highest tenth
    assert pace(page[0], few) == pytest.approx((PACES[4] + PACES[18]) / 2)
    page["watched"] = 2.0
    odds = 0.25 / 0.75 * np.exp(-2 * (PACES[18] - PACES[4]))
    share = odds / (1 + odds)
    assert share < 0.1
    expected = (share * PACES[18] + (0.1 - share) * PACES[4]) / 0.1
    assert pace(page[0], common) == pytest.approx(expected)


def test_the_posterior_of_new_links_is_that_of_a_poisson_process():
    page = new_page(1, 0, 0.0)
    page["arrivals"], page["watched"] = 3, 2.0
    expected = FIRST_PACES * (2 * PACES) ** 3 * np.exp(-2 * PACES)
    assert paces_of(page[0], FIRST_PACES) == pytest.approx(expected / expected.sum())
    page["arrivals"], page["watched"] = 200_000, 1e4  # far off the grid's levels
    assert PACES[paces_of(page[0], FIRST_PACES).argmax()] == pytest.approx(20, rel=0.25)


def watched_pages(n=400, seed=0):
    """Half are front pages, of which a quarter list three links a day; all were watched 10 days."""
    pages = np.zeros(n, PAGE)
    pages["kind"][: n // 2], pages["kind"][n // 2 :] = FRONT, DEEP
    pages["visits"], pages["watched"], pages["likelihood"] = 2, 10.0, 1.0
    pages["arrivals"][: n // 8] = np.random.default_rng(seed).poisson(30.0, n // 8)
    return pages


def known(pages):
    hosts = Hosts()
    hosts.of("a.example")
    return Pages(new_common(1.5, 0.2), hosts, None, pages)


def test_kinds_of_pages_differ_and_new_hubs_are_found():
    pages = known(watched_pages())
    for day in range(5):
        pages.renew(day)
    means = pages.common["paces"][0] @ PACES
    assert means[FRONT] == pytest.approx(3 / 4, rel=0.15) and means[DEEP] < 0.05
    assert pages.common["paces"][0, 1] == pytest.approx(FIRST_PACES)  # of which none was seen
    unseen = np.concatenate([new_page(k, 0, 0.0, k) for k in range(KINDS)])
    pages.common["price"] = 0.3
    find_due(unseen, np.arange(KINDS), pages.common)
    assert unseen["due"][FRONT] < 5 and unseen["due"][DEEP] > 10 * unseen["due"][FRONT]
    idle = unseen[:1].copy()
    idle["watched"] = 10.0
    find_due(idle, np.arange(1), pages.common)
    assert idle["due"][0] > 10 * unseen["due"][FRONT]
