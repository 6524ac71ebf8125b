"""Measures of a web, on numbers and webs small enough to work out by hand."""

import numpy as np
import pandas as pd
import pytest

import tres_webs as web
from tres_book.chapters import c01_webs as webs
from tres_book.chapters.c01_third import random_crawl
from tres_webs import FetchError, Link, Page


class Chain:
    """a (relevant) -> b -> c (relevant); a also links to a page that is gone."""

    LINKS = {"a": ["b", "gone"], "b": ["c", "a"], "c": []}

    def fetch(self, name):
        if name not in self.LINKS:
            raise FetchError(name, "not found", 404)
        return Page(name, 200, name, name, tuple(Link(t, t) for t in self.LINKS[name]))

    def is_relevant(self, name, topic):
        return name in ("a", "c")


def test_reach_is_breadth_first():
    assert webs.reach(Chain(), "a", 10) == ["a", "b", "c"]
    assert webs.reach(Chain(), "a", 2) == ["a", "b"]


def test_a_random_crawl_skips_errors():
    # Of b and c, fetched once, c alone is relevant; what is gone is no step.
    crawl = random_crawl(Chain(), "a", "any", 2, 0)
    assert crawl == {"random": 1 / 2, "random_domains": 1}


def test_measures_of_links_by_hand():
    rows = [  # the first site links twice within it and once to the second, which links once
        ("http://a.example/", "http://a.example/1", "one", "a.example", False),
        ("http://a.example/", "http://a.example/2", "two words", "a.example", False),
        ("http://a.example/", "http://b.example/", "one", "a.example", True),
        ("http://b.example/", "http://a.example/1", "one", "b.example", True),
    ]
    links = pd.DataFrame(rows, columns=["source", "target", "anchor", "site", "leaves_site"])
    measured = webs.link_measures(links)
    assert measured["links"] == 2 and measured["within"] == 0.5 and measured["words"] == 1.25
    assert measured["log_sd"] == pytest.approx(np.std([np.log(3), 0], ddof=1))
    assert measured["shared_names"] == pytest.approx(2 / 3)  # a/1 and b are both called one


def test_lift_compares_anchors_of_relevant_targets_with_others():
    called = np.array([True, True, False, False, False, True, False])
    target = np.array([True, True, True, False, False, False, False])
    assert webs.ratio(called, target) == pytest.approx((2 / 3) / (1 / 4))


def test_links_of_a_site_and_across():
    pages = {
        "http://a.example/": '<a href="/x">in</a><a href="http://www.b.example/">out</a>',
        "http://a.example/x": "",
    }
    table = webs.links_of(web.ReplayWeb.from_pages(pages), [*pages, "http://c.example/"])
    assert table.anchor.tolist() == ["in", "out"]
    assert table.leaves_site.tolist() == [False, True]
