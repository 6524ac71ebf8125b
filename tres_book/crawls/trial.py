"""Crawls of the TRES study as data: plain values go in, a log comes out."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from tres_lib import topics
from tres_lib.focused.drivers import crawl
from tres_lib.focused.result import CrawlResult
from tres_lib.topics import CachedScorer, KwBiLstmSettings, Scorer, page_text, topic_keywords
from tres_webs import LAWS, ReplayWeb, VitalWeb, Web, WebLaw
from tres_webs.checks import one_of

from .as_coded import Halved
from .latest import latest
from .muted import MutedWeb
from .variants import Variant, policy_on, variant

PAGES = 50_000  # of a web, kept for the next crawl; some 8 kB each, 50 kB by the second law
SCORES = 2**22  # kept of a topic's pages and anchors, of which a long crawl meets some 600,000
SEEDS = 10  # of which one is chosen on webs of the second law
LAW_OF = {"vital": LAWS["first"], "second": LAWS["second"], "third": LAWS["third"]}
_wikispeedia = lru_cache(maxsize=1)(ReplayWeb.from_wikispeedia)
PAPERS_AMOUNT = ("second", "third")  # laws whose classifiers learn as much text as the paper's
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
    errors: str = "count",
    handmade: float = 0.0,
) -> pd.DataFrame:
    """Return the log of one single-seed crawl, its pages classified by the KwBiLSTM.

    The policy is the name of a `variant`, the limit one of `LIMITS`. The web seed decides the seed
    page, the crawl's randomness and a VitalWeb: the web is what varies between runs. Handmade is
    the share of small sites so written, by the third law; for errors see `begin`.

    The log has ``limit``, ``stopped``, ``queries`` (to a search engine) and, where errors are no
    steps, ``article``.
    """
    changed, cap = variant(policy), cap_of(limit)
    place: Any = open_web(web, web_seed, sites, muted, handmade)
    classifier, keywords, how = begin(place, web, topic, web_seed, epochs, errors)
    how |= {"budget": budget, "max_per_domain": Halved(cap, budget) if changed.halves else cap}
    result = single_seed_crawl(place, changed, topic, web_seed, classifier, keywords, **how)
    again = changed.reward == "svm"
    log = _classified_again(result.log, place, classifier) if again else result.log
    queries = getattr(result.policy, "n_queries", 0)
    log = log.assign(limit=limit, stopped=result.stopped, queries=queries)
    if errors == "skip":
        urls = map(place.inner, log["url"]) if isinstance(place, MutedWeb) else log["url"]
        log["article"] = list(map(getattr(place, "web", place).article, urls))
    return log


def begin(
    place: Any, web: str, topic: str, seed: int, epochs: int, errors: str
) -> tuple[CachedScorer, tuple[str, ...], dict[str, Any]]:
    """Return what a crawl of an open web judges by: classifier, keywords, further options.

    The classifier has learnt the amount of text that goes with the web's name. Where errors are no
    steps ("skip") it accepts the seed page; the paper found its seeds by a Google search.
    """
    amount = "paper" if web in PAPERS_AMOUNT else "leads"
    classifier, keywords = classifier_of(topic, epochs, amount)
    how: dict[str, Any] = {"amount": amount, "errors": errors}
    if errors == "skip":
        how["seeds"] = [accepted_seed(place, topic, seed, classifier)]
    return classifier, keywords, how


def single_seed_crawl(
    place: Any,
    changed: Variant,
    topic: str,
    seed: int,
    classifier: Scorer,
    keywords: tuple[str, ...],
    *,
    amount: str = "leads",
    **options: Any,
) -> CrawlResult:
    """Crawl from a seed page of the web, or from other ``seeds``; the options are those of `crawl`.

    The seed is that of the seed page and of the crawl's randomness. The classifier scores anchors,
    and pages unless the variant's reward is the SVM's, of the same amount of text.
    """
    return crawl(
        place,
        options.pop("seeds", None) or place.seeds(topic, 1, seed),
        topic,
        policy=policy_on(changed, place, options.get("max_per_domain")),
        classifier=topics.classifier(topic, "svm", amount=amount)
        if changed.reward == "svm"
        else classifier,
        anchor_classifier=classifier,
        keywords=keywords,
        rng=seed,
        progress=False,
        **options,
    )


def accepted_seed(place: Web, topic: str, seed: int, classifier: Scorer) -> str:
    """Return the first of ten seed pages that the classifier takes for relevant, or the best."""
    urls = place.seeds(topic, SEEDS, seed)
    p = classifier.proba([page_text(place.fetch(url)) for url in urls])
    return urls[int(np.argmax(np.minimum(p, 0.5)))]


def cap_of(limit: str) -> int | tuple[int, int] | None:
    """Return the MAX of a limit's name; ValueError if there is none of that name."""
    return LIMITS[one_of("limit", limit, list(LIMITS))]


def open_web(name: str, seed: int, sites: int, muted: float = 0.0, handmade: float = 0.0) -> Web:
    """Return "wikispeedia", or a VitalWeb by the name of its law in `LAW_OF`; see `MutedWeb`.

    Wikispeedia has neither seed nor sites; sites written by hand are of the third law alone.
    """
    one_of("web", name, [*LAW_OF, "wikispeedia"])
    law = LAW_OF.get(name)
    web: Web = _vital(seed, sites, replace(law, handmade=handmade)) if law else _wikispeedia()
    return _muted(web, muted) if muted else web


@latest
def _muted(web: Web, share: float) -> MutedWeb:
    return remembering(MutedWeb(web, share))


@latest
def _vital(seed: int, sites: int, law: WebLaw) -> VitalWeb:
    return remembering(VitalWeb(seed, sites, law=law))


def remembering(web: Any) -> Any:
    """Return the web, with its pages kept: crawls of one web meet many of the same."""
    web.fetch = lru_cache(PAGES)(web.fetch)
    return web


@lru_cache(maxsize=3)
def classifier_of(
    topic: str, epochs: int, amount: str = "leads"
) -> tuple[CachedScorer, tuple[str, ...]]:
    """Return the topic's KwBiLSTM and keywords; the crawls of a process share its scores."""
    classifier = topics.classifier(
        topic, settings=KwBiLstmSettings(max_epochs=epochs), amount=amount
    )
    return CachedScorer(classifier, SCORES), topic_keywords(topic).keywords


def _classified_again(log: pd.DataFrame, place: Web, classifier: CachedScorer) -> pd.DataFrame:
    """Return the log of a crawl of another reward, rewarded by this classifier (Section 3.6.2)."""
    fetched = log["reason"] == ""
    texts = [page_text(place.fetch(url)) for url in log.loc[fetched, "url"]]
    p = np.full(len(log), np.nan)
    p[fetched] = classifier.proba(texts)
    reward = np.where(log["step"] == 0, fetched, p >= 0.5).astype(float)
    return log.assign(p=p, reward=reward)
