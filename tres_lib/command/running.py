"""A crawl in its folder, from training the classifier to the exports."""

import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from .. import focused, topics
from ..topics.own import NOTHING
from ..web.live.guard import Guard
from ..web.page import Web
from ..web.recorded.archive import Archive
from ..web.urls import canonical_url
from .folder import RUNNING, CrawlFolder

STOPPED = "stopped by a signal"

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
        page of the crawl; see `focused.teach`.

    Raises
    ------
    ValueError
        If an example or a label cannot be used, or another process runs this crawl.
    """
    if folder.state() == RUNNING:
        raise ValueError(f"{str(folder.path)!r} runs in another process: tres status {folder.path}")
    with folder.growing_log() as on_row:
        folder.keep(stopped=RUNNING)
        try:
            result = _crawl(folder, tell, on_row, ask)
        except BaseException as error:
            told = STOPPED if isinstance(error, KeyboardInterrupt) else f"error: {error}"
            folder.keep(stopped=told)
            raise
        folder.keep(stopped=result.stopped)
        focused.export(result, folder.path)
        return result


def _crawl(
    folder: CrawlFolder,
    tell: Callable[[str], object],
    on_row: Callable[[dict[str, Any]], None],
    ask: bool,
) -> focused.CrawlResult:
    options = folder.options
    live = options.open_web()
    topic = _topic(folder, live, tell)
    classifier = _classifier(folder, topic, live, tell, ask)
    if not folder.journal.exists():
        table = _first_look(folder, live, classifier, tell)
        no_seed = not (table["url"].isin(options.seeds) & (table["p"] >= 0.5)).any()
        if no_seed and topics.learns_nothing(topic, folder.labels()):
            raise ValueError(f"no seed is judged relevant, and {NOTHING}")
    limit = f"{options.max_per_domain} pages" if options.max_per_domain else "no limit"
    tell(f"limits: {limit} a domain, {options.delay:g} s between requests to a host")
    return focused.crawl(
        Guard(Archive(live, folder.warc)),
        options.seeds,
        topic,
        policy=options.policy,
        budget=options.budget,
        max_per_domain=options.max_per_domain or None,
        classifier=classifier,
        keywords=topics.topic_keywords(topic).keywords,
        rng=options.rng,
        checkpoint=folder.journal,
        in_flight=options.in_flight,
        patience=options.patience,
        scope=options.scope(),
        extra=folder.extra,
        private_suffixes=options.private_suffixes,
        on_row=on_row,
        progress=sys.stderr.isatty(),  # in a file a bar is noise
    )


def _topic(folder: CrawlFolder, live: Web, tell: Callable[[str], object]) -> topics.Topic:
    options = folder.options
    known = options.base_topic()
    if known is not None:
        return known
    request = focused.read_request(options.topic, options.keywords, options.seeds, options.examples)
    named = set(map(canonical_url, request.examples))
    others = [url for url in request.seeds if url not in named]
    if others and not folder.model.exists():  # at the first run
        tell(
            f"the classifier learns from your examples, and not from the seed {others[0]}"
            + (f" and {len(others) - 1} more" if others[1:] else "")
        )
    own = focused.learn_topic(request, live, folder.path / "examples.json")
    return replace(own, rules=options.rules)


def _classifier(
    folder: CrawlFolder,
    topic: topics.Topic,
    live: Web,
    tell: Callable[[str], object],
    ask: bool,
) -> topics.RelevanceClassifier:
    """Return the classifier, trained at the first run and kept: a resumed crawl needs it."""
    if not folder.model.exists():
        labels = folder.labels()
        tell("training the classifier, which may take a minute, from")
        for source, row in topics.training_summary(topic, labels, titles=4).iterrows():
            which = f": {row['which']}" if row["which"] else ""
            tell(f"{row['relevant']:>7} relevant {source}{which}")
        if missing := topics.unmatched_keywords(topic, labels):
            tell(f"keywords found in no training text: {', '.join(missing)}")
        kind = folder.options.classifier
        if ask:
            trained = focused.teach(live, folder.options.seeds, topic, labels, kind=kind)
        else:
            trained = topics.own_classifier(topic, kind, labels=labels)
        draft = folder.path / "classifier.part"
        trained.save(draft)
        draft.rename(folder.model)
    return folder.classifier()


def _first_look(
    folder: CrawlFolder,
    live: Web,
    classifier: topics.RelevanceClassifier,
    tell: Callable[[str], object],
) -> pd.DataFrame:
    """Tell, and return, what the classifier makes of the seeds and some pages that they link to."""
    table = focused.first_look(live, folder.options.seeds, classifier)
    for row in table.itertuples():
        p = "   -" if np.isnan(row.p) else f"{row.p:4.2f}"
        tell(f"{row.verdict[:40]:>12}  {p}  {row.title[:50] or '-'}  {row.url}")
    return table
