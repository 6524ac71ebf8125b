"""What a worker does: it plays a shard's rounds, and can play them again after a crash."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, cast

import numpy as np

from tres_lib.focused.crawl import open_crawl
from tres_lib.store import StorageError
from tres_lib.topics import RelevanceClassifier, load_classifier
from tres_lib.web.page import Web, as_web
from tres_lib.web.urls import domain

from ..topic.few import FewTexts
from ..web.archive import Archive
from .owners import owner
from .shard import Letter, Shard


@dataclass(frozen=True)
class Job:
    """A sharded crawl, as every worker knows it.

    Attributes
    ----------
    run : str
        Of this call: a worker's state of another call is of no use.
    web : Web or callable
        The callable opens a web on the worker.
    seeds : tuple of str
    shards, rng, in_flight : int
    patience : int or None
    folder : Path or None
        Of the journals and the orders, which all workers must see.
    archive : bool
        Whether a shard writes a WARC file, in the folder.
    wrap : callable or None
        What is put around the web, and around its archive.
    options : dict
        Further arguments of `open_crawl`.
    """

    run: str
    web: Web | Callable[[], Web]
    seeds: tuple[str, ...]
    shards: int
    rng: int
    in_flight: int
    patience: int | None
    folder: Path | None
    archive: bool
    wrap: Callable[[Web], Web] | None
    options: dict[str, Any]

    def file(self, shard: int, kind: str) -> Path:
        """Return a file of a shard in the folder."""
        assert self.folder is not None
        return self.folder / f"shard-{shard:04}.{kind}"

    def owner(self, url: str) -> int:
        """Return the number of the shard that owns a URL."""
        return owner(domain(url, self.options["private_suffixes"]), self.shards)


class Order(NamedTuple):
    """What a shard is to do in a round; plain data, so that it can be read again."""

    budget: int
    letters: list[Letter]
    advice: Any = None


class Report(NamedTuple):
    """What came of a shard's round."""

    rows: list[dict[str, Any]]  # of the log
    fetched: int
    found: int  # relevant by the classifier
    links: int  # that it may choose from next
    letters: dict[int, list[Letter]]  # by the shard that they are for
    lesson: Any
    teacher: Any  # of the first round, else None
    stopped: str  # what keeps the crawl from going on, as a full disk; else ""
    rests: str  # why it rests until links come: its fetches fail; else ""
    nothing: str  # why the shard has no action left; of no meaning while it has one


@dataclass
class State:
    """A shard in the memory of a worker."""

    run: str
    web: Web
    shard: Shard
    played: int = 0  # rounds
    rests: str = ""
    full: bool = False  # the policy takes none of the links that it has

    def play(self, job: Job, order: Order) -> Report:
        """Play a round; the first fetches the shard's seeds."""
        shard, before = self.shard, len(self.shard.rows)
        shard.fetcher.keep_failures()  # other shards know of those of earlier rounds
        self.web.ask_only(shard.owns)  # each time: shards of a process may share a web
        stopped = rests = ""
        try:
            if not self.played:
                shard.begin([url for url in job.seeds if shard.owns(url)])
            shard.policy.heed(order.advice)
            shard.receive(order.letters)
            if order.budget:
                rests = shard.spend(order.budget, job.in_flight, job.patience)
        except StorageError as reason:
            stopped = str(reason)
        first, rows = not self.played, shard.rows[before:]
        self.played += 1
        fetched = sum(row["step"] > 0 for row in rows)
        if order.budget or order.letters:  # else nothing has changed
            self.rests, self.full = rests, not rests and fetched < order.budget
        return Report(
            rows,
            fetched,
            sum(row["step"] > 0 and row["reward"] > 0 for row in rows),
            0 if self.full else len(shard.frontier),
            shard.posted(),
            shard.policy.lesson(),
            shard.policy.teacher() if first else None,
            stopped,
            self.rests,
            shard.why_nothing(),
        )


_STATES: dict[tuple[str, int], State] = {}  # by folder, or call, and shard
_LOCKS: defaultdict[tuple[str, int], Lock] = defaultdict(Lock)


def play(job: Job, shard: int, number: int, order: Order) -> Report:
    """Play a shard's round of this number, after those before it if they are not in memory."""
    with _LOCKS[_key(job, shard)]:
        return _state(job, shard, number).play(job, order)


def forget(job: Job, shard: int, again: bool = False) -> None:
    """Close a shard's journal and forget the shard, if this process has it.

    `again`: if the shard rests, the same call asks again for what failed in the last round.
    """
    state = _STATES.pop(_key(job, shard), None)
    if state is not None:
        if again and state.rests:
            state.shard.fetcher.forget_failures()
        state.shard.fetcher.close()


def _key(job: Job, shard: int) -> tuple[str, int]:
    return str(job.folder or job.run), shard


def _state(job: Job, shard: int, number: int) -> State:
    """Return a shard as it is before the round of this number."""
    state = _STATES.get(_key(job, shard))
    if state is None or state.run != job.run or state.played != number:
        forget(job, shard)
        state = _STATES[_key(job, shard)] = State(job.run, *_opened(job, shard))
        for order in _orders(job, shard, number):
            state.play(job, order)  # its pages come from the journal
    return state


def _opened(job: Job, number: int) -> tuple[Web, Shard]:
    web = cast(Web, job.web if hasattr(job.web, "fetch") else job.web())
    if job.archive:
        web = Archive(web, job.file(number, "warc.gz"))
    if job.wrap is not None:
        web = job.wrap(web)
    options = dict(job.options)
    for name in ("classifier", "anchor_classifier"):
        if isinstance(options[name], Path):
            options[name] = _loaded(options[name], job.run)
    # Spawned streams are independent of each other; a journal's must be an int.
    stream = np.random.SeedSequence(job.rng).spawn(job.shards)[number]
    crawler, _, _ = open_crawl(
        web,
        list(job.seeds),
        rng=int(stream.generate_state(1, np.uint64)[0] >> np.uint64(1)),
        in_flight=job.in_flight,
        kind=partial(Shard, number=number, owner=job.owner),
        checkpoint=None if job.folder is None else job.file(number, "journal"),
        **options,
    )
    assert isinstance(crawler, Shard)
    return as_web(web), crawler


@lru_cache(maxsize=2)
def _loaded(folder: Path, run: str) -> RelevanceClassifier:
    """Return a saved classifier, which the shards of a worker share in a run."""
    return load_classifier(folder, FewTexts)


def _orders(job: Job, shard: int, n: int) -> Iterator[Order]:
    """Give the orders of a shard's first n rounds."""
    if not n:
        return
    with job.file(shard, "orders").open() as lines:
        for _ in range(n):
            budget, letters, advice = json.loads(lines.readline())
            yield Order(budget, [Letter(*letter) for letter in letters], advice)


def write_order(job: Job, shard: int, number: int, order: Order) -> None:
    """Keep the order of a round, for a worker that must play it again."""
    path = job.file(shard, "orders")
    if number == 0:
        with suppress(FileNotFoundError):  # of a call before, which is played again
            path.unlink()
    with path.open("a") as file:
        file.write(json.dumps(order) + "\n")
