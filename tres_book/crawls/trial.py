"""Crawls of the TRES study as data: plain values go in, a log comes out.

A module of its own, so that sweeps can run it in other processes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.checks import one_of
from tres_lib.focused.crawl import crawl
from tres_lib.focused.policy import Context, Policy
from tres_lib.focused.prospector.model import Deviations
from tres_lib.focused.prospector.prospector import Prospector, ProspectorSettings
from tres_lib.focused.result import CrawlResult
from tres_lib.focused.tres.crawlers import TRES, NoTree, TresSettings
from tres_lib.topics import (
    CachedScorer,
    KwBiLstmSettings,
    Scorer,
    default_classifier,
    page_text,
    svm_classifier,
    topic_keywords,
)
from tres_lib.web import MutedWeb, ReplayWeb, VitalWeb, Web, WebLaw, as_web

PAGES = 200_000  # of a web, kept for the next crawl; some 8 kB each
SCORES = 2**22  # kept of a topic's pages and anchors, of which a long crawl meets some 600,000
LIMITS = {"none": None, "100": 100, "10": 10, "5": 5, "5_2": (5, 2)}  # MAX in Tables 3 and 4
VARIANTS = (  # TRES with one thing changed: the ablations of Table 4, and ours (chapter 06)
    "tres-svm",
    "tres-nh",
    "tres-gamma-0",
    "tres-gamma-0.6",
    "tres-gamma-0.99",
    "tres-outlinks",
    "tres-best-of-3",
    "tres-no-tree",
)
WITHOUT = {  # Prospector without one of its parts (chapter 14)
    "prospector-no-fits": ProspectorSettings(learn=False),
    "prospector-no-soft-labels": ProspectorSettings(soft=False),
    "prospector-no-guard": ProspectorSettings(guard=False),
    "prospector-no-words": ProspectorSettings(prior=Deviations(words=0)),
    "prospector-no-neighbours": ProspectorSettings(without=("beside",)),
    "prospector-no-parents": ProspectorSettings(
        without=("parents", "relevant parents", "number of parents", "relevant parents abroad")
    ),
    "prospector-no-sites": ProspectorSettings(
        without=("site", "pages of the site", "pointers", "anchors of the site")
    ),
    "prospector-no-anchors": ProspectorSettings(
        without=("best anchor", "mean anchor", "keyword in an anchor", "empty anchor")
    ),
}


@dataclass(frozen=True)
class Variant:
    """A crawler as `crawl` is told of it.

    Attributes
    ----------
    policy : str or callable
        A name, or what makes a policy of a Context.
    domain_features : bool
    reward : {"kwbilstm", "svm"}
        The classifier that rewards pages.
    """

    policy: str | Callable[[Context], Policy]
    domain_features: bool = True
    reward: str = "kwbilstm"


def variant(name: str) -> Variant:
    """Return the variant of TRES of that name; any other name is that of a policy.

    "tres-svm" is rewarded by the SVM, while anchors are still scored by the KwBiLSTM;
    "tres-nh" lacks the domain features; "tres-each-step" trains at each step on a batch of 128, as
    the authors do at MAX <= 5; "tres-gamma-0.6" has another discount (0.3 is TRES's);
    "tres-outlinks" has targets over the outlinks alone; "tres-best-of-3" draws three
    representatives a leaf; "tres-no-tree" scores a uniform sample of the frontier. `WITHOUT` has
    those of Prospector.
    """
    from tres_lib.focused.tres.ddqn import DDQNSettings

    each_step = TresSettings(train_every=1, agent=DDQNSettings(batch=128))
    if name.startswith("tres-gamma-"):
        gamma = float(name.removeprefix("tres-gamma-"))
        return Variant(partial(TRES, settings=TresSettings(agent=DDQNSettings(gamma=gamma))))
    changed = {
        "tres-svm": Variant("tres", reward="svm"),
        "tres-nh": Variant("tres", domain_features=False),
        "tres-each-step": Variant(partial(TRES, settings=each_step)),
        "tres-outlinks": Variant(partial(TRES, settings=TresSettings(target="outlinks"))),
        "tres-best-of-3": Variant(partial(TRES, settings=TresSettings(per_leaf=3))),
        "tres-no-tree": Variant(NoTree),
    }
    if name in WITHOUT:
        return Variant(partial(Prospector, settings=WITHOUT[name]))
    return changed.get(name, Variant(name))


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
    templates: int = 1,
    errors: str = "count",
) -> pd.DataFrame:
    """Return the log of one single-seed crawl, its pages classified by the KwBiLSTM.

    The web seed decides the web (if it is a VitalWeb), the seed page and the crawl's
    randomness: crawls of one web share its pages, so that the web is what varies between runs.

    Parameters
    ----------
    policy, topic : str
        Names of a policy, or of a variant of TRES (see `variant`), and of a topic.
    limit : {"none", "100", "10", "5", "5_2"}
        MAX, pages of a domain.
    web : {"vital", "wikispeedia"}
        The former of so many sites.
    budget, epochs : int
        Fetches; and at most so many epochs in the training of the classifier.
    muted : float
        Share of URLs that say nothing, see `MutedWeb`.
    templates : int
        Layouts of pages on a VitalWeb, see `WebLaw`.
    errors : {"count", "skip"}
        Whether an error costs a step, see `CrawlSettings`.

    Returns
    -------
    DataFrame
        `CrawlResult.log` with the columns ``limit``, ``stopped`` (why the crawl ended), ``kind``
        (of each page) and ``queries`` (sent to a search engine).
    """
    cap = cap_of(limit)
    changed = variant(policy)
    classifier, keywords = classifier_of(topic, epochs)
    place = open_web(web, web_seed, sites, templates, muted)
    options = {"budget": budget, "max_per_domain": cap, "errors": errors}
    result = single_seed_crawl(place, changed, topic, web_seed, classifier, keywords, **options)
    log = result.log
    if changed.reward == "svm":
        log = _classified_again(log, place, classifier)
    queries = getattr(result.policy, "n_queries", 0)
    log = log.assign(limit=limit, stopped=result.stopped, queries=queries)
    return log.assign(kind=log["url"].map(as_web(place).kind))


def single_seed_crawl(
    place: Any,
    changed: Variant,
    topic: str,
    seed: int,
    classifier: Scorer,
    keywords: tuple[str, ...],
    **options: Any,
) -> CrawlResult:
    """Crawl with these options from one of the seed pages of a web that has `seeds`.

    The seed is that of the seed page and of the crawl's randomness. The classifier scores
    anchors, and pages unless the variant's reward is the SVM's.
    """
    return crawl(
        place,
        place.seeds(topic, 1, seed),
        topic,
        policy=changed.policy,
        classifier=svm_classifier(topic) if changed.reward == "svm" else classifier,
        anchor_classifier=classifier,
        keywords=keywords,
        rng=seed,
        domain_features=changed.domain_features,
        progress=False,
        **options,
    )


def cap_of(limit: str) -> int | tuple[int, int] | None:
    """Return the MAX of a limit's name; ValueError if there is none of that name."""
    return LIMITS[one_of("limit", limit, list(LIMITS))]


def open_web(name: str, seed: int, sites: int, templates: int = 1, muted: float = 0.0) -> Web:
    """Return the web of a setting; Wikispeedia has neither seed nor sites nor templates."""
    one_of("web", name, ["vital", "wikispeedia"])
    if muted:
        return _muted(name, seed, sites, templates, muted)
    return _vital(seed, sites, templates) if name == "vital" else _wikispeedia()


@lru_cache(maxsize=1)
def _muted(name: str, seed: int, sites: int, templates: int, share: float) -> MutedWeb:
    return _remembering(MutedWeb(open_web(name, seed, sites, templates), share))


@lru_cache(maxsize=2)
def _vital(seed: int, sites: int, templates: int) -> VitalWeb:
    return _remembering(VitalWeb(seed, sites, law=WebLaw(templates=templates)))


def _remembering(web: Any) -> Any:
    """Return the web, with its pages kept: crawls of one web meet many of the same."""
    web.fetch = lru_cache(PAGES)(web.fetch)
    return web


@lru_cache(maxsize=1)
def _wikispeedia() -> ReplayWeb:
    return ReplayWeb.from_wikispeedia()


@lru_cache(maxsize=3)
def classifier_of(topic: str, epochs: int) -> tuple[CachedScorer, tuple[str, ...]]:
    """Return the topic's KwBiLSTM and keywords; the crawls of a process share its scores."""
    classifier = default_classifier(topic, KwBiLstmSettings(max_epochs=epochs))
    return CachedScorer(classifier, SCORES), topic_keywords(topic).keywords


def _classified_again(log: pd.DataFrame, place: Web, classifier: CachedScorer) -> pd.DataFrame:
    """Return the log of a crawl of another reward, rewarded by this classifier (Section 3.6.2)."""
    fetched = log["reason"] == ""
    texts = [page_text(place.fetch(url)) for url in log.loc[fetched, "url"]]
    p = np.full(len(log), np.nan)
    p[fetched] = classifier.proba(texts)
    reward = np.where(log["step"] == 0, fetched, p >= 0.5).astype(float)
    return log.assign(p=p, reward=reward)
