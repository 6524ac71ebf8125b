"""Signals: passage times by recursion, and the index by dynamic programming."""

import numpy as np
import pytest

from tres_book import refresh as schedulers
from tres_book.refresh.signals import Signals, passage, table
from tres_lib import refresh

DT = 0.001


def recursion(levels, precision, recall):
    """psi and phi of each level, the chain of y stepped on a grid."""
    g, jump = recall / precision / (1 - recall), round(-np.log(1 - precision) / DT)
    found = []
    for level in levels:
        n = round(level / DT)
        psi, phi = np.zeros(n + jump + 1), np.zeros(n + jump + 1)
        for k in range(n - 1, -1, -1):
            after = np.array([psi[k + jump], phi[k + jump]]), np.array([psi[k + 1], phi[k + 1]])
            come = -np.expm1(-g * DT)
            psi[k], phi[k] = (
                [DT, DT * np.exp(-(k + 0.5) * DT)] + come * after[0] + (1 - come) * after[1]
            )
        found.append((psi[0], phi[0]))
    return np.array(found).T


@pytest.mark.parametrize(("precision", "recall"), [(0.5, 0.5), (0.9, 0.3), (0.3, 0.7)])
def test_passage_times_are_those_of_the_process(precision, recall):
    levels = np.array([0.2, 1.0, 2.4])
    found = passage(levels, Signals(precision, recall))
    assert np.array(found) == pytest.approx(recursion(levels, precision, recall), rel=0.01)


@pytest.mark.parametrize(("precision", "recall"), [(0.5, 0.5), (0.8, 0.6)])
def test_the_index_is_the_level_at_which_dynamic_programming_fetches(precision, recall):
    """Value iteration of one page at a price: nothing earns more, and it fetches at that level."""
    dt, size, price_level = 0.0025, 2_000, 1.2
    g, jump = recall / precision / (1 - recall), round(-np.log(1 - precision) / 0.0025)
    logs, values, _, _ = table(Signals(precision, recall))
    price = np.exp(np.interp(np.log(price_level), logs, values))
    y = np.arange(size) * dt
    after, heard = (np.minimum(np.arange(size) + n, size - 1) for n in (1, jump))
    h, come = np.zeros(size), -np.expm1(-g * dt)
    for _ in range(20_000):
        wait = dt * np.exp(-y - dt / 2) + (1 - come) * h[after] + come * h[heard]
        new = np.maximum(wait, wait[0] - price)
        gain, h = (new - h)[0] / dt, new
    psi, phi = passage(np.array(price_level), Signals(precision, recall))
    assert gain == pytest.approx((phi - price) / psi, rel=0.01)
    fetches = wait < wait[0] - price
    assert y[fetches.argmax()] == pytest.approx(price_level, abs=0.05) and fetches[-1]


def test_without_signals_it_is_the_marginal_value_of_even_intervals():
    logs, values, psi, _ = table(Signals(0.5, 0.0))
    y = np.exp(logs)
    assert np.exp(values) == pytest.approx(-np.expm1(-y) - y * np.exp(-y), rel=1e-4, abs=1e-12)
    assert psi == pytest.approx(y)


@pytest.mark.parametrize(("precision", "recall"), [(1, 1), (0.01, 0.99), (1, 0.5), (0.5, 1)])
def test_the_index_rises_to_all_that_a_page_can_give(precision, recall):
    _, values, psi, phi = table(Signals(precision, recall))
    assert (np.diff(values) >= 0).all() and np.exp(values[-1]) == pytest.approx(
        max(1 - recall, 1e-6), rel=1e-3
    )
    assert (np.diff(psi) >= -1e-9 * psi[1:]).all() and (phi <= psi * (1 + 1e-9)).all()


def test_the_continuous_optimum_without_signals_is_that_of_even_intervals():
    change, request = refresh.sample_pages(200, 1)
    even = refresh.optimal_rates(change, request, 40.0, "uniform")
    best = refresh.freshness(even, change, request, "uniform")
    found, price = schedulers.continuous_optimum(change, request, 40.0, Signals())
    assert found == pytest.approx(best, abs=1e-4)
    assert (request / change <= price)[even == 0].all()


def test_better_signals_are_worth_more():
    change, request = refresh.sample_pages(50, 2)
    shares = (0.1, 0.5, 0.9, 1.0)
    of = [[(change, request, 10.0, Signals(p, r)) for r in shares] for p in shares]
    best = np.array([[schedulers.continuous_optimum(*one)[0] for one in row] for row in of])
    assert (np.diff(best, axis=0) > 0).all() and (np.diff(best, axis=1) > 0).all()
