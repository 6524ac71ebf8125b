"""Focused crawling from seeds, by any policy (Algorithm 4 of the TRES paper)."""

import logging
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from .. import topics
from ..checks import members
from ..journal import Journal
from ..topics.classifiers.base import kind_of
from ..web.page import Link, Web, as_web
from ..web.topic import Topic, get_topic, load_topics
from .baselines.search_engine import search_engine
from .ending import Stop
from .features import LinkFeatures, shared_features
from .fetcher import Fetcher
from .frontier import Frontier
from .loop import Crawler
from .policy import Context, as_given, as_policy, make_policy
from .result import CrawlResult, make_log
from .settings import CrawlArguments, CrawlSettings

logger = logging.getLogger(__name__)


def crawl(
    web: Web,
    seeds: Iterable[str],
    topic: str | Topic,
    *,
    checkpoint: str | Path | None = None,
    progress: bool = True,
    on_row: Callable[[dict[str, Any]], object] | None = None,
    **settings: Unpack[CrawlArguments],
) -> CrawlResult:
    """Crawl from the seeds for pages on a topic, letting a policy choose each link.

    A page has reward 1 if the classifier gives it a probability of at least 0.5, else 0. A fetch
    that fails costs a step, has reward 0 and is learnt from, unless ``errors="skip"``. Seeds are
    taken as relevant. They count towards neither the budget, nor the harvest rate, nor the limit
    per domain. Equal arguments give equal crawls. ValueError if the checkpoint is of another crawl,
    or the policy chooses what it cannot.

    Parameters
    ----------
    topic : str or Topic
        One of data/topics.yaml or of the web's `topics` by name, or of one's own.
    checkpoint : path, optional
        A journal, made if need be. The same call, which needs an int as `rng`, goes on
        where a killed one ended, and returns what that would have returned.
    on_row : callable, optional
        Is given each row of the log, a dict, as soon as the page is classified; of a resumed crawl
        also those of the checkpoint's pages.
    **settings
        Fields of `CrawlSettings`, such as ``policy="tres"``, ``budget=20_000`` and ``rng=0``.

    Examples
    --------
    >>> from tres_lib.web import ReplayWeb
    >>> class SaysJazz:
    ...     def proba(self, texts):
    ...         return np.array([0.9 if "jazz" in text else 0.1 for text in texts])
    >>> start = "http://a.example/"
    >>> hub = "<a href='/b'>chess</a> <a href='/c'>jazz</a>"
    >>> small = ReplayWeb.from_pages({start: hub, start + "b": "chess", start + "c": "jazz"})
    >>> options = {"policy": "best-first", "classifier": SaysJazz(), "progress": False}
    >>> result = crawl(small, [start], Topic("jazz", ["jazz"]), budget=2, **options)
    >>> result.log[["step", "url", "reward"]].values.tolist()[1:]
    [[1, 'http://a.example/c', 1.0], [2, 'http://a.example/b', 0.0]]
    >>> result.harvest_rate, result.domains, result.stopped
    (0.5, 1, 'budget spent')
    """
    asked = CrawlSettings.of(seeds, get_topic(topic, web), **settings)
    if on_row is not None and not callable(on_row):
        raise ValueError(f"on_row={on_row!r}: give a function of a dict, such as print")
    crawler = open_crawl(web, asked, checkpoint)
    crawler.on_row = on_row or crawler.on_row
    with closing(crawler.fetcher):
        ending = crawler.run(progress)
    if ending.stop is Stop.EMPTY and crawler.rows[-1]["step"] == 0:
        logger.warning("no link leads on from the seeds: give others, or more of them")
    as_web(web).ask_only(lambda url: True)
    about = _arguments(web, asked) | {"extra": asked.extra}
    # The policy as it was given, for callers who read attributes of their own class.
    given = as_given(crawler.policy)
    return CrawlResult(make_log(crawler.rows), about, ending, given, crawler.frontier)


