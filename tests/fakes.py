"""A small deterministic web and classifier, for tests that need a crawl but no real text."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from tres_book.crawls.no_tree import NoTree
from tres_lib import focused
from tres_lib.focused import Context, SearchEngine, Transition
from tres_lib.focused.fetching import fetched
from tres_webs import FetchError, Link, Page, Topic, domain

TOPIC = Topic("fruit", keywords=("apple", "ripe fruit"))


class DictWeb:
    """Pages by URL; ``truth`` holds the relevant URLs, None if nobody knows."""

    def __init__(self, pages: dict[str, Page], truth: set[str] | None = None):
        self.pages, self.truth, self.fetched = pages, truth, []

    def fetch(self, url: str) -> Page:
        self.fetched.append(url)
        if url not in self.pages:
            raise FetchError(url, "not found", 404)
        return self.pages[url]

    def is_relevant(self, url: str, topic: object) -> bool | None:
        return None if self.truth is None else url in self.truth


class CountingClassifier:
    """Relevant with probability 0.9 where the text says apple, else 0.1; it notes the texts."""

    def __init__(self):
        self.asked: list[str] = []

    def proba(self, texts: list[str]) -> np.ndarray:
        self.asked += texts
        return np.array([0.9 if "apple" in text.lower() else 0.1 for text in texts])


def page(url: str, *links: str | tuple[str, str], text: str = "", status: int = 200) -> Page:
    """A page whose links are URLs or pairs of URL and anchor."""
    pairs = [link if isinstance(link, tuple) else (link, "") for link in links]
    return Page(url, status, "", text, tuple(Link(*pair) for pair in pairs))


def orchard(seed: int = 0, sites: int = 40, pages: int = 25, links: int = 12) -> DictWeb:
    """A random web of some sites; sites 0, 4, 8... write on apples, and link to each other.

    A twentieth of the links are dead; half of the anchors name the target's subject.
    """
    rng = np.random.default_rng(seed)
    urls = [f"http://site{s}.example/page-{p}" for s in range(sites) for p in range(pages)]
    on_topic = np.array([(i // pages) % 4 == 0 and rng.random() < 0.8 for i in range(len(urls))])
    fruit, rest = np.flatnonzero(on_topic), np.flatnonzero(~on_topic)
    web = {}
    for i, url in enumerate(urls):
        alike = fruit if on_topic[i] else rest
        near = rng.random(links) < 0.6
        targets = np.where(near, rng.choice(alike, links), rng.integers(len(urls), size=links))
        out = []
        for target in dict.fromkeys(targets.tolist()):
            subject = "apple" if on_topic[target] else "stone"
            anchor = subject if rng.random() < 0.5 else "read more"
            dead = "-gone" if rng.random() < 0.05 else ""
            out.append((urls[target] + dead, anchor))
        web[url] = page(url, *out, text="apple tree" if on_topic[i] else "stone wall")
    return DictWeb(web, {urls[i] for i in fruit})


def seed_of(web: DictWeb, n: int = 1) -> list[str]:
    """The first relevant pages, of different sites."""
    found: dict[str, str] = {}
    for url in sorted(web.truth):
        found.setdefault(domain(url), url)
    return list(found.values())[:n]


def web_of(*pages: Page, truth: set[str] | None = None) -> DictWeb:
    return DictWeb({p.url: p for p in pages}, truth)


def crawl(web, seeds, policy="bfs", budget=100, **options) -> focused.CrawlResult:
    """Crawl for apples."""
    options.setdefault("classifier", CountingClassifier())
    return focused.crawl(web, seeds, TOPIC, policy=policy, budget=budget, progress=False, **options)


def assert_same(first: focused.CrawlResult, second: focused.CrawlResult) -> None:
    """Two crawls have the same log but for the seconds."""
    pd.testing.assert_frame_equal(*(r.log.drop(columns="seconds") for r in (first, second)))


class FakeFrontier:
    """A frontier of features and links that may change; action i leads to URL i, of one site."""

    n_features = 8

    def __init__(self, x: np.ndarray, links: list[Link] = ()):
        self.x, self.links = x, links
        self.domains = np.zeros(999, int)  # by URL

    def features(self, ids):
        return self.x[ids]

    def new_links(self, ids):
        return [self.links[action] for action in ids.tolist()]

    def urls_of(self, ids):
        return np.asarray(ids)

    def sites_of(self, urls):
        return self.domains[urls]


def context(x=None, links=(), budget: int = 100, cap=float("inf"), **changed) -> Context:
    """What a policy is built from that is driven by hand."""
    frontier = FakeFrontier(np.zeros((99, 8), np.float32) if x is None else x, links)
    given = {"rng": np.random.default_rng(0), "topic": TOPIC, "proba": CountingClassifier().proba}
    return Context(budget=budget, frontier=frontier, cap=lambda step: cap, **given | changed)


def step(policy, number: int = 1, action: int | None = None) -> int:
    """Let a policy choose, and take, an action or its own choice; return which."""
    chosen = policy.choose(number)
    action = chosen if action is None else action
    policy.take(action, number)
    policy.figures()
    policy.drop([action])
    return action


def came(policy, action: int, reward: float, x, ids=(), page: Page | None = None, **more) -> None:
    """Tell a policy what came of an action: its page has the links `ids`, of features x."""
    policy.learn(Transition(action, np.zeros(8, np.float32), reward, x, page, **more))
    policy.add(np.array(ids, int), x)


def steps(policy, numbers) -> list[int]:
    """Let a policy take its own choice at each step."""
    return [step(policy, number) for number in numbers]


class AppleCosine:
    """Texts on apples are typical of the topic."""

    typical = {"page": 0.6, "anchor": 0.6}

    def cosine(self, texts):
        return np.array([0.6 if "apple" in text else 0.1 for text in texts])


def untrained(web: DictWeb) -> dict[str, object]:
    """Each policy by name, and some variants, with parts that need no training."""
    judge = CountingClassifier()
    engine = SearchEngine([web.pages[url] for url in list(web.pages)[::7]])
    ache = partial(focused.Ache, classifier=judge)
    found = partial(focused.SeedFinder, classifier=judge, search=engine)
    weights = focused.DDQN(8, rng=1).online.weights
    return {name: name for name in focused.POLICIES} | {
        "async": partial(focused.HanAsync, cosine=AppleCosine()),
        "ache": ache,
        "ache-global": partial(ache, scheduler="global"),
        "seedfinder": found,
        "seedfinder-global": partial(found, scheduler="global"),
        "no-tree": NoTree,
        "tres-pretrained": partial(focused.TRES, weights=weights),
    }


NAMES = [*focused.POLICIES, "ache-global", "seedfinder-global", "no-tree"]


class Arrivals(DictWeb):
    """A web that is its own fetcher: what is in flight arrives in an order that is drawn.

    It stops the program after `left` arrivals; `most` is one (in flight, arrived) for each start.
    """

    def __init__(self, web: DictWeb, left: float = float("inf"), seed: int = 0):
        super().__init__(web.pages, web.truth)
        self.rng, self.left = np.random.default_rng(seed), left
        self.started, self.flying, self.known, self.most = [], [], [], []

    def start(self, url):
        self.started.append(url)
        self.flying.append(url)
        self.most.append((len(self.flying), len(self.fetched)))

    def next(self):
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        url = self.flying.pop(int(self.rng.integers(len(self.flying))))
        return fetched(self, url, lambda: 1.0)

    def replayed(self, visit):
        self.known.append(visit.url)
