"""A crawl in a folder: its journal, its log as it grows, how it runs, and its results."""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pandas as pd

from tres_lib import focused, topics
from tres_lib.checks import one_of
from tres_lib.focused.ending import Ending, Stop
from tres_lib.focused.fetcher import Visit
from tres_lib.focused.result import make_log
from tres_lib.focused.settings import Bounds
from tres_lib.journal import Journal
from tres_lib.store import whole_file
from tres_lib.web.page import Page

from ..web.archive import Archive
from ..web.guard import Guard
from ..web.site_links import WithSiteLinks
from . import extracts
from .exports import FILES, export, relevant_pages, with_snippets
from .folder import Once, Tell, TopicFolder
from .options import CrawlOptions

NOTED = 500  # fetches between two lines of the log file
FORMATS = (*FILES, "markdown", "warc", "urls")

OnRow = Callable[[dict[str, Any]], None]  # is given each row of the log
logger = logging.getLogger(__name__)


class CrawlFolder(TopicFolder):
    """A crawl in a folder, which another process may stop, resume, extend and look at."""

    options_type = CrawlOptions
    options: CrawlOptions

    def __init__(self, path: str | Path):
        super().__init__(path)
        self.journal = self.path / "journal.jsonl"
        self.warc = self.path / "pages.warc.gz"
        self.shards = self.path / "shards"
        self._rows = self.locked = self.path / "rows.jsonl"
        self._in_use: Any = None  # the classifier of a crawl that runs here

    @property
    def begun(self) -> bool:
        """Whether a page was fetched."""
        return any("page" in visit for visit in self.visits())

    def state(self) -> str:
        """Return whether the crawl runs, or why it does not, in words."""
        if self.running:
            return "running" if self.model.exists() else "training"
        if self.ending is not None:
            return str(self.ending)
        return "killed" if self._rows.exists() else "not begun"

    def result(self) -> focused.CrawlResult:
        """Return the crawl as far as it has come, from its growing log."""
        about = {"topic": self.options.topic, "policy": self.options.policy}
        return focused.CrawlResult(make_log(list(_read(self._rows))), about, self.ending)

    def visits(self) -> Iterator[dict[str, Any]]:
        """Yield what was fetched, by the crawl's journal and its shards'; see `Visit.as_json`."""
        journals = [self.journal, *sorted(self.shards.glob("shard-*.journal"))]
        return chain.from_iterable(map(_read, journals))

    def open_links(self, result: focused.CrawlResult) -> list[str]:
        """Return the links in scope on the pages so far that were not fetched, each URL once."""
        log, scope = result.log, self.now.scope()
        asked = {*log["url"], *log["final_url"]}
        depths = log.set_index("url")["depth"].to_dict()
        refused = set(log.loc[log["failure"] != "", "url"])  # as copies: their links do not count
        links: dict[str, None] = {}
        for visit in self.visits():
            if (page := visit.get("url")) in refused:
                continue
            depth = depths.get(page, -1) + 1
            for url, *_ in visit.get("links", ()):
                if url not in asked and (scope is None or scope.follows(url, depth)):
                    links[url] = None
        return list(links)

    @property
    def now(self) -> CrawlOptions:
        """The options with the bounds that were changed since the crawl began."""
        return self._as_of(len(self.later))

    def extend(self, pages: int, **bounds: Any) -> None:
        """Add pages to the budget, and change bounds: options of the names in `BOUNDS`.

        ValueError while the crawl runs, if it is in shards, or for a bad bound.
        """
        if self.options.sharded:
            remedy = "is in shards, which take no more budget: crawl its relevant pages as seeds"
            raise ValueError(f"{str(self.path)!r} {remedy}")
        if self.running:
            raise ValueError(f"{str(self.path)!r} runs; extend it when it has ended")
        if bounds:
            changed = type(self.options).read(asdict(self.now) | bounds)
            step = int((self.result().log["step"] > 0).sum()) + 1
            self.later.append((step, {name: getattr(changed, name) for name in bounds}))
        self.extra += pages
        self._keep(None)

    def run(self, tell: Tell = logger.info) -> focused.CrawlResult:
        """Crawl on to the end of the budget, and export what was found.

        `tell` is given what happens before the crawl, a line each. ValueError if an example or a
        label cannot be used, or another process runs this crawl.
        """
        if self.running:
            raise ValueError(f"{str(self.path)!r} runs in another process: tres status {self.path}")
        if not self.begun:
            self.forget()
        with self.growing_log() as on_row:
            self._keep(None)
            logger.info("begins, or goes on: %s", self._settings)
            try:
                result = self._crawl(tell, on_row)
            except BaseException as error:
                interrupted = isinstance(error, KeyboardInterrupt)
                stop = Stop.INTERRUPTED if interrupted else Stop.ERROR
                self._keep(Ending(stop, cause=str(error)))
                logger.info("ended: %s", self.ending)
                raise
            self._keep(result.ending)
            logger.info("ended: %s, harvest rate %.3f", self.ending, result.harvest_rate)
        self.tabulate(result)
        return result

    def tabulate(self, result: focused.CrawlResult) -> None:
        """Write the log and the list of relevant pages into the folder."""
        export(result, self.path, pages=self._relevant(result)[0])

    def export(self, to: str | Path, formats: Sequence[str] = ()) -> list[Path]:
        """Write the crawl as it stands into a folder, in all formats or some; return the files.

        Formats are those of `tres_live.export` for the log and the list of relevant pages, of
        `write_texts` for the texts of these, "warc" (the pages) and "urls" (links not yet fetched,
        a URL a line).
        """
        formats = [one_of("format", name, FORMATS) for name in formats] or FORMATS
        to, result = Path(to), self.result()
        pages, read = self._relevant(result)
        kinds = [name for name in formats if name in FILES]
        files = list(export(result, to, kinds, pages).values())
        archives = list(filter(Path.exists, [self.warc, *self.shards.glob("*.warc.gz")]))
        if kinds := [name for name in formats if name in extracts.FILES]:
            files += extracts.write_texts(extracts.with_texts(pages, read, archives), to, kinds)
        if "warc" in formats:
            for archive in archives:
                files.append(to / archive.name)
                if files[-1].resolve() != archive.resolve():
                    with whole_file(files[-1]) as draft:
                        shutil.copyfile(archive, draft)
        if "urls" in formats:
            files.append(to / "frontier.txt")
            with whole_file(files[-1]) as draft:
                lines = "".join(f"{url}\n" for url in self.open_links(result))
                draft.write_text(lines, encoding="utf-8")
        return files

    @contextmanager
    def growing_log(self) -> Iterator[OnRow]:
        """Give a function that adds a row to the log, unless it is there from an earlier run."""
        with Journal(self._rows, {}) as log:
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
        for file in (self.journal, self._rows, self.warc):
            file.unlink(missing_ok=True)
        shutil.rmtree(self.shards, ignore_errors=True)

    def _relevant(self, result: focused.CrawlResult) -> tuple[pd.DataFrame, dict[str, Page]]:
        """Return the relevant pages with their snippets, and these pages by URL."""
        table = relevant_pages(result)
        urls = set(table["url"])
        visits = (Visit.from_json(visit) for visit in self.visits() if visit.get("url") in urls)
        read = {visit.url: visit.page for visit in visits if visit.page is not None}
        if read:
            keywords = topics.topic_keywords(self.options.base_topic()).keywords
            table = with_snippets(table, read, keywords, self._in_use or self.classifier())
        return table, read

    def _crawl(self, tell: Tell, on_row: OnRow) -> focused.CrawlResult:
        options = self.options
        if options.sharded:
            tell(f"shards: {options.shards}{f', on {options.cluster}' * bool(options.cluster)}")
        live = self.now.open_web(pauses=self.pauses)
        source = WithSiteLinks(live, options.seeds) if options.sitemaps else live
        once, own = self.begin(source, tell, self.ask)
        self._in_use = own.classifier()
        limit = f"{self.now.max_per_domain} pages" if self.now.max_per_domain else "no limit"
        tell(f"limits: {limit} a domain, {options.delay:g} s between requests to a host")
        same = ("policy", "budget", "rng", "in_flight", "patience", "private_suffixes")
        arguments: dict[str, Any] = {
            **{name: getattr(options, name) for name in same},
            "max_per_domain": options.max_per_domain or None,
            "scope": options.scope(),
            "classifier": self._in_use,
            "keywords": topics.topic_keywords(own.topic).keywords,
            "progress": sys.stderr.isatty(),  # in a file a bar is noise
            "on_row": on_row,
        }
        guard = partial(Guard, probe=options.probe)
        if options.sharded:
            from ..shards.job import crawl_sharded

            live_too = partial(options.open_web, pauses=self.pauses.resolve())
            opened = partial(Once.opened, live_too, once.pages)
            arguments |= {"shards": options.shards, "client": options.cluster or None}
            arguments |= {"checkpoint": self.shards, "archive": True, "wrap": guard}
            return crawl_sharded(opened, options.seeds, own.topic, **arguments)
        archived = guard(Archive(once, self.warc))
        arguments |= {"checkpoint": self.journal, "extra": self.extra, "later": self._later()}
        return focused.crawl(archived, options.seeds, own.topic, **arguments)

    def _as_of(self, n: int) -> CrawlOptions:
        """Return the options after so many changes of bounds."""
        changes: dict[str, Any] = {}
        for _, bounds in self.later[:n]:
            changes |= bounds
        return replace(self.options, **changes)

    def _later(self) -> tuple[Bounds, ...]:
        return tuple(
            Bounds(step, now.max_per_domain or None, now.scope())
            for n, (step, _) in enumerate(self.later, start=1)
            for now in [self._as_of(n)]
        )

    def _take(self, stored: dict[str, Any]) -> None:
        self.extra = int(stored.get("extra", 0))
        self.later = [(int(step), dict(bounds)) for step, bounds in stored.get("later", [])]
        self.ask = bool(stored.get("ask"))  # whether to ask about pages before the crawl
        ending = stored.get("ending")
        self.ending = Ending.from_json(ending) if ending else None

    def _keep(self, ending: Ending | None) -> None:
        """Store the settings with this ending; None: it goes on."""
        self.ending = ending
        facts = {"extra": self.extra, "later": self.later, "ask": self.ask}
        self._store(**facts, ending=ending and ending.as_json())


def _read(journal: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a journal after its header, but for those that a kill has torn."""
    if journal.exists():
        with open(journal, "rb") as file:
            for line in islice(file, 1, None):
                with suppress(ValueError):
                    yield json.loads(line)
