"""Measures of a web, so that a made-up one can stand beside a real one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import zeta

from ..web.page import FetchError, Web
from ..web.topic import Topic
from ..web.urls import domain


@dataclass(frozen=True)
class TailFit:
    """Discrete power law P(x) ~ x^-exponent for x >= xmin; ``ks`` its distance to the data."""

    exponent: float
    xmin: int
    n: int
    ks: float


def power_law_fit(values: Iterable[int], xmin: int | None = None, min_tail: int = 50) -> TailFit:
    """Exponent of a power tail by maximum likelihood (Clauset, Shalizi, Newman 2009).

    Without ``xmin``, the start of the tail is the one whose fit lies closest to
    the data in the Kolmogorov-Smirnov sense, with at least ``min_tail`` values.

    Raises
    ------
    ValueError
        If fewer than ``min_tail`` values are positive.
    """
    x = np.sort(np.asarray(list(values)).astype(int))
    x = x[x > 0]
    if len(x) < min_tail:
        raise ValueError(f"values: {len(x)} positive ones, a tail fit needs {min_tail} (min_tail)")
    starts = [xmin] if xmin else np.unique(x[: len(x) - min_tail + 1])[:100]
    return min((_fit_from(x[np.searchsorted(x, s) :], int(s)) for s in starts), key=lambda f: f.ks)


def _fit_from(tail: np.ndarray, xmin: int) -> TailFit:
    logs = np.log(tail).sum()

    def cost(a: float) -> float:
        return a * logs + len(tail) * np.log(zeta(a, xmin))

    a = float(minimize_scalar(cost, bounds=(1.01, 6.0), method="bounded").x)
    support = np.unique(tail)
    observed = 1.0 - np.searchsorted(tail, support) / len(tail)
    return TailFit(
        a, xmin, len(tail), float(np.abs(observed - zeta(a, support) / zeta(a, xmin)).max())
    )


def survival(values: Iterable[int]) -> pd.DataFrame:
    """Columns ``value`` and ``share``: the share of values at least that large."""
    x = np.sort(np.asarray(list(values)))
    unique = np.unique(x)
    return pd.DataFrame({"value": unique, "share": 1.0 - np.searchsorted(x, unique) / len(x)})


def links_of(web: Web, urls: Iterable[str]) -> pd.DataFrame:
    """All links of some pages: source, target, anchor, and whether the link leaves the site."""
    rows = []
    for url in urls:
        try:
            page = web.fetch(url)
        except FetchError:
            continue
        rows += [(url, link.url, link.anchor) for link in page.links]
    table = pd.DataFrame(rows, columns=["source", "target", "anchor"])
    table["leaves_site"] = table.source.map(domain) != table.target.map(domain)
    return table


def same_group_share(source: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    """Share of links inside one group, and what chance with the same degrees gives.

    ``source`` and ``target`` (m,) are the groups at the two ends of each link.
    """
    source, target = np.asarray(source), np.asarray(target)
    groups = np.unique(np.concatenate([source, target]))
    p = (source[:, None] == groups).mean(axis=0)
    q = (target[:, None] == groups).mean(axis=0)
    return float((source == target).mean()), float(p @ q)


def reach(web: Web, start: str, max_pages: int, through=None) -> list[str]:
    """Pages reached breadth-first from ``start``, at most ``max_pages``.

    ``through(url) -> bool`` tells whose links are followed (all, by default).
    """
    found, queue = [], deque([start])
    seen = {start}
    while queue and len(found) < max_pages:
        url = queue.popleft()
        try:
            page = web.fetch(url)
        except FetchError:
            continue
        found.append(url)
        if through is not None and not through(url):
            continue
        new = [link.url for link in page.links if link.url not in seen]
        seen.update(new)
        queue.extend(new)
    return found


def random_harvest(
    web: Web, start: str, topic: str | Topic, steps: int, rng: np.random.Generator | int
) -> float:
    """Share of truly relevant pages that a crawl of uniformly random frontier entries fetches.

    An entry is a link, so that a page linked twice is twice as likely; nothing is learnt.
    """
    rng = np.random.default_rng(rng)
    frontier, seen, relevant, fetched = [k.url for k in web.fetch(start).links], {start}, 0, 0
    while frontier and fetched < steps:
        position = int(rng.integers(len(frontier)))
        frontier[position], frontier[-1] = frontier[-1], frontier[position]
        url = frontier.pop()
        if url in seen:
            continue
        seen.add(url)
        fetched += 1
        relevant += bool(web.is_relevant(url, topic))
        try:
            frontier += [link.url for link in web.fetch(url).links if link.url not in seen]
        except FetchError:
            continue
    return relevant / max(fetched, 1)
