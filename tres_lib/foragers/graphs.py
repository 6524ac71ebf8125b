"""Statistics of the link graph: degrees, clustering, directed distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..power_law import PowerLaw, fit_power_law

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from .newsweb import NewsWeb


@dataclass(frozen=True)
class GraphStatistics:
    """What Section 4.1 of the paper reports of its graph.

    Attributes
    ----------
    in_degree, out_degree : PowerLaw
        The fits over URLs with links in, and with links out.
    clustering : float
        Mean over URLs of the local clustering coefficient (Watts and Strogatz), links taken as
        undirected; a URL with fewer than two neighbours counts 0.
    mean_distance : float
        Mean number of clicks over pairs of URLs of which the second can be reached from the
        first. The paper's "diameter" is no whole number, so it must be a mean distance.
    """

    in_degree: PowerLaw
    out_degree: PowerLaw
    clustering: float
    mean_distance: float

    @property
    def in_exponent(self) -> float:
        """Exponent of the in-degree distribution."""
        return self.in_degree.exponent

    @property
    def out_exponent(self) -> float:
        """Exponent of the out-degree distribution."""
        return self.out_degree.exponent


def graph_statistics(
    newsweb: NewsWeb, rng: np.random.Generator | int = 0, n_sources: int = 200
) -> GraphStatistics:
    """Measure the graph of all links that there ever are.

    Out-degrees are fitted from 1 to their largest value, since an exponent below 2 needs an upper
    end; in-degrees have none and are fitted from the least degree that fits best.

    Parameters
    ----------
    newsweb : NewsWeb
    rng : numpy.random.Generator or int
        Draws the sources of the distances.
    n_sources : int
        Number of sources, among URLs with links out.

    Raises
    ------
    ValueError
        If n_sources is not positive.
    """
    inward, outward = degrees(newsweb)
    graph = adjacency(newsweb)
    return GraphStatistics(
        fit_power_law(inward[inward > 0]),
        fit_power_law(outward[outward > 0], xmin=1, bounded=True),
        clustering(graph),
        mean_distance(graph, rng, n_sources),
    )


def degrees(newsweb: NewsWeb) -> tuple[np.ndarray, np.ndarray]:
    """Number of links into and out of each URL, twice (n,) int64."""
    inward = np.bincount(newsweb.destination, minlength=len(newsweb))
    return inward, np.diff(newsweb.first_slot)


def adjacency(newsweb: NewsWeb) -> csr_array:
    """The directed graph without loops and multiple links, (n, n) int32 of ones."""
    from scipy.sparse import csr_array

    source, destination = newsweb.edges().T
    keep = source != destination
    shape = (len(newsweb), len(newsweb))
    ones = np.ones(keep.sum(), np.int32)
    graph = csr_array((ones, (source[keep], destination[keep])), shape=shape)
    graph.data[:] = 1  # where several links were summed
    return graph


def clustering(graph: csr_array) -> float:
    """Mean local clustering coefficient of a graph taken as undirected.

    Parameters
    ----------
    graph : sparse array, shape (n, n)
        Non-zero entries are links; none on the diagonal.
    """
    from scipy.sparse import coo_array, csr_array

    both = (graph + graph.T).tocoo()
    degree = np.bincount(both.row, minlength=graph.shape[0])
    # Each link points to the end of the higher degree, so that no row is long.
    rank = np.lexsort((np.arange(len(degree)), degree)).argsort()
    up = rank[both.row] < rank[both.col]
    ends = (both.row[up], both.col[up])
    upward = csr_array(coo_array((np.ones(up.sum(), np.int32), ends), shape=graph.shape))
    below, between = (upward @ upward) * upward, (upward @ upward.T) * upward
    triangles = below.sum(axis=1) + below.sum(axis=0) + between.sum(axis=0)
    pairs = degree * (degree - 1) / 2
    return float(np.divide(triangles, pairs, out=np.zeros(len(pairs)), where=pairs > 0).mean())


def mean_distance(
    graph: csr_array, rng: np.random.Generator | int = 0, n_sources: int = 200
) -> float:
    """Mean directed distance from random sources to all that they reach, in links.

    Parameters
    ----------
    graph : sparse array, shape (n, n)
    rng : numpy.random.Generator or int
    n_sources : int
        Drawn without replacement among the nodes with links out; all if there are fewer.

    Raises
    ------
    ValueError
        If n_sources is not positive, or the graph has no links.
    """
    if n_sources < 1:
        raise ValueError(f"n_sources={n_sources}: give a number of sources, at least 1")
    able = np.flatnonzero(np.diff(graph.indptr))
    if not len(able):
        raise ValueError("graph: it has no links, so there are no distances")
    rng = np.random.default_rng(rng)
    sources = rng.choice(able, size=min(n_sources, len(able)), replace=False)
    back = graph.T.tocsr().astype(np.float32)
    front = np.zeros((graph.shape[0], len(sources)), np.float32)
    front[sources, np.arange(len(sources))] = 1
    reached, steps, total, pairs = front > 0, 0, 0, 0
    while front.any():
        steps += 1
        new = (back @ front > 0) & ~reached
        total, pairs = total + steps * int(new.sum()), pairs + int(new.sum())
        reached |= new
        front = new.astype(np.float32)
    return total / pairs
