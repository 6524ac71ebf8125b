"""The folder of a crawl: its options, its journal, its log as it grows, and what came out."""

import json
import logging
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pandas as pd
from filelock import Timeout

from .. import focused, topics
from ..focused.fetcher import Visit
from ..focused.labelling import own_texts
from ..focused.result import make_log
from ..journal import Journal
from ..store import file_lock, whole_file
from .options import CrawlOptions

RUNNING = "running"
MODEL = "classifier"
FORMATS = ("csv", "parquet", "html", "jsonl", "warc", "urls")

logger = logging.getLogger(__name__)


class TopicFolder:
    """A folder that keeps a topic's examples, labels and classifier.

    Parameters
    ----------
    path : path
    """

    options: CrawlOptions

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.model = self.path / MODEL

    @staticmethod
    def _make(path: Path) -> None:
        """Make the folder, without a classifier that was trained by other options."""
        path.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(path / MODEL, ignore_errors=True)

    def labels(self) -> topics.Labels:
        """Return the answers that a person gave to questions about pages."""
        return topics.Labels(self.options.labels or self.path / "labels.jsonl")

    def classifier(self) -> topics.RelevanceClassifier:
        """Return the classifier; ValueError if it was not trained yet."""
        if not self.model.exists():
            raise ValueError(f"{str(self.path)!r} has no classifier yet: `tres resume {self.path}`")
        return topics.load_classifier(self.model)


