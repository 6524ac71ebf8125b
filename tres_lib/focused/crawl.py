"""Focused crawling from seeds, by any policy (Algorithm 4 of the TRES paper)."""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from .. import topics
from ..checks import count, is_count, members, texts
from ..topics.classifiers.base import kind_of
from ..web.page import Web
from ..web.topic import Topic, get_topic, load_topics
from ..web.urls import domain
from .baselines.search_engine import SearchEngine, search_engine
from .checkpoint import JournalledFetcher
from .features import LinkFeatures, shared_features
from .fetcher import Fetcher
from .frontier import Frontier
from .loop import Crawler
from .policy import Context, Policy, as_policy, make_policy, policy_name
from .result import CrawlResult, make_log
from .scope import DomainCap, Scope, check_seeds


def crawl(
    web: Web,
    seeds: Iterable[str],
    topic: str | Topic,
    *,
    policy: str | Policy | Callable[[Context], Policy] = "tres",
    budget: int = 20_000,
    max_per_domain: int | tuple[int, int] | None = None,
    classifier: Any = None,
    keywords: Iterable[str] | None = None,
    rng: np.random.Generator | int = 0,
    checkpoint: str | Path | None = None,
    domain_features: bool = True,
    anchor_classifier: Any = None,
    search: SearchEngine | None = None,
    in_flight: int = 1,
    patience: int | None = None,
    progress: bool = True,
    scope: Scope | None = None,
    extra: int = 0,
    private_suffixes: bool = False,
    on_row: Callable[[dict[str, Any]], object] | None = None,
) -> CrawlResult:
    """Crawl from the seeds for pages on a topic, letting a policy choose each link.

    A page has reward 1 if the classifier gives it a probability of at least 0.5, else 0. A fetch
    that fails costs a step, has reward 0 and is learnt from. Seeds are taken as relevant. They
    count towards neither the budget, nor the harvest rate, nor the limit per domain. Equal
    arguments give equal crawls.

    Parameters
    ----------
    web : Web
    seeds : iterable of str
        URLs of relevant pages.
    topic : str or Topic
        A name from data/topics.yaml or a topic of one's own.
    policy : str, Policy or callable
        A key of `POLICIES`; an object with a policy's methods; or a class or function that takes
        a `Context` and returns a policy.
    budget : int
        Fetches after the seeds.
    max_per_domain : None, int or (int, int)
        MAX, see `DomainCap`. A domain at its cap leaves the frontier.
    classifier, anchor_classifier : RelevanceClassifier, object or callable, optional
        `classifier` scores pages; the default is a KwBiLSTM trained once and kept on disk.
        `anchor_classifier` scores links (feature 5), some twenty for each page; the default is
        `classifier`, so give a cheap one where a call of that is slow or costs money. Both may be
        of any form that `topics.as_classifier` takes. "ache" and "seedfinder" prune by
        `classifier`; without it, and on the topics of data/topics.yaml, by an SVM of their own.
    keywords : iterable of str, optional
        For features 3 and 4; by default the topic's seed keywords.
    rng : numpy.random.Generator or int
    checkpoint : path, optional
        A journal, made if need be. The same call, which needs an int as `rng`, goes on
        where a killed one ended, and returns what that would have returned.
    domain_features : bool
        Whether the feature vector of a link includes the domain's history (6 and 7 of
        `FEATURES`); the ablation "NH" is without.
    search : SearchEngine, optional
        For policies that query one; for "seedfinder" by default one over a random part of the web.
    in_flight : int
        How many pages may be waited for at once, by threads; the web must allow that, as `LiveWeb`
        does. The crawl then depends on the order in which pages arrive, which a journal keeps.
    patience : int, optional
        Stop after so many failed fetches in a row, as when the network is gone. The same call
        with the same checkpoint tries them again. Default: never.
    progress : bool
    scope : Scope, optional
        Which links to follow. Default: all.
    extra : int
        Fetches beyond the budget, 0 or more. A crawl that is to go on keeps its `budget`, by which
        the policy and the cap plan, and its checkpoint: its pages are not fetched again.
    private_suffixes : bool
        Whether ``me.github.io`` is a domain of its own, see `web.domain`.
    on_row : callable, optional
        Is given each row of the log, a dict, as soon as the page is classified; of a resumed crawl
        also those of the checkpoint's pages.

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
    >>> result.harvest_rate, result.domains, result.stopped
    (0.5, 1, 'budget spent')
    """
    seeds = check_seeds(seeds)
    if patience is not None:
        count("patience", patience)
    crawler, given_policy, settings = open_crawl(
        web,
        seeds,
        topic,
        policy=policy,
        budget=budget,
        max_per_domain=max_per_domain,
        classifier=classifier,
        keywords=keywords,
        rng=rng,
        checkpoint=checkpoint,
        domain_features=domain_features,
        anchor_classifier=anchor_classifier,
        search=search,
        in_flight=in_flight,
        scope=scope,
        extra=extra,
        private_suffixes=private_suffixes,
        on_row=on_row,
    )
    with closing(crawler.fetcher):
        stopped = crawler.run(seeds, in_flight, patience, progress)
    settings["extra"] = extra
    return CrawlResult(make_log(crawler.rows), settings, stopped, given_policy, crawler.frontier)


