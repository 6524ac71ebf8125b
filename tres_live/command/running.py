"""A crawl in its folder, from training the classifier to the exports."""

import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tres_lib import focused, topics
from tres_lib.web.page import Web

from ..web.archive import Archive
from ..web.guard import Guard
from ..web.site_links import WithSiteLinks
from .folder import CrawlFolder, OnRow
from .learning import learn_topic, show_first_look
from .settings import CrawlOptions

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
    folder.ask = ask or folder.ask
    return folder.hold(partial(_crawl, folder, tell))


def _crawl(
    folder: CrawlFolder, tell: Callable[[str], object], on_row: OnRow
) -> focused.CrawlResult:
    options = folder.options
    if options.sharded:
        options = _with_shards(folder)
        tell(f"shards: {options.shards}{f', on {options.cluster}' * bool(options.cluster)}")
    live = options.open_web()
    own = learn_topic(folder, live, tell, folder.ask)
    topic = own.topic
    if not folder.begun:
        show_first_look(own, live, tell)
    limit = f"{options.max_per_domain} pages" if options.max_per_domain else "no limit"
    tell(f"limits: {limit} a domain, {options.delay:g} s between requests to a host")
    arguments = options.arguments()
    arguments["classifier"] = own.classifier()
    arguments["keywords"] = topics.topic_keywords(topic).keywords
    guard = partial(Guard, probe=options.probe)
    shown = sys.stderr.isatty()  # in a file a bar is noise
    if options.sharded:
        from ..shards.job import crawl_sharded

        return crawl_sharded(
            options.open_web,
            options.seeds,
            topic,
            shards=options.shards,
            client=options.cluster or None,
            checkpoint=folder.shards,
            archive=True,
            wrap=guard,
            progress=shown,
            on_row=on_row,
            **arguments,
        )
    arguments["extra"] = folder.extra
    source: Web = WithSiteLinks(live, options.seeds) if options.sitemaps else live
    return focused.crawl(
        guard(Archive(source, folder.warc)),
        options.seeds,
        topic,
        checkpoint=folder.journal,
        progress=shown,
        on_row=on_row,
        **arguments,
    )


def _with_shards(folder: CrawlFolder) -> CrawlOptions:
    """Return the options with a number of shards, by default one for each worker."""
    from ..shards.places import count_workers

    if not folder.options.shards:
        folder.fix_shards(count_workers(folder.options.cluster))
    return folder.options


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
