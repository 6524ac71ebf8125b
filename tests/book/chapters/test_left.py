"""The study of how much is left, on numbers worked by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from tres_book.chapters import c13_left
from tres_webs import Link


def test_pages_caught_by_both_halves_of_the_sites(monkeypatch):
    """With n1 = 3, n2 = 2 and m = 1 Chapman's estimate is 4 * 3 / 2 - 1 = 5, of which 4 are found.

    Its variance is 4 * 3 * 2 * 1 / (2**2 * 3) = 2.
    """
    monkeypatch.setattr(c13_left, "crc32", lambda name: int(name == b"b.example"))
    first, second = "http://a.example/", "http://b.example/"
    links = {first: tuple(Link(url, "") for url in "pqrx"), second: (Link("r", ""), Link("s", ""))}
    log = pd.DataFrame({"url": list("pqrsx"), "reward": [1.0, 1.0, 1.0, 1.0, 0.0]})
    left, low, high = c13_left.recaptured(log, links)
    assert left == pytest.approx(1) and low == 0 and high == pytest.approx(1 + 1.96 * 2**0.5)


def test_coverage_of_two_crawls():
    row = {"steps": [300], "found": [30], "waiting": [50], "twice": [9.0], "least": [8.0]}
    row |= {"most": [12.0], "policy": "bfs", "low": [5.0], "high": [15.0], "left": [9.0]}
    table = pd.DataFrame([row | {"true": [10], "topic": "a"}, row | {"true": [4], "topic": "b"}])
    (found,) = c13_left.coverage(table).to_dict("records")
    assert found["covered"] == 0.5 and found["recapture covered"] == 0.5
    assert found["ratio"] == pytest.approx((10 / 11 + 10 / 5) / 2)
    assert found["estimated"] == pytest.approx(30 / 39)
