"""What small errors cost, against simulation, and the policy that explores as long as they say."""

from __future__ import annotations

import numpy as np
import pytest

from tres_book.refresh import SECOND_ORDER, small_error_loss
from tres_lib import refresh

XI, ZETA = refresh.sample_pages(20, np.random.default_rng(7))
BANDWIDTH = 4.0


def test_small_errors_cost_what_the_second_order_says():
    rng, loss = np.random.default_rng(4), small_error_loss(XI, ZETA, BANDWIDTH)
    spread = 1 / np.sqrt(refresh.information_rate(XI, 0.2) * 1e7)
    best = refresh.freshness(refresh.optimal_rates(XI, ZETA, BANDWIDTH), XI, ZETA)
    lost = [
        best - refresh.freshness(refresh.optimal_rates(x, ZETA, BANDWIDTH), XI, ZETA)
        for x in XI + spread * rng.normal(size=(2000, 20))
    ]
    assert np.mean(lost) * 1e7 == pytest.approx(loss, rel=0.1)
    assert loss < refresh.exploration_costs(XI, ZETA, BANDWIDTH).estimation_loss


def test_it_explores_as_long_as_the_second_order_says():
    done = refresh.simulate(SECOND_ORDER, XI, ZETA, BANDWIDTH, 20_000.0, 0)
    costs = refresh.exploration_costs(XI, ZETA, BANDWIDTH)
    theory = costs.horizon(small_error_loss(XI, ZETA, BANDWIDTH), 20_000.0)
    assert theory / 2 < done.starts[-1] < theory * 2
    assert done.rates.sum(axis=1) == pytest.approx(BANDWIDTH)
