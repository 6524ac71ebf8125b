"""What a worker does: it plays a shard's rounds, and can play them again after a crash."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from platform import node
from threading import Lock
from typing import Any, cast

import numpy as np

from tres_lib.focused.crawl import open_crawl
from tres_lib.focused.settings import CrawlSettings
from tres_lib.store import LIBRARY, stored_folder
from tres_lib.topics import RelevanceClassifier, load_classifier
from tres_lib.web import Web, as_web, domain

from ..topic.few import FewTexts
from ..web.archive import Archive
from .shard import Letter, Order, Report, Shard, owner


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
        return owner(domain(url), self.shards)


# A hash of the code, which a crawl needs to be the same on all workers.
CODE = stored_folder("shards", "code", (LIBRARY, Path(__file__).parents[1])).name
_SHARDS: dict[tuple[str, int], Shard] = {}  # by folder, or call, and number
_LOCKS: defaultdict[tuple[str, int], Lock] = defaultdict(Lock)


def play(job: Job, shard: int, number: int, order: Order) -> Report:
    """Play a shard's round of this number, after those before it if they are not in memory.

    ValueError if this process has other code than the one that began the crawl.
    """
    if job.code != CODE:
        remedy = "install the same version of tres_lib on all machines, and start the workers anew"
        raise ValueError(f"the worker on {node()} has other code: {remedy}")
    with _LOCKS[_key(job, shard)]:
        return _shard(job, shard, number).play(order)


def forget(job: Job, again: bool = False) -> None:
    """Close the journals of the job's shards that this process has, and forget the shards.

    `again`: if a shard rests, the same call asks again for what failed in the last round.
    """
    for number in range(job.shards):
        if shard := _SHARDS.pop(_key(job, number), None):
            if again and shard.rests:
                shard.fetcher.forget_failures()
            shard.fetcher.close()


def _key(job: Job, shard: int) -> tuple[str, int]:
    return str(job.folder or job.run), shard


def _shard(job: Job, shard: int, number: int) -> Shard:
    """Return a shard as it is before the round of this number."""
    key = _key(job, shard)
    held = _SHARDS.get(key)
    if held is None or held.call != job.run or held.played != number:
        if held is not None:
            _SHARDS.pop(key).fetcher.close()
        held = _SHARDS[key] = _opened(job, shard)
        for order in _orders(job, shard, number):
            held.play(order)  # its pages come from the journal
    return held


def _opened(job: Job, number: int) -> Shard:
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
    kind = partial(Shard, number=number, owner=job.owner, call=job.run, web=as_web(web))
    return cast(Shard, open_crawl(web, settings, journal, kind))


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
