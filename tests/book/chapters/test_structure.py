"""The sweep around the second law: what differs at a point, and a crawl there."""

from zlib import crc32

import numpy as np
import pytest
from fakes import CountingClassifier

from tres_book.chapters import c06_structure as chapter
from tres_book.crawls import trial
from tres_webs import domain


def test_a_share_of_texts_is_judged_the_wrong_way_round_always_the_same():
    texts = [f"page {i} on apples" if i % 2 else f"page {i}" for i in range(2_000)]
    right = CountingClassifier()
    flipped = chapter.Flipped(right, 0.2)
    p, q = right.proba(texts), flipped.proba(texts)
    wrong = p != q
    assert wrong.mean() == pytest.approx(0.2, abs=0.03)
    assert (q[wrong] == 1 - p[wrong]).all() and (flipped.proba(texts) == q).all()
    assert wrong[0] == (crc32(texts[0].encode()) < 0.2 * 2**32)


def test_each_point_changes_one_thing_but_those_of_two_and_the_base():
    base = chapter.Point()
    for name, point in chapter.POINTS.items():
        changed = sum(getattr(point, one) != getattr(base, one) for one in vars(base))
        assert changed == (name != "second law") + (", " in name), name


@pytest.mark.slow
def test_links_leave_sites_where_the_point_says_so_and_crawls_are_by_its_seeds(monkeypatch):
    easy = CountingClassifier(), ("sport",)
    monkeypatch.setattr(trial, "classifier_of", lambda *setting: easy)
    within = {}
    for point in ("second law", "a fifth leaves", "two fifths leave"):
        web = chapter._web(point, 20, 3_000)
        pages = web.random_article_pages(100, 20)
        stays = [domain(k.url) == domain(url) for url in pages for k in web.fetch(url).links]
        within[point] = np.mean(stays)
    assert within["second law"] > 0.85 > within["a fifth leaves"] > 0.7
    assert 0.7 > within["two fifths leave"] > 0.55
    for point in ("five seeds", "flips .2"):
        end = chapter.structure(point, "bfs", "sports", web_seed=20, budget=30, sites=3_000)
        assert end["pages"] == 30 and end["complete"]
