"""The sites of VitalWeb: how large they are and what each writes about.

A site has a few sections, each around one article of the concept graph; its pages are drawn from
the ring of articles near that centre. Only the sparse table is kept: about ten bytes per page.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from .concepts import ConceptGraph, rows_to_one
from .parameters import SiteLaw

SPECIALIST, MIXED, PORTAL, SPAM = range(4)
AT_ONCE = 500_000  # pages that are drawn at once: few enough for the processor's caches
# Irrational steps of a Kronecker sequence: every stretch of sites, whatever their size, gets each
# role and each subject in its due share, under every seed.
KRONECKER = np.array([0.8191725133961645, 0.6710436067037893, 0.5497004779019703])


@dataclass(frozen=True)
class SiteTable:
    """Which of S sites writes about which of A articles, in E entries grouped by site."""

    sizes: np.ndarray  # (S,) pages of each site
    role: np.ndarray  # (S,) such as PORTAL
    island: np.ndarray  # (S,) bool: whether it is reached through irrelevant pages alone
    centres: np.ndarray  # (C,) articles at the centre of a site's sections, the main one first
    centre_indptr: np.ndarray  # (S + 1,) where a site's centres begin
    indptr: np.ndarray  # (S + 1,) where a site's entries begin
    site: np.ndarray  # (E,)
    article: np.ndarray  # (E,)
    count: np.ndarray  # (E,) pages that the site has on the article
    section: np.ndarray  # (E,)
    by_article: np.ndarray  # entries that other sites link to, by article, most pages first
    article_indptr: np.ndarray  # (A + 1,) where an article's begin

    def pages_on(self, site: int, article: int) -> int:
        """Return how many pages a site has on an article."""
        rows = slice(*self.indptr[site : site + 2])
        return int(self.count[rows][self.article[rows] == article].sum())

    def centre(self, site: int) -> int:
        """Return the article at the centre of a site's first section."""
        return int(self.centres[self.centre_indptr[site]])


