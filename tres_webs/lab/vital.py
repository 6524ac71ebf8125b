"""VitalWeb: an endless, deterministic, multi-site web written from real text.

A page is a pure function of (seed, URL). `sites` says which site writes about what, `writer`
composes pages and links, `prose` their words and `addresses` their URLs.
"""

from functools import lru_cache
from zlib import crc32

import numpy as np

from .. import checks
from ..checks import count, generator
from ..page import FetchError, Page, Web
from ..topic import Topic, get_topic
from . import prose
from .addresses import Ref
from .articles import Articles, load_articles
from .concepts import ConceptGraph, concept_graph
from .parameters import LAWS, SiteLaw, WebLaw
from .sites import SPAM, SPECIALIST, Rings, build_rings, build_sites
from .writer import Writer

Foundation = tuple[Articles, np.ndarray, ConceptGraph, np.ndarray, np.ndarray, Rings]
Ground = tuple[Articles, np.ndarray, ConceptGraph, np.ndarray, Rings]


@lru_cache(maxsize=4)
def _ground(training: bool, law: SiteLaw, subjects: tuple[str, ...]) -> Ground:
    """Return what laws of the same subjects share: articles, members, graph, subjects, rings."""
    articles = load_articles()
    members = np.flatnonzero(articles.training == training)
    graph = concept_graph(articles, members)
    subject = graph.category.copy()
    # Where topics overlap, the last one has the article: one with a share of its own.
    for code, name in enumerate(subjects, len(graph.categories)):
        matches = get_topic(name).matches
        subject[[matches(articles.titles[i], articles.descriptions[i]) for i in members]] = code
    return articles, members, graph, subject, build_rings(graph, subject, law)


@lru_cache(maxsize=4)
def _foundation(training: bool, law: WebLaw) -> Foundation:
    """Return what webs of every seed share: articles, members, graph, subjects, weights, rings."""
    shares = dict(law.topic_shares)
    names = (*law.subjects, *shares)
    articles, members, graph, subject, rings = _ground(training, law.sites, names)
    weight = (1.0 + np.asarray(graph.mentions.sum(axis=0)).ravel()) ** law.sites.popularity
    # The subjects up to here are categories and subjects without a share of their own.
    without_share = len(graph.categories) - 1 + len(law.subjects)
    for code, share in enumerate([1 - sum(shares.values()), *shares.values()], without_share):
        group = np.maximum(subject, without_share) == code
        weight[group] *= share / weight[group].sum()
    return articles, members, graph, subject, weight, rings


