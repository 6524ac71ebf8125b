"""The result of a crawl: its figures and its file."""

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
