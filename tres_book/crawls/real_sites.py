"""Crawls of the pinned web of real sites: its judges, what links reach, what is stored of a crawl.

The web that is crawled has the first `SITES` sites by the hashes of their archives; the classifiers
learn from the pages and anchors of the others, one in five.
"""

import hashlib
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from tres_lib.focused.baselines.async_sarsa import HanAsync
from tres_lib.focused.baselines.seedfinder import SearchEngine, SeedFinder, search_engine
from tres_lib.focused.drivers import crawl
from tres_lib.store import load_or_make
from tres_lib.topics import CachedScorer, Corpus, SvmClassifier, TopicCosine, anchor_text, page_text
from tres_webs import Page, PinnedWeb
from tres_webs.files import RESULTS, build_dir
from tres_webs.recorded.label_rules import read_rules, rules_version
from tres_webs.recorded.manifest import read_manifest
from tres_webs.recorded.pinned import sites_here
from tres_webs.topic import Topic
from tres_webs.wrapper import Wrapper

from . import conditions
from .record import counted, hash_of
from .trial import SCORES, remembering
from .variants import policy_of

NAME, SITES = "debian-docs", 697  # of 871
BUDGET, LENGTHS = 4_000, (400, 1_000, 4_000)  # fetches of a crawl, and those at which it is read
TOPICS = tuple(rule.topic.name for rule in read_rules(NAME))
SEEDS = 10  # pages from which a crawl starts
ANCHORS = 2  # different ones of a page that a classifier learns, at most
REACHED = "seedfinder-reached"  # whose engine lacks what links do not reach from the seeds
EVERY = 5  # irrelevant page by which it is tested, beside all relevant ones


def is_here(sites: int = SITES) -> bool:
    """Return whether so many sites are on this machine; `tres fetch-web` obtains them."""
    return sites_here(NAME) >= sites


def web_hash() -> str:
    """Return a hash of the archives of the web that is crawled, and of the rules of its labels."""
    known = [site.sha256 for site in read_manifest(NAME)[:SITES]]
    return hashlib.sha256(f"{rules_version(NAME)} {known}".encode()).hexdigest()[:12]


@lru_cache(maxsize=1)
def web_of_sites() -> Any:
    """Return the web that is crawled. Links to what it lacks are left out, and pages are kept.

    ValueError if it is not whole.
    """
    web: Any = PinnedWeb(NAME, cut=SITES)
    if missing := SITES - len(web.sites):
        raise ValueError(f"{missing} of {SITES} sites are missing; `tres fetch-web {NAME}` goes on")
    whole = web.fetch

    def closed(url: str) -> Page:
        page = whole(url)
        return replace(page, links=tuple(link for link in page.links if link.url in web))

    web.fetch = closed
    return remembering(web)


@lru_cache(maxsize=64)
def seeds(topic: str, seed: int) -> list[str]:
    """Return the pages from which crawls start: on the topic, none linking to another."""
    return web_of_sites().seeds(topic, SEEDS, seed)


@lru_cache(maxsize=2)
def classifier(topic: str) -> CachedScorer:
    """Return what judges pages: the SVM that benchmarks/debian_classifiers.py trains."""
    svm = SvmClassifier.load(RESULTS / "classifiers" / f"{NAME}-{topic}".replace("_", "-"))
    # Last bits differ between processors, and would decide between links.
    return CachedScorer(lambda texts: svm.proba(texts).round(6), SCORES)


@lru_cache(maxsize=2)
def cosine(topic: str) -> TopicCosine:
    """Return what "async" knows of the topic, learnt from the same texts."""
    folder = build_dir() / "classifiers" / f"{NAME}-{topic}-cosine".replace("_", "-")
    return load_or_make(folder, TopicCosine.load, lambda: TopicCosine.fit(examples(topic)))


@lru_cache(maxsize=1)
def examples(topic: str) -> Corpus:
    """Return articles of the sites that are not crawled, and anchors of links to them."""
    web = PinnedWeb(NAME)
    crawled = {site.package for site in read_manifest(NAME)[:SITES]}
    urls = [url for url in web.urls() if web.site(url) not in crawled]
    labels = {u: bool(web.is_relevant(u, topic)) for u in urls if web.kind(u) == "article"}
    pages: dict[str, str] = {}
    anchors: dict[str, dict[str, str]] = defaultdict(dict)
    for url in urls:
        page = web.fetch(url)
        pages |= {url: page_text(page)} if url in labels else {}
        for link in page.links:
            if link.url in labels and link.anchor and len(anchors[link.url]) < ANCHORS:
                anchors[link.url][link.anchor] = anchor_text(link)
    rows = [(url, "page", text) for url, text in pages.items()]
    rows += [(url, "anchor", text) for url in pages for text in anchors[url].values()]
    on, groups = ([of(url) for url, *_ in rows] for of in (labels.get, web.site))
    forms, texts = ([row[i] for row in rows] for i in (1, 2))
    return Corpus(tuple(texts), np.array(on), np.array(groups), np.array(forms))