@dataclass(frozen=True)
class Rings:
    """The K articles near each of A: (A, K) rows and (A, K) weights, cumulative to 1."""

    article: np.ndarray
    cumulative: np.ndarray

    def draw(self, centre: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return an article from the ring of each centre, by uniform numbers u in [0, 1)."""
        flat = (self.cumulative + np.arange(len(self.cumulative))[:, None]).ravel()
        sought = centre + u
        order = np.argsort(sought)  # the search then runs through memory, in a third of the time
        found = np.empty(len(order), np.int64)
        found[order] = flat.searchsorted(sought[order], "right")
        last = (centre + 1) * self.cumulative.shape[1] - 1
        return self.article.ravel()[np.minimum(found, last)]

    def within(self, subject: np.ndarray) -> "Rings":
        """Return the rings on their centre's subject alone, by (A,) codes."""
        weight = np.diff(self.cumulative, axis=1, prepend=0.0)
        weight[subject[self.article] != subject[:, None]] = 0.0
        cumulative = np.cumsum(weight, axis=1)
        return Rings(self.article, cumulative / cumulative[:, -1:])


def build_rings(graph: ConceptGraph, subject: np.ndarray, law: SiteLaw) -> Rings:
    """Return the rings by the walk .3 stay + .45 one step + .25 two steps on the graph."""
    near = graph.near.copy().tocoo()
    near.data *= np.where(subject[near.row] == subject[near.col], law.same_category, 1.0)
    step = rows_to_one(near.tocsr())
    n = step.shape[0]
    article = np.empty((n, law.ring), np.int32)
    weight = np.empty((n, law.ring))
    for start in range(0, n, 512):  # chunks keep two steps of the walk from filling memory
        rows = np.arange(start, min(start + 512, n))
        one = step[rows]
        walk = (0.45 * one + 0.25 * (one @ step)).toarray()
        walk[rows - start, rows] += 0.3
        ring = _largest(walk, law.ring)
        ring_weight = np.take_along_axis(walk, ring, axis=1)
        order = np.argsort(-ring_weight, axis=1, kind="stable")
        article[rows] = np.take_along_axis(ring, order, axis=1)
        weight[rows] = np.take_along_axis(ring_weight, order, axis=1)
    cumulative = np.cumsum(weight, axis=1)
    return Rings(article, cumulative / cumulative[:, -1:])


def _largest(values: np.ndarray, n: int) -> np.ndarray:
    """Return the columns of each row's n largest values, rising; of equals the first columns."""
    least = -np.partition(-values, n - 1, axis=1)[:, n - 1 : n]
    chosen, equal = values > least, values == least
    missing = n - chosen.sum(axis=1, keepdims=True)
    chosen |= equal & (np.cumsum(equal, axis=1) <= missing)
    return np.nonzero(chosen)[1].reshape(-1, n)


class Draws:
    """Random numbers of pages, a stream for each kind, whose numbers are read little by little.

    The streams begin where they would if all numbers of a kind were drawn before those of the next.
    """

    def __init__(self, rng: np.random.Generator, n_pages: int, n_sites: int):
        self._rng, self._begin = rng, 0
        self.section, self.article = self._stream(n_pages), self._stream(n_pages)
        self.straying = self._stream(n_sites)
        self.keeping = self._stream(n_pages if n_sites else 0)
        self.leaving, self.left = self._stream(n_pages), self._stream(n_pages)

    def _stream(self, n: int) -> np.random.Generator:
        """Return the generator of the next n numbers."""
        bits = np.random.PCG64()
        now: Any = self._rng.bit_generator.state
        bits.state = now
        bits.advance(self._begin)
        self._begin += n
        return np.random.Generator(bits)


def _spans(sizes: np.ndarray) -> list[tuple[int, int]]:
    """Return ranges of sites that have about `AT_ONCE` pages each."""
    ends = np.cumsum(sizes)
    cuts = np.searchsorted(ends, np.arange(AT_ONCE, int(ends[-1]), AT_ONCE), side="right")
    edges = np.unique(np.concatenate([[0], cuts, [len(sizes)]])).tolist()
    return list(pairwise(edges))


def _entries(
    site: np.ndarray, article: np.ndarray, section: np.ndarray, n_articles: int
) -> tuple[np.ndarray, ...]:
    """Return the site, article, pages and section of each entry of some sites, (n,) pages."""
    pairs = site * n_articles + article
    key, first, count = np.unique(pairs, return_index=True, return_counts=True)
    site, article = np.divmod(key, n_articles)
    of_entry = site, article, count
    return *(a.astype(np.int32) for a in of_entry), section[first].astype(np.int8)


def _ends(rising: np.ndarray, n: int) -> np.ndarray:
    """Return where the rows of each number begin, and where all end, (n + 1,) int64."""
    return np.concatenate([[0], np.cumsum(np.bincount(rising, minlength=n))])


def build_sites(
    n_sites: int, weight: np.ndarray, subject: np.ndarray, rings: Rings, law: SiteLaw, seed: int
) -> SiteTable:
    """Draw all sites from the articles' (A,) weights and (A,) subjects."""
    order = np.argsort(subject, kind="stable")
    rng = np.random.default_rng([seed, 1])
    sizes = law.sizes(n_sites)
    points = (np.arange(1, n_sites + 1)[:, None] * KRONECKER + rng.random(3)) % 1.0
    role = np.searchsorted(np.cumsum(law.roles)[:-1], points[:, 0], side="right")
    role[sizes > law.largest] = PORTAL
    island = (role == SPECIALIST) & (points[:, 1] < law.islands)
    n_subjects = np.asarray(law.sections)[role]
    n_sections = n_subjects * law.depth(sizes)
    centre_indptr = np.concatenate([[0], np.cumsum(n_sections)])
    nth = np.arange(centre_indptr[-1]) - np.repeat(centre_indptr[:-1], n_sections)
    place = (np.repeat(points[:, 2], n_sections) + nth * KRONECKER[0]) % 1.0
    place = np.where(nth == 0, place, (place + rng.random(len(nth))) % 1.0)
    cumulative = np.cumsum(weight[order]) / weight.sum()
    centres = order[np.minimum(np.searchsorted(cumulative, place), len(order) - 1)]
    strict = rings.within(subject)
    further = np.flatnonzero(nth >= np.repeat(n_subjects, n_sections))  # on a subject of the site
    main = further - nth[further] + nth[further] % np.repeat(n_subjects, n_sections)[further]
    centres[further] = strict.draw(centres[main], rng.random(len(further)))

    strays = np.zeros(n_sites)
    draws = Draws(rng, int(sizes.sum()), n_sites if law.strictness else 0)
    if law.strictness:
        strays = draws.straying.random(n_sites) ** law.strictness
    parts = []
    for low, high in _spans(sizes):
        site = np.repeat(np.arange(low, high), sizes[low:high])
        section = (draws.section.random(len(site)) * n_sections[site]).astype(np.int64)
        centre, u = centres[centre_indptr[site] + section], draws.article.random(len(site))
        keeps = np.zeros(len(site), bool)
        if law.strictness:
            keeps = draws.keeping.random(len(site)) >= strays[site]
        article = np.empty(len(site), np.int64)
        for of, ring in ((~keeps, rings), (keeps, strict)):
            article[of] = ring.draw(centre[of], u[of])
        away = draws.leaving.random(len(site)) < law.background
        article[away] = order[np.searchsorted(cumulative, draws.left.random(away.sum()))]
        parts.append(_entries(site, article, section, len(weight)))
    site, article, count, section = map(np.concatenate, zip(*parts, strict=True))
    del parts
    linkable = np.flatnonzero(~island[site] & (role[site] != SPAM))
    by_article = linkable[np.lexsort((-count[linkable], article[linkable]))]
    return SiteTable(
        sizes=sizes,
        role=role.astype(np.int8),
        island=island,
        centres=centres.astype(np.int32),
        centre_indptr=centre_indptr,
        indptr=_ends(site, n_sites),
        site=site,
        article=article,
        count=count,
        section=section,
        by_article=by_article.astype(np.int32),
        article_indptr=_ends(article[by_article], len(weight)),
    )
