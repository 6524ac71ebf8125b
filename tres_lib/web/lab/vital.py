"""VitalWeb: an endless, deterministic, multi-site web written from real text.

A page is a pure function of (seed, URL). Which site writes about what stands
in ``sites.py``, the words in ``prose.py``, the URLs in ``addresses.py``; this
pages and links in ``writer.py``; this module is what a crawler meets, and it
knows the truth about each page.
"""

from __future__ import annotations

from functools import lru_cache
from numbers import Integral

import numpy as np

from ..page import FetchError, Page
from ..topic import Topic, get_topic, load_topics
from . import prose
from .addresses import ABOUT, ARTICLE, FRONT, OLD, PRINT, SECTION, Ref
from .articles import load_articles
from .concepts import concept_graph
from .parameters import WebLaw
from .prose import Dice
from .sites import SPAM, SPECIALIST, build_rings, build_sites
from .writer import Writer, page_key


@lru_cache(maxsize=4)
def _foundation(training: bool, law: WebLaw):
    """All that webs of every seed share: articles, concept graph, rings, weights."""
    articles = load_articles()
    members = np.flatnonzero(articles.training == training)
    graph = concept_graph(articles, members)
    labels = {
        name: np.array(
            [topic.matches(articles.titles[i], articles.descriptions[i]) for i in members]
        )
        for name, topic in load_topics().items()
    }
    subject = graph.category.copy()
    weight = (1.0 + np.asarray(graph.mentions.sum(axis=0)).ravel()) ** law.sites.popularity
    rest = np.ones(len(members), bool)
    for code, (name, _) in enumerate(law.topic_shares, start=len(graph.categories)):
        subject[labels[name]] = code
        rest &= ~labels[name]
    weight[rest] *= (1 - sum(share for _, share in law.topic_shares)) / weight[rest].sum()
    for name, share in law.topic_shares:
        weight[labels[name]] *= share / weight[labels[name]].sum()
    return articles, members, graph, subject, weight, build_rings(graph, subject, law.sites)


