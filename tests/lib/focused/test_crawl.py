"""The crawl loop's rules, on webs small enough to follow by hand."""

from __future__ import annotations

import sys
import time
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from fakes import (
    NAMES,
    CountingClassifier,
    DictWeb,
    crawl,
    orchard,
    page,
    seed_of,
    untrained,
    web_of,
)

from tres_book.crawls.no_tree import NoTree
from tres_lib import focused
from tres_lib.focused import CrawlSettings, TresSettings
from tres_lib.focused.settings import CrawlArguments
from tres_webs import Failure, FetchError, ReplayWeb, Web, parse_page

A, B, C, D = (f"http://{name}.example/" for name in "abcd")


def test_a_crawl_by_hand():
    web = web_of(
        page(A, B, C, text="apple"),
        page(B, C, D),
        page(C, A, (D, "apple"), text="apple"),
        truth={A, C},
    )
    log = crawl(web, [A]).log
    assert log.step.tolist() == [0, 1, 2, 3]
    assert log.url.tolist() == [A, B, C, D]
    assert log.parent.tolist() == ["", A, A, B]
    assert log.domain.tolist() == ["a.example", "b.example", "c.example", "d.example"]
    assert log.reward.tolist() == [1, 0, 1, 0]
    assert log.relevant_true.tolist() == [True, False, True, False]
    assert log.depth.tolist() == [0, 1, 1, 2]
    # B, C | two links to C, one to D | D twice
    assert log.frontier.tolist() == [0, 2, 3, 2]
    assert log.status.tolist() == [200, 200, 200, 404]
    assert log.reason.tolist() == ["", "", "", "not found"]
    assert log.seconds.is_monotonic_increasing


def test_a_stranger_follows_a_crawl_through_few_modules():
    """Run the functions of at most 21 modules of the library, the recording included."""
    web = ReplayWeb.from_pages([page(A, (B, "apple"), text="apple"), page(B, text="apple")])
    crawl(web, [A], "best-first", budget=2)  # loads what loads on use
    entered = set()
    sys.setprofile(lambda frame, event, argument: entered.add(frame.f_code.co_filename))
    try:
        crawl(web, [A], "best-first", budget=2)
    finally:
        sys.setprofile(None)
    library = Path(focused.__file__).parents[1]
    webs = library.with_name("tres_webs")
    ours = sorted(file for file in entered if {library, webs} & {*Path(file).parents})
    assert str(library / "focused" / "crawl.py") in ours and len(ours) <= 21, ours


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["best-first", "tres", "prospector"])
def test_a_page_of_five_thousand_links_takes_less_than_a_second(policy):
    class Crowded(DictWeb):
        def fetch(self, url):
            path = "/".join(f"part-{i}" for i in range(12))
            names = [f"n{i}.s{len(self.fetched)}x{i}.co.uk" for i in range(5_000)]
            self.fetched.append(url)
            links = [f"<a href='http://{name}/{path}'>{'apple ' * 60}</a>" for name in names]
            page = parse_page(url, "".join(links))
            assert len(page.links) == 5_000
            return page

    crawl(Crowded({}), [A], policy, budget=1)  # loads and compiles
    start = time.process_time()
    crawl(web := Crowded({}), [A], policy, budget=2)
    assert (time.process_time() - start) / len(web.fetched) < 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "weird",
    [None, "<html>", page(None), page(B, None), page(B, (C, None)), page(B, text=b"apple"),
     page(B, status="200"), FetchError(B, "", "404"), FetchError(B, "\ud800"), page(B, "\ud800"),
     RecursionError("deep")],
)  # fmt: skip
def test_a_weird_page_costs_one_step(weird, tmp_path):
    class Weird(DictWeb):
        def fetch(self, url):
            if url == B and isinstance(weird, Exception):
                raise weird
            return super().fetch(url) if url != B else weird

    web = Weird({A: page(A, B, C), C: page(C, text="apple")})
    for checkpoint in (tmp_path / "journal", tmp_path / "journal", None):
        result = crawl(web, [A], "tres", checkpoint=checkpoint)
        rows = result.log.set_index("url")
        assert rows.reward[[B, C]].tolist() == [0, 1] and len(rows) == 3
        assert rows.reason[B] and not rows.reason[C] and pd.isna(rows.status[B])


def test_no_seed():
    result = crawl(web_of(), [A, B])
    assert result.stopped == "no seed could be fetched" and len(result.log) == 2
    assert np.isnan(result.harvest_rate) and result.domains == 0


def test_redirects():
    web = web_of(page(A, B, C, D, text="apple"))
    web.pages[B] = page(D, text="apple")  # B moved to D
    web.pages[C] = page(A, text="apple")  # C moved to the seed
    log = crawl(web, [A]).log
    assert log.url.tolist() == [A, B, C]  # D came with B
    assert log.final_url.tolist() == [A, D, A]
    assert log.reward.tolist() == [1, 1, 0]
    assert log.reason.tolist() == ["", "", "duplicate"]


