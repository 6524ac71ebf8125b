"""A crawl in its folder, from training the classifier to the exports."""

import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import join
from typing import Any

import numpy as np

from tres_lib import focused, topics
from tres_lib.web.page import Web
from tres_lib.web.topic import load_topics
from tres_lib.web.urls import canonical_url

from ..shards.job import crawl_sharded
from ..shards.places import count_workers
from ..topic.first_look import first_look, learn_topic, read_request
from ..topic.labelling import teach
from ..topic.own import (
    NOTHING,
    learns_nothing,
    own_classifier,
    training_summary,
    unmatched_keywords,
)
from ..web.archive import Archive
from ..web.guard import Guard
from ..web.site_links import WithSiteLinks
from .exports import export
from .folder import RUNNING, CrawlFolder, TopicFolder

STOPPED = "stopped by a signal"
SEEDS_TURNED_DOWN = "the classifier turns down"  # the command says it at the end

logger = logging.getLogger(__name__)


def run(
    folder: CrawlFolder, tell: Callable[[str], object] = logger.info, ask: bool = False
) -> focused.CrawlResult:
    """Crawl on to the end of the budget, and export what was found.

    Parameters
    ----------
    folder : CrawlFolder
    tell : callable
        Is told, in a line each, what happens before the crawl.
    ask : bool
        Whether to ask in the terminal about pages that the classifier doubts, before the first
        page of the crawl; see `tres_live.teach`. The folder keeps it, for a `run` that goes on.

    Raises
    ------
    ValueError
        If an example or a label cannot be used, or another process runs this crawl.

    Examples
    --------
    >>> import tempfile
    >>> import tres_live
    >>> from tres_lib import web
    >>> from tres_live.command import CrawlFolder, CrawlOptions
    >>> start = "http://a.example/"
    >>> pages = {start: "<title>Jazz</title>Ragtime is older than jazz. <a href=/b>swing</a>",
    ...          "http://a.example/b": "<title>Swing</title>A trumpet leads this jazz band."}
    >>> with tres_live.serve(web.ReplayWeb.from_pages(pages)) as served:
    ...     options = CrawlOptions("jazz", [start], ["jazz", "ragtime", "trumpet"], budget=1,
    ...                            contact="me@a.example", proxy=served.proxies["http"])
    ...     run(CrawlFolder.create(tempfile.mkdtemp(), options)).log["url"].tolist()
    ['http://a.example/', 'http://a.example/b']
    """
    if folder.state() == RUNNING:
        raise ValueError(f"{str(folder.path)!r} runs in another process: tres status {folder.path}")
    if not folder.begun:
        folder.forget()
    with folder.growing_log() as on_row:
        folder.keep(stopped=RUNNING, ask=ask or folder.ask)
        logger.info("begins, or goes on: tres crawl %s", join(folder.options.words()))
        try:
            result = _crawl(folder, tell, on_row, folder.ask)
        except BaseException as error:
            told = STOPPED if isinstance(error, KeyboardInterrupt) else f"error: {error}"
            folder.keep(stopped=told)
            logger.info("ended: %s", told)
            raise
        folder.keep(stopped=result.stopped)
        logger.info("ended: %s, harvest rate %.3f", result.stopped, result.harvest_rate)
        export(result, folder.path)
        return result


def _crawl(
    folder: CrawlFolder,
    tell: Callable[[str], object],
    on_row: Callable[[dict[str, Any]], None],
    ask: bool,
) -> focused.CrawlResult:
    if folder.options.cluster and not folder.options.shards:  # kept, for a resume
        folder.options = replace(folder.options, shards=count_workers(folder.options.cluster))
        folder.keep()
    options = folder.options
    if options.sharded:
        tell(f"shards: {options.shards}{f', on {options.cluster}' * bool(options.cluster)}")
    live = options.open_web()
    topic = topic_of(folder, live, tell)
    classifier = classifier_of(folder, topic, live, tell, ask)
    if not folder.begun:
        show_first_look(folder, live, topic, classifier, tell)
    limit = f"{options.max_per_domain} pages" if options.max_per_domain else "no limit"
    tell(f"limits: {limit} a domain, {options.delay:g} s between requests to a host")
    how: dict[str, Any] = {
        "policy": options.policy,
        "budget": options.budget,
        "max_per_domain": options.max_per_domain or None,
        "classifier": classifier,
        "keywords": topics.topic_keywords(topic).keywords,
        "rng": options.rng,
        "in_flight": options.in_flight,
        "patience": options.patience,
        "scope": options.scope(),
        "private_suffixes": options.private_suffixes,
        "progress": sys.stderr.isatty(),  # in a file a bar is noise
    }
    guard = partial(Guard, probe=options.probe)
    if not options.sharded:
        source: Web = live
        if options.sitemaps:
            source = WithSiteLinks(live, options.seeds)
        place = guard(Archive(source, folder.warc))
        more: dict[str, Any] = {
            "checkpoint": folder.journal,
            "extra": folder.extra,
            "on_row": on_row,
        }
        return focused.crawl(place, options.seeds, topic, **how, **more)
    return crawl_sharded(
        options.open_web,
        options.seeds,
        topic,
        shards=options.shards,
        client=options.cluster or None,
        checkpoint=folder.shards,
        archive=True,
        wrap=guard,
        on_row=on_row,
        **how,
    )


