"""The folder of a crawl: its options, its journal, its log as it grows, and what came out."""

import json
import logging
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from filelock import Timeout

from tres_lib import focused, topics
from tres_lib.focused.result import make_log
from tres_lib.journal import Journal
from tres_lib.store import file_lock, whole_file

from ..topic.few import FewTexts
from ..topic.labels import Labels
from . import status
from .exports import export
from .options import CrawlOptions

RUNNING = "running"
MODEL = "classifier"
NOTED = 500  # fetches between two lines of the log file
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
            self.ask = bool(kept.get("ask"))  # whether to ask before the crawl
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{str(self._settings)!r} is damaged: {error}") from None

    @classmethod
    def create(cls, path: str | Path, options: CrawlOptions) -> "CrawlFolder":
        """Make the folder of a new crawl; ValueError if one in it has begun to fetch.

        What a crawl without a fetched page has left there is removed.

        Parameters
        ----------
        path : path
        options : CrawlOptions
        """
        path = Path(path)
        if (path / "crawl.json").exists():
            found = cls(path)
            if found.begun or found.state() == RUNNING:
                raise ValueError(
                    f"{str(path)!r} holds a crawl: `tres resume {path}` goes on with it, "
                    f"`tres extend {path}` gives it more budget; or name another --folder"
                )
            found.forget()
        cls._make(path)
        _write(path / "crawl.json", {"options": asdict(options), "extra": 0, "stopped": ""})
        return cls(path)

    @property
    def begun(self) -> bool:
        """Whether a page was fetched."""
        return any(b'"page":' in line for line in status.visits(self.journals()))

    def forget(self) -> None:
        """Remove what a crawl without a page has left: its failures are tried again."""
        for file in (self.journal, self.rows, self.warc):
            file.unlink(missing_ok=True)
        shutil.rmtree(self.shards, ignore_errors=True)

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
        result = replace(self.result(), stopped=self._stage())
        return status.figures(self.options, result, self.journals(), self.extra)

    def export(self, to: str | Path, formats: tuple[str, ...] = FORMATS) -> list[Path]:
        """Write the crawl as it stands into a folder; return the files.

        Parameters
        ----------
        to : path
        formats : tuple of str
            Of "csv", "parquet" and "html" (see `tres_live.export`), "jsonl" (the log, a row a line,
            null for NaN), "warc" (the pages) and "urls" (links found and not fetched, a URL a
            line).
        """
        to = Path(to)
        result = self.result()
        made = export(result, to, [name for name in formats if name in FORMATS[:3]])
        files = list(made.values())
        if "jsonl" in formats:
            files.append(_write_lines(to / "log.jsonl", map(_as_json, self._logged())))
        for source in (self.warc, *self.shards.glob("*.warc.gz")):
            target = to / source.name
            if "warc" in formats and source.exists():
                if target.resolve() != source.resolve():
                    with whole_file(target) as draft:
                        draft.write_bytes(source.read_bytes())
                files.append(target)
        if "urls" in formats:
            left = status.open_links(self.options, result, self.journals())
            files.append(_write_lines(to / "frontier.txt", left))
        return files

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
                if row["step"] and row["step"] % NOTED == 0:
                    logger.info("%d fetches, the last of %s", row["step"], row["url"])

            yield add

    def _logged(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of the log, without a last line that is not whole."""
        for line in status.lines(self.rows):
            with suppress(ValueError):
                yield json.loads(line)

    def keep(self, **changed: Any) -> None:
        """Change settings, here and in the folder.

        Parameters
        ----------
        **changed
            `extra`, `stopped` or `ask`.
        """
        for name, value in changed.items():
            setattr(self, name, value)
        kept = {name: getattr(self, name) for name in ("extra", "stopped", "ask")}
        _write(self._settings, {"options": asdict(self.options), **kept})

    def journals(self) -> list[Path]:
        """Return the journals of what was fetched: of the crawl, and of its shards.

        Returns
        -------
        list of Path
        """
        return [self.journal, *sorted(self.shards.glob("shard-*.journal"))]


def _as_json(row: dict[str, Any]) -> str:
    return json.dumps({name: None if value != value else value for name, value in row.items()})


def _write_lines(path: Path, lines: Iterable[str]) -> Path:
    with whole_file(path) as draft:
        draft.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def _write(path: Path, content: dict[str, Any]) -> None:
    with whole_file(path) as draft:
        draft.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
