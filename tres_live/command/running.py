"""A crawl in its folder, from training the classifier to the exports."""

import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import join
from typing import Any

from tres_lib import focused, topics
from tres_lib.web.page import Web

from ..shards.job import crawl_sharded
from ..shards.places import count_workers
from ..web.archive import Archive
from ..web.guard import Guard
from ..web.site_links import WithSiteLinks
from .exports import export
from .folder import RUNNING, CrawlFolder
from .learning import learn_topic, show_first_look

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
        page of the crawl; see `OwnTopic.teach`. The folder keeps it, for a `run` that goes on.

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
    own = learn_topic(folder, live, tell, ask)
    topic = own.topic
    if not folder.begun:
        show_first_look(own, live, tell)
    limit = f"{options.max_per_domain} pages" if options.max_per_domain else "no limit"
    tell(f"limits: {limit} a domain, {options.delay:g} s between requests to a host")
    how: dict[str, Any] = {
        "policy": options.policy,
        "budget": options.budget,
        "max_per_domain": options.max_per_domain or None,
        "classifier": own.classifier(),
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
