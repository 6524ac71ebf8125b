"""How much is left: an estimate of how many waiting links lead to relevant pages."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

from tres_lib.topics.vectors import tokenize
from tres_webs.page import Link
from tres_webs.urls import domain

LEAST = 30  # fetches along links, fewer of which teach nothing
DRAWS = 50  # of the bootstrap over sites
# Standard deviation, on the logit scale, of what the bootstrap does not see: a policy takes the
# better of links that look alike here. Set on laboratory webs other than those of chapter 13.
UNSEEN = 0.7
Z = 1.96  # for 95 %


class Fact(NamedTuple):
    """What is known of a link, as log-odds of relevance where it is a share."""

    linking: float  # of the pages that link to it
    site: float  # of its site's pages so far
    links: float  # logarithm of their number
    words: float  # mean of its anchors' words, less that of all pages


@dataclass(frozen=True)
class Left:
    """How many waiting links lead to relevant pages; nan where too little is known."""

    waiting: int
    relevant: float
    low: float  # bounds of 95 %
    high: float

    def __str__(self) -> str:
        if np.isnan(self.relevant):
            return f"{self.waiting:,} waiting links; too few were fetched to judge them by"
        about, low, high = (f"{value:,.0f}" for value in (self.relevant, self.low, self.high))
        lead = f"about {about} [{low}, {high}] lead to relevant pages"
        return f"of the {self.waiting:,} waiting links {lead}; pages without a link are not counted"


def relevant_left(log: pd.DataFrame, links: Mapping[str, Iterable[Link]]) -> Left:
    """Estimate how many relevant pages the links lead to that a crawl saw and did not fetch.

    A logistic regression learns from the crawl's own fetches, each by what was known before it:
    the relevance of linking pages, of the site, and of anchors' words. The interval, 95 %, has the
    bootstrap over sites and the policy's choice of better links. The log is a `CrawlResult`'s; the
    links are those in scope on each fetched page, by the URL that was asked for.

    Examples
    --------
    >>> hub, *urls = (f"http://{name}.example/" for name in ["hub", *map(str, range(60))])
    >>> links = {hub: [Link(url, "jazz" if i % 2 else "chess") for i, url in enumerate(urls)]}
    >>> rows = [(0, hub, hub, 1.0)]
    >>> rows += [(i + 1, url, url, float(i % 2)) for i, url in enumerate(urls[:40])]
    >>> log = pd.DataFrame(rows, columns=["step", "url", "final_url", "reward"])
    >>> left = relevant_left(log, links)
    >>> left.waiting, round(left.relevant)
    (20, 10)
    """
    if missing := {"step", "url", "final_url", "reward"} - set(log):
        raise ValueError(f"log: no column {', '.join(sorted(missing))}; give a CrawlResult.log")
    crawl = _Crawl(links)
    known, y, sites = [], [], []
    for row in log.itertuples():
        if row.step > 0 and row.url in crawl.linking:
            known.append(crawl.fact(row.url))
            y.append(row.reward > 0)
            sites.append(domain(row.url))
        crawl.see(row.url, row.reward > 0)
    gone = {*log["url"], *log["final_url"]}
    waiting = [crawl.fact(url) for url in crawl.linking if url not in gone]
    if not waiting:
        return Left(0, 0.0, 0.0, 0.0)
    if len(y) < LEAST:
        return Left(len(waiting), np.nan, np.nan, np.nan)
    return _estimate(np.array(known), np.array(y, float), np.array(sites), np.array(waiting))


class _Crawl:
    """What a crawl knows of links and sites, as it goes on."""

    def __init__(self, links: Mapping[str, Iterable[Link]]):
        self.links = links
        self.linking: dict[str, list[bool]] = {}  # by URL, whether each linking page is relevant
        self.words: dict[str, dict[str, None]] = {}  # by URL, of anchors
        self.seen: Counter[tuple[str, str]] = Counter()  # pages by site, by word, and all
        self.relevant: Counter[tuple[str, str]] = Counter()  # those of them

    def see(self, url: str, relevant: bool) -> None:
        """Take in a page."""
        for of in self._groups(url):
            self.seen[of] += 1
            self.relevant[of] += relevant
        for link in {link.url: link for link in self.links.get(url, ())}.values():
            self.linking.setdefault(link.url, []).append(relevant)
            self.words.setdefault(link.url, {}).update(dict.fromkeys(tokenize(link.anchor)))

    def fact(self, url: str) -> Fact:
        """Return what is known of a link now."""
        everywhere, site, *words = self._groups(url)
        base = (self.relevant[everywhere] + 1) / (self.seen[everywhere] + 2)
        pages = self.linking[url]
        odds = [_odds(self.relevant[of], self.seen[of], base, 2) for of in words]
        return Fact(
            _odds(sum(pages), len(pages), base, 1),
            _odds(self.relevant[site], self.seen[site], base, 2),
            math.log(len(pages)),
            sum(odds) / len(odds) - math.log(base / (1 - base)) if odds else 0.0,
        )

    def _groups(self, url: str) -> Iterator[tuple[str, str]]:
        yield "", ""
        yield "site", domain(url)
        for word in self.words.get(url, ()):
            yield "word", word


def _odds(relevant: int, seen: int, base: float, weight: float) -> float:
    """Return log-odds of a share, with `weight` pages more of the share `base`."""
    share = min(max((relevant + weight * base) / (seen + weight), 0.005), 0.995)
    return math.log(share / (1 - share))


def _estimate(known: np.ndarray, y: np.ndarray, sites: np.ndarray, waiting: np.ndarray) -> Left:
    mean, spread = known.mean(axis=0), known.std(axis=0) + 1e-9
    x, new = (np.c_[np.ones(len(a)), (a - mean) / spread] for a in (known, waiting))
    n = len(waiting)
    recent = 0.5 ** (np.arange(len(y))[::-1] / (len(y) / 2))  # the last half weighs double
    names, site = np.unique(sites, return_inverse=True)
    rng = np.random.default_rng(0)
    weights = [recent, *(recent * rng.exponential(size=len(names))[site] for _ in range(DRAWS))]
    totals = np.array([expit(new @ _logistic(x, y, w)).sum() for w in weights])
    scale = np.log((totals + 0.5) / (n - totals + 0.5))
    half = Z * float(np.hypot(scale[1:].std(), UNSEEN))
    low, high = n * expit(scale[0] + [-half, half])
    return Left(n, float(totals[0]), float(low), float(high))


def _logistic(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return coefficients of a logistic regression with a small ridge, by Newton's method."""
    beta, ridge = np.zeros(x.shape[1]), np.eye(x.shape[1])
    ridge[0, 0] = 1e-3  # the intercept
    for _ in range(12):
        p = expit(x @ beta)
        slope = x.T @ (weights * (y - p)) - ridge @ beta
        curve = (x.T * (weights * p * (1 - p))) @ x + ridge
        beta += np.clip(np.linalg.solve(curve, slope), -2, 2)
    return beta
