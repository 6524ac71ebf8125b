"""Statistics of the link graph: degrees, clustering, directed distance."""

from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from tres_webs.checks import count, generator, instance

from ..power_law import PowerLaw, fit_power_law
from .newsweb import NewsWeb


@dataclass(frozen=True)
class GraphStatistics:
    """The statistics of the link graph in Section 4.1."""

    in_degree: PowerLaw  # over the URLs with links in; `in_exponent` is its exponent
    out_degree: PowerLaw
    # Mean over URLs of the local clustering coefficient (Watts and Strogatz), links taken as
    # undirected; a URL with fewer than two neighbours counts 0.
    clustering: float
    # Mean clicks over pairs of URLs, the second of which can be reached from the first. The paper's
    # "diameter" is no whole number, so it must be a mean distance.
    mean_distance: float

    in_exponent = property(attrgetter("in_degree.exponent"))
    out_exponent = property(attrgetter("out_degree.exponent"))


def graph_statistics(
    newsweb: NewsWeb, rng: np.random.Generator | int = 0, n_sources: int = 200
) -> GraphStatistics:
    """Measure the graph of all links over the whole time.

    Distances are from `n_sources` random URLs, drawn by `rng`.

    Examples
    --------
    >>> statistics = graph_statistics(NewsWeb.generate(0, days=1))
    >>> round(statistics.in_exponent, 2), round(statistics.clustering, 3)
    (2.77, 0.027)
    """
    inward, outward = degrees(newsweb)
    # From the degree that fits best; out-degrees need an upper end, as their exponent is below 2.
    into = fit_power_law(inward[inward > 0])
    out = fit_power_law(outward[outward > 0], xmin=1, bounded=True)
    graph = adjacency(newsweb)
    return GraphStatistics(into, out, clustering(graph), mean_distance(graph, rng, n_sources))


def degrees(newsweb: NewsWeb) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of links into and out of each URL over the whole time, (n,) each.

    Examples
    --------
    >>> inward, outward = degrees(NewsWeb.generate(0, days=1))
    >>> int(inward.sum()), int(outward.sum()), int(outward.max())
    (59406, 59406, 137)
    """
    instance("newsweb", newsweb, NewsWeb)
    inward = np.bincount(newsweb.destination, minlength=len(newsweb))
    return inward, np.diff(newsweb.first_slot)


def adjacency(newsweb: NewsWeb) -> csr_array:
    """Return the directed graph without loops and multiple links, (n, n) int32 of ones."""
    source, destination = newsweb.edges().T
    keep = source != destination
    ones = np.ones(keep.sum(), np.int32)
    graph = csr_array((ones, (source[keep], destination[keep])), shape=(len(newsweb),) * 2)
    graph.data[:] = 1  # where several links were summed
    return graph


def clustering(graph: csr_array) -> float:
    """Return the mean local clustering coefficient of a graph (n, n) taken as undirected."""
    both = graph + graph.T
    both.data[:] = 1
    degree = np.diff(both.indptr)
    triangles = ((both @ both) * both).sum(axis=1) / 2
    pairs = degree * (degree - 1) / 2
    return float(np.divide(triangles, pairs, out=np.zeros(len(pairs)), where=pairs > 0).mean())


def mean_distance(
    graph: csr_array, rng: np.random.Generator | int = 0, n_sources: int = 200
) -> float:
    """Return the mean directed distance, in links, from random sources to all they reach."""
    count("n_sources", n_sources)
    able = np.flatnonzero(np.diff(graph.indptr))
    if not len(able):
        raise ValueError("graph: it has no links, so there are no distances")
    sources = generator("rng", rng).choice(able, min(n_sources, len(able)), replace=False)
    distances = shortest_path(graph, method="D", unweighted=True, indices=sources)
    return float(distances[np.isfinite(distances) & (distances > 0)].mean())
