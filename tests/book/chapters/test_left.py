"""The study of how much is left, on numbers worked by hand."""

import pandas as pd
import pytest

from tres_book.chapters import c13_left


def test_coverage_of_two_crawls():
    row = {"steps": [300], "found": [30], "waiting": [50], "policy": "bfs"}
    row |= {"low": [5.0], "high": [15.0], "left": [9.0]}
    table = pd.DataFrame([row | {"true": [10], "topic": "a"}, row | {"true": [4], "topic": "b"}])
    (found,) = c13_left.coverage(table).to_dict("records")
    assert found["covered"] == 0.5
    assert found["ratio"] == pytest.approx((10 / 11 + 10 / 5) / 2)
    assert found["estimated"] == pytest.approx(30 / 39)
