"""What a crawl may fetch: its scope, and how many pages of a domain."""

from __future__ import annotations

import time

import numpy as np
import pytest
from fakes import DictWeb, crawl, page, web_of

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


@pytest.mark.parametrize("pattern", [r"(\w+/?)*print$", r".*\?.*=.*x$", r"(a|a)+\.php"])
@pytest.mark.parametrize("piece", ["a", "a/", "?="])
def test_no_url_makes_a_pattern_slow(pattern, piece):
    """By backtracking, some of these would take longer than anybody waits."""
    urls = [f"{A}{n}{piece * 900}" for n in range(20)]
    start = time.process_time()
    assert all(Scope(exclude=(pattern,))(url, 1) for url in urls)
    assert time.process_time() - start < 1


def test_a_url_may_hold_any_letter():
    assert Scope(exclude=("é$",))(f"{A}\ud800", 1)
    assert not Scope(exclude=("é$",))(f"{A}é", 1)


def test_cap_by_thirds():
    cap = DomainCap((5, 2), 9)
    assert [cap.at(step) for step in range(1, 10)] == [5, 5, 5, 3, 3, 3, 2, 2, 2]
    assert DomainCap(None, 9).at(1) == np.inf and DomainCap(4, 9).at(9) == 4