def open_crawl(
    web: Web,
    settings: CrawlSettings,
    checkpoint: str | Path | None = None,
    kind: Callable[..., Crawler] = Crawler,
) -> Crawler:
    """Return a crawl that has not begun, made of its parts by `kind`; close its fetcher."""
    members("web", web, "fetch(url)", "is_relevant(url, topic)")
    if not isinstance(checkpoint, str | Path | None):
        raise ValueError(f"checkpoint={checkpoint!r}: give the path of a journal")
    if checkpoint is not None and isinstance(settings.rng, np.random.Generator):
        raise ValueError(f"rng={settings.rng!r}: with a checkpoint give an int as the seed")
    frontier = Frontier(settings.domain_features)

    @cache
    def classifier() -> Any:  # trained once the policy is made
        given = settings.classifier
        if given is None:
            return topics.default_classifier(settings.topic)
        return topics.as_classifier(given)

    context = _context(web, settings, frontier, lambda texts: classifier().proba(texts))
    policy = as_policy(make_policy(settings.policy, context))
    link_features = _link_features(settings, classifier(), policy.reads_features)
    journal = None if checkpoint is None else Journal(checkpoint, _arguments(web, settings))
    fetcher = Fetcher(web, settings.in_flight, journal)
    parts = frontier, policy, fetcher, classifier(), link_features
    crawler = kind(settings, *parts, lambda url: web.is_relevant(url, settings.topic))
    as_web(web).ask_only(crawler.asks)
    return crawler


def _context(
    web: Web,
    settings: CrawlSettings,
    frontier: Frontier,
    proba: Callable[[list[str]], np.ndarray],
) -> Context:
    """Return what the crawl offers its policy."""
    given, topic = settings.classifier, settings.topic
    own = given is not None and load_topics().get(topic.name) != topic
    # The book gives its crawls a KwBiLSTM, beside which ACHE has always had its SVM.
    of_book = given is None or kind_of(given) == "KwBiLSTM"
    search = settings.search
    if search is None and settings.policy in ("seedfinder", "seedfinder-global"):
        search = search_engine(web)
    relevant = cache(lambda url: web.is_relevant(url, topic))

    def truth(ids: np.ndarray) -> np.ndarray:
        return np.array([bool(relevant(frontier.url_of(i))) for i in ids], bool)

    return Context(
        rng=np.random.default_rng(settings.rng),
        n_features=frontier.n_features,
        budget=settings.budget,
        features=frontier.features,
        truth=None if all(relevant(url) is None for url in settings.seeds) else truth,
        links=frontier.new_links,
        topic=topic,
        search=search,
        live=frontier.live,
        urls=frontier.urls_of,
        sites=frontier.sites_of,
        numbers=frontier.numbers,
        proba=proba,
        cap=lambda step: frontier.cap.at(step),
        own_classifier=own,
        ignored_classifier=not own and not of_book,
    )


def _link_features(
    settings: CrawlSettings, classifier: Any, read: bool
) -> Callable[[list[Link]], np.ndarray]:
    """Return features 3 to 5, which crawls share if they share keywords and a cached scorer."""
    scorer = classifier
    if settings.anchor_classifier is not None:
        scorer = topics.as_classifier(settings.anchor_classifier, "anchor_classifier")
    if not read:
        return lambda links: np.zeros((len(links), 3), np.float32)
    if isinstance(scorer, topics.CachedScorer):
        return shared_features(settings.keywords, scorer)
    return LinkFeatures(settings.keywords, topics.CachedScorer(scorer))


def _arguments(web: Web, settings: CrawlSettings) -> dict[str, Any]:
    """Return the settings with short reprs of the web and the classifiers, to be compared."""
    objects = {"web": web}
    objects |= {name: getattr(settings, name) for name in ("classifier", "anchor_classifier")}
    reprs = {name: repr(thing) for name, thing in objects.items() if thing is not None}
    # A default repr holds an address, which differs in another process.
    short = {n: text for n, text in reprs.items() if len(text) <= 200 and " at 0x" not in text}
    return settings.as_json() | short
