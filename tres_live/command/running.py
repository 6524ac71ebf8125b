"""A crawl or watch begins or goes on: its topic is learnt, then its pages are fetched."""

import logging
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from tres_lib import focused, topics
from tres_lib.web.page import Web
from tres_lib.web.topic import load_topics
from tres_lib.web.urls import canonical_url

from ..topic.own import NOTHING, OwnTopic
from ..web.archive import Archive
from ..web.guard import Guard
from ..web.site_links import WithSiteLinks
from .folder import CrawlFolder, OnRow, TopicFolder
from .settings import CrawlOptions, TopicOptions

Tell = Callable[[str], object]  # is given each message
logger = logging.getLogger(__name__)


def run(folder: CrawlFolder, tell: Tell = logger.info, ask: bool = False) -> focused.CrawlResult:
    """Crawl on to the end of the budget, and export what was found.

    Parameters
    ----------
    folder : CrawlFolder
    tell : callable
        Is given, a line each, what happens before the crawl.
    ask : bool
        Whether to ask in the terminal about pages that the classifier doubts, before the first
        page of the crawl; see `OwnTopic.teach`. The folder stores it, for a `run` that goes on.

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


def _crawl(folder: CrawlFolder, tell: Tell, on_row: OnRow) -> focused.CrawlResult:
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


def learn_topic(folder: TopicFolder, web: Web, tell: Tell, ask: bool = False) -> OwnTopic:
    """Return the folder's topic with its classifier: a resumed crawl needs the same."""
    if folder.model.exists():
        return OwnTopic.load(folder.model, folder.labels())
    own = _described(folder, web, tell)
    tell("training the classifier, which may take a minute, from")
    for source, row in own.report(titles=4).iterrows():
        which = f": {row['which']}" if row["which"] else ""
        tell(f"{row['relevant']:>7} relevant {source}{which}")
    if missing := own.unmatched_keywords():
        tell(f"keywords found in no training text: {', '.join(missing)}")
    if ask:
        tell("questions about pages follow; 10 to 20 answers are enough, and q ends them")
        own.teach(web)
    draft = folder.path / "classifier.part"
    own.save(draft)
    draft.rename(folder.model)
    return own


def show_first_look(own: OwnTopic, web: Web, tell: Tell) -> None:
    """Tell what the classifier makes of the seeds and some pages that they link to.

    ValueError if it takes no seed for relevant and has nothing to learn from.
    """
    table = own.first_look(web)
    for row in table.itertuples():
        p = "   -" if np.isnan(row.p) else f"{row.p:4.2f}"
        tell(f"{row.verdict[:40]:>12}  {p}  {row.title[:50] or '-'}  {row.url}")
    no_seed = not (table["url"].isin(own.seeds) & (table["p"] >= 0.5)).any()
    if no_seed and own.learns_nothing():
        raise ValueError(f"no seed is judged relevant, and {NOTHING}")


def _described(folder: TopicFolder, web: Web, tell: Tell) -> OwnTopic:
    """Return the topic as the options describe it, with its examples' texts."""
    options, labels = folder.options, folder.labels()
    topic = options.base_topic()
    in_book = topic.name in load_topics()
    if in_book and not options.keywords and not options.examples:
        return OwnTopic(topic, options.seeds, labels, kind=options.classifier)
    if in_book and options.keywords:
        tell(f"with your keywords the book's rules on {topic.name!r} do not count")
    _name_idle_seeds(options, tell)
    return OwnTopic.from_examples(
        Guard(web, probe=True),  # an error page is no example
        topic,
        options.seeds,
        options.examples,
        folder=folder.path,
        labels=labels,
        kind=options.classifier,
    )


def _name_idle_seeds(options: TopicOptions, tell: Tell) -> None:
    """Say which seeds the classifier does not learn from, because there are examples."""
    examples = set(map(canonical_url, options.examples))
    idle = [url for url in options.seeds if canonical_url(url) not in examples]
    if examples and idle:
        more = f" and {len(idle) - 1} more" if len(idle) > 1 else ""
        tell(f"the classifier learns from your examples, and not from the seed {idle[0]}{more}")


def log_to(file: Path) -> None:
    """Send warnings to the terminal, and all that the library tells to a file."""
    screen = logging.StreamHandler()
    screen.setLevel(logging.WARNING)
    screen.addFilter(lambda record: not hasattr(record, "at_end"))  # the command says it then
    screen.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    kept = logging.FileHandler(file, encoding="utf-8")
    kept.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for package in ("tres_lib", "tres_live"):
        library = logging.getLogger(package)
        library.setLevel(logging.INFO)
        library.handlers = [screen, kept]
