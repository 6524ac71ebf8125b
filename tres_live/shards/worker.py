"""What a worker does: it plays a shard's rounds, and can play them again after a crash."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from platform import node
from threading import Lock
from typing import Any, NamedTuple, cast

import numpy as np

from tres_lib.focused.crawl import open_crawl
from tres_lib.focused.ending import Ending, Stop
from tres_lib.focused.settings import CrawlSettings
from tres_lib.store import LIBRARY, StorageError
from tres_lib.topics import RelevanceClassifier, load_classifier
from tres_lib.web.page import Web, as_web
from tres_lib.web.urls import domain

from ..topic.few import FewTexts
from ..web.archive import Archive
from .owner import owner
from .shard import Letter, Shard


@dataclass(frozen=True)
class Job:
    """A sharded crawl, as every worker knows it."""

    run: str  # of this call: a worker's state of another call is of no use
    web: Web | Callable[[], Web]  # or what opens it on the worker
    settings: CrawlSettings  # of the whole crawl, without its classifiers
    classifiers: dict[str, Any]  # by their names in the settings; or the folders that hold them
    shards: int
    folder: Path | None  # of the journals and the orders, which all workers must see
    archive: bool  # whether a shard writes a WARC file, in the folder
    wrap: Callable[[Web], Web] | None  # what is put around the web and its archive
    code: str  # `CODE` of the process that began it

    def file(self, shard: int, kind: str) -> Path:
        """Return a file of a shard in the folder."""
        assert self.folder is not None
        return self.folder / f"shard-{shard:04}.{kind}"

    def owner(self, url: str) -> int:
        """Return the number of the shard that owns a URL."""
        return owner(domain(url, self.settings.private_suffixes), self.shards)


class Order(NamedTuple):
    """What a shard is to do in a round; plain data, so that it can be read again."""

    budget: int
    letters: list[Letter]
    advice: Any = None


class Report(NamedTuple):
    """The result of a shard's round."""

    rows: list[dict[str, Any]]  # of the log
    fetched: int
    relevant: int  # by the classifier
    links: int  # that it may choose from next
    letters: dict[int, list[Letter]]  # by the shard that they are for
    lesson: Any
    teacher: Any  # of the first round, else None
    stopped: Ending | None  # what keeps the crawl from going on, as a full disk
    rests: Ending | None  # why it rests until links come: its fetches fail
    nothing: Ending  # why the shard has no action left; of no meaning while it has one


@dataclass
class State:
    """A shard in the memory of a worker."""

    run: str
    web: Web
    shard: Shard
    played: int = 0  # rounds
    rests: Ending | None = None
    full: bool = False  # the policy takes none of the links that it has

    def play(self, job: Job, order: Order) -> Report:
        """Play a round; the first fetches the shard's seeds."""
        shard, before = self.shard, len(self.shard.rows)
        shard.fetcher.keep_failures()  # other shards know of those of earlier rounds
        # Each time: shards of a process may share a web.
        self.web.ask_only(lambda url: shard.owns(url) and shard.asks(url))
        stopped = rests = None
        try:
            if not self.played:
                shard.begin([url for url in job.settings.seeds if shard.owns(url)])
            shard.policy.heed(order.advice)
            shard.receive(order.letters)
            if order.budget:
                rests = shard.spend(order.budget)
        except StorageError as error:
            stopped = Ending(Stop.UNWRITTEN, cause=str(error))
        first, rows = not self.played, shard.rows[before:]
        self.played += 1
        fetched = sum(row["step"] > 0 for row in rows)
        if order.budget or order.letters:  # else nothing has changed
            self.rests, self.full = rests, rests is None and fetched < order.budget
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


def _code() -> str:
    digest = sha256()
    for folder in (LIBRARY, Path(__file__).parents[1]):
        for file in sorted(folder.rglob("*.py")):
            digest.update(f"{file.relative_to(folder.parent).as_posix()}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


CODE = _code()  # a crawl needs the same on all workers


def play(job: Job, shard: int, number: int, order: Order) -> Report:
    """Play a shard's round of this number, after those before it if they are not in memory.

    ValueError if this process has other code than the one that began the crawl.
    """
    if job.code != CODE:
        remedy = "install the same version of tres_lib on all machines, and start the workers anew"
        raise ValueError(f"the worker on {node()} has other code: {remedy}")
    with _LOCKS[_key(job, shard)]:
        return _state(job, shard, number).play(job, order)


def forget(job: Job, again: bool = False, shards: Iterable[int] = ()) -> None:
    """Close the journals of the job's shards that this process has, and forget the shards.

    `again`: if a shard rests, the same call asks again for what failed in the last round. `shards`:
    by default all.
    """
    for number in shards or range(job.shards):
        if state := _STATES.pop(_key(job, number), None):
            if again and state.rests:
                state.shard.fetcher.forget_failures()
            state.shard.fetcher.close()


def _key(job: Job, shard: int) -> tuple[str, int]:
    return str(job.folder or job.run), shard


def _state(job: Job, shard: int, number: int) -> State:
    """Return a shard as it is before the round of this number."""
    state = _STATES.get(_key(job, shard))
    if state is None or state.run != job.run or state.played != number:
        forget(job, shards=[shard])
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
    # Spawned streams are independent of each other; a journal's must be an int.
    stream = np.random.SeedSequence(cast(int, job.settings.rng)).spawn(job.shards)[number]
    classifiers: dict[str, Any] = {
        name: _loaded(given, job.run) if isinstance(given, Path) else given
        for name, given in job.classifiers.items()
    }
    settings = replace(
        job.settings,
        budget=max(1, job.settings.budget // job.shards),
        rng=int(stream.generate_state(1, np.uint64)[0] >> np.uint64(1)),
        **classifiers,
    )
    journal = None if job.folder is None else job.file(number, "journal")
    kind = partial(Shard, number=number, owner=job.owner)
    return as_web(web), cast(Shard, open_crawl(web, settings, journal, kind))


@lru_cache(maxsize=2)
def _loaded(folder: Path, run: str) -> RelevanceClassifier:
    """Return a saved classifier, which the shards of a worker share in a run."""
    return load_classifier(folder, FewTexts)


def _orders(job: Job, shard: int, n: int) -> Iterator[Order]:
    """Give the orders of a shard's first n rounds."""
    if not n:
        return
    file = job.file(shard, "orders")
    with file.open() as lines:
        for number in range(n):
            try:
                budget, letters, advice = json.loads(lines.readline())
                yield Order(int(budget), [*map(Letter.read, letters)], advice)
            except (ValueError, TypeError) as error:
                remedy = "the same call writes it anew"
                raise ValueError(f"{str(file)!r}: round {number} is damaged; {remedy}") from error


def write_order(job: Job, shard: int, number: int, order: Order) -> None:
    """Store the order of a round, for a worker that must play it again."""
    mode = "a" if number else "w"  # over the orders of a call before, which is played again
    with job.file(shard, "orders").open(mode) as file:
        file.write(json.dumps(order) + "\n")