class Labels(Wrapper):
    """A web, and the judge that knows the label of the page fetched last."""

    def __init__(self, web: PinnedWeb, topic: Topic):
        super().__init__(web)
        self._topic, self._label = topic, 0.0

    def fetch(self, url: str) -> Page:
        """Return the page of the web behind, and note its label."""
        page = super().fetch(url)
        self._label = float(self.is_relevant(page.url, self._topic) or 0)
        return page

    def proba(self, texts: list[str]) -> np.ndarray:
        """Return the label for each text, for crawls have nothing judged but the last page."""
        return np.full(len(texts), self._label)


class ReachedOnly:
    """A search engine without the pages that some others do not lead to by links."""

    def __init__(self, engine: SearchEngine, pages: Collection[str]):
        self._engine, self._pages = engine, pages

    def query(self, terms: Sequence[str], n: int = 10, skip: int = 0) -> list[str]:
        """Return the URLs as of `SearchEngine.query`."""
        found = self._engine.query(terms, len(self._engine))
        return [url for url in found if url in self._pages][skip : skip + n]


def record(
    policy: Any, topic: str, seed: int, judge: str, limit: str = "none", budget: int = BUDGET
) -> dict[str, Any]:
    """Return what is stored of a crawl from `SEEDS` pages: `counted`, and more.

    The policy is a name for `policy_of`, or `REACHED`. Pages are judged by the "classifier" or by
    their "labels", anchors by the classifier. A failed fetch is a step. ``busiest`` is the most
    fetches of one host; ``sites`` those with a page truly found.
    """
    start = time.process_time()
    web, scorer, first = web_of_sites(), classifier(topic), seeds(topic, seed)
    subject = web.topics[topic]
    place: Any = Labels(web, subject) if judge == "labels" else web
    made = policy_of(policy, web)
    if policy == REACHED:
        engine: Any = ReachedOnly(search_engine(web), reached(first))
        made = partial(SeedFinder, search=engine)
    if policy == "async":
        made = partial(HanAsync, cosine=cosine(topic))
    result = crawl(
        place,
        first,
        subject,
        policy=made,
        budget=budget,
        max_per_domain=None if limit == "none" else int(limit),
        classifier=place if judge == "labels" else scorer,
        anchor_classifier=scorer,
        rng=seed,
        progress=False,
    )
    steps = result.log[result.log["step"] > 0]
    hosts = steps["url"].map(lambda url: urlsplit(url).netloc)
    busiest = (steps.groupby(hosts).cumcount() + 1).cummax()
    on_topic = steps["relevant_true"].fillna(False).astype(bool)
    return {
        **counted(steps, budget, busiest=busiest),
        "sites": steps.loc[on_topic, "final_url"].map(web.site).nunique(),
        "failed": int((steps["failure"] != "").sum()),
        "pages": len(steps),
        "cpu": time.process_time() - start,
        "log": hash_of(steps["url"], (steps["reward"] > 0).to_numpy().tobytes()),
    }


def survey(topic: str, draws: int = 10) -> dict[str, Any]:
    """Return what there is of a topic, what links reach of it, and how good its classifier is.

    ``reachable``, (draws,), has a topic's pages that links reach from each crawl's seeds, without
    these; ``precision`` and ``recall`` are over all articles that crawls may meet.
    """
    web, scorer = web_of_sites(), classifier(topic)
    urls = [url for url in web.urls() if web.kind(url) == "article"]
    truth = np.array([bool(web.is_relevant(url, topic)) for url in urls])
    tested = np.flatnonzero(truth | (np.arange(len(urls)) % EVERY == 0))
    fetch = PinnedWeb(NAME, cut=SITES).fetch  # block by block, nothing is kept
    taken = np.array([scorer.proba([page_text(fetch(urls[i]))])[0] >= 0.5 for i in tested])
    right, wrong = (taken & truth[tested]).sum(), EVERY * (taken & ~truth[tested]).sum()
    on_topic = {url for url, label in zip(urls, truth, strict=True) if label}
    return {
        "relevant": len(on_topic),
        "sites": len(set(map(web.site, on_topic))),
        "precision": right / (right + wrong),
        "recall": right / len(on_topic),
        "reachable": [len(on_topic & reached(seeds(topic, seed))) - SEEDS for seed in range(draws)],
    }


def reached(start: list[str]) -> set[str]:
    """Return the pages to which links lead from some pages, these too."""
    return conditions.reached(start, graph().__getitem__)


@lru_cache(maxsize=1)
def graph() -> dict[str, frozenset[str]]:
    """Return where each page links to within the web that is crawled."""
    web = PinnedWeb(NAME, cut=SITES)
    ends = {url: url for url in web.urls()}  # one string for each page, and other spellings

    def end(url: str) -> str:
        if url not in ends:
            ends[url] = ends[web.fetch(url).url] if url in web else ""
        return ends[url]

    return {url: frozenset(filter(None, map(end, web.links(url)))) for url in web.urls()}