class VitalWeb(Web):
    """A laboratory web with the Web's structure, without any download.

    Another seed makes another web of so many sites; take 100,000 for crawls of 20,000 fetches. It
    is written from a half of the vital articles, "crawl" or, that of classifiers, "training". The
    second law has sites of up to 100,000 pages that link mostly to themselves; the third, such
    sites with links to others as on real ones; the first, many small ones of about 46 pages; or
    give a `WebLaw`. A million sites take 16 CPU seconds and .6 GB; ValueError if memory lacks.

    Examples
    --------
    >>> lab = VitalWeb(seed=0, sites=2_000)
    >>> page = lab.fetch(lab.seeds("food", 1, rng=0)[0])
    >>> page.title
    'Filled with fruit with fruit - www.blackberry-1.example'
    >>> lab.is_relevant(page.url, "food")
    True
    """

    def __init__(
        self,
        seed: int = 0,
        sites: int = 20_000,
        *,
        half: str = "crawl",
        law: str | WebLaw = "second",
    ):
        self.half = checks.one_of("half", half, ("crawl", "training"))
        self.seed = checks.count("seed", seed, 0)
        self.law = law if isinstance(law, WebLaw) else LAWS[checks.one_of("law", law, list(LAWS))]
        checks.memory("sites", checks.count("sites", sites), self.law.sites.memory(sites))
        shared = _foundation(half == "training", self.law)
        articles, members, self.graph, subject, weight, rings = shared
        self.table = build_sites(sites, weight, subject, rings, self.law.sites, self.seed)
        self.titles = tuple(articles.titles[i] for i in members)
        self.descriptions = tuple(articles.descriptions[i] for i in members)
        sentences = [prose.SENTENCE_END.split(articles.extracts[i]) for i in members]
        self.writer = Writer(self.seed, self.law, self.titles, sentences, rings, self.table)
        self.addresses = self.writer.addresses
        self._labels: dict[Topic, np.ndarray] = {}

    def __repr__(self) -> str:
        other = "" if self.half == "crawl" else f", half={self.half!r}"
        if self.law != LAWS["second"]:
            names = [f"{name!r}" for name, law in LAWS.items() if law == self.law]
            other += f", law={names[0] if names else f'{crc32(repr(self.law).encode()):08x}'}"
        return f"VitalWeb(seed={self.seed}, sites={len(self.table.sizes)}{other})"

    def fetch(self, url: str) -> Page:
        """Return the page at a URL, after a redirect the one that it leads to.

        FetchError 404 for a page that does not exist, unless its site hides that.
        """
        ref, soft_404 = self.resolve(url)
        title, blocks = self.writer.compose(ref, soft_404)
        final = url if soft_404 else self.addresses.url(ref)
        return prose.as_page(final, title, blocks, self.writer.layout(ref))

    def html(self, url: str) -> bytes:
        """Return untidy HTML that `parse_page` reads as the page of `fetch`, or FetchError."""
        ref, soft_404 = self.resolve(url)
        title, blocks = self.writer.compose(ref, soft_404)
        return self.writer.html(ref, title, blocks)

    def is_relevant(self, url: str, topic: str | Topic) -> bool | None:
        """Return whether the page is on the topic, the ground truth; None without rules.

        A page on an article is if its article is, a hub if half of those that it lists are, spam
        never.
        """
        topic = get_topic(topic)
        ref = self.addresses.parse(url)
        if not topic.has_rules or (ref is None and self.addresses.site_of(url) is None):
            return None
        if ref is None or not self.writer.exists(ref) or self.table.role[ref.site] == SPAM:
            return False
        labels = self.labels(topic)
        if ref.on_article:
            return bool(labels[ref.a])
        listed = self.writer.listed(ref)
        return bool(len(listed) and labels[listed].mean() >= 0.5)

    def seeds(self, topic: str | Topic, n: int, rng: np.random.Generator | int) -> list[str]:
        """Return n relevant article pages, none linking to another.

        They are of different sites. ValueError if the topic has no rules, or there are fewer.
        """
        topic = get_topic(topic)
        count("n", n)
        rng = generator("rng", rng)
        if not topic.has_rules:
            raise ValueError(f"topic={topic.name!r} has no rules: VitalWeb cannot judge its pages")
        table = self.table
        good = self.labels(topic)[table.article] & (table.role[table.site] == SPECIALIST)
        good &= ~table.island[table.site]
        entries = rng.permutation(np.flatnonzero(good))
        if least := self.law.sites.seed_pages:  # established sites of the topic come first
            on_topic = self.labels(topic)[table.centres[table.centre_indptr[:-1]]]
            established = (on_topic & (table.sizes >= least))[table.site[entries]]
            entries = np.concatenate([entries[established], entries[~established]])
        chosen: dict[str, set[str]] = {}
        sites: set[int] = set()
        for entry in entries:
            if len(chosen) == n:
                break
            url = self._standing_url(entry)
            if url is None or table.site[entry] in sites:
                continue
            out = {link.url for link in self.fetch(url).links}
            if not (out & chosen.keys() or any(url in o for o in chosen.values())):
                sites.add(table.site[entry])
                chosen[url] = out
        if len(chosen) < n:
            has = f"this web has only {len(chosen)} unconnected seeds"
            raise ValueError(f"n={n}: {has} for {topic.name!r}")
        return list(chosen)

    def kind(self, url: str) -> str:
        """Return the kind of page at a URL: one of `addresses.Kind`, "spam" or "missing"."""
        ref = self.addresses.parse(url)
        if ref is None or not self.writer.exists(ref):
            return "missing"
        return "spam" if self.table.role[ref.site] == SPAM else ref.kind

    def labels(self, topic: str | Topic) -> np.ndarray:
        """Return which of this web's A articles are on the topic, (A,) bool; do not write to it."""
        topic = get_topic(topic)
        if topic not in self._labels:
            matches = map(topic.matches, self.titles, self.descriptions)
            self._labels[topic] = np.array(list(matches), bool)
        return self._labels[topic]

    def article(self, url: str) -> int | None:
        """Return the row in `titles` of an existing page's article; None for a page on none."""
        ref = self.addresses.parse(url)
        return ref.a if ref is not None and ref.on_article else None

    def random_article_pages(self, n: int, rng: np.random.Generator | int) -> list[str]:
        """Return the URLs of n article pages, drawn uniformly with replacement."""
        rng = generator("rng", rng)
        ends = np.cumsum(self.table.count)
        urls: list[str] = []
        while len(urls) < n:  # pages that are gone are drawn again
            draws = rng.integers(ends[-1], size=n - len(urls))
            entries = np.searchsorted(ends, draws, side="right")
            drawn = map(self.ref, entries, ends[entries] - 1 - draws)
            urls += [self.addresses.url(ref) for ref in drawn if self.writer.stands(ref)]
        return urls

    def one_page_each(self, rng: np.random.Generator) -> list[str]:
        """Return a page on each article that any site but spam writes on; `rng` draws the site."""
        shuffled = rng.permutation(np.flatnonzero(self.table.role[self.table.site] != SPAM))
        _, first = np.unique(self.table.article[shuffled], return_index=True)
        return [url for url in map(self._standing_url, shuffled[first]) if url is not None]

    def hubs(self, n: int) -> list[tuple[str, np.ndarray]]:
        """Return the hubs of n sites, evenly spaced by size, and the articles that each lists.

        They are front pages and sections in turn, less those that are missing.
        """
        honest = np.flatnonzero(self.table.role != SPAM)
        sites = honest[np.linspace(0, len(honest) - 1, n).astype(int)]
        refs = [Ref("section" if i % 2 else "front", int(site)) for i, site in enumerate(sites)]
        refs = [ref for ref in refs if self.writer.exists(ref)]
        return [(self.addresses.url(ref), self.writer.listed(ref)) for ref in refs]

    def _standing_url(self, entry: int) -> str | None:
        """Return the URL of an entry's first page that is not gone; None if all are."""
        refs = (self.ref(entry, k) for k in range(self.table.count[entry]))
        return next((self.addresses.url(ref) for ref in refs if self.writer.stands(ref)), None)

    def ref(self, entry: int, variant: int) -> Ref:
        """Return one of the article pages of an entry of the table."""
        page = self.table.site[entry], self.table.article[entry], variant
        return Ref("article", *map(int, page))

    def resolve(self, url: str) -> tuple[Ref, bool]:
        """Return the page and False, or for a soft 404 the site's about page and True."""
        ref = self.addresses.parse(url)
        if ref is not None and self.writer.exists(ref):
            return (ref._replace(kind="article") if ref.kind == "moved" else ref), False
        site = self.addresses.site_of(url)
        if site is None:
            raise FetchError(url, "unknown host")
        if not self.writer.has(site, "soft_404"):
            raise FetchError(url, "not found", 404)
        return Ref("about", site), True
