"""A single crawl of a study: settings in as plain values, its log out."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from tres_lib import topics
from tres_lib.focused.drivers import crawl
from tres_lib.focused.settings import DomainCap
from tres_lib.topics import CachedScorer, KwBiLstmSettings, Scorer, page_text, topic_keywords
from tres_webs import LAWS, ReplayWeb, VitalWeb, Web, WebLaw
from tres_webs.checks import one_of

from .as_coded import Halved
from .latest import latest
from .muted import MutedWeb
from .variants import AS_CODED, REWARDED_BY_SVM, policy_of

PAGES = 50_000  # of a web, kept for the next crawl; some 8 kB each, 50 kB by the second law
SCORES = 2**22  # kept of a topic's pages and anchors, of which a long crawl meets some 600,000
SEEDS = 10  # of which one is chosen on webs of the second law
LAW_OF = {"vital": LAWS["first"], "second": LAWS["second"], "third": LAWS["third"]}
LIMITS = {"none": None, "100": 100, "10": 10, "5": 5, "5_2": (5, 2)}  # MAX in Tables 3 and 4
_wikispeedia = lru_cache(maxsize=1)(ReplayWeb.from_wikispeedia)


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

    The policy is a name for `policy_of`, the limit one of `LIMITS`. The web seed decides the seed
    page, the crawl's randomness and a VitalWeb: the web is what varies between runs. Handmade is
    the share of small sites so written, by the third law; for errors see `begin`. The log has
    ``limit`` and ``stopped``.
    """
    halved = Halved if policy == AS_CODED else DomainCap
    cap = halved(LIMITS[one_of("limit", limit, list(LIMITS))], budget)
    place: Any = open_web(web, web_seed, sites, muted, handmade)
    options = begin(place, web, topic, web_seed, epochs, errors)
    if policy == REWARDED_BY_SVM:
        options["classifier"] = topics.classifier(topic, "svm", amount=amount_of(web))
    made = policy_of(policy, place, cap.at(1))
    result = crawl(place, policy=made, budget=budget, max_per_domain=cap, **options)
    log = result.log
    if policy == REWARDED_BY_SVM:
        log = _classified_again(log, place, options["anchor_classifier"])
    return log.assign(limit=limit, stopped=result.stopped)


def begin(
    place: Any, web: str, topic: str, seed: int, epochs: int = 20, errors: str = "skip"
) -> dict[str, Any]:
    """Return the options of `crawl` from a seed page of an open web, by the classifier for its law.

    Where errors are no steps ("skip") the classifier accepts the seed page; the paper found its
    seeds by a Google search. The seed is that of the seed page and of the crawl's randomness.
    """
    judge, keywords = classifier_of(topic, epochs, amount_of(web))
    seeds = place.seeds(topic, 1, seed)
    if errors == "skip":
        seeds = [accepted_seed(place, topic, seed, judge)]
    return {
        "seeds": seeds,
        "topic": topic,
        "classifier": judge,
        "anchor_classifier": judge,
        "keywords": keywords,
        "errors": errors,
        "rng": seed,
        "progress": False,
    }


def accepted_seed(place: Web, topic: str, seed: int, classifier: Scorer) -> str:
    """Return the first of ten seed pages that the classifier takes for relevant, or the best."""
    urls = place.seeds(topic, SEEDS, seed)
    p = classifier.proba([page_text(place.fetch(url)) for url in urls])
    return urls[int(np.argmax(np.minimum(p, 0.5)))]


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


def amount_of(web: str) -> str:
    """Return how much text the classifiers for a web learn: as much as in the paper, or less."""
    return "paper" if web in ("second", "third") else "leads"


@lru_cache(maxsize=3)
def classifier_of(topic: str, epochs: int, amount: str) -> tuple[CachedScorer, tuple[str, ...]]:
    """Return the topic's KwBiLSTM and keywords; the crawls of a process share its scores."""
    settings = KwBiLstmSettings(max_epochs=epochs)
    classifier = topics.classifier(topic, settings=settings, amount=amount)
    return CachedScorer(classifier, SCORES), topic_keywords(topic).keywords


def _classified_again(log: pd.DataFrame, place: Web, classifier: CachedScorer) -> pd.DataFrame:
    """Return the log of a crawl of another reward, rewarded by this classifier (Section 3.6.2)."""
    fetched = log["reason"] == ""
    texts = [page_text(place.fetch(url)) for url in log.loc[fetched, "url"]]
    p = np.full(len(log), np.nan)
    p[fetched] = classifier.proba(texts)
    reward = np.where(log["step"] == 0, fetched, p >= 0.5).astype(float)
    return log.assign(p=p, reward=reward)
