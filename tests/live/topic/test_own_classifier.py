"""A crawl by a caller's classifier: its wrong answers are refused."""

from __future__ import annotations

import numpy as np
import pytest
from fakes import CountingClassifier, DictWeb, crawl, page

A, B = "http://a.example/", "http://b.example/"


@pytest.mark.parametrize("argument", ["classifier", "anchor_classifier"])
@pytest.mark.parametrize("answer", [7.0, np.nan, -1.0])
def test_a_wrong_probability_is_refused_before_the_first_fetch(argument, answer):
    web = DictWeb({A: page(A, (B, "apple"), text="apple")}, {A})
    given = {"classifier": CountingClassifier(), argument: lambda texts: [answer] * len(texts)}
    with pytest.raises(ValueError, match=f"^{argument} gave {answer}"):
        crawl(web, [A], "best-first", **given)
    assert web.fetched == []
