"""Where shards are played: in this process, or on the workers of a Dask cluster."""

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tres_lib.web.page import as_web

from .shard import Order, Report
from .worker import Job, forget, play

logger = logging.getLogger(__name__)
RESTARTS = 100  # of a shard's round, because workers died
LOOK = 1.0  # seconds until the workers are looked after again
NO_WORKERS = 600.0  # seconds without any, after which a crawl ends
ARRIVAL = 30.0  # seconds in which a finished report must have come


class Here:
    """Plays the shards one after the other in this process."""

    def rounds(self, job: Job, number: int, orders: Sequence[Order]) -> list[Report]:
        """Return each shard's report of a round."""
        return [play(job, shard, number, order) for shard, order in enumerate(orders)]

    def leave(self, job: Job, again: bool = False) -> None:
        """Close what is open, see `forget`."""
        forget(job, again)
        if hasattr(job.web, "fetch"):  # the caller's own, bound to a shard after another
            as_web(job.web).ask_only(lambda url: True)


class Cluster:
    """Plays each shard on a worker of its own choice for as long as that worker lives."""

    def __init__(self, client: Any):
        self._client = client
        self._home: dict[int, str] = {}  # a worker's address by shard
        self._running: dict[int, Any] = {}  # futures by shard

    def rounds(self, job: Job, number: int, orders: Sequence[Order]) -> list[Report]:
        """Return each shard's report of a round, begun again where a worker died."""
        from distributed import TimeoutError, wait

        if not number:
            _check(job)
            self._client.run(forget, job)  # what a call left there that was killed
        results: dict[int, Report] = {}
        running, begun, n = self._running, 0, len(orders)
        while len(results) < n:
            moved = self._settle(n, n - len(results))
            self._client.cancel([running.pop(i) for i in moved if i in running])
            for i in set(range(n)) - results.keys() - running.keys():
                # On no other worker, which would find the shard's journal in use.
                home = {"workers": [self._home[i]], "allow_other_workers": False, "pure": False}
                running[i] = self._client.submit(play, job, i, number, orders[i], **home)
                begun += 1
            if begun > n + RESTARTS:
                advice = "check the workers' memory limits"
                raise RuntimeError(f"workers died {RESTARTS} times in a round: {advice}")
            with suppress(TimeoutError):
                wait(list(running.values()), LOOK, "FIRST_COMPLETED")
            for i in [i for i, future in running.items() if future.done()]:
                future = running.pop(i)
                if future.status == "finished":
                    with suppress(TimeoutError):  # the worker died with it: it is played again
                        results[i] = future.result(ARRIVAL)
                elif self._home[i] in self.workers():
                    future.result()  # raises what went wrong
        return [results[i] for i in range(n)]

    def leave(self, job: Job, again: bool = False) -> None:
        """Let the workers forget the shards, see `forget`."""
        with suppress(Exception):  # there may be none left, nor a scheduler
            self._client.cancel(list(self._running.values()))
            self._client.run(forget, job, again)

    def workers(self) -> list[str]:
        """Return the workers' addresses."""
        return sorted(self._client.scheduler_info(n_workers=-1)["workers"])

    def _settle(self, shards: int, waiting: int) -> list[int]:
        """Move shards of lost workers to the least loaded workers; return the moved shards."""
        there = self.workers() or self._awaited(waiting)
        moved = [shard for shard in range(shards) if self._home.get(shard) not in there]
        for shard in moved:
            self._home.pop(shard, None)
        for shard in moved:
            held = list(self._home.values())
            self._home[shard] = min(there, key=held.count)
        return moved

    def _awaited(self, waiting: int) -> list[str]:
        """Return workers as soon as there are some; TimeoutError if there are none for long."""
        address, start = self._client.scheduler.address, time.monotonic()
        news = "%s has no workers, and tasks of the crawl wait (%d): start some, `dask worker %s`"
        logger.warning(news, address, waiting, address)
        while not (there := self.workers()):  # one that is slow to answer may be gone for a while
            if time.monotonic() > start + NO_WORKERS:
                raise TimeoutError(
                    f"{address} had no workers for {NO_WORKERS / 60:.0f} minutes; when it has "
                    "some, the same call (or `tres resume`) goes on where this one ended"
                )
            time.sleep(LOOK)
        return there


def _check(job: Job) -> None:
    """Raise ValueError if a worker cannot be sent the job."""
    from distributed.protocol.pickle import dumps

    sent = {"web": job.web, "wrap": job.wrap, **vars(job.settings), **job.classifiers}
    for name, value in sent.items():
        try:
            dumps(value)
        except Exception as error:
            remedy = "; give what opens it, such as partial(VitalWeb, 0)" * (name == "web")
            raise ValueError(f"{name}: cannot be sent to a worker ({error}){remedy}") from error


@contextmanager
def place(client: Any) -> Iterator[Here | Cluster]:
    """Give the place for a client: None, a Dask client, or the address of a scheduler."""
    if not isinstance(client, str):
        yield Here() if client is None else Cluster(client)
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError("client: no Dask here; pip install 'tres_lib[cluster]'") from error
    with Client(client) as connected:
        yield Cluster(connected)


def count_workers(address: str) -> int:
    """Return how many workers a scheduler has; ValueError if none."""
    with place(address) as where:
        assert isinstance(where, Cluster)
        if not (workers := len(where.workers())):
            remedy = f"start some, `dask worker {address}`, or say how many shards"
            raise ValueError(f"cluster={address!r} has no workers: {remedy}")
        return workers
