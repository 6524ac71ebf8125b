"""Chapter 13: how many relevant pages are left, estimated, where a laboratory web knows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tres_lib import focused
from tres_lib.topics import KeywordMatcher, page_text
from tres_live.topic.left import relevant_left
from tres_webs import FetchError, Link, Page, Topic, VitalWeb
from tres_webs.topic import own_topics
from tres_webs.wrapper import Wrapper

from ..study.study import Study

POLICIES = ("prospector", "best-first", "bfs")
STEPS = (300, 1_000)  # fetches after which is asked how much is left
LEFT = ["steps", "found", "waiting", "true", "left", "low", "high"]  # an item for each of STEPS


def studies() -> dict[str, Study]:
    """Return the study of ``left``: ten of `own_topics`, each in a web of its own."""
    names = list(own_topics())[:10]  # the other two were looked at when the rule was made
    settings = [
        {"topic": name, "web_seed": 700 + i, "policy": policy}
        for i, name in enumerate(names)
        for policy in POLICIES
    ]
    # The stored runs have a rival's columns, too, whose code left.
    return {"left": Study("left", trial, settings, ("topic",), tuple(LEFT))}


class Known(Wrapper):
    """A laboratory web that remembers links, and judges the pages it gave by their truth."""

    def __init__(self, lab: VitalWeb, topic: Topic):
        super().__init__(lab)
        self.lab, self.topic = lab, topic
        self.words = KeywordMatcher(topic.keywords)
        self.truths: dict[str, bool] = {}
        self.links: dict[str, tuple[Link, ...]] = {}

    def fetch(self, url: str) -> Page:
        page = self.lab.fetch(url)
        self.truths[page_text(page)] = bool(self.lab.is_relevant(page.url, self.topic))
        self.links[url] = page.links
        return page

    def proba(self, texts: list[str]) -> np.ndarray:
        """Judge pages by their truth, and anchors by keywords."""
        judge = self.truths.get
        return np.array([judge(text, min(0.45, 0.15 * self.words.count(text))) for text in texts])

    def lead(self, urls: Iterable[str]) -> set[str]:
        """Return the relevant pages that URLs lead to."""
        found = set()
        for url in urls:
            try:
                ref, soft_404 = self.lab.resolve(url)
            except FetchError:
                continue
            found.add(url if soft_404 else self.lab.addresses.url(ref))
        return {url for url in found if self.lab.is_relevant(url, self.topic)}


def trial(topic: str, policy: str, web_seed: int, sites: int = 4_000) -> dict[str, Any]:
    """Return how many relevant pages a crawl's waiting links lead to, and the estimate of it.

    Lists have an item for each of `STEPS`: ``true`` is those pages, ``left`` to ``high`` are of
    `tres_live.relevant_left`.
    """
    about, lab = own_topics()[topic], VitalWeb(web_seed, sites)
    web, seeds = Known(lab, about), lab.seeds(about, 2, rng=web_seed)
    options: dict[str, Any] = {"policy": policy, "rng": web_seed, "progress": False}
    result = focused.crawl(web, seeds, about, budget=STEPS[-1], classifier=web.proba, **options)
    rows = []
    for step in STEPS:
        log = result.log[result.log["step"] <= step]
        links = {url: web.links[url] for url in log["url"] if url in web.links}
        gone = {*log["url"], *log["final_url"]}
        waiting = {link.url for of in links.values() for link in of} - gone
        left = relevant_left(log, links)
        true = len(web.lead(waiting) - web.lead(gone))
        estimate = left.waiting, true, left.relevant, left.low, left.high
        rows.append((step, int((log["reward"] > 0).sum()), *estimate))
    return dict(zip(LEFT, map(list, zip(*rows, strict=True)), strict=True))
