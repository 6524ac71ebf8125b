"""What can be learned: errors against simulation, and both sides of the threshold."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tres_book import refresh as schedulers
from tres_book.refresh.learnable import standard_error
from tres_lib import refresh

XI, ZETA = refresh.sample_pages(20, np.random.default_rng(7))
BANDWIDTH = 4.0


def test_information_of_random_gaps_is_the_mean_over_them():
    gaps = np.random.default_rng(0).exponential(2, 400_000)
    for rate in (0.05, 0.7, 6.0):
        observed = 1 / standard_error(rate, gaps) ** 2 / gaps.sum()
        assert refresh.information_rate(rate, 0.5) == pytest.approx(observed, rel=0.02)


def test_standard_errors_by_hand():
    # Equal gaps w = ln 2 at rate 1: p = 1/2, and both are sqrt((exp(w) - 1) / n) / w.
    gaps = np.full(25, math.log(2))
    for method in ("mle", "moments"):
        by_hand = 1 / 5 / math.log(2)
        assert standard_error(1.0, gaps, method) == pytest.approx(by_hand)


@pytest.mark.parametrize("method", ["mle", "moments"])
def test_standard_errors_are_what_simulation_shows(method):
    rng = np.random.default_rng(2)
    gaps = np.tile(rng.exponential(1.5, 400), (800, 1))
    bits = rng.random(gaps.shape) < -np.expm1(-0.8 * gaps)
    spread = refresh.estimate_change_rates(bits, gaps, method=method).std()
    assert spread == pytest.approx(standard_error(0.8, gaps[0], method), rel=0.08)


def test_moments_are_never_more_precise():
    gaps = np.random.default_rng(4).exponential(3, 50)
    for rate in (0.1, 1.0, 3.0):
        errors = [standard_error(rate, gaps, m) for m in ("mle", "moments")]
        assert errors[0] <= errors[1]


def test_logarithmic_gaps_by_hand():
    gaps = schedulers.logarithmic_gaps(2, 2.0)
    assert gaps == pytest.approx([2 * math.log(2), 2 * math.log(3)])


def test_bounds_of_the_best_test_hold_it():
    """Against the best test itself, by going through all histories of a few gaps."""
    gaps, rate, other = np.array([0.4, 1.0, 2.0, 0.7]), 0.5, 1.5
    low, high = schedulers.best_test_error(gaps, rate, other)
    for n in range(1, 5):
        chances = [
            [
                np.prod(np.where(bits, 1 - np.exp(-x * gaps[:n]), np.exp(-x * gaps[:n])))
                for bits in itertools.product([False, True], repeat=n)
            ]
            for x in (rate, other)
        ]
        error = np.minimum(*chances).sum() / 2
        assert low[n - 1] <= error <= high[n - 1]


def test_the_best_test_errs_forever_beyond_the_threshold():
    gaps = schedulers.logarithmic_gaps(100_000, 1.0)
    low, high = schedulers.best_test_error(gaps, 0.5, 0.75)
    assert high[-1] < 1e-6
    low, high = schedulers.best_test_error(gaps, 3.0, 4.5)
    assert low[-1] > 0.1 and low[-1] == pytest.approx(low[1000], rel=1e-3)


def test_small_errors_cost_what_the_second_order_says():
    rng, loss = np.random.default_rng(4), schedulers.small_error_loss(XI, ZETA, BANDWIDTH)
    spread = 1 / np.sqrt(refresh.information_rate(XI, 0.2) * 1e7)
    best = refresh.freshness(refresh.optimal_rates(XI, ZETA, BANDWIDTH), XI, ZETA)
    lost = [
        best - refresh.freshness(refresh.optimal_rates(x, ZETA, BANDWIDTH), XI, ZETA)
        for x in XI + spread * rng.normal(size=(2000, 20))
    ]
    assert np.mean(lost) * 1e7 == pytest.approx(loss, rel=0.1)
    assert loss < refresh.exploration_costs(XI, ZETA, BANDWIDTH).estimation_loss


def test_it_explores_as_long_as_the_second_order_says():
    done = refresh.simulate(schedulers.SECOND_ORDER, XI, ZETA, BANDWIDTH, 20_000.0, 0)
    costs = refresh.exploration_costs(XI, ZETA, BANDWIDTH)
    theory = costs.horizon(schedulers.small_error_loss(XI, ZETA, BANDWIDTH), 20_000.0)
    assert theory / 2 < done.starts[-1] < theory * 2
    assert done.rates.sum(axis=1) == pytest.approx(BANDWIDTH)
