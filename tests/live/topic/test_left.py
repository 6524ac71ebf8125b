"""How much is left: the estimate, by hand-worked numbers and what must hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from tres_live import relevant_left
from tres_live.topic.left import LEAST, _Crawl, _logistic
from tres_webs import Link

HUB = "http://hub.example/"


def url_of(i):
    return f"http://s{i % 7}.example/{i}"


def a_crawl(n, fetched, relevant, anchor=lambda i: ""):
    """Return log and links of a crawl of a hub of n links, of which the first were fetched."""
    rows = [(0, HUB, HUB, 1.0)]
    rows += [(i + 1, url_of(i), url_of(i), float(relevant(i))) for i in range(fetched)]
    log = pd.DataFrame(rows, columns=["step", "url", "final_url", "reward"])
    return log, {HUB: [Link(url_of(i), anchor(i)) for i in range(n)]}


def test_what_is_known_of_a_link():
    """Of four pages, three relevant, the base is (3 + 1) / (4 + 2) = 2/3."""
    a, b, c, target = (f"http://{name}.example/" for name in "abcd")
    links = {a: [Link(target, "jazz"), Link(b, "jazz")], c: [Link(target, "")]}
    crawl = _Crawl(links)
    for url, relevant in ((HUB, True), (a, True), (b, True), (c, False)):
        crawl.see(url, relevant)
    fact = crawl.fact(target)
    base = 2 / 3
    assert fact.linking == pytest.approx(logit((1 + base) / 3))  # one of two linking pages
    assert fact.site == pytest.approx(logit(base)) and fact.links == pytest.approx(np.log(2))
    assert fact.words == pytest.approx(logit((1 + 2 * base) / 3) - logit(base))  # b was "jazz"


def test_an_intercept_alone_fits_the_weighted_share():
    y, weights = np.array([1.0, 0, 0, 1]), np.array([3.0, 1, 1, 1])
    beta = _logistic(np.ones((4, 1)), y, weights)
    assert expit(beta[0]) == pytest.approx(4 / 6, abs=1e-3)


def test_alike_links_are_relevant_by_the_share_of_those_fetched():
    left = relevant_left(*a_crawl(300, 200, lambda i: i % 4 == 0))
    assert left.waiting == 100 and left.relevant == pytest.approx(25, abs=4)
    assert left.low < 25 < left.high


def test_words_of_anchors_tell_the_waiting_apart():
    jazz = relevant_left(*a_crawl(300, 200, lambda i: i % 2, lambda i: "jazz" if i % 2 else "x"))
    rest = lambda i: ("jazz" if i % 2 else "x") if i < 200 else "x"  # noqa: E731
    none = relevant_left(*a_crawl(300, 200, lambda i: i % 2, rest))
    assert jazz.relevant == pytest.approx(50, abs=5) and none.relevant < 10


@pytest.mark.parametrize("seed", range(5))
def test_bounds_order_and_draws_of_nobody_elses(seed):
    rng = np.random.default_rng(seed)
    relevant = rng.random(400) < rng.random()
    log, links = a_crawl(400, int(rng.integers(LEAST, 390)), lambda i: relevant[i])
    state = np.random.get_state()[1].copy()
    left = relevant_left(log, links)
    assert 0 <= left.low <= left.relevant <= left.high <= left.waiting == 401 - len(log)
    assert left == relevant_left(log, links) and (np.random.get_state()[1] == state).all()


def test_nothing_left_and_too_little_known():
    assert relevant_left(*a_crawl(40, 40, bool)).waiting == 0
    few = relevant_left(*a_crawl(40, LEAST - 1, bool))
    assert np.isnan(few.relevant) and str(few).startswith("11 waiting links; too few")
    assert "about" in str(relevant_left(*a_crawl(40, LEAST, bool)))
    with pytest.raises(ValueError, match="log: no column reward, step"):
        relevant_left(pd.DataFrame({"url": [], "final_url": []}), {})
