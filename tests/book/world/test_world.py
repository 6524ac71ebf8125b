"""The distributions of a world, and the relaxation's bound by brute force."""

from dataclasses import replace

import numpy as np
import pytest

from tres_book.world import bound
from tres_book.world.bound import PRICES, Links, page_values, value_table
from tres_book.world.world import Parameters, World, nodes
from tres_lib.ours.index import page_value


def test_equal_seeds_give_equal_worlds():
    first, second, other = (World.sample(seed) for seed in (4, 4, 5))
    for name in nodes(first, 30.0).dtype.names:
        np.testing.assert_array_equal(nodes(first, 30.0)[name], nodes(second, 30.0)[name])
    assert first.seed != other.seed and (first.arrival != other.arrival).any()


def test_every_parameter_has_a_source():
    sources = Parameters.sources()
    assert all(source for _, source in sources.values())
    assert sources["end_rate"][0] == pytest.approx(-np.log(0.92) / 7, rel=0.01)


def test_arrivals_have_their_mean_rate():
    world = World.sample(2)
    births = nodes(world, 600.0).birth
    expected = world.arrival.sum() * 600
    assert (births > 0).sum() == pytest.approx(expected, abs=6 * expected**0.5)


def test_distributions_of_pages():
    parameters = Parameters()
    drawn = nodes(World.sample(1), 400.0)
    pages = drawn[~drawn.fades]
    assert pages.value.mean() == pytest.approx(parameters.request_rate, rel=0.05)
    assert np.log10(pages.rate).mean() == pytest.approx(-1.25, abs=0.05)
    assert (np.log10(pages.rate) > 0.5).mean() < 1e-3
    weekly = (1 - np.exp(-7 * pages.rate)).mean()
    assert weekly == pytest.approx(0.46, abs=0.02)  # Cho and Garcia-Molina: .40
    children = drawn[np.isnan(drawn.birth)]
    assert children.relevant.mean() == pytest.approx(parameters.locality, abs=0.02)
    stock = parameters.hubs * parameters.stock
    assert drawn.relevant.sum() == pytest.approx(drawn.p[stock:].sum() + stock, rel=0.03)


@pytest.mark.slow
def test_value_of_a_page_is_an_average():
    """By 40,000 random pages; one's own links by their fixed point."""
    parameters = Parameters()
    rng = np.random.default_rng(0)
    zeta = parameters.request_rate * np.exp(rng.standard_normal(40_000) - 0.5)
    xi = 10 ** rng.uniform(-3, 0.5, 40_000)
    value, own = page_values(parameters, 1.3)
    values = page_value(zeta, xi, parameters.end_rate, 1.3)
    assert value == pytest.approx(values.mean(), abs=4 * values.std() / 200)
    p = rng.beta(4 * 0.44, 4 * 0.56, 200_000)
    assert own == pytest.approx(1.5 * np.maximum(p * (value + own) - 1.3, 0).mean(), rel=0.01)
    assert (np.diff(value_table(parameters)[0]) <= 0).all()
    assert len(PRICES) == len(value_table(parameters)[1])


@pytest.mark.slow
def test_relaxation_against_brute_force():
    """Every hub's gain by a grid of intervals; the price is the slope of the bound."""
    world = World.sample(3)
    solved = bound.relaxation(world, 100.0)
    links = Links(world)
    gains, days = links.gains(solved.price)
    values = links.values(solved.price)
    for h in range(0, 40, 5):
        grid = np.geomspace(0.01, 1_000, 20_001)[:, None]
        with np.errstate(divide="ignore"):
            end = np.maximum(np.log(values[h] / solved.price), 0) / links.decay[h]
        open_days = np.minimum(grid, end)
        brought = values[h] * -np.expm1(-links.decay[h] * open_days) / links.decay[h]
        net = links.weights * (brought - solved.price * open_days)
        net = world.arrival[h] * net.sum(axis=1)
        best = ((net - solved.price) / grid[:, 0]).max()
        assert gains[h] == pytest.approx(max(best, 0), rel=1e-5, abs=1e-9)
    less, more = (bound.relaxation(world, b).bound for b in (99.0, 101.0))
    assert (more - less) / 2 == pytest.approx(solved.price, rel=0.01)
    assert sum(solved.split) == pytest.approx(100)
    assert min(solved.split) > 0


@pytest.mark.slow
def test_more_bandwidth_serves_less_each():
    world = World.sample(6)
    prices = [bound.relaxation(world, b).price for b in (50.0, 100.0, 200.0)]
    assert prices[0] > prices[1] > prices[2]


@pytest.mark.slow
def test_hubs_that_do_not_pay_are_left_alone():
    parameters = Parameters(item_worth=0.01, request_rate=0.001)
    world = World.sample(0, parameters=replace(parameters, hub_relevance=(1.0, 50.0)))
    assert np.isinf(bound.relaxation(world, 0.01).intervals).any()