def open_crawl(
    web: Web,
    seeds: list[str],
    topic: str | Topic,
    *,
    policy: str | Policy | Callable[[Context], Policy],
    budget: int,
    max_per_domain: int | tuple[int, int] | None = None,
    classifier: Any = None,
    keywords: Iterable[str] | None = None,
    rng: np.random.Generator | int = 0,
    checkpoint: str | Path | None = None,
    domain_features: bool = True,
    anchor_classifier: Any = None,
    search: SearchEngine | None = None,
    in_flight: int = 1,
    scope: Scope | None = None,
    extra: int = 0,
    private_suffixes: bool = False,
    on_row: Callable[[dict[str, Any]], object] | None = None,
    kind: Callable[..., Crawler] = Crawler,
) -> tuple[Crawler, Policy, dict[str, Any]]:
    """Return a crawl that has not begun, its policy as the caller knows it, and its settings.

    Arguments are those of `crawl`, checked as there, with seeds in canonical form; `kind` makes
    the crawler of its parts. The caller is to close its fetcher.
    """
    topic = get_topic(topic)
    cap = DomainCap(max_per_domain, budget)
    members("web", web, "fetch(url)", "is_relevant(url, topic)")
    reprs = _short_reprs(web=web, classifier=classifier, anchor_classifier=anchor_classifier)
    own = classifier is not None and load_topics().get(topic.name) != topic
    # The book gives its crawls a KwBiLSTM, beside which ACHE has always had its SVM.
    of_book = classifier is None or kind_of(classifier) == "KwBiLSTM"
    if classifier is not None:
        classifier = topics.as_classifier(classifier)
    if anchor_classifier is not None:
        anchor_classifier = topics.as_classifier(anchor_classifier, "anchor_classifier")
    _check_rng(rng, checkpoint)
    if not isinstance(checkpoint, str | Path | None):
        raise ValueError(f"checkpoint={checkpoint!r}: give the path of a journal")
    count("in_flight", in_flight)
    count("extra", extra, 0)
    if not isinstance(scope, Scope | None):
        raise ValueError(f"scope={scope!r}: give a focused.Scope, such as Scope(max_depth=3)")
    keywords = topic.keywords if keywords is None else tuple(texts("keywords", keywords))
    if on_row is not None and not callable(on_row):
        raise ValueError(f"on_row={on_row!r}: give a function of a dict, such as print")
    if search is not None and not hasattr(search, "query"):
        raise ValueError(f"search={search!r}: give a SearchEngine, or search_engine(web)")
    if search is None and policy == "seedfinder":
        search = search_engine(web)
    frontier = Frontier(domain_features, partial(domain, private=private_suffixes))
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
        urls=frontier.urls_of,
        sites=frontier.sites_of,
        numbers=frontier.numbers,
        proba=lambda texts: classifier.proba(texts),
        own_classifier=own,
        ignored_classifier=not own and not of_book,
    )
    given_policy = make_policy(policy, context)
    settings = {
        "topic": topic.name,
        "seeds": seeds,
        "policy": policy_name(policy),
        "budget": int(budget),
        "max_per_domain": np.array(max_per_domain).tolist(),  # as JSON reads it back: no tuple
        "keywords": list(keywords),
        "rng": None if isinstance(rng, np.random.Generator) else int(rng),
        "domain_features": bool(domain_features),
        "in_flight": in_flight,  # the order of arrival in the journal depends on it
        "scope": scope and {name: np.array(v).tolist() for name, v in asdict(scope).items()},
        "private_suffixes": bool(private_suffixes),
    }
    classifier = topics.default_classifier(topic) if classifier is None else classifier
    scorer = classifier if anchor_classifier is None else anchor_classifier
    if isinstance(scorer, topics.CachedScorer):  # crawls may share one
        link_features = shared_features(tuple(keywords), scorer)
    else:
        link_features = LinkFeatures(keywords, topics.CachedScorer(scorer))
    settings |= reprs
    if checkpoint is None:
        opened = Fetcher(web, in_flight)
    else:
        opened = JournalledFetcher(web, checkpoint, settings, in_flight)
    crawler = kind(
        frontier,
        as_policy(given_policy),
        opened,
        classifier,
        link_features,
        lambda url: web.is_relevant(url, topic),
        cap,
        scope,
        extra,
        on_row or (lambda row: None),
    )
    # The given policy, for callers who read attributes of their own class.
    return crawler, given_policy, settings


def _truth(
    web: Web, topic: Topic, seeds: list[str], frontier: Frontier
) -> Callable[[np.ndarray], np.ndarray] | None:
    """Return what tells the oracle which actions lead to relevant pages, if the web knows."""
    if all(web.is_relevant(url, topic) is None for url in seeds):
        return None
    relevant = cache(lambda url: bool(web.is_relevant(url, topic)))
    return lambda ids: np.array([relevant(frontier.url_of(i)) for i in ids], bool)


def _check_rng(rng: np.random.Generator | int, checkpoint: object | None) -> None:
    """Raise ValueError unless rng is a seed or, in a crawl without checkpoint, a Generator."""
    if isinstance(rng, np.random.Generator):
        if checkpoint is not None:
            raise ValueError(f"rng={rng!r}: a crawl with a checkpoint needs an int as its seed")
    elif not is_count(rng) or rng < 0:
        raise ValueError(f"rng={rng!r}: give an int from 0 on or a numpy.random.Generator")


def _short_reprs(**objects: object) -> dict[str, str]:
    """Return each object's repr for the journal to compare, unless long or with an address."""
    reprs = {name: repr(thing) for name, thing in objects.items() if thing is not None}
    # A default repr holds an address, which differs in another process.
    return {n: text for n, text in reprs.items() if len(text) <= 200 and " at 0x" not in text}
