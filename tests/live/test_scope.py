"""What a crawl may fetch: its scope, and how many pages of a domain."""

from __future__ import annotations

import time

import numpy as np
import pytest
from fakes import DictWeb, crawl, orchard, page, seed_of, web_of

from tres_book.crawls.sb import SleepingBandit
from tres_lib.focused import DomainCap
from tres_live import Scope

A, B, C, D = (f"http://{name}.example/" for name in "abcd")


def test_scope_decides_which_links_are_followed():
    start, near, tag, far, deep = (
        "http://a.example/",
        "http://www.a.example/one",
        "http://a.example/tag/one",
        "http://b.example/two",
        "http://a.example/three",
    )
    web = web_of(page(start, near, tag, far), page(near, deep), page(tag), page(far), page(deep))

    def fetched(**scope):
        return set(crawl(web, [start], follow=Scope(**scope)).log["url"]) - {start}

    assert fetched() == {near, tag, far, deep}
    assert fetched(allow=["a.example"]) == {near, tag, deep}
    assert fetched(deny=["www.a.example"]) == {tag, far}
    assert fetched(deny=["example"], allow=["a.example"]) == set()
    assert fetched(include=["one$", "three"]) == {near, tag, deep}
    assert fetched(exclude=["/tag/"], max_depth=1) == {near, far}
    result = crawl(web, [start], follow=Scope(max_depth=1))
    assert result.log["depth"].max() == 1


def test_a_redirect_out_of_scope_is_no_page():
    elsewhere = page("http://b.example/", C)
    web = DictWeb({A: page(A, D), D: elsewhere, C: page(C)}, set())
    result = crawl(web, [A], follow=Scope(deny=["b.example"]))
    assert result.log["reason"].tolist() == ["", "redirected out of scope"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"allow": "a.example"},
        {"deny": ["http://a.example"]},
        {"include": ["("]},
        {"include": ["a(?!b)"]},
        {"exclude": ["(a{999}){999}"]},
        {"exclude": [""]},
        {"max_depth": 0},
    ],
)
def test_a_bad_scope_is_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Scope(**wrong)


@pytest.mark.parametrize("pattern", [r"(\w+/?)*print$", r".*\?.*=.*x$", r"(a|a)+\.php"])
@pytest.mark.parametrize("piece", ["a", "a/", "?="])
def test_no_url_makes_a_pattern_slow(pattern, piece):
    """By backtracking, some of these would take longer than anybody waits."""
    urls = [f"{A}{n}{piece * 900}" for n in range(20)]
    start = time.process_time()
    assert all(Scope(exclude=(pattern,)).follows(url, 1) for url in urls)
    assert time.process_time() - start < 1


def test_a_url_may_hold_any_letter():
    assert Scope(exclude=("é$",)).follows(f"{A}\ud800", 1)
    assert not Scope(exclude=("é$",)).follows(f"{A}é", 1)


@pytest.mark.slow
def test_a_cap_per_domain():
    web = orchard()
    for policy in (
        "tres",
        "tree-random",
        "random",
        "sync",
        "best-first",
        "linear",
        "bfs",
        "oracle",
        SleepingBandit,
    ):
        log = crawl(web, seed_of(web), policy, budget=500, max_per_domain=2).log
        assert log[log.step > 0].groupby("domain").size().max() == 2


def test_an_adaptive_cap():
    web = orchard(sites=20)
    log = crawl(web, seed_of(web), "random", budget=60, max_per_domain=(5, 2)).log
    log = log[log.step > 0]
    assert log.groupby("domain").size().max() <= 5
    for first, cap in ((21, 3), (41, 2)):
        before = log[log.step < first].groupby("domain").size()
        full = before[before >= cap].index
        assert len(full) and not log[log.step >= first].domain.isin(full).any()


def test_cap_by_thirds():
    cap = DomainCap((5, 2), 9)
    assert [cap.at(step) for step in range(1, 10)] == [5, 5, 5, 3, 3, 3, 2, 2, 2]
    assert DomainCap(None, 9).at(1) == np.inf and DomainCap(4, 9).at(9) == 4


def test_a_crawl_says_that_domains_are_at_their_limit():
    pages = [f"{A}{i}" for i in range(3)]
    web = web_of(page(B, *pages), *map(page, pages))
    assert crawl(web, [B], max_per_domain=3).stopped == "frontier empty"
    capped = crawl(web, [B], max_per_domain=2)
    assert capped.stopped == "all domains with links left are at their limit (2 pages)"
    assert len(capped.log) == 3
