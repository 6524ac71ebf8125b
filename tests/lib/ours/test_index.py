"""The indices against integrals and the house's refresh rates; see also test_brute_force."""

import numpy as np
import pytest
from scipy.integrate import quad

from tres_lib import ours, refresh

PAGES = [(2.0, 0.5, 0.0), (0.3, 0.001, 0.0119), (1.0, 3.0, 0.0119), (5.0, 0.02, 0.3)]


@pytest.mark.parametrize("zeta, xi, delta", PAGES)
@pytest.mark.parametrize("age", [0.1, 1.0, 30.0])
def test_refresh_index_is_its_integral(zeta, xi, delta, age):
    def slope(x):
        early = -np.expm1(-delta * x) / delta if delta else x
        return zeta * xi * np.exp(-xi * x) * early

    expected = quad(slope, 0, age, epsabs=0, epsrel=1e-11)[0]
    assert ours.refresh_index(age, zeta, xi, delta) == pytest.approx(expected, rel=1e-9)


def test_page_that_never_pays_is_worth_its_first_days():
    assert ours.page_value(1.0, 2.0, 0.01, price=5.0) == pytest.approx(1 / 2.01)
    assert ours.crossing_age(5.0, 1.0, 2.0, 0.01) == np.inf
    assert ours.crossing_age(1.0, 1.0, 0.0) == np.inf  # it never changes
    assert ours.crossing_age(0.0, 1.0, 2.0) == 0


def test_optimal_refresh_rates_have_one_index():
    rng = np.random.default_rng(3)
    xi, zeta = 10 ** rng.uniform(-2, 1, 40), rng.lognormal(0, 1, 40)
    rates = refresh.optimal_rates(xi, zeta, 12.0, refresh="uniform")
    looked = rates > 0
    index = ours.refresh_index(1 / rates[looked], zeta[looked], xi[looked])
    assert looked.sum() > 20
    np.testing.assert_allclose(index, index.mean(), rtol=1e-6)
    assert (zeta[~looked] / xi[~looked] <= index.mean() * (1 + 1e-9)).all()


def test_tiny_and_huge_arguments_keep_their_digits():
    # zeta xi a^2 / 2 at first, zeta / (xi + delta) at last
    assert ours.refresh_index(1e-8, 1.0, 1e-3) == pytest.approx(5e-20, rel=1e-9)
    assert ours.refresh_index(1e-8, 1.0, 1e-3, 1e-2) == pytest.approx(5e-20, rel=1e-6)
    assert ours.refresh_index(1e9, 1.0, 2.0, 0.5) == pytest.approx(0.4, rel=1e-12)
    assert ours.refresh_index(5.0, 1.0, 0.0) == 0
    ages = np.geomspace(1e-9, 1e6, 2_000)
    for delta in (0.0, 1e-9, 0.01, 10.0):
        index = ours.refresh_index(ages, 1.0, 0.03, delta)
        assert (np.diff(index) >= -1e-12).all()


def test_broadcasting_and_links():
    assert ours.refresh_index(np.ones((3, 1)), np.ones(4), 1.0).shape == (3, 4)
    assert ours.hub_index(np.ones(5), 1.0, np.ones((5, 7)), np.ones(7)).shape == (5,)
    # By hand: half of four requests, of which a quarter is left after two half-lives.
    assert ours.link_index(0.5, 4.0, np.log(2), 2.0) == pytest.approx(0.5)
