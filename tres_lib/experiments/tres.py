"""One crawl of a study as data: its setting goes in as plain values, its log comes out.

A module of its own, so that sweeps can run it in other processes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..focused.crawl import crawl
from ..focused.tres.variants import Variant, variant
from ..topics import (
    CachedScorer,
    KwBiLstmSettings,
    default_classifier,
    page_text,
    svm_classifier,
    topic_keywords,
)
from ..web import MutedWeb, ReplayWeb, VitalWeb

if TYPE_CHECKING:
    import pandas as pd

    from ..focused.result import CrawlResult
    from ..topics import RelevanceClassifier
    from ..web import Web

PAGES = 4_000  # of a web, kept for the next crawl; some 20 kB each
LIMITS = {"none": None, "100": 100, "10": 10, "5": 5, "5_2": (5, 2)}  # MAX in Tables 3 and 4


def trial(
    policy: str,
    topic: str,
    *,
    web_seed: int = 0,
    limit: str = "none",
    budget: int = 3_000,
    web: str = "vital",
    sites: int = 20_000,
    epochs: int = 20,
    muted: float = 0.0,
) -> pd.DataFrame:
    """Log of one single-seed crawl, as `CrawlResult.log`, judged by the KwBiLSTM.

    The web seed decides the web (if it is a VitalWeb), the seed page and the crawl's
    randomness: crawls of one web share its pages, so that the web is what varies between runs.

    Parameters
    ----------
    policy : str
        The name of a policy, or of a variant of TRES (see `variant`).
    topic : str
    web_seed : int
    limit : str
        MAX: "none", "100", "10", "5" or "5_2".
    budget : int
    web : {"vital", "wikispeedia"}
    sites : int
        Of VitalWeb.
    epochs : int
        At most so many in the training of the classifier.
    muted : float
        Share of URLs that say nothing, see `MutedWeb`.

    Returns
    -------
    DataFrame
        With the columns ``limit``, ``stopped`` (why the crawl ended), ``kind`` (of each page) and
        ``queries`` (sent to a search engine) besides those of the log.

    Raises
    ------
    ValueError
        If a name is unknown.
    """
    cap, changed, judges = cap_of(limit), variant(policy), judge_of(topic, epochs)
    place = open_web(web, web_seed, sites)
    place = MutedWeb(place, muted) if muted else place
    options = {"budget": budget, "max_per_domain": cap}
    result = single_seed_crawl(place, changed, topic, web_seed, judges, **options)
    log = result.log
    if changed.reward == "svm":
        log = _judged_again(log, place, judges[0])
    kind = getattr(place, "kind", None)
    queries = getattr(result.policy, "n_queries", 0)
    log = log.assign(limit=limit, stopped=result.stopped, queries=queries)
    return log.assign(kind=log["url"].map(kind) if kind else "article")


def single_seed_crawl(
    place: Web,
    changed: Variant,
    topic: str,
    seed: int,
    judges: tuple[RelevanceClassifier, tuple[str, ...]],
    **options: Any,
) -> CrawlResult:
    """A crawl from one of the web's seed pages, as `crawl` with these options.

    Parameters
    ----------
    place : Web with ``seeds``
    changed : Variant
    topic : str
    seed : int
        Of the seed page and of the crawl's randomness.
    judges : classifier and keywords
        The classifier scores anchors, and pages unless the variant's reward is the SVM's.
    """
    judge, keywords = judges
    return crawl(
        place,
        place.seeds(topic, 1, seed),
        topic,
        policy=changed.policy,
        classifier=svm_classifier(topic) if changed.reward == "svm" else judge,
        anchor_classifier=judge,
        keywords=keywords,
        rng=seed,
        domain_features=changed.domain_features,
        progress=False,
        **options,
    )


def cap_of(limit: str) -> int | tuple[int, int] | None:
    """MAX of a limit's name; ValueError if there is none of that name."""
    if limit not in LIMITS:
        raise ValueError(f"limit={limit!r}: use one of {', '.join(LIMITS)}")
    return LIMITS[limit]


def open_web(name: str, seed: int, sites: int) -> VitalWeb | ReplayWeb:
    """The web of a setting; Wikispeedia has neither seed nor sites.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    if name == "vital":
        return _vital(seed, sites)
    if name == "wikispeedia":
        return _wikispeedia()
    raise ValueError(f"web={name!r}: use 'vital' or 'wikispeedia'")


@lru_cache(maxsize=2)
def _vital(seed: int, sites: int) -> VitalWeb:
    web = VitalWeb(seed, sites)
    web.fetch = lru_cache(PAGES)(web.fetch)  # crawls of one web meet many of the same pages
    return web


@lru_cache(maxsize=1)
def _wikispeedia() -> ReplayWeb:
    return ReplayWeb.from_wikispeedia()


@lru_cache(maxsize=3)
def judge_of(topic: str, epochs: int) -> tuple[CachedScorer, tuple[str, ...]]:
    """The topic's KwBiLSTM and keywords; the crawls of a process share what it has scored."""
    classifier = default_classifier(topic, KwBiLstmSettings(max_epochs=epochs))
    return CachedScorer(classifier), topic_keywords(topic).keywords


def _judged_again(log: pd.DataFrame, place: Web, judge: CachedScorer) -> pd.DataFrame:
    """The log of a crawl that had another reward, judged by this classifier (Section 3.6.2)."""
    had = log["reason"] == ""
    texts = [page_text(place.fetch(url)) for url in log.loc[had, "url"]]
    p = np.full(len(log), np.nan)
    p[had] = judge.proba(texts)
    reward = np.where(log["step"] == 0, had, p >= 0.5).astype(float)
    return log.assign(p=p, reward=reward)