class VitalWeb:
    """A laboratory web of ``sites`` sites (about 46 pages each), without any download.

    Parameters
    ----------
    seed : int
        Another seed, another web: other sites, pages and links by the same law.
    sites : int
        20,000 by default; 100,000 for crawls of 20,000 fetches under a domain cap.
    half : {"crawl", "training"}
        Which half of the vital articles it is written from. Classifiers are trained
        on pages of the training half, so that no article is met in both.

    Raises
    ------
    ValueError
        If ``seed``, ``sites`` or ``half`` is out of range.
    """

    def __init__(
        self, seed: int = 0, sites: int = 20_000, *, half: str = "crawl", law: WebLaw | None = None
    ):
        if half not in ("crawl", "training"):
            raise ValueError(f"half={half!r}: use 'crawl' or 'training'")
        if not isinstance(sites, Integral) or not 1 <= sites <= 1_000_000:
            raise ValueError(f"sites={sites!r}: use a whole number from 1 to 1,000,000")
        if not isinstance(seed, Integral) or seed < 0:
            raise ValueError(f"seed={seed!r}: use a whole number, 0 or more")
        self.seed, self.law = int(seed), law or WebLaw()
        articles, self._members, self.graph, subject, weight, rings = _foundation(
            half == "training", self.law
        )
        order = np.argsort(subject, kind="stable")
        self.table = build_sites(sites, weight, order, rings, self.law.sites, self.seed)
        self.titles = tuple(articles.titles[i] for i in self._members)
        self.descriptions = tuple(articles.descriptions[i] for i in self._members)
        texts = [prose.sentences(articles.extracts[i]) for i in self._members]
        self._writer = Writer(self.seed, self.law, self.titles, texts, rings, self.table)
        self._labels: dict[Topic, np.ndarray] = {}

    def __repr__(self) -> str:
        return f"VitalWeb(seed={self.seed}, sites={len(self.table.sizes)})"

    # -- what a crawler may call -------------------------------------------------

    def fetch(self, url: str) -> Page:
        """The page at ``url``; ``Page.url`` is the target of a redirect.

        Raises
        ------
        FetchError
            404 for what does not exist (unless its site hides that), "unknown host" otherwise.
        """
        ref, missing = self._resolve(url)
        title, blocks = self._writer.compose(ref, missing)
        final = url if missing else self._writer.addresses.url(ref)
        links = prose.distinct_links(blocks, final)
        return Page(final, 200, title, prose.visible_text(blocks), links)

    def html(self, url: str) -> bytes:
        """The page as HTML that needs parsing: ``parse_page`` of it gives what ``fetch`` gives."""
        ref, missing = self._resolve(url)
        title, blocks = self._writer.compose(ref, missing)
        own = f"http://{self._writer.addresses.host(ref.site)}"
        relative = [
            b if b[0] == "text" else (*b[:2], [(k.url.removeprefix(own), k.anchor) for k in b[2]])
            for b in blocks
        ]
        return prose.untidy_html(title, relative, Dice(self.seed, 7, *page_key(ref)))

    def is_relevant(self, url: str, topic: str | Topic) -> bool | None:
        """The truth: an article page by its article, a hub by half of what it lists, else False.

        None if the URL is not of this web or the topic has no rules.
        """
        topic = get_topic(topic)
        ref = self._writer.addresses.parse(url)
        if not topic.has_rules or (ref is None and self._host_site(url) is None):
            return None
        if ref is None or not self._writer.exists(ref) or self.table.role[ref.site] == SPAM:
            return False
        labels = self.labels(topic)
        if ref.kind in (ARTICLE, PRINT, OLD):
            return bool(labels[ref.a])
        listed = self._writer.listed(ref)
        return bool(len(listed) and labels[listed].mean() >= 0.5)

    def seeds(self, topic: str | Topic, n: int, rng: np.random.Generator | int) -> list[str]:
        """n relevant article pages of different sites, none linking to another.

        Raises
        ------
        ValueError
            If the topic has no rules or the web has fewer such pages.
        """
        topic = get_topic(topic)
        if not topic.has_rules:
            raise ValueError(f"topic={topic.name!r} has no rules: VitalWeb cannot tell its pages")
        rng = np.random.default_rng(rng)
        table = self.table
        good = self.labels(topic)[table.article] & (table.role[table.site] == SPECIALIST)
        good &= ~table.island[table.site]
        chosen: dict[str, set[str]] = {}
        sites: set[int] = set()
        for entry in rng.permutation(np.flatnonzero(good)):
            if len(chosen) == n:
                break
            site = int(table.site[entry])
            url = self._writer.addresses.url(Ref(ARTICLE, site, int(table.article[entry]), 0))
            out = {link.url for link in self.fetch(url).links}
            if site in sites or out & chosen.keys() or any(url in o for o in chosen.values()):
                continue
            sites.add(site)
            chosen[url] = out
        if len(chosen) < n:
            raise ValueError(
                f"n={n}: this web has only {len(chosen)} unconnected seeds for {topic.name!r}"
            )
        return list(chosen)

    # -- what an analysis may ask ------------------------------------------------

    def kind(self, url: str) -> str:
        """Kind of page: article, print, moved, section, front, directory, calendar, about, spam,
        missing."""
        ref = self._writer.addresses.parse(url)
        if ref is None or not self._writer.exists(ref):
            return "missing"
        return "spam" if self.table.role[ref.site] == SPAM else ref.kind

    def labels(self, topic: str | Topic) -> np.ndarray:
        """(A,) bool: which of this web's articles are on the topic."""
        topic = get_topic(topic)
        if topic not in self._labels:
            matches = map(topic.matches, self.titles, self.descriptions)
            self._labels[topic] = np.fromiter(matches, bool, len(self.titles))
        return self._labels[topic]

    def article(self, url: str) -> int | None:
        """Row of the article that a page is written on, if it is an article page."""
        ref = self._writer.addresses.parse(url)
        return ref.a if ref is not None and ref.kind in (ARTICLE, PRINT, OLD) else None

    def random_article_pages(self, n: int, rng: np.random.Generator) -> list[str]:
        """URLs of n pages drawn uniformly from all article pages."""
        table = self.table
        ends = np.cumsum(table.count)
        draws = rng.integers(ends[-1], size=n)
        entries = np.searchsorted(ends, draws, side="right")
        variants = ends[entries] - 1 - draws
        return [
            self._writer.addresses.url(
                Ref(ARTICLE, int(table.site[e]), int(table.article[e]), int(v))
            )
            for e, v in zip(entries, variants, strict=True)
        ]

    def one_page_each(self, rng: np.random.Generator) -> list[str]:
        """URLs of one article page on every article that any site but spam writes about."""
        table = self.table
        honest = np.flatnonzero(table.role[table.site] != SPAM)
        shuffled = rng.permutation(honest)
        _, first = np.unique(table.article[shuffled], return_index=True)
        refs = ((int(table.site[e]), int(table.article[e])) for e in shuffled[first])
        return [self._writer.addresses.url(Ref(ARTICLE, site, article)) for site, article in refs]

    def hubs(self, n: int) -> list[tuple[str, np.ndarray]]:
        """n hub pages (front pages and sections in turn) with the articles that each lists."""
        honest = np.flatnonzero(self.table.role != SPAM)
        sites = honest[np.linspace(0, len(honest) - 1, n).astype(int)]
        refs = [Ref((FRONT, SECTION)[i % 2], int(site)) for i, site in enumerate(sites)]
        refs = [ref for ref in refs if self._writer.exists(ref)]
        return [(self._writer.addresses.url(ref), self._writer.listed(ref)) for ref in refs]

    # -- addresses ---------------------------------------------------------------

    def _host_site(self, url: str) -> int | None:
        return (
            self._writer.addresses.site_of(url.split("/")[2]) if url.startswith("http://") else None
        )

    def _resolve(self, url: str) -> tuple[Ref, bool]:
        """(page, False), or (the site's about page, True) for a soft 404."""
        ref = self._writer.addresses.parse(url)
        if ref is not None and self._writer.exists(ref):
            return (ref._replace(kind=ARTICLE) if ref.kind == OLD else ref), False
        site = self._host_site(url)
        if site is None:
            raise FetchError(url, "unknown host")
        if not self._writer.has(site, "soft_404"):
            raise FetchError(url, "not found", 404)
        return Ref(ABOUT, site), True
