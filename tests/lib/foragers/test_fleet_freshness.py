"""Freshness and age by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tres_lib.foragers import NewsSite, NewsWeb, freshness_and_age
from tres_lib.foragers.settings import HOUR


@pytest.fixture(scope="module")
def web():
    """URL 0 changes at 1 and 2 hours, URL 1 never, URL 2 at 5 hours; six hours in all."""
    base = NewsWeb.generate(0, days=0.25, site=NewsSite(sections=1, subhubs=1, articles_a_day=10))
    born = np.array([-np.inf, -np.inf, -np.inf, 1, 2, 5]) * HOUR
    return replace(base, url=np.array([0, 1, 2, 0, 0, 2]), born=born)


def found(**hours):
    """Times of versions found, by their numbers."""
    times = np.full(6, np.inf)
    for version, hour in hours.items():
        times[int(version[1:])] = hour * HOUR
    return times


def test_by_hand(web):
    # By 3 h: version 0 is obsolete, last changed at 2 h; version 1 is current. Then version 2,
    # found at 4 h, is obsolete from 5 h on.
    table = freshness_and_age(web, found(v0=0.5, v1=0.6, v2=4))
    assert table["hours"].tolist() == [3, 6] and table["documents"].tolist() == [2, 1]
    assert table["freshness"].tolist() == [0.5, 0]
    assert table["age_hours"].tolist() == [0.5, 1]


def test_ages_since_the_first_change_or_of_obsolete_ones(web):
    times = found(v0=0.5, v1=0.6)
    first = freshness_and_age(web, times, since="first")
    assert first["age_hours"].iloc[0] == 1  # (3 - 1 and 0) / 2
    obsolete = freshness_and_age(web, times, obsolete_only=True)
    assert obsolete["age_hours"].iloc[0] == 1 and np.isnan(obsolete["age_hours"].iloc[1])


def test_scopes(web):
    times = found(v0=0.5, v1=0.6, v2=4)
    for scope in ("day", "all"):
        table = freshness_and_age(web, times, scope)
        assert table["documents"].tolist() == [2, 3]
        assert table["freshness"].tolist() == pytest.approx([0.5, 1 / 3])
        assert table["age_hours"].iloc[1] == pytest.approx((4 + 0 + 1) / 3)


def test_a_window_without_finds_is_nan(web):
    table = freshness_and_age(web, found(v1=4))
    assert table["documents"].tolist() == [0, 1] and np.isnan(table["freshness"].iloc[0])