def test_a_web_asks_no_redirect_for_a_page_beyond_max():
    class Asking(Web):
        def __init__(self, pages):
            self.pages = pages

        def ask_only(self, owns):
            self.owns = owns

        def fetch(self, url):
            found = self.pages[url]
            if not self.owns(found.url):
                raise FetchError(url, "not ours", None, Failure.NOT_OURS, found.url)
            return found

    asked = [f"http://r{n}.example/" for n in range(9)]
    moved = {url: page(f"{B}{n}") for n, url in enumerate(asked)}
    web = Asking({A: page(A, *asked, text="apple"), **moved})
    log = crawl(web, [A], max_per_domain=3).log
    assert log.final_url.tolist() == [A, f"{B}0", f"{B}1", f"{B}2", *[""] * 6]
    assert web.owns(f"{B}4")  # the crawl is over


class Moving:
    """A web of which each third page has moved to another URL."""

    def __init__(self, web):
        self.web = web

    def fetch(self, url):
        found = self.web.fetch(url)
        return replace(found, url=f"{url}?moved") if crc32(url.encode()) % 3 == 0 else found

    def is_relevant(self, url, topic):
        return self.web.is_relevant(url.removesuffix("?moved"), topic)


@pytest.mark.slow
@pytest.mark.parametrize("policy", NAMES)
def test_every_parent_is_the_url_of_an_earlier_row(policy):
    web = orchard()
    log = crawl(Moving(web), seed_of(web, 2), untrained(web)[policy], budget=60).log
    row_of = {url: row for row, url in enumerate(log.url)}
    assert (log.parent[log.step == 0] == "").all()
    found = log[(log.step > 0) & (log.parent != "")]
    assert len(found) and all(row_of[parent] < row for row, parent in found.parent.items())
    assert policy.startswith("seedfinder") or len(found) == (log.step > 0).sum()
    moved = log[(log.final_url != log.url) & (log.final_url != "")]
    assert len(moved) and log.parent.isin(moved.url).any()
    assert ((log.final_url == "") == (log.status != 200)).all()


def test_keywords_come_from_the_topic_unless_given():
    web = web_of(page(A, (B, "apple")))
    for keywords, expected in ((None, 1), (["stone"], 0)):
        frontier = crawl(web, [A], "best-first", keywords=keywords).frontier
        assert frontier.features(np.array([1]))[0, 4] == expected


@pytest.mark.parametrize("kind", [focused.TRES, NoTree, focused.Sync, focused.TresAsync])
def test_without_domain_features(kind):
    web = orchard()
    policy = partial(kind, settings=TresSettings(domain_features=False))
    result = crawl(web, seed_of(web), policy, budget=20)
    assert result.policy.settings.n_features == 6 and len(result.log) == 21


class Asking(focused.Queue):
    """A policy that asks for URLs, reads anchors, and gives up after a while."""

    def __init__(self, urls: list[str], enough: int):
        super().__init__()
        self.urls, self.enough, self.taken, self.anchors, self.pages = urls, enough, 0, [], []

    def suggest(self, step):
        return self.urls if step == 2 else []

    def add(self, ids, x):
        super().add(ids, np.zeros(len(ids)))
        self.anchors += [link.anchor for link in self.context.frontier.new_links(ids)]

    def choose(self, step):
        return self.live()[-1] if self.taken < self.enough else None

    def take(self, action, step):
        self.taken += 1

    def learn(self, transition):
        self.pages.append(transition.page and transition.page.url)


def asking(urls: list[str], enough: int = 99):
    policy = Asking(urls, enough)

    def build(context):
        policy.context = context
        return policy

    return policy, build


def small_web() -> DictWeb:
    return DictWeb(
        {
            "http://a.example/": page("http://a.example/", ("http://a.example/1", "one")),
            "http://a.example/1": page("http://a.example/1", ("http://a.example/2", "two")),
            "http://b.example/": page("http://b.example/"),
        }
    )


def test_a_policy_may_suggest_urls_and_read_anchors():
    policy, build = asking(
        ["http://b.example/", "http://b.example/#x", "mailto:x", "http://a.example/1"]
    )
    log = crawl(small_web(), [A], build, 9).log
    assert log["url"].tolist() == [
        "http://a.example/",
        "http://a.example/1",
        "http://b.example/",
        "http://a.example/2",
    ]
    assert log["parent"].tolist()[2] == ""
    assert policy.anchors == ["one", "two", ""]
    assert policy.pages == ["http://a.example/", "http://a.example/1", "http://b.example/", None]


def test_the_log_counts_the_links_inserted_and_those_left():
    web = web_of(page(A, B, C, D), page(B, C, D), page(C), page(D))
    log = crawl(web, [A]).log
    assert log["inserted"].tolist() == [1, 4, 6, 6]  # the seed's own entry is the first
    assert log["frontier"].tolist() == [0, 3, 4, 2]


def test_anchors_may_have_a_classifier_of_their_own():
    pages, anchors = CountingClassifier(), CountingClassifier()
    crawl(small_web(), [A], "best-first", budget=2, classifier=pages, anchor_classifier=anchors)
    assert anchors.asked == ["", "one 1", "two 2"]  # the seed has no anchor
    assert pages.asked == ["", "1"]  # title, URL and text of the two pages that could be had


def test_crawls_take_every_setting_by_keyword():
    names = {field.name for field in fields(CrawlSettings)} - {"seeds", "topic"}
    assert CrawlArguments.__annotations__.keys() == names
