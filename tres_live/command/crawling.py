"""A crawl in a folder: its journal, its log as it grows, how it runs, and its results."""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pandas as pd

from tres_lib import focused, topics
from tres_lib.focused.drivers import Told, past_of
from tres_lib.focused.ending import Ending, Stop
from tres_lib.focused.policy import builds
from tres_lib.focused.result import make_log
from tres_lib.focused.visit import Visit
from tres_lib.journal import Journal
from tres_webs import Page, Topic, Web
from tres_webs.files import read_lines, remove, whole_file

from ..topic.few import prose
from ..topic.own import OwnTopic
from ..web.archive import Archive
from ..web.guard import Guard, near_copies
from ..web.site_links import WithSiteLinks
from .exports import export, relevant_pages, with_snippets
from .folder import Once, Tell, TopicFolder, compiling_told
from .options import BOUNDS, CLUSTER, CrawlOptions

SAME = "url", "reason", "p"  # of a row, if it is the one that is there from an earlier run
NOTED = 500  # fetches between two lines of the log file

OnRow = Callable[[dict[str, Any]], None]  # is given each row of the log
logger = logging.getLogger(__name__)


class CrawlFolder(TopicFolder):
    """A crawl in a folder, which another process may stop, resume, extend and look at."""

    options_type = CrawlOptions
    changing = ("budget", *BOUNDS, *CLUSTER)
    options: CrawlOptions
    ending: Ending | None

    def __init__(self, path: str | Path):
        if Path(path, "shards", "crawl.journal").exists():  # of version 0.2
            remedy = "git's tag archive-0.2 goes on with it, or crawl anew in another --folder"
            raise ValueError(f"{str(path)!r} was crawled in shards, which are no more: {remedy}")
        super().__init__(path)
        self.journal = self.file("journal.jsonl")
        self.warc = self.file("pages.warc.gz")
        self.audit = self.file("audit.json")  # pages that were taken, in the order of a sample
        self.audited = self.file("audit.jsonl")  # answers about these
        self.rows = self.file("rows.jsonl")
        self._compared: tuple[list[str], dict[str, str]] = [], {}  # near-copies among pages
        self._in_use: Any = None  # the classifier of a crawl that runs here
        self.next_model = self.file("classifier-next")  # of a review
        if self.next_model.exists() and not self.running:  # the review was killed
            with self.alone():
                self.finish_review()

    @property
    def begun(self) -> bool:
        """Whether a page was fetched."""
        return any("page" in visit for visit in self.visits())

    def state(self) -> str:
        """Return whether the crawl runs, or why it does not, in words."""
        if self.running:
            ready = self.model.exists() or ":" in self.options.classifier
            return "running" if ready else "training"
        if self.ending is not None:
            return str(self.ending)
        return "killed" if self.rows.exists() else "not begun"

    def result(self) -> focused.CrawlResult:
        """Return the crawl as far as it has come, from its growing log.

        Where a person has said whether a page is relevant, as of the examples, that counts, and not
        the classifier. A seed that is turned down has reward 0 here. A near-copy of a page that was
        taken before does not count: ``copy_of`` names that page.
        """
        about = {"topic": self.options.topic, "policy": self.options.policy}
        log = make_log(list(objects(self.rows)))
        said = log["final_url"].map(self.said()).astype(float)
        answered = said.notna() & log["p"].notna()
        log["p"] = said.where(answered, log["p"])
        log["reward"] = (log["p"] >= 0.5).astype(float)
        copies = self._copies(log.loc[log["reward"] > 0, "final_url"].tolist())
        log["copy_of"] = [copies.get(url, "") for url in log["final_url"].where(~answered)]
        log.loc[log["copy_of"] != "", "reward"] = 0.0
        return focused.CrawlResult(log, about, self.ending)

    def said(self) -> dict[str, bool | None]:
        """Return which pages a person calls relevant or not, by URL, examples among them."""
        answers = {label.url: label.relevant for label in self.labels().answers()}
        return dict.fromkeys(self.example_urls(), True) | answers

    def pages(self) -> dict[str, Page]:
        """Return the pages so far, by their addresses."""
        visits = map(Visit.from_json, self.visits())
        return {visit.page.url: visit.page for visit in visits if visit.page is not None}

    def visits(self) -> Iterator[dict[str, Any]]:
        """Yield what was fetched, by the crawl's journal; see `Visit.as_json`."""
        return objects(self.journal)

    def run(self, tell: Tell = logger.info, *, more: int = 0, **bounds: Any) -> focused.CrawlResult:
        """Crawl on to the end of the budget, and export what was found.

        `tell` is given what happens before the crawl, a line each. `more` pages are added to the
        budget, and bounds changed, options of the names in `BOUNDS` and `CLUSTER`, if a page is
        then asked for.
        ValueError if an example, a label or a bound cannot be used, or another process runs this
        crawl.
        """
        with self.alone():
            if not self.begun:
                self.forget()
            before, sizes = (self.options, self.ending), self._sizes()
            if more or bounds:
                budget = self.options.budget + more
                changed = asdict(self.options) | bounds | {"budget": budget}
                self.options = type(self.options).read(changed)
            else:
                self._keep(None)
            logger.info("begins, or goes on: %s", self._settings)
            try:
                with compiling_told(tell), self.growing_log() as on_row:
                    result = self._crawl(tell, on_row)
            except BaseException as error:
                interrupted = isinstance(error, KeyboardInterrupt)
                stop = Stop.INTERRUPTED if interrupted else Stop.ERROR
                ending: Ending | None = Ending(stop, cause=str(error))
                if (more or bounds) and self._sizes() == sizes:  # nothing was fetched by them
                    self.options, ending = before
                self._keep(ending)
                logger.info("ended: %s", ending)
                raise
            self._keep(result.ending)
            logger.info("ended: %s, harvest rate %.3f", self.ending, result.harvest_rate)
        result = self.result()
        self.tabulate(result)
        return result

    def tabulate(self, result: focused.CrawlResult) -> None:
        """Write the log and the list of relevant pages into the folder."""
        export(result, self.path, pages=self.relevant(result)[0])

    def relevant(self, result: focused.CrawlResult) -> tuple[pd.DataFrame, dict[str, Page]]:
        """Return the relevant pages with their snippets, and these pages by the URL asked for."""
        table = relevant_pages(result)
        urls = set(table["url"])
        visits = (Visit.from_json(visit) for visit in self.visits() if visit.get("url") in urls)
        read = {visit.url: visit.page for visit in visits if visit.page is not None}
        if read:
            keywords = topics.topic_keywords(self.options.base_topic()).keywords
            classifier = self._in_use
            if classifier is None and ":" not in self.options.classifier:
                classifier = self.classifier()
            table = with_snippets(table, read, keywords, classifier)
        return table, read

    @contextmanager
    def growing_log(self) -> Iterator[OnRow]:
        """Give a function that adds a row to the log, unless it is there from an earlier run."""
        with self.alone(), Journal(self.rows, {}) as log:
            earlier = iter(log.read, None)

            def add(row: dict[str, Any]) -> None:
                place = log.tell()
                if before := next(earlier, None):
                    if all(_equal(before.get(name), row.get(name)) for name in SAME):
                        return
                    log.cut(place)  # a failure that was tried again, or another classifier
                log.append(_plain(row))
                if row["step"] and row["step"] % NOTED == 0:
                    logger.info("%d fetches, the last of %s", row["step"], row["url"])

            yield add

    def forget(self) -> None:
        """Remove what a crawl without a page has left: its failures are tried again."""
        for each in (self.journal, self.rows, self.warc):
            remove(each)

    def _copies(self, urls: list[str]) -> dict[str, str]:
        """Return near-copies among pages that were taken, in their order; see `near_copies`."""
        if urls != self._compared[0]:
            texts = dict.fromkeys(urls, ("", ""))
            for visit in self.visits():
                if "page" in visit and visit["page"][0] in texts:
                    url, _, title, text = visit["page"]
                    texts[url] = title, prose(f"\n{text}").strip() or text
            self._compared = urls, near_copies((url, *both) for url, both in texts.items())
        return self._compared[1]

    def _crawl(self, tell: Tell, on_row: OnRow) -> focused.CrawlResult:
        options = self.options
        source = sources(options, self.pauses)
        policy: Any = options.policy
        if ":" in policy:
            builds(policy := self.code("policy"))  # a bad one ends it before the first fetch
        limit = f"{options.max_per_domain} pages" if options.max_per_domain else "no limit"
        tell(f"limits: {limit} a domain, {options.delay:g} s between requests to a host")
        if options.probe:
            tell("a host is asked once for a page that cannot exist, unless --no-probe is given")
        once, own = self.begin(source, tell, self.ask)
        self._in_use = own.classifier()
        self._keep(None)  # with what was added to it, now that it can go on
        settings = self._settings_of(own.topic, policy, self._in_use)
        with self._where(once, settings) as web:
            return focused.crawl(
                web,
                options.seeds,
                own.topic,
                checkpoint=self.journal,
                patience=options.patience,
                progress=sys.stderr.isatty(),  # in a file a bar is noise
                on_row=on_row,
                **settings,
            )

    @contextmanager
    def _where(self, once: Once, settings: dict[str, Any]) -> Iterator[Web]:
        """Give the web of the crawl: asked here, or by the workers of a cluster."""
        options = self.options
        if not options.cluster:
            yield self.guarded(Archive(once, self.warc))
            return
        from ..web.cluster import ClusterWeb

        with ClusterWeb(
            options.cluster,
            partial(worker_web, options, self._answers),
            settings["classifier"],
            settings["keywords"],
            around=lambda came: Guard(Archive(came, self.warc)),
            held=once.pages,
            pauses=self.pauses,
            plain=options.cluster_plain,
        ) as web:
            yield web

    def _settings_of(self, topic: Topic, policy: Any, classifier: Any) -> dict[str, Any]:
        """Return the settings of the crawl beyond its seeds and topic."""
        options = self.options
        return {
            "policy": policy,
            "budget": options.budget,
            "max_per_domain": options.max_per_domain or None,
            "follow": options.scope(),
            "classifier": classifier,
            "keywords": topics.topic_keywords(topic).keywords,
            "in_flight": options.in_flight,
            "rng": options.rng,
        }

    def finish_review(self) -> None:
        """Take over a review's classifier; killed amid this, the next who opens the folder does."""
        if self.next_model.exists():
            self._tell_again()
            remove(self.model)
            self.next_model.rename(self.model)

    def _tell_again(self) -> None:
        """Tell the pages so far to a crawl by the next classifier, and write its rows."""
        own, policy = OwnTopic.load(self.next_model, self.labels()), self.options.policy
        # Code that nobody has named does not run.
        policy = "best-first" if ":" in policy else policy
        how = self._settings_of(own.topic, policy, own.classifier())
        crawl = focused.Crawl(self.options.seeds, own.topic, past=past_of(self.journal), **how)
        about = crawl.settings.as_json()
        same = {name: about[name] for name in ("topic", "seeds", "rng")}
        with Journal(self.journal, same) as journal, whole_file(self.rows) as draft:
            rows = (_plain(row) for _, row in Told(journal).replay(crawl))
            lines = (f"{json.dumps(line)}\n" for line in chain([{"journal": 1}], rows))
            with draft.open("w", encoding="utf-8") as file:
                file.writelines(lines)

    def _sizes(self) -> list[int]:
        return [file.stat().st_size for file in (self.rows, self.journal) if file.exists()]

    def _take(self, stored: dict[str, Any]) -> None:
        # Of version 0.2: what was added to the budget and the bounds, kept apart from the options.
        changed: dict[str, Any] = {"budget": self.options.budget + int(stored.get("extra", 0))}
        for _, bounds in stored.get("later", []):
            changed |= {n: tuple(v) if isinstance(v, list) else v for n, v in bounds.items()}
        self.options = replace(self.options, **changed)
        self.ask = bool(stored.get("ask"))  # whether to ask about pages before the crawl
        ending = stored.get("ending")
        self.ending = Ending.from_json(ending) if ending else None

    def _keep(self, ending: Ending | None) -> None:
        """Store the settings with this ending; None: it goes on."""
        self.ending = ending
        self._store(ask=self.ask, ending=ending and ending.as_json())


def sources(options: CrawlOptions, pauses: Path | None = None) -> Web:
    """Return the live Web of a crawl, with the links of sitemaps if they are asked for."""
    live = options.open_web(pauses=pauses)
    return WithSiteLinks(live, options.seeds) if options.sitemaps else live


def worker_web(options: CrawlOptions, answers: dict[str, bytes]) -> Guard:
    """Return the Web as a worker asks it; `answers` of hosts are those of the first look."""
    return Guard(sources(options), probe=options.probe, answers=answers)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row in JSON's types."""
    return {k: v.item() if hasattr(v, "item") else v for k, v in row.items()}


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other or (one != one and other != other))  # NaN is no page


def objects(journal: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a journal after its header, but for those that a kill has torn."""
    if journal.exists():
        for line in islice(read_lines(journal), 1, None):
            with suppress(ValueError):
                yield json.loads(line)
