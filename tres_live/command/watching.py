"""A watch in a folder, from its options to its digests."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tres_webs.checks import one_of

from ..watching.clock import DAY
from ..watching.report import Report
from ..watching.store import Store
from ..watching.watch import watch
from .exports import TABLES, write_table
from .files import export_folder
from .folder import Tell, TopicFolder, compiling_told
from .options import WatchOptions


class WatchFolder(TopicFolder):
    """A watch in a folder, which another process may stop, resume and look at."""

    options_type = WatchOptions
    options: WatchOptions

    def __init__(self, path: str | Path):
        super().__init__(path)
        self.store = self.file("watch.sqlite")
        self.digests = self.file("digest")

    @property
    def begun(self) -> bool:
        """Whether there is a store."""
        return self.store.exists()

    def status(self) -> str:
        """Return how the watch stands, in words, also while it runs."""
        if not self.begun:
            return "Nothing was fetched yet."
        with Report(Store(self.store, read_only=True)) as report:
            return report.in_words()

    def export(self, to: Path, formats: Sequence[str] = ()) -> list[Path]:
        """Write the looks (log) and the known pages as they stand into a folder."""
        kinds = tuple(one_of("format", name, TABLES) for name in formats) or TABLES
        with Report(Store(self.store, read_only=True)) as report:
            tables = {"log": report.log(), "pages": report.table()}
        export_folder(to, self.path)
        return [
            write_table(table, to / f"{name}.{kind}")
            for name, table in tables.items()
            for kind in kinds
        ]

    def run(self, tell: Tell) -> bool:
        """Watch until its days are over, with a digest a day; return whether a signal ended it.

        ValueError if another process runs this watch.
        """
        with self.alone(), compiling_told(tell):
            return self._run(tell)

    def _run(self, tell: Tell) -> bool:
        options = self.options
        web, own = self.begin(options.open_web(feeds=True, pauses=self.pauses), tell)
        with watch(
            web,
            options.seeds,
            own.topic,
            store=self.store,
            bandwidth=options.bandwidth,
            until=options.days or None,
            classifier=own.classifier(),
            half_life=options.half_life,
            scope=options.scope(),
            max_per_domain=options.max_per_domain or None,
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
