"""The folder of a crawl: its options, its journal, its log as it grows, and its results."""

from __future__ import annotations

import json
import logging
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from itertools import chain, islice
from pathlib import Path
from shlex import join
from typing import Any

from filelock import Timeout

from tres_lib import focused, topics
from tres_lib.focused.ending import Ending, Stop
from tres_lib.focused.result import make_log
from tres_lib.journal import Journal
from tres_lib.store import file_lock, whole_file

from ..topic.few import FewTexts
from ..topic.labels import Labels
from .exports import FILES, as_json, copied, export, write_lines
from .settings import CrawlOptions, TopicOptions

MODEL = "classifier"
NOTED = 500  # fetches between two lines of the log file
FORMATS = (*FILES, "jsonl", "warc", "urls")

OnRow = Callable[[dict[str, Any]], None]  # is given each row of the log
logger = logging.getLogger(__name__)


class TopicFolder:
    """A folder that keeps a topic's examples, labels and classifier.

    Parameters
    ----------
    path : path
    """

    options: TopicOptions

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.model = self.path / MODEL

    @staticmethod
    def _make(path: Path) -> None:
        """Make the folder, without a classifier that was trained by other options."""
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            told = f"no folder can be there ({error.strerror}); name another --folder"
            raise ValueError(f"folder={str(path)!r}: {told}") from None
        shutil.rmtree(path / MODEL, ignore_errors=True)

    def labels(self) -> Labels:
        """Return the answers that a person gave to questions about pages."""
        return Labels(self.options.labels or self.path / "labels.jsonl")

    def classifier(self) -> topics.RelevanceClassifier:
        """Return the classifier; ValueError if it was not trained yet."""
        if not self.model.exists():
            raise ValueError(f"{str(self.path)!r} has no classifier yet: `tres resume {self.path}`")
        return topics.load_classifier(self.model, FewTexts)


