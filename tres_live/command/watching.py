"""A watch in a folder, from its options to its digests."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tres_webs.checks import one_of

from ..watching.clock import DAY
from ..watching.report import Report
from ..watching.store import Store
from ..watching.watch import watch
from .crawling import Tell, learn, saying_compiled
from .extracts import TABLES, export_folder, write_table
from .options import Folder


def status(folder: Folder) -> str:
    """Return how the watch stands, in words, also while it runs."""
    if not folder.begun:
        return "Nothing was fetched yet."
    with Report(Store(folder.store, read_only=True)) as report:
        return report.in_words()


def write_watch(folder: Folder, to: Path, formats: Sequence[str] = ()) -> list[Path]:
    """Write the looks (log) and the known pages as they stand into a folder."""
    kinds = tuple(one_of("format", name, TABLES) for name in formats) or TABLES
    with Report(Store(folder.store, read_only=True)) as report:
        tables = {"log": report.log(), "pages": report.table()}
    export_folder(to, folder.path)
    return [
        write_table(table, to / f"{name}.{kind}")
        for name, table in tables.items()
        for kind in kinds
    ]


def run(folder: Folder, tell: Tell) -> bool:
    """Watch until its days are over, with a digest a day; return whether a signal ended it."""
    day = 0

    def on_look(row: Any) -> None:
        nonlocal day
        if row.time // DAY > day:
            day = row.time // DAY
            tell(watched.in_words())
            watched.write_digests(folder.digests)

    with folder.alone(), saying_compiled(tell):
        options = folder.options
        web, own = learn(folder, options.open_web(feeds=True, pauses=folder.pauses), tell)
        with watch(
            web,
            options.seeds,
            own.topic,
            store=folder.store,
            bandwidth=options.bandwidth,
            until=options.days or None,
            classifier=own.classifier(),
            half_life=options.half_life,
            scope=options.scope(),
            max_per_domain=options.max_per_domain or None,
        ) as watched:
            watched.run(on_look)
            watched.write_digests(folder.digests)
            return watched.stopped
