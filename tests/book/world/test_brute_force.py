"""The comparison with brute force finds what it is for."""

import numpy as np
import pytest

from tres_book.world import brute_force
from tres_lib.ours.index import hub_index, refresh_index


@pytest.mark.slow
def test_no_interval_is_better_than_the_index_s():
    assert brute_force.page_gap(1, 40) < 1e-9
    assert brute_force.hub_gap(1, 4) < 1e-6
    far, near, nearest = (abs(brute_force.limit_gap(epoch)) for epoch in (0.1, 0.01, 0.001))
    assert nearest < near < far and nearest < 1e-2


@pytest.mark.slow
def test_a_wrong_index_is_found(monkeypatch):
    monkeypatch.setattr(brute_force, "hub_index", lambda *hub: 1.2 * hub_index(*hub))
    assert brute_force.hub_gap(1, 4) > 1e-3

    def crossing(price, *page):
        ages = np.geomspace(1e-3, 1e4, 5_000)
        return ages[np.searchsorted(1.2 * refresh_index(ages, *page), price).clip(max=4_999)]

    monkeypatch.setattr(brute_force, "crossing_age", crossing)
    assert brute_force.page_gap(1, 10) > 1e-3