def topic_of(folder: TopicFolder, live: Web, tell: Callable[[str], object]) -> topics.Topic:
    """Return the topic, with its examples' texts, which are kept at the first run."""
    options = folder.options
    base = options.base_topic()
    book = load_topics().get(base.name)
    if book and not options.keywords and not options.examples:
        return base
    if book and options.keywords:
        tell(f"with your keywords the book's rules on {base.name!r} do not count")
    request = read_request(base.name, base.keywords, options.seeds, options.examples)
    named = set(map(canonical_url, request.examples))
    others = [url for url in request.seeds if url not in named]
    if others and not folder.model.exists():  # at the first run
        tell(
            f"the classifier learns from your examples, and not from the seed {others[0]}"
            + (f" and {len(others) - 1} more" if others[1:] else "")
        )
    guarded = Guard(live, probe=True)  # an error page is no example
    own = learn_topic(request, guarded, folder.path / "examples.json")
    return replace(base, examples=own.examples)


def classifier_of(
    folder: TopicFolder,
    topic: topics.Topic,
    live: Web,
    tell: Callable[[str], object],
    ask: bool,
) -> topics.RelevanceClassifier:
    """Return the classifier, trained at the first run and kept: a resumed crawl needs it."""
    if not folder.model.exists():
        labels = folder.labels()
        tell("training the classifier, which may take a minute, from")
        for source, row in training_summary(topic, labels, titles=4).iterrows():
            which = f": {row['which']}" if row["which"] else ""
            tell(f"{row['relevant']:>7} relevant {source}{which}")
        if missing := unmatched_keywords(topic, labels):
            tell(f"keywords found in no training text: {', '.join(missing)}")
        kind = folder.options.classifier
        trained: Any
        if ask:
            tell("questions about pages follow; 10 to 20 answers are enough, and q ends them")
            trained = teach(live, folder.options.seeds, topic, labels, kind=kind)
        else:
            trained = own_classifier(topic, kind, labels=labels)
        draft = folder.path / "classifier.part"
        trained.save(draft)
        draft.rename(folder.model)
    return folder.classifier()


def show_first_look(
    folder: TopicFolder,
    live: Web,
    topic: topics.Topic,
    classifier: topics.RelevanceClassifier,
    tell: Callable[[str], object],
) -> None:
    """Tell what the classifier makes of the seeds and some pages that they link to.

    ValueError if it takes no seed for relevant and has nothing to learn from.
    """
    seeds = folder.options.seeds
    table = first_look(live, seeds, classifier)
    for row in table.itertuples():
        p = "   -" if np.isnan(row.p) else f"{row.p:4.2f}"
        tell(f"{row.verdict[:40]:>12}  {p}  {row.title[:50] or '-'}  {row.url}")
    no_seed = not (table["url"].isin(seeds) & (table["p"] >= 0.5)).any()
    if no_seed and learns_nothing(topic, folder.labels()):
        raise ValueError(f"no seed is judged relevant, and {NOTHING}")


def log_to(file: Path) -> None:
    """Send warnings to the terminal, and all that the library tells to a file."""
    screen = logging.StreamHandler()
    screen.setLevel(logging.WARNING)
    screen.addFilter(lambda record: not record.getMessage().startswith(SEEDS_TURNED_DOWN))
    screen.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    kept = logging.FileHandler(file, encoding="utf-8")
    kept.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for package in ("tres_lib", "tres_live"):
        library = logging.getLogger(package)
        library.setLevel(logging.INFO)
        library.handlers = [screen, kept]
