"""Power laws against a library's fit and by hand; clustering and distance against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.special import zeta

from tres_lib import foragers
from tres_lib.foragers import NewsWeb, graphs
from tres_lib.power_law import PowerLaw, fit_power_law


def zipf(exponent, n, seed=0):
    return np.random.default_rng(seed).zipf(exponent, size=n)


def test_the_fit_is_where_the_likelihood_is_flat():
    """The mean of log x equals its expectation by the model (Clauset et al., Eq. 3.5)."""
    x = zipf(2.2, 5_000)
    fit, step = fit_power_law(x, xmin=1), 1e-5
    slope = (np.log(zeta(fit.exponent + step)) - np.log(zeta(fit.exponent - step))) / (2 * step)
    assert -slope == pytest.approx(np.log(x).mean(), rel=1e-4)


def test_an_upper_end_allows_exponents_below_two():
    k = np.arange(1, 151)
    p = k**-1.3 / (k**-1.3).sum()
    x = np.random.default_rng(1).choice(k, size=20_000, p=p)
    bounded, endless = (fit_power_law(x, xmin=1, bounded=b) for b in (True, False))
    assert bounded.exponent == pytest.approx(1.3, abs=0.02) and bounded.xmax == 150
    assert endless.exponent > 1.4 and endless.ks > 3 * bounded.ks


def test_ks_by_hand():
    # Values 1 1 1 2, model 1/k^2 on {1, 2}: P(1) = 4/5 against 3/4, unless the fit moves it there.
    fit = fit_power_law([1, 1, 1, 2], xmin=1, bounded=True)
    assert fit.exponent == pytest.approx(np.log2(3), abs=1e-4) and fit.ks < 1e-4
    assert PowerLaw(2.0, 1, 2, 0, 4).survival([1, 2, 3]) == pytest.approx([1, 0.2, 0])


@pytest.mark.parametrize(("exponent", "seed"), [(1.8, 0), (2.2, 1), (2.57, 2)])
def test_it_agrees_with_the_powerlaw_package(exponent, seed):
    import powerlaw  # slow to load

    x = zipf(exponent, 3_000, seed)
    x = x[x < 10**6]
    theirs = powerlaw.Fit(x, discrete=True, xmin=2, estimate_discrete=False, verbose=False)
    ours = fit_power_law(x, xmin=2)
    assert ours.exponent == pytest.approx(theirs.power_law.alpha, abs=0.005)
    assert ours.ks == pytest.approx(theirs.power_law.D, abs=0.005)


def random_graph(seed, n=60, p=0.07):
    return nx.gnp_random_graph(n, p, seed=seed, directed=True)


@pytest.mark.parametrize("seed", range(4))
def test_clustering_and_distance_agree_with_networkx(seed):
    graph = random_graph(seed)
    matrix = sparse.csr_array(nx.to_scipy_sparse_array(graph, dtype=np.int32))
    assert graphs.clustering(matrix) == pytest.approx(nx.average_clustering(graph.to_undirected()))
    lengths = [d for _, ends in nx.all_pairs_shortest_path_length(graph) for d in ends.values()]
    expected = sum(lengths) / sum(d > 0 for d in lengths)
    assert graphs.mean_distance(matrix, 0, 1_000) == pytest.approx(expected)


def test_a_line_by_hand():
    line = sparse.csr_array(np.eye(4, k=1, dtype=np.int32))  # 0 -> 1 -> 2 -> 3
    assert graphs.mean_distance(line) == pytest.approx((1 + 2 + 3 + 1 + 2 + 1) / 6)
    assert graphs.clustering(line) == 0


@pytest.fixture(scope="module")
def web():
    return NewsWeb.generate(0)


@pytest.mark.slow
def test_the_web_is_like_the_papers(web):
    found = foragers.graph_statistics(web)
    assert 2.3 < found.in_exponent < 2.8 and 1.15 < found.out_exponent < 1.45
    assert 0.01 < found.clustering < 0.03 and 5 < found.mean_distance < 8.5
    assert 0.1 < (np.diff(web.first_slot) > 0).mean() < 0.2  # pages with links


@pytest.mark.slow
def test_rewiring_makes_the_small_world_less_clustered(web):
    found, rewired = (foragers.graph_statistics(w, 0, 50) for w in (web, web.rewired(0)))
    assert rewired.clustering < found.clustering / 4
    assert found.mean_distance < rewired.mean_distance < 1.6 * found.mean_distance
    assert rewired.in_exponent == found.in_exponent
