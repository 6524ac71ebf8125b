"""A web whose links say less has the same pages."""

from __future__ import annotations

import re

import numpy as np
import pytest
from fakes import orchard

from tres_book.crawls.muted import MutedWeb
from tres_lib import focused
from tres_webs import FetchError, VitalWeb, canonical_url, domain


@pytest.fixture(scope="module")
def vital() -> VitalWeb:
    return VitalWeb(0, sites=200)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_pages_are_the_same_under_other_names(vital, share):
    muted, start = MutedWeb(vital, share), vital.seeds("sports", 1, 0)[0]
    there, here = vital.fetch(start), muted.fetch(muted.seeds("sports", 1, 0)[0])
    assert (here.title, here.text) == (there.title, there.text)
    assert len(here.links) == len(there.links)
    for ours, theirs in zip(here.links, there.links, strict=True):
        assert canonical_url(ours.url) == ours.url and domain(ours.url) == domain(theirs.url)
        assert muted.is_relevant(ours.url, "sports") == vital.is_relevant(theirs.url, "sports")
        assert muted.kind(ours.url) == vital.kind(theirs.url)
        assert ours == theirs or ours.anchor == ""


def test_the_share_is_that_of_the_muted_urls(vital):
    muted = MutedWeb(vital, 0.5)
    links = {k.url for seed in muted.seeds("food", 9, 0) for k in muted.fetch(seed).links}
    assert 0.4 < sum("/~" in url for url in links) / len(links) < 0.6 and len(links) > 150


def test_what_cannot_be_had_is_named_as_it_was_asked_for():
    muted = MutedWeb(orchard(), 1.0)
    for url in ("http://site0.example/nothing", "http://site0.example/~xyz"):
        with pytest.raises(FetchError, match="not found") as error:
            muted.fetch(url)
        assert error.value.url == url and error.value.status == 404


def test_a_share_out_of_range_is_refused(vital):
    with pytest.raises(ValueError, match=r"share=1\.5"):
        MutedWeb(vital, 1.5)


def test_an_opaque_path_spells_nothing_of_the_path(vital):
    muted = MutedWeb(vital, 1.0)
    start = vital.seeds("food", 1, 0)[0]
    shown = muted.fetch(muted.seeds("food", 1, 0)[0]).links
    for ours, theirs in zip(shown, vital.fetch(start).links, strict=True):
        path = ours.url.partition("/~")[2]
        assert re.fullmatch("[0-9a-f]{16}", path)
        assert theirs.url.partition("://")[2].encode().hex() not in path
    # The same pieces recur in slugs, never in hashes.
    hashes = [link.url[-16:] for link in shown]
    assert len({h[:6] for h in hashes}) == len({h[-6:] for h in hashes}) == len(set(hashes))


@pytest.mark.slow
def test_a_resumed_crawl_knows_what_its_links_stand_for(vital, tmp_path):
    kinds = {"policy": "bfs", "classifier": SaysNothing(), "progress": False, "budget": 6}

    def crawl(web, **more):
        return focused.crawl(web, web.seeds("food", 1, 0), "food", **kinds, **more).log

    whole = crawl(MutedWeb(vital, 1.0), checkpoint=tmp_path / "crawl.jsonl")
    journal = (tmp_path / "crawl.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "crawl.jsonl").write_text("".join(journal[:4]))
    resumed = crawl(MutedWeb(vital, 1.0), checkpoint=tmp_path / "crawl.jsonl")
    assert resumed["url"].tolist() == whole["url"].tolist()
    assert (resumed["reason"] == whole["reason"]).all()


class SaysNothing:
    def proba(self, texts):
        return np.full(len(texts), 0.5)

    def __repr__(self):
        return "SaysNothing()"