class CrawlFolder(TopicFolder):
    """A crawl in a folder, which another process may stop, resume, extend and look at.

    `create` makes the folder; ValueError if it holds no crawl.

    Examples
    --------
    >>> import tempfile
    >>> start = ["http://a.example/"]
    >>> options = CrawlOptions("jazz", start, ["jazz", "ragtime"], contact="me@a.example")
    >>> CrawlFolder.create(tempfile.mkdtemp(), options).state()
    'not begun'
    """

    options: CrawlOptions

    def __init__(self, path: str | Path):
        super().__init__(path)
        self.journal = self.path / "journal.jsonl"
        self.warc = self.path / "pages.warc.gz"
        self.shards = self.path / "shards"
        self._rows = self.path / "rows.jsonl"
        self._settings = self.path / "crawl.json"
        if not self._settings.exists():
            raise ValueError(f"{str(path)!r} holds no crawl; `tres crawl` begins one")
        try:
            stored = json.loads(self._settings.read_text(encoding="utf-8"))
            self.options = CrawlOptions(**stored["options"])
            self.extra = int(stored["extra"])
            self.ask = bool(stored["ask"])  # whether to ask about pages before the crawl
            self.ending = stored["ending"] and Ending.from_json(stored["ending"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{str(self._settings)!r} is damaged: {error}") from None

    @classmethod
    def create(cls, path: str | Path, options: CrawlOptions, ask: bool = False) -> CrawlFolder:
        """Make the folder of a new crawl; ValueError if one in it has begun to fetch.

        What a crawl without a fetched page has left there is removed. `ask` : whether to ask about
        doubtful pages before the crawl.
        """
        path = Path(path)
        if (path / "crawl.json").exists():
            found = cls(path)
            if found.begun or found.running:
                raise ValueError(
                    f"{str(path)!r} holds a crawl: `tres resume {path}` goes on with it, "
                    f"`tres extend {path}` gives it more budget; or name another --folder"
                )
            found._forget()
        cls._make(path)
        settings = {"options": asdict(options), "extra": 0, "ask": ask, "ending": None}
        _write(path / "crawl.json", settings)
        return cls(path)

    @property
    def begun(self) -> bool:
        """Whether a page was fetched."""
        return any(b'"page":' in line for line in self.visits())

    @property
    def finished(self) -> bool:
        """Whether the budget is spent."""
        return self.ending is not None and self.ending.stop is Stop.SPENT

    @property
    def running(self) -> bool:
        """Whether a process, this one or another, runs the crawl."""
        if not self._rows.exists():
            return False
        try:
            with file_lock(self._rows).acquire(blocking=False):
                return False
        except Timeout:
            return True

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
        return focused.CrawlResult(make_log(list(self._logged())), about, self.ending)

    def visits(self) -> Iterator[bytes]:
        """Yield a line for each page fetched, of the crawl's journal and of its shards'."""
        journals = [self.journal, *sorted(self.shards.glob("shard-*.journal"))]
        return chain.from_iterable(map(_lines, journals))

    def open_links(self, result: focused.CrawlResult) -> list[str]:
        """Return the links in scope on the pages so far that were not fetched, each URL once."""
        log, scope = result.log, self.options.scope()
        known = {*log["url"], *log["final_url"]}
        depths = log.set_index("url")["depth"].to_dict()
        refused = set(log.loc[log["failure"] != "", "url"])  # as copies: their links do not count
        links: dict[str, None] = {}
        for line in self.visits():
            with suppress(ValueError):  # a line that is not whole
                visit = json.loads(line)
                if (page := visit.get("url")) in refused:
                    continue
                depth = depths.get(page, -1) + 1
                for url, _ in visit.get("links", ()):
                    if url not in known and (scope is None or scope.follows(url, depth)):
                        links[url] = None
        return list(links)

    def extend(self, pages: int) -> None:
        """Add pages to the budget; ValueError while the crawl runs, or if it is in shards."""
        if self.options.sharded:
            remedy = "is in shards, which take no more budget: crawl its relevant pages as seeds"
            raise ValueError(f"{str(self.path)!r} {remedy}")
        if self.running:
            raise ValueError(f"{str(self.path)!r} runs; extend it when it has ended")
        self.extra += pages
        self._keep(None)

    def fix_shards(self, number: int) -> None:
        """Store into how many shards the crawl is divided, for a resume."""
        self.options = replace(self.options, shards=number)
        self._keep(self.ending)

    def hold(self, crawl: Callable[[OnRow], focused.CrawlResult]) -> focused.CrawlResult:
        """Run a crawl that adds its rows to the log, and store how it ends; export the result.

        ValueError if another process runs this crawl.
        """
        if self.running:
            raise ValueError(f"{str(self.path)!r} runs in another process: tres status {self.path}")
        if not self.begun:
            self._forget()
        with self.growing_log() as on_row:
            self._keep(None)
            logger.info("begins, or goes on: tres crawl %s", join(self.options.words()))
            try:
                result = crawl(on_row)
            except BaseException as error:
                interrupted = isinstance(error, KeyboardInterrupt)
                stop = Stop.INTERRUPTED if interrupted else Stop.ERROR
                self._keep(Ending(stop, cause=str(error)))
                logger.info("ended: %s", self.ending)
                raise
            self._keep(result.ending)
            logger.info("ended: %s, harvest rate %.3f", self.ending, result.harvest_rate)
        export(result, self.path)
        return result

    def export(self, to: str | Path, formats: tuple[str, ...] = FORMATS) -> list[Path]:
        """Write the crawl as it stands into a folder; return the files.

        Formats are "csv", "parquet" and "html" (see `tres_live.export`), "jsonl" (the log, a row a
        line, null for NaN), "warc" (the pages) and "urls" (links not yet fetched, a URL a line).
        """
        to = Path(to)
        result = self.result()
        files = list(export(result, to, [name for name in formats if name in FILES]).values())
        if "jsonl" in formats:
            files.append(write_lines(to / "log.jsonl", map(as_json, self._logged())))
        if "warc" in formats:
            files += copied([self.warc, *self.shards.glob("*.warc.gz")], to)
        if "urls" in formats:
            left = self.open_links(result)
            files.append(write_lines(to / "frontier.txt", left))
        return files

    @contextmanager
    def growing_log(self) -> Iterator[OnRow]:
        """Give a function that adds a row to the log, unless it is there from an earlier run."""
        with Journal(self._rows, {}) as log:
            logged: deque[tuple[int, str, str]] = deque()
            start = log.tell()
            while (row := log.read()) is not None:
                logged.append((start, row["url"], row["reason"]))
                start = log.tell()

            def add(row: dict[str, Any]) -> None:
                if logged:
                    place, *known = logged.popleft()
                    if known == [row["url"], row["reason"]]:
                        return
                    log.cut(place)  # a failure that has been tried again
                    logged.clear()
                log.append({k: v.item() if hasattr(v, "item") else v for k, v in row.items()})
                if row["step"] and row["step"] % NOTED == 0:
                    logger.info("%d fetches, the last of %s", row["step"], row["url"])

            yield add

    def _forget(self) -> None:
        """Remove what a crawl without a page has left: its failures are tried again."""
        for file in (self.journal, self._rows, self.warc):
            file.unlink(missing_ok=True)
        shutil.rmtree(self.shards, ignore_errors=True)

    def _logged(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the log, without a last line that is not whole."""
        for line in _lines(self._rows):
            with suppress(ValueError):
                yield json.loads(line)

    def _keep(self, ending: Ending | None) -> None:
        """Store the settings with this ending; None: it goes on."""
        self.ending = ending
        stored = {"options": asdict(self.options), "extra": self.extra, "ask": self.ask}
        _write(self._settings, stored | {"ending": ending and ending.as_json()})


def _lines(journal: Path) -> Iterator[bytes]:
    """Yield the lines of a journal after its header."""
    if journal.exists():
        with open(journal, "rb") as file:
            yield from islice(file, 1, None)


def _write(path: Path, content: dict[str, Any]) -> None:
    with whole_file(path) as draft:
        draft.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