class CrawlFolder(TopicFolder):
    """A crawl in a folder, which another process may stop, resume, extend and look at.

    Parameters
    ----------
    path : path

    Raises
    ------
    ValueError
        If the folder holds no crawl; `create` makes one.

    Examples
    --------
    >>> import tempfile
    >>> start = ["http://a.example/"]
    >>> options = CrawlOptions("jazz", start, ["jazz", "ragtime"], contact="me@a.example")
    >>> CrawlFolder.create(tempfile.mkdtemp(), options).state()
    'not begun'
    """

    def __init__(self, path: str | Path):
        super().__init__(path)
        self.journal = self.path / "journal.jsonl"
        self.rows = self.path / "rows.jsonl"
        self.warc = self.path / "pages.warc.gz"
        self.shards = self.path / "shards"
        self._settings = self.path / "crawl.json"
        if not self._settings.exists():
            raise ValueError(f"{str(path)!r} holds no crawl; `tres crawl` begins one")
        try:
            kept = json.loads(self._settings.read_text(encoding="utf-8"))
            self.options = CrawlOptions(**kept["options"])
            self.extra = int(kept["extra"])
            self.stopped = str(kept["stopped"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{str(self._settings)!r} is damaged: {error}") from None

    @classmethod
    def create(cls, path: str | Path, options: CrawlOptions) -> "CrawlFolder":
        """Make the folder of a new crawl; ValueError if one in it has begun to fetch.

        What a crawl that failed before its first fetch has left there is removed.

        Parameters
        ----------
        path : path
        options : CrawlOptions
        """
        path = Path(path)
        shards = path / "shards"
        begun = (path / "journal.jsonl").exists() or any(shards.glob("shard-*.journal"))
        if (path / "crawl.json").exists() and begun:
            raise ValueError(
                f"{str(path)!r} holds a crawl: `tres resume {path}` goes on with it, "
                f"`tres extend {path}` gives it more budget; or name another --folder"
            )
        cls._make(path)
        shutil.rmtree(shards, ignore_errors=True)
        _write(path / "crawl.json", {"options": asdict(options), "extra": 0, "stopped": ""})
        return cls(path)

    @property
    def begun(self) -> bool:
        """Whether a page was asked for."""
        return any(journal.exists() for journal in self._journals())

    def extend(self, pages: int) -> None:
        """Add pages to the budget, for `run` to fetch; ValueError while it runs, or with shards.

        Parameters
        ----------
        pages : int
        """
        if self.options.sharded:
            told = "is in shards, which take no more budget: crawl its relevant pages as seeds"
            raise ValueError(f"{str(self.path)!r} {told}")
        if self.state() == RUNNING:
            raise ValueError(f"{str(self.path)!r} runs; extend it when it has ended")
        self.keep(extra=self.extra + pages, stopped="")

    def result(self) -> focused.CrawlResult:
        """Return the crawl as far as it has come, from its growing log."""
        about = {"topic": self.options.topic, "policy": self.options.policy}
        return focused.CrawlResult(make_log(list(self._logged())), about, self.state())

    def state(self) -> str:
        """Return whether the crawl runs, or why it does not."""
        if self.stopped != RUNNING:
            return self.stopped or "not begun"
        try:
            with file_lock(self.rows).acquire(blocking=False):
                return "killed"
        except Timeout:
            return RUNNING

    def _stage(self) -> str:
        """Return `state`, but "training" before there is a classifier."""
        state = self.state()
        return "training" if state == RUNNING and not self.model.exists() else state

    def status(self) -> dict[str, Any]:
        """Return figures of the crawl as it stands, a value a line of ``tres status``."""
        result = self.result()
        log = result.log[result.log["step"] > 0]
        reasons = log["reason"].str.replace(r"http\S+", "another page", regex=True)
        sites = result.log["domain"].nunique()
        errors = reasons[reasons != ""].value_counts().head(5)
        seconds = result.log["seconds"].max() if len(result.log) else 0.0
        return {
            "state": self._stage(),
            "topic": self.options.topic,
            "policy": self.options.policy,
            "pages": f"{self.fetched(result):,} of {self.options.budget + self.extra:,}",
            "harvest rate": _percent(log["reward"]),
            "last 100 pages": _percent(log["reward"].tail(100)),
            "domains": f"{sites:,}, with relevant pages {result.domains:,}",
            "pages a second": f"{len(result.log) / seconds:.1f}" if seconds else "-",
            "links left": f"{int(log['frontier'].iloc[-1]):,}" if len(log) else "-",
            "errors": "; ".join(f"{n} {why}" for why, n in errors.items()) or "none",
        }

    def fetched(self, result: focused.CrawlResult) -> int:
        """Return the number of pages so far; shards put their log together at the end only.

        Parameters
        ----------
        result : CrawlResult
        """
        steps = int((result.log["step"] > 0).sum())
        return steps or sum(1 for _ in self._visits())

    def export(self, to: str | Path, formats: tuple[str, ...] = FORMATS) -> list[Path]:
        """Write the crawl as it stands into a folder; return the files.

        Parameters
        ----------
        to : path
        formats : tuple of str
            Of "csv", "parquet" and "html" (see `focused.export`), "jsonl" (the log), "warc" (the
            pages) and "urls" (links found and not fetched, a URL a line).
        """
        to = Path(to)
        result = self.result()
        made = focused.export(result, to, [name for name in formats if name in FORMATS[:3]])
        files = list(made.values())
        archives = (("warc", file) for file in self.shards.glob("*.warc.gz"))
        for name, source in (("jsonl", self.rows), ("warc", self.warc), *archives):
            target = to / source.name
            if name in formats and source.exists():
                if target.resolve() != source.resolve():
                    with whole_file(target) as draft:
                        draft.write_bytes(source.read_bytes())
                files.append(target)
        if "urls" in formats:
            files.append(to / "frontier.txt")
            with whole_file(files[-1]) as draft:
                draft.write_text("".join(f"{url}\n" for url in self._open_links()))
        return files

    def own_relevance(self, sites: Iterable[str]) -> pd.DataFrame:
        """Judge the fetched pages of sites again, without lines that a site repeats, as in menus.

        Parameters
        ----------
        sites : iterable of str
            Registered domains.

        Returns
        -------
        DataFrame
            By site: ``relevant`` and ``pages``.
        """
        log = self.result().log
        rows = log[(log["step"] > 0) & log["p"].notna() & log["domain"].isin(list(sites))]
        site_of = dict(zip(rows["url"], rows["domain"], strict=True))
        visits = (Visit.from_json(json.loads(line)) for line in self._visits())
        kept = [(v.url, v.page) for v in visits if v.page is not None and v.url in site_of]
        pages = [page for _, page in kept]
        own = [replace(page, text=text) for page, text in zip(pages, own_texts(pages), strict=True)]
        p = pd.Series(self.classifier().proba([topics.page_text(page) for page in own]))
        found = (p >= 0.5).groupby([site_of[url] for url, _ in kept])
        return found.agg(relevant="sum", pages="size")

    @contextmanager
    def growing_log(self) -> Iterator[Callable[[dict[str, Any]], None]]:
        """Give a function that adds a row to the log, unless it is there from an earlier run."""
        with Journal(self.rows, {}) as log:
            kept: deque[tuple[int, str, str]] = deque()
            start = log.tell()
            while (row := log.read()) is not None:
                kept.append((start, row["url"], row["reason"]))
                start = log.tell()

            def add(row: dict[str, Any]) -> None:
                if kept:
                    place, *known = kept.popleft()
                    if known == [row["url"], row["reason"]]:
                        return
                    log.cut(place)  # a failure that has been tried again
                    kept.clear()
                log.append({k: v.item() if hasattr(v, "item") else v for k, v in row.items()})

            yield add

    def _logged(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the log, without a last line that is not whole."""
        for line in _lines(self.rows):
            with suppress(ValueError):
                yield json.loads(line)

    def _open_links(self) -> list[str]:
        """Return the links that were not fetched, in scope as far as their URL tells."""
        log = self.result().log
        fetched = {*log["url"], *log["final_url"]}
        scope = self.options.scope()
        found: dict[str, None] = {}
        for line in self._visits():
            with suppress(ValueError):
                found |= dict.fromkeys(url for url, _ in json.loads(line).get("links", ()))
        return [u for u in found if u not in fetched and (scope is None or scope.follows(u, 0))]

    def keep(self, **changed: Any) -> None:
        """Change settings, here and in the folder.

        Parameters
        ----------
        **changed
            `extra` or `stopped`.
        """
        for name, value in changed.items():
            setattr(self, name, value)
        kept = {"options": asdict(self.options), "extra": self.extra, "stopped": self.stopped}
        _write(self._settings, kept)

    def _journals(self) -> list[Path]:
        return [self.journal, *sorted(self.shards.glob("shard-*.journal"))]

    def _visits(self) -> Iterator[bytes]:
        """Yield a line for each page fetched, shard by shard."""
        return chain.from_iterable(map(_lines, self._journals()))


def _lines(journal: Path) -> Iterator[bytes]:
    """Yield the lines of a journal after its header."""
    if journal.exists():
        with open(journal, "rb") as file:
            yield from islice(file, 1, None)


def _percent(rewards: pd.Series) -> str:
    return f"{100 * rewards.mean():.1f} %" if len(rewards) else "-"


def _write(path: Path, content: dict[str, Any]) -> None:
    with whole_file(path) as draft:
        draft.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
