"""What histories can tell of pages that change fast or slowly."""

from __future__ import annotations

import pytest
from scipy.optimize import brentq

from tres_lib import refresh


def test_equal_gaps_tell_more_only_of_slow_pages():
    """The rates of information cross at 3.72 changes a refresh; slow pages are seen in full."""

    def gain(x):
        return refresh.information_rate(x, 1.0, "uniform") - refresh.information_rate(x, 1.0)

    assert brentq(gain, 1, 10) == pytest.approx(3.72, abs=0.005)
    assert gain(1) > 0 > gain(10)
    for kind in ("poisson", "uniform"):
        assert refresh.information_rate(1e-4, 1.0, kind) == pytest.approx(1e4, rel=1e-3)
