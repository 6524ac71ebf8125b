"""Focused crawling from seeds, by any policy (Algorithm 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..topics import KeywordMatcher
from ..web.page import Web
from ..web.topic import Topic, get_topic
from .arguments import DomainCap, check_keywords, check_seeds, is_count, named
from .frontier import Frontier
from .journal import Fetcher, JournalledFetcher
from .loop import Crawler
from .policies import Context, Policy, make_policy
from .result import CrawlResult, make_log

if TYPE_CHECKING:
    from pathlib import Path

    from ..topics import RelevanceClassifier


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
    progress: bool = True,
) -> CrawlResult:
    """Crawl from the seeds for pages on a topic, letting a policy choose each link.

    A page is rewarded iff the classifier gives it a probability of 0.5 or more. A
    page that cannot be had costs a step, has reward 0, and is learnt from. Seeds come
    first: they are taken as relevant, as in the paper, and count neither in the budget nor in
    the harvest rate nor in `max_per_domain`. The same arguments give the same crawl.

    Parameters
    ----------
    web : Web
        Where pages come from.
    seeds : iterable of str
        URLs of relevant pages to start from; they are brought into canonical form.
    topic : str or Topic
        A name from data/topics.yaml, or a topic of one's own.
    policy : str, Policy or callable
        "tres", "tree-random", "random", "bfs", "best-first", "oracle"; or an object
        with a policy's methods; or what builds one from a `Context`.
    budget : int
        Number of fetches after the seeds.
    max_per_domain : None, int or (int, int)
        MAX, see `DomainCap`. A domain at its cap leaves the frontier.
    classifier : object with proba(texts) -> (n,), optional
        By default a KwBiLSTM trained on the topic's corpus, kept on disk.
    keywords : iterable of str, optional
        For features 3 and 4; by default the topic's.
    rng : numpy.random.Generator or int
    checkpoint : path, optional
        A journal of the crawl, made if need be. The same call with the same file
        continues a crawl that was killed, and ends with the log it would have had.
        Needs an int as `rng`.
    domain_features : bool
        False drops features 6 and 7 (the ablation "NH").
    progress : bool
        Whether to show a progress bar.

    Raises
    ------
    ValueError
        If an argument is not as described, or the checkpoint is of another crawl.

    References
    ----------
    Kontogiannis et al., Tree-based Focused Web Crawling with Reinforcement Learning,
    Algorithm 4.
    """
    topic = get_topic(topic)
    seeds = check_seeds(seeds)
    if not is_count(budget) or budget < 1:
        raise ValueError(f"budget={budget!r}: give a number of fetches, at least 1")
    cap = DomainCap(max_per_domain, budget)
    keywords = topic.keywords if keywords is None else check_keywords(keywords)
    if checkpoint is not None and not is_count(rng):
        raise ValueError(f"rng={rng!r}: a crawl with a checkpoint needs an int as its seed")
    if classifier is None:
        from ..topics import default_classifier

        classifier = default_classifier(topic)
    frontier = Frontier(domain_features)
    context = Context(
        rng=np.random.default_rng(rng),
        n_features=frontier.n_features,
        budget=budget,
        features=frontier.features,
        truth=_truth(web, topic, seeds, frontier),
    )
    settings = {
        "topic": topic.name,
        "seeds": seeds,
        "policy": policy if isinstance(policy, str) else _kind(policy),
        "budget": int(budget),
        "max_per_domain": cap.as_json(),
        "keywords": list(keywords),
        "rng": int(rng) if is_count(rng) else None,
        "domain_features": domain_features,
        **named(web=web, classifier=classifier),
    }
    chooser = make_policy(policy, context)
    fetcher = Fetcher(web) if checkpoint is None else JournalledFetcher(web, checkpoint, settings)
    run = Crawler(web, topic, classifier, KeywordMatcher(keywords), cap, frontier, chooser, fetcher)
    try:
        stopped = run.run(seeds, budget, progress)
    finally:
        fetcher.close()
    return CrawlResult(make_log(run.rows), settings, stopped, chooser, frontier)


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


def _kind(policy: object) -> str:
    return getattr(policy, "__qualname__", type(policy).__qualname__)
