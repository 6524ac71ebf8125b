"""What a person is told to look at in the result of a crawl."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from fakes import crawl, orchard, seed_of

from tres_lib.focused import CrawlResult
from tres_live.reporting import poor_harvest, warnings, whole_sites


class Refuses:
    """Turns down every text."""

    def proba(self, texts):
        return np.zeros(len(texts))


@pytest.mark.slow
def test_seeds_that_are_turned_down_and_a_barren_crawl_are_told(caplog):
    web = orchard()
    result = crawl(web, seed_of(web, 2), budget=250, classifier=Refuses())
    assert "turns down 2 of 2 seeds" in caplog.text
    assert caplog.text.count("nothing relevant in the last 200 fetches, at step 200") == 1
    first, second, third = warnings(result)
    assert "2 of 2 seeds" in first and "250 fetches in a row" in second
    assert "only 0.0%" in third and "nearer to what you look for" in third


def test_a_good_crawl_has_no_warnings(caplog):
    web = orchard()
    assert warnings(crawl(web, seed_of(web), "best-first", budget=60)) == []
    assert not caplog.text


def result_of(p, domains="a"):
    """Return the result of fetches with these probabilities, of a domain or of several."""
    p = np.array(p, float)
    log = pd.DataFrame({"step": np.arange(1, len(p) + 1), "p": p, "url": "", "reason": ""})
    log["domain"], log["reward"] = domains, (p >= 0.5).astype(float)
    return CrawlResult(log, {}, "")


@pytest.mark.parametrize(
    ("p", "barren"),
    [([0] * 199 + [1] + [0] * 199, 0), ([1] + [0] * 200, 1), ([0] * 200, 1)],
)
def test_a_barren_stretch_has_200_fetches(p, barren):
    assert sum("in a row" in line for line in warnings(result_of(p))) == barren


@pytest.mark.parametrize(
    ("relevant", "pages", "advice"),
    [
        (10, 100, "30% of the pages are in doubt"),
        (33, 100, "only 33.0% of the fetches"),
        (40, 100, ""),
        (4, 40, ""),
    ],
)
def test_a_poor_harvest_gets_advice(relevant, pages, advice):
    p = [0.9] * relevant + [0.3] * (3 * pages // 10) + [0.1] * (7 * pages // 10 - relevant)
    told = warnings(result_of(p))
    assert advice in "".join(told) and len(told) == bool(advice)


@pytest.mark.parametrize(("late", "told"), [(0, True), (1, True), (2, False)])
def test_a_crawl_that_found_nearly_all_early_is_told_so(late, told):
    result = result_of([0.9] * 10 + [0.1] * 40 + [0.9] * late + [0.1] * (50 - late))
    assert ("nearly all in the first half" in poor_harvest(result)) == told
    assert "first half" not in poor_harvest(result_of([0.1] * 100))


def test_without_doubtful_pages_a_third_is_no_poor_harvest():
    assert poor_harvest(result_of([0.9] * 33 + [0.1] * 67)) == ""


@pytest.mark.parametrize(
    ("relevant", "pages", "whole"), [(20, 20, 1), (19, 20, 1), (19, 19, 0), (56, 60, 0)]
)
def test_a_site_of_which_nearly_all_pages_are_relevant_is_named(relevant, pages, whole):
    p = [0.9] * relevant + [0.1] * (pages - relevant) + [0.1, np.nan]
    result = result_of(p, ["docs.example"] * pages + ["b.example", "docs.example"])
    assert len(whole_sites(result)) == whole
    lines = [line for line in warnings(result) if "menu or footer" in line]
    assert len(lines) == whole
    assert all(f"{relevant} of {pages} pages of docs.example were" in line for line in lines)
