"""The folder of a watch, from its options to its digests."""

import json
import logging
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tres_lib.store import whole_file

from ..watching.clock import DAY
from ..watching.judging import request_log
from ..watching.report import Report
from ..watching.store import Store
from ..watching.watch import watch
from .folder import TopicFolder
from .running import learn_topic, show_first_look
from .settings import WatchOptions

logger = logging.getLogger(__name__)


class WatchFolder(TopicFolder):
    """A watch in a folder, which another process may stop, resume and look at.

    `create` makes the folder; ValueError if it holds no watch.

    Examples
    --------
    >>> import tempfile
    >>> start = ["http://a.example/"]
    >>> options = WatchOptions("jazz", start, ["jazz", "ragtime"], contact="me@a.example")
    >>> WatchFolder.create(tempfile.mkdtemp(), options).status()
    'Nothing was fetched yet.'
    """

    options: WatchOptions

    def __init__(self, path: str | Path):
        super().__init__(path)
        self.store = self.path / "watch.sqlite"
        self.digests = self.path / "digest"
        if not self.holds_one(path):
            raise ValueError(f"{str(path)!r} holds no watch; `tres watch` begins one")
        kept = json.loads((self.path / "watch.json").read_text(encoding="utf-8"))
        self.options = WatchOptions(**kept)

    @staticmethod
    def holds_one(path: str | Path) -> bool:
        """Return whether a folder holds a watch."""
        return (Path(path) / "watch.json").exists()

    @classmethod
    def create(cls, path: str | Path, options: WatchOptions) -> "WatchFolder":
        """Make the folder of a new watch; ValueError if one in it has begun to fetch."""
        path = Path(path)
        if cls.holds_one(path) and (path / "watch.sqlite").exists():
            raise ValueError(
                f"{str(path)!r} holds a watch: `tres resume {path}` goes on with it; "
                "or name another --folder"
            )
        cls._make(path)
        with whole_file(path / "watch.json") as draft:
            draft.write_text(json.dumps(asdict(options), indent=1) + "\n", encoding="utf-8")
        return cls(path)

    def status(self) -> str:
        """Return how the watch stands, in words, also while it runs."""
        if not self.store.exists():
            return "Nothing was fetched yet."
        with Report(Store(self.store, read_only=True)) as report:
            return report.in_words()

    def run(self, tell: Callable[[str], object] = logger.info) -> bool:
        """Watch until its days are over, with a digest a day; return whether a signal ended it.

        `tell` takes each message.
        """
        options = self.options
        live = options.open_web(feeds=True)
        own = learn_topic(self, live, tell)
        if not self.store.exists():
            show_first_look(own, live, tell)
        importance = request_log(options.requests) if options.requests else None
        with watch(
            live,
            options.seeds,
            own.topic,
            store=self.store,
            bandwidth=options.bandwidth,
            until=options.days or None,
            classifier=own.classifier(),
            importance=importance,
            half_life=options.half_life,
            scope=options.scope(),
        ) as watched:
            day = 0

            def on_look(row: Any) -> None:
                nonlocal day
                if row.time // DAY > day:
                    day = row.time // DAY
                    tell(watched.in_words())
                    watched.write_digests(self.digests)

            watched.run(on_look)
            watched.write_digests(self.digests)
            return watched.stopped
