"""What a person is told to look at in the result of a crawl."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tres_lib.focused import CrawlResult
from tres_live.reporting import warnings, whole_sites


def result_of(p, domains="a"):
    """Return the result of fetches with these probabilities, of a domain or of several."""
    p = np.array(p, float)
    log = pd.DataFrame({"step": np.arange(1, len(p) + 1), "p": p, "url": "", "reason": ""})
    log["domain"], log["reward"] = domains, (p >= 0.5).astype(float)
    return CrawlResult(log, {}, "")


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
