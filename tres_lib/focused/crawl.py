"""Focused crawling from seeds, by any policy (Algorithm 4 of the TRES paper)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from .. import topics
from ..checks import count
from ..web.page import Link, Web
from ..web.topic import Topic, get_topic
from .arguments import DomainCap, check_keywords, check_objects, check_rng, check_seeds, short_reprs
from .features import link_features
from .frontier import Frontier
from .journal import open_fetcher
from .loop import Crawler
from .policy import Context, Policy, as_policy, make_policy, policy_name
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

    A page has reward 1 if the classifier gives it a probability of at least 0.5, else 0. A
    fetch that fails costs a step, has reward 0 and is learnt from. Seeds are taken as relevant
    and count neither in the budget nor in the harvest rate nor in MAX. Equal arguments give
    equal crawls.

    Parameters
    ----------
    web : Web
    seeds : iterable of str
        URLs of relevant pages.
    topic : str or Topic
        A name from data/topics.yaml or a topic of one's own.
    policy : str, Policy or callable
        A key of `POLICIES`; an object with a policy's methods; or what builds one from a
        `Context`.
    budget : int
        Fetches after the seeds.
    max_per_domain : None, int or (int, int)
        MAX, see `DomainCap`. A domain at its cap leaves the frontier.
    classifier : RelevanceClassifier, optional
        By default a KwBiLSTM trained on the topic's corpus, kept on disk.
    keywords : iterable of str, optional
        For features 3 and 4; by default the topic's seed keywords.
    rng : numpy.random.Generator or int
    checkpoint : path, optional
        A journal, made if need be. The same call, which needs an int as `rng`, goes on
        where a killed one ended, and returns what that would have returned.
    domain_features : bool
        Whether x has features 6 and 7 (without: the ablation "NH").
    anchor_classifier : RelevanceClassifier, optional
        Scores the anchors (feature 5); by default the same classifier.
    search : SearchEngine, optional
        For policies that query one. By default "seedfinder" has one over a random part of
        the web.
    in_flight : int
        How many pages may be waited for at once, by threads; the web must allow that, as
        `LiveWeb` does, which keeps each host's delay all the same. The crawl then depends on the
        order in which pages arrive, and on nothing else; a journal keeps that order.
    patience : int, optional
        Stop after so many failed fetches in a row, as when the network is gone. The same call
        with the same checkpoint tries them again. Default: never.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    CrawlResult

    Raises
    ------
    ValueError
        If an argument is not as described, or the checkpoint is of another crawl.

    Examples
    --------
    >>> from tres_lib.web import ReplayWeb
    >>> class SaysJazz:
    ...     def proba(self, texts):
    ...         return np.array([0.9 if "jazz" in text else 0.1 for text in texts])
    >>> start = "http://a.example/"
    >>> hub = "<a href='/b'>chess</a> <a href='/c'>jazz</a>"
    >>> small = ReplayWeb.from_pages({start: hub, start + "b": "chess", start + "c": "jazz"})
    >>> how = {"policy": "best-first", "classifier": SaysJazz(), "progress": False}
    >>> result = crawl(small, [start], Topic("jazz", ["jazz"]), budget=2, **how)
    >>> result.log[["step", "url", "reward"]].values.tolist()[1:]
    [[1, 'http://a.example/c', 1.0], [2, 'http://a.example/b', 0.0]]
    """
    topic = get_topic(topic)
    seeds = check_seeds(seeds)
    cap = DomainCap(max_per_domain, budget)
    check_objects(web, classifier=classifier, anchor_classifier=anchor_classifier)
    check_rng(rng, checkpoint)
    count("in_flight", in_flight)
    if patience is not None:
        count("patience", patience)
    keywords = topic.keywords if keywords is None else check_keywords(keywords)
    if search is None and policy == "seedfinder":
        from .baselines.search_engine import search_engine

        search = search_engine(web)
    frontier = Frontier(domain_features)
    context = Context(
        rng=np.random.default_rng(rng),
        n_features=frontier.n_features,
        budget=budget,
        features=frontier.features,
        truth=_truth(web, topic, seeds, frontier),
        links=frontier.new_links,
        topic=topic,
        search=search,
        is_live=frontier.is_live,
        live=frontier.live,
    )
    chooser = make_policy(policy, context)
    settings = {
        "topic": topic.name,
        "seeds": seeds,
        "policy": policy_name(policy),
        "budget": int(budget),
        "max_per_domain": np.array(max_per_domain).tolist(),
        "keywords": list(keywords),
        "rng": None if isinstance(rng, np.random.Generator) else int(rng),
        "domain_features": bool(domain_features),
        "in_flight": in_flight,  # a journal keeps arrivals in that order
    }
    classifier = topics.default_classifier(topic) if classifier is None else classifier
    anchors = classifier if anchor_classifier is None else anchor_classifier
    settings |= short_reprs(web=web, classifier=classifier, anchor_classifier=anchor_classifier)
    with closing(open_fetcher(web, checkpoint, settings, in_flight)) as fetcher:
        crawler = Crawler(
            frontier=frontier,
            policy=as_policy(chooser),
            fetcher=fetcher,
            classifier=classifier,
            link_features=_link_features(keywords, anchors),
            ground_truth=lambda url: web.is_relevant(url, topic),
            cap=cap,
        )
        stopped = crawler.run(seeds, in_flight, patience, progress)
    return CrawlResult(make_log(crawler.rows), settings, stopped, chooser, frontier)


def _link_features(
    keywords: Iterable[str], classifier: RelevanceClassifier
) -> Callable[[list[Link]], np.ndarray]:
    """Return the function from links to action features 3 to 5; it scores each text once."""
    shared = isinstance(classifier, topics.CachedScorer)  # crawls may share one
    scorer = classifier if shared else topics.CachedScorer(classifier)
    return partial(link_features, keywords=topics.KeywordMatcher(keywords), scorer=scorer)


def _truth(
    web: Web, topic: Topic, seeds: list[str], frontier: Frontier
) -> Callable[[np.ndarray], np.ndarray] | None:
    """Return what tells the oracle which actions lead to relevant pages, if the web knows."""
    if all(web.is_relevant(url, topic) is None for url in seeds):
        return None
    relevant = cache(lambda url: bool(web.is_relevant(url, topic)))
    return lambda ids: np.array([relevant(frontier.url_of(i)) for i in ids], bool)
