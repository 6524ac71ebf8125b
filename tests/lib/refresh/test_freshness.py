"""Freshness and its optimum: hand-worked rates, a general solver, what an optimum must meet."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize
from scipy.special import gammainc, gammaincinv

from tres_lib import refresh
from tres_lib.refresh.freshness import fresh_after, fresh_time, inverse

KINDS = ("poisson", "uniform")
CHANGE = [0.1, 0.5, 1.0, 2.0, 10.0]
BY_HAND = {
    "poisson": ([0.41515657, 0.65192511, 0.62906811, 0.30385021, 0], 0.37797368),
    "uniform": ([0.29677551, 0.55564387, 0.65004264, 0.49753798, 0], 0.45262390),
}


def marginal_value(rates, change, request, kind):
    """dF / d rho, up to the sum of the request rates."""
    if kind == "poisson":
        return request * change / (rates + change) ** 2
    with np.errstate(divide="ignore"):
        return request / change * gammainc(2, change / rates)


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_worked_by_hand(kind):
    rates, value = BY_HAND[kind]
    found = refresh.optimal_rates(CHANGE, np.ones(5), 2, kind)
    assert found == pytest.approx(rates, abs=1e-8)
    assert found[4] == 0
    assert refresh.freshness(found, CHANGE, np.ones(5), kind) == pytest.approx(value, abs=1e-8)


def test_freshness_by_hand():
    # Refreshed as often as changed: 1/2 at random, 1 - 1/e at even intervals; weights 1/4, 3/4.
    assert refresh.freshness([2, 0], [2, 5], [1, 3]) == pytest.approx(1 / 8)
    even = refresh.freshness([2, 0], [2, 5], [1, 3], refresh="uniform")
    assert even == pytest.approx((1 - np.exp(-1)) / 4)


def best_of_slsqp(change, request, bandwidth, kind, starts):
    """The greatest freshness that a general solver finds."""
    found = [
        minimize(
            lambda x: -refresh.freshness(np.maximum(x, 0), change, request, kind),
            start,
            method="SLSQP",
            bounds=[(0, None)] * len(change),
            constraints={"type": "eq", "fun": lambda x: x.sum() - bandwidth},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        for start in starts
    ]
    return max(-result.fun for result in found if abs(result.x.sum() - bandwidth) < 1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_a_general_solver_finds_nothing_better(kind, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    change, request = 10 ** rng.uniform(-1, 1, n), rng.pareto(2, n) + 0.1
    bandwidth = float(10 ** rng.uniform(-0.5, 1))
    best = refresh.optimal_rates(change, request, bandwidth, kind)
    starts = [np.full(n, bandwidth / n), best, *bandwidth * rng.dirichlet(np.ones(n), 3)]
    value = refresh.freshness(best, change, request, kind)
    other = best_of_slsqp(change, request, bandwidth, kind, starts)
    assert value >= other - 1e-10
    assert value == pytest.approx(other, abs=1e-6)


def test_a_page_near_the_margin_keeps_its_little_bandwidth():
    """Newton steps without a bracket gave all to the second page, a freshness of 0.1887."""
    change, request = [1.75018332, 0.7547054], [0.9865618, 0.75961016]
    rates = refresh.optimal_rates(change, request, 0.42061286, "uniform")
    assert rates == pytest.approx([0.0188, 0.4018], abs=1e-4)
    value = refresh.freshness(rates, change, request, "uniform")
    assert value == pytest.approx(0.2023, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_pages_have_equal_marginal_values(kind):
    change, request = refresh.sample_pages(20_000, 0)
    check_optimum(change, request, 4e3, kind)
    check_optimum(np.ones(20_000), np.ones(20_000), 600.0, kind)


def check_optimum(change, request, bandwidth, kind):
    rates = refresh.optimal_rates(change, request, bandwidth, kind)
    assert rates.min() >= 0 and rates.sum() == pytest.approx(bandwidth, rel=1e-11)
    value = marginal_value(rates, change, request, kind)
    on = rates > 0
    multiplier = np.median(value[on])
    assert value[on] == pytest.approx(multiplier, rel=1e-10)
    assert value[~on].max(initial=0) <= multiplier * (1 + 1e-10)


# A request rate may be 0, but one next to the least number of all is lost when it is divided.
REQUESTS = st.just(0.0) | st.floats(1e-200, 1e3)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(1e-4, 1e3), REQUESTS), min_size=1, max_size=30),
    st.floats(1e-6, 1e6),
    st.sampled_from(KINDS),
)
def test_bandwidth_is_spent_where_its_value_is_greatest(pages, bandwidth, kind):
    change, request = np.array(pages).T
    if not request.any():
        request = request + 1
    rates = refresh.optimal_rates(change, request, bandwidth, kind)
    assert rates.dtype == np.float64 and (rates >= 0).all()
    assert rates.sum() == pytest.approx(bandwidth, rel=1e-9)
    value, on = marginal_value(rates, change, request, kind), rates > 0
    assert value[on].min() >= value[on].max() * (1 - 1e-9)
    assert (request / change)[~on].max(initial=0) <= value[on].max() * (1 + 1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_pages_alike_get_alike_even_where_the_threshold_cannot_tell(kind):
    """With little bandwidth lambda equals the ratio in double precision; the rest is shared out."""
    assert refresh.optimal_rates([1, 1, 1, 2], [1, 1, 1, 2], 1e-3, kind) == pytest.approx(
        np.array([2, 2, 2, 4]) * 1e-4, rel=1e-9
    )
    assert refresh.optimal_rates([1.0, 3.0], [0, 1], 1e-30, kind).tolist() == [0, 1e-30]
    assert refresh.optimal_rates([3.0], [7.0], 0.7, kind) == pytest.approx([0.7])


def test_the_quick_inverse_is_the_exact_one():
    p = np.concatenate([10.0 ** np.linspace(-16, -1, 50), np.linspace(0.1, 1 - 1e-9, 50)])
    assert inverse(p) == pytest.approx(gammaincinv(2, p), rel=1e-7)
    assert inverse(p[:99]) == pytest.approx(gammaincinv(2, p[:99]), rel=1e-12)
    p = 10.0 ** np.linspace(-40, -1e-9, 1_000)
    assert gammainc(2, inverse(p)) == pytest.approx(p, rel=1e-13)


def test_transients_start_where_they_should_end_in_the_long_run_and_add_up():
    rates, change = np.array([0.0, 0.3, 5]), np.array([0.7, 0.7, 2])
    fresh = np.array([0.9, 0.2, 0.5])
    assert fresh_after(fresh, rates, change, 0) == pytest.approx(fresh)
    late = [refresh.freshness([r], [x], [1]) for r, x in zip(rates, change, strict=True)]
    assert fresh_after(fresh, rates, change, 1e3) == pytest.approx(late, abs=1e-12)
    t = np.linspace(0, 6, 60_001)[:, None]
    p = fresh_after(fresh, rates, change, t)
    area = ((p[1:] + p[:-1]) / 2 * np.diff(t, axis=0)).sum(axis=0)
    assert fresh_time(fresh, rates, change, 6) == pytest.approx(area, abs=1e-6)
