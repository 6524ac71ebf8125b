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
from tres_lib.focused.ending import Ending, Stop
from tres_lib.focused.fetcher import Visit
from tres_lib.focused.policy import builds
from tres_lib.focused.result import make_log
from tres_lib.focused.settings import Bounds, check_seeds
from tres_lib.journal import Journal
from tres_lib.store import read_lines, remove
from tres_lib.web.page import Page

from ..topic.few import prose
from ..web.archive import Archive
from ..web.guard import Guard, near_copies
from ..web.site_links import WithSiteLinks
from .exports import export, relevant_pages, with_snippets
from .folder import Once, Tell, TopicFolder, compiling_told
from .options import CrawlOptions

ORDERLY = (Stop.SPENT, Stop.EMPTY, Stop.AT_LIMIT, Stop.DECLINED, Stop.DRY)  # none in flight
NOTED = 500  # fetches between two lines of the log file

OnRow = Callable[[dict[str, Any]], None]  # is given each row of the log
logger = logging.getLogger(__name__)


class CrawlFolder(TopicFolder):
    """A crawl in a folder, which another process may stop, resume, extend and look at."""

    options_type = CrawlOptions
    options: CrawlOptions
    extra: int  # pages beside the budget
    later: list[tuple[int, dict[str, Any]]]  # bounds, and the step from which they hold
    ending: Ending | None

    def __init__(self, path: str | Path):
        super().__init__(path)
        self.journal = self.file("journal.jsonl")
        self.warc = self.file("pages.warc.gz")
        self.shards = self.file("shards")
        self.audit = self.file("audit.json")  # pages that were taken, in the order of a sample
        self.audited = self.file("audit.jsonl")  # answers about these
        self.rows = self.file("rows.jsonl")
        self.judged = self.file("judged")  # the next classifier and rows, of a review
        self._compared: tuple[list[str], dict[str, str]] = [], {}  # near-copies among pages
        self._in_use: Any = None  # the classifier of a crawl that runs here
        if self.judged.exists() and not self.running:
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
        """Yield what was fetched, by the crawl's journal and its shards'; see `Visit.as_json`."""
        journals = [self.journal, *sorted(self.shards.glob("shard-*.journal"))]
        return chain.from_iterable(map(objects, journals))

    @property
    def now(self) -> CrawlOptions:
        """The options with the bounds that were changed since the crawl began."""
        changes: dict[str, Any] = {}
        for _, changed in self.later:
            changes |= changed
        return replace(self.options, **changes)

    def _extend(self, pages: int, **bounds: Any) -> None:
        """Add pages to the budget, and change bounds: options of the names in `BOUNDS`.

        ValueError if the crawl is in shards, or for a bad bound.
        """
        if self.options.sharded:
            remedy = "is in shards, which take no more budget: crawl its relevant pages as seeds"
            raise ValueError(f"{str(self.path)!r} {remedy}")
        if bounds:
            changed = type(self.options).read(asdict(self.now) | bounds)
            fetched = sum(1 for _ in self.visits()) - len(check_seeds(self.options.seeds))
            orderly = self.ending and self.ending.stop in ORDERLY
            step = fetched + (1 if orderly else self.options.in_flight)  # else some were chosen
            self.later = [*self.later, (step, {name: getattr(changed, name) for name in bounds})]
        self.extra += pages

    def finish_review(self) -> None:
        """Take over what a review judged again; a kill amid this, and the next call ends it."""
        if not self.judged.exists():
            return
        if (rows := self.judged / self.rows.name).exists():
            self.course = sum(1 for _ in self.visits())
            self._keep(self.ending)
            rows.replace(self.rows)
        remove(self.model)
        self.judged.rename(self.model)

    def run(self, tell: Tell = logger.info, *, more: int = 0, **bounds: Any) -> focused.CrawlResult:
        """Crawl on to the end of the budget, and export what was found.

        `tell` is given what happens before the crawl, a line each. `more` pages are added to the
        budget, and bounds changed, if a page is then asked for. ValueError if an example, a label
        or a bound cannot be used, or another process runs this crawl.
        """
        with self.alone():
            if self.course and self.options.sharded:
                problem = "is in shards, which cannot go on by other answers"
                remedy = "crawl its relevant pages as seeds, --labels"
                raise ValueError(f"{str(self.path)!r} {problem}: {remedy}")
            if not self.begun:
                self.forget()
            self.course = min(self.course, sum(1 for _ in self.visits()))  # failures may be cut off
            before, sizes = (self.extra, self.later, self.ending), self._sizes()
            if more or bounds:
                self._extend(more, **bounds)
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
                    self.extra, self.later, ending = before
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
                    if before["url"] == row["url"] and before["reason"] == row["reason"]:
                        return
                    log.cut(place)  # a failure that has been tried again
                log.append({k: v.item() if hasattr(v, "item") else v for k, v in row.items()})
                if row["step"] and row["step"] % NOTED == 0:
                    logger.info("%d fetches, the last of %s", row["step"], row["url"])

            yield add

    def forget(self) -> None:
        """Remove what a crawl without a page has left: its failures are tried again."""
        for each in (self.journal, self.rows, self.warc, self.shards):
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
        if options.sharded:
            tell(f"shards: {options.shards}{f', on {options.cluster}' * bool(options.cluster)}")
        live = self.now.open_web(pauses=self.pauses)
        source = WithSiteLinks(live, options.seeds) if options.sitemaps else live
        policy: Any = options.policy
        if ":" in policy:
            builds(policy := self.code("policy"))  # a bad one ends it before the first fetch
        limit = f"{self.now.max_per_domain} pages" if self.now.max_per_domain else "no limit"
        tell(f"limits: {limit} a domain, {options.delay:g} s between requests to a host")
        if options.probe:
            tell("a host is asked once for a page that cannot exist, unless --no-probe is given")
        once, own = self.begin(source, tell, self.ask)
        self._in_use = own.classifier()
        self._keep(None)  # with what was added to it, now that it can go on
        same = ("budget", "rng", "in_flight", "patience", "private_suffixes")
        arguments: dict[str, Any] = {
            **{name: getattr(options, name) for name in same},
            "policy": policy,
            "max_per_domain": options.max_per_domain or None,
            "scope": options.scope(),
            "classifier": self._in_use,
            "keywords": topics.topic_keywords(own.topic).keywords,
            "progress": sys.stderr.isatty(),  # in a file a bar is noise
            "on_row": on_row,
        }
        if options.sharded:
            from ..shards.job import crawl_sharded

            live_too = partial(options.open_web, pauses=self.pauses.resolve())
            opened = partial(Once.opened, live_too, once.pages)
            arguments |= {"shards": options.shards, "client": options.cluster or None}
            arguments |= {"checkpoint": self.shards, "archive": True}
            arguments |= {"wrap": partial(Guard, probe=options.probe, answers=self._answers)}
            return crawl_sharded(opened, options.seeds, own.topic, **arguments)
        archived = self.guarded(Archive(once, self.warc))
        n_seeds = len(check_seeds(options.seeds))
        course = [visit["url"] for visit in islice(objects(self.journal), n_seeds, self.course)]
        arguments |= {"checkpoint": self.journal, "extra": self.extra}
        arguments |= {"later": self._later(), "course": course}
        return focused.crawl(archived, options.seeds, own.topic, **arguments)

    def _sizes(self) -> list[int]:
        return [file.stat().st_size for file in (self.rows, self.journal) if file.exists()]

    def _later(self) -> tuple[Bounds, ...]:
        now, later = self.options, []
        for step, changed in self.later:
            now = replace(now, **changed)
            later.append(Bounds(step, now.max_per_domain or None, now.scope()))
        return tuple(later)

    def _take(self, stored: dict[str, Any]) -> None:
        self.extra = int(stored.get("extra", 0))
        self.later = [(int(step), dict(bounds)) for step, bounds in stored.get("later", [])]
        self.course = int(stored.get("course", 0))  # visits before the last review
        self.ask = bool(stored.get("ask"))  # whether to ask about pages before the crawl
        ending = stored.get("ending")
        self.ending = Ending.from_json(ending) if ending else None

    def _keep(self, ending: Ending | None) -> None:
        """Store the settings with this ending; None: it goes on."""
        self.ending = ending
        facts = {name: getattr(self, name) for name in ("extra", "later", "course", "ask")}
        self._store(**facts, ending=ending and ending.as_json())


def objects(journal: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a journal after its header, but for those that a kill has torn."""
    if journal.exists():
        for line in islice(read_lines(journal), 1, None):
            with suppress(ValueError):
                yield json.loads(line)
