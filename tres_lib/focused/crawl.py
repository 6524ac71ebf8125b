"""Focused crawling from seeds, by any policy (Algorithm 4 of the TRES paper)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import topics
from ..web.page import Web
from ..web.topic import Topic, get_topic
from .arguments import (
    DomainCap,
    check_count,
    check_keywords,
    check_objects,
    check_rng,
    check_seeds,
    is_count,
    named,
)
from .frontier import Frontier
from .journal import open_fetcher
from .loop import Crawler, Found
from .policy import Context, Policy, make_policy, policy_name
from .result import CrawlResult, make_log

if TYPE_CHECKING:
    from pathlib import Path

    from ..topics import RelevanceClassifier
    from .baselines.search_engine import SearchEngine


def crawl(
    web: Web,
    seeds: Iterable[str],
    topic: str | Topic,
    *,
    policy: str | Policy | Callable[[Context], Policy] = "tres",
    budget: int = 20_000,
    max_per_domain: int | tuple[int, int] | None = None,
    classifier: RelevanceClassifier | None = None,
    keywords: Iterable[str] | None = None,
    rng: np.random.Generator | int = 0,
    checkpoint: str | Path | None = None,
    domain_features: bool = True,
    anchor_classifier: RelevanceClassifier | None = None,
    search: SearchEngine | None = None,
    in_flight: int = 1,
    patience: int | None = None,
    progress: bool = True,
) -> CrawlResult:
    """Crawl from the seeds for pages on a topic, letting a policy choose each link.

    A page is rewarded iff the classifier gives it 0.5 or more. One that cannot be had costs
    a step, has reward 0 and is learnt from. Seeds are taken as relevant and count neither
    in the budget nor in the harvest rate nor in MAX. Equal arguments give equal crawls.

    Parameters
    ----------
    web : Web
    seeds : iterable of str, URLs of relevant pages
    topic : str or Topic, a name from data/topics.yaml or a topic of one's own
    policy : str, Policy or callable
        "tres", "tree-random", "random", "sync", "async", "tres-async", "ache", "seedfinder",
        "best-first", "linear", "bfs", "oracle"; an object with a policy's methods; or what
        builds one from a `Context`.
    budget : int, number of fetches after the seeds
    max_per_domain : None, int or (int, int)
        MAX, see `DomainCap`. A domain at its cap leaves the frontier.
    classifier : object with proba(texts) -> (n,), optional
        By default a KwBiLSTM trained on the topic's corpus, kept on disk.
    keywords : iterable of str, for features 3 and 4; by default the topic's seed keywords
    rng : numpy.random.Generator or int
    checkpoint : path, optional
        A journal, made if need be. The same call, which needs an int as `rng`, goes on
        where a killed one ended, and returns what that would have returned.
    domain_features : bool, whether x has features 6 and 7 (without: the ablation "NH")
    anchor_classifier : like classifier, scores the anchors (feature 5); by default the same
    search : SearchEngine, optional, for policies that query one
        By default "seedfinder" has one over a random part of the web.
    in_flight : int
        How many pages may be waited for at once, by threads; the web must allow that, as
        `LiveWeb` does, which keeps each host's delay all the same. The crawl then depends on the
        order in which pages arrive, and on nothing else; a journal keeps that order.
    patience : int, optional
        Stop after so many failed fetches in a row, as when the network is gone. The same call
        with the same checkpoint tries them again. Default: never.
    progress : bool

    Raises
    ------
    ValueError
        If an argument is not as described, or the checkpoint is of another crawl.
    """
    topic, seeds, cap = get_topic(topic), check_seeds(seeds), DomainCap(max_per_domain, budget)
    check_objects(web, classifier, anchor_classifier)
    check_rng(rng, checkpoint)
    check_count("in_flight", in_flight)
    if patience is not None:
        check_count("patience", patience)
    keywords = topic.keywords if keywords is None else check_keywords(keywords)
    frontier, found = Frontier(domain_features), Found()
    context = Context(
        rng=np.random.default_rng(rng),
        n_features=frontier.n_features,
        budget=budget,
        features=frontier.features,
        truth=_truth(web, topic, seeds, frontier),
        links=found,
        topic=topic,
        search=_search(web) if search is None and policy == "seedfinder" else search,
    )
    chooser = make_policy(policy, context)
    classifier = topics.default_classifier(topic) if classifier is None else classifier
    anchors = classifier if anchor_classifier is None else anchor_classifier
    settings = _settings(topic, seeds, policy, cap, keywords, rng, domain_features)
    settings |= {"in_flight": in_flight}  # a journal keeps arrivals in that order
    settings |= named(web=web, classifier=classifier, anchor_classifier=anchor_classifier)
    with closing(open_fetcher(web, checkpoint, settings, in_flight)) as fetcher:
        run = Crawler(
            web, topic, classifier, keywords, cap, frontier, chooser, fetcher, found, anchors
        )
        stopped = run.run(seeds, budget, progress, in_flight, patience)
    return CrawlResult(make_log(run.rows), settings, stopped, chooser, frontier)


def _search(web: Web) -> SearchEngine:
    from .baselines.search_engine import search_engine

    return search_engine(web)


def _settings(
    topic: Topic,
    seeds: list[str],
    policy: object,
    cap: DomainCap,
    keywords: tuple[str, ...],
    rng: np.random.Generator | int,
    domain_features: bool,
) -> dict[str, Any]:
    """The arguments in JSON's types, by name."""
    return {
        "topic": topic.name,
        "seeds": seeds,
        "policy": policy_name(policy),
        "budget": int(cap.budget),
        "max_per_domain": cap.as_json(),
        "keywords": list(keywords),
        "rng": int(rng) if is_count(rng) else None,
        "domain_features": bool(domain_features),
    }


def _truth(
    web: Web, topic: Topic, seeds: list[str], frontier: Frontier
) -> Callable[[np.ndarray], np.ndarray] | None:
    """What tells the oracle which actions lead to relevant pages, if the web knows that."""
    if all(web.is_relevant(url, topic) is None for url in seeds):
        return None

    @cache
    def relevant(url: str) -> bool:
        return bool(web.is_relevant(url, topic))

    return lambda ids: np.array([relevant(frontier.url_of(i)) for i in ids], bool)
