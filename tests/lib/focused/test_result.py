"""The result of a crawl: its figures, its file, and the warnings that its log gives rise to."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from fakes import crawl, orchard, page, seed_of, web_of

from tres_lib.focused import CrawlResult, Ending, Stop

A, B, C, D = (f"http://{name}.example/" for name in "abcd")


def test_figures_of_a_result():
    web = web_of(page(A, B, C, D, text="apple"), page(B), page(C, text="apple"), truth={A})
    result = crawl(web, [A])
    assert result.harvest_rate == pytest.approx(1 / 3)
    assert result.true_harvest_rate == 0
    assert result.domains == 2
    assert result.stopped == "frontier empty"
    summary = result.summary()
    assert summary["fetched"] == 3 and summary["failed"] == 1 and summary["policy"] == "bfs"


def test_unknown_truth():
    web = web_of(page(A, B), page(B))
    result = crawl(web, [A])
    assert result.log.relevant_true.isna().all() and np.isnan(result.true_harvest_rate)


@pytest.mark.slow
def test_parquet(tmp_path):
    web = orchard()
    result = crawl(web, seed_of(web), "tres", budget=30, max_per_domain=(5, 2))
    result.to_parquet(tmp_path / "crawl.parquet")
    again = CrawlResult.from_parquet(tmp_path / "crawl.parquet")
    pd.testing.assert_frame_equal(again.log, result.log)
    assert again.settings == result.settings and again.summary() == result.summary()
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "other.parquet")
    with pytest.raises(ValueError, match="not a crawl"):
        CrawlResult.from_parquet(tmp_path / "other.parquet")


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
    first, second, third = result.warnings()
    assert "2 of 2 seeds" in first and "250 fetches in a row" in second
    assert "only 0.0%" in third and "nearer to what you look for" in third


def test_a_good_crawl_has_no_warnings(caplog):
    web = orchard()
    assert crawl(web, seed_of(web), "best-first", budget=60).warnings() == []
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
    assert sum("in a row" in line for line in result_of(p).warnings()) == barren


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
    warnings = result_of(p).warnings()
    assert advice in "".join(warnings) and len(warnings) == bool(advice)


@pytest.mark.parametrize(("late", "told"), [(0, True), (1, True), (2, False)])
def test_a_crawl_that_found_nearly_all_early_is_told_so(late, told):
    result = result_of([0.9] * 10 + [0.1] * 40 + [0.9] * late + [0.1] * (50 - late))
    assert ("nearly all in the first half" in result.poor_harvest) == told
    assert "first half" not in result_of([0.1] * 100).poor_harvest


def test_without_doubtful_pages_a_third_is_no_poor_harvest():
    assert result_of([0.9] * 33 + [0.1] * 67).poor_harvest == ""


@pytest.mark.parametrize(
    ("relevant", "pages", "whole"), [(20, 20, 1), (19, 20, 1), (19, 19, 0), (56, 60, 0)]
)
def test_a_site_of_which_nearly_all_pages_are_relevant_is_named(relevant, pages, whole):
    p = [0.9] * relevant + [0.1] * (pages - relevant) + [0.1, np.nan]
    result = result_of(p, ["docs.example"] * pages + ["b.example", "docs.example"])
    assert len(result.whole_sites()) == whole
    lines = [line for line in result.warnings() if "menu or footer" in line]
    assert len(lines) == whole
    assert all(f"{relevant} of {pages} pages of docs.example were" in line for line in lines)


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (Ending(Stop.SPENT), "budget spent"),
        (Ending(Stop.AT_LIMIT, 5), "all domains with links left are at their limit (5 pages)"),
        (Ending(Stop.DECLINED, 1234), "nothing left that the policy would take (1,234 links left)"),
        (Ending(Stop.FAILING, 9, "{x}"), "9 fetches in a row failed, the last one: {x}"),
        (Ending(Stop.UNWRITTEN, cause="the disk is full"), "the disk is full"),
    ],
)
def test_an_ending_is_said_in_words_and_stored(ending, words, tmp_path):
    result = CrawlResult(pd.DataFrame({"step": [0]}), {}, ending)
    assert result.stopped == words
    result.to_parquet(tmp_path / "crawl.parquet")
    assert CrawlResult.from_parquet(tmp_path / "crawl.parquet").ending == ending
