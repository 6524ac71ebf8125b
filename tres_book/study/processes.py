"""Calls in other processes: a cluster, or workers that end when their owner ends."""

import logging
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

import psutil

from ..code_hash import PACKAGES

GRACE = 4.0  # seconds in which the workers of a killed kernel may end by themselves


@contextmanager
def worker_pool(size: int, environment: Mapping[str, str]) -> Iterator[ProcessPoolExecutor]:
    """Give a pool of spawned workers, which end at once if the block is left by an exception.

    They hold one end of a pipe, this process the other, which closes when this process ends, even
    by SIGKILL; then each worker ends with all processes that it has started.
    """
    # joblib's workers go on with their call when their owner was killed.
    theirs, ours = Pipe(duplex=False)
    pool = ProcessPoolExecutor(size, get_context("spawn"), _begin, (theirs, dict(environment)))
    try:
        yield pool
    except BaseException:
        ours.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        ours.close()
        theirs.close()


def _begin(pipe: Connection, environment: Mapping[str, str]) -> None:
    """Prepare a worker: Ctrl-C and a closed terminal are its owner's to answer.

    Workers share a console, so the library reports errors only.
    """
    os.environ.update(environment)
    for package in PACKAGES:
        logging.getLogger(package).setLevel(logging.ERROR)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    Thread(target=_follow, args=(pipe,), daemon=True).start()


def _follow(pipe: Connection) -> None:
    with suppress(EOFError, OSError):
        pipe.recv()
    _end()


def _end(*_: object) -> None:
    """End this process and all that it has started."""
    logging.disable()  # of kernels that died
    started = psutil.Process().children(recursive=True)
    for process in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            process.kill()
    # A killed kernel's workers follow it, and its resource tracker removes what they shared.
    for process in psutil.wait_procs(started, timeout=GRACE)[1]:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    os._exit(1)


def usual_workers() -> int:
    """Return how many processes make runs: TRES_WORKERS, if set, else the number of cores."""
    return int(os.environ.get("TRES_WORKERS") or os.cpu_count() or 1)


@contextmanager
def results_of(
    call: Callable[[Any], Any], jobs: Mapping[Any, Any], executor: str | None, workers: int
) -> Iterator[Iterator[tuple[Any, Callable[[], Any]]]]:
    """Give each job's key, as they get ready, and a function that returns its result, or raises.

    Jobs are arguments of the call. Without an executor and with one worker, each call is made in
    this process when its function is called.
    """
    workers = min(workers, len(jobs))
    if not executor and workers < 2:
        yield ((key, partial(call, argument)) for key, argument in jobs.items())
        return
    with _slots(executor, workers, len(jobs)) as slots:
        yield _as_ready(call, jobs, slots)


def _as_ready(
    call: Callable[[Any], Any], jobs: Mapping[Any, Any], slots: Sequence[Executor]
) -> Iterator[tuple[Any, Callable[[], Any]]]:
    waiting, free = deque(jobs.items()), list(slots)
    running: dict[Future, tuple[Executor, Any]] = {}
    while waiting or running:
        while waiting and free:
            slot, (key, argument) = free.pop(), waiting[0]
            with suppress(BrokenExecutor):  # its process was killed; the others go on
                running[slot.submit(call, argument)] = slot, key
                waiting.popleft()
        if not running:
            raise BrokenExecutor(f"all processes were killed; {len(waiting)} runs were not begun")
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            slot, key = running.pop(future)
            free.append(slot)
            yield key, future.result


@contextmanager
def _slots(executor: str | None, workers: int, jobs: int) -> Iterator[Sequence[Executor]]:
    """Give what runs one call at a time each: processes of this machine, or places of a cluster."""
    if not executor:
        # OpenMP threads on busy cores are hundreds of times slower than one.
        environment = {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
        with ExitStack() as stack:
            yield [stack.enter_context(worker_pool(1, environment)) for _ in range(workers)]
        return
    if "://" not in executor:
        raise ValueError(f"executor: {executor!r} is no address; give one such as tcp://host:8786")
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError("executor: no Dask here; pip install 'tres_lib[cluster]'") from error
    with Client(executor) as client:
        yield [client.get_executor(pure=False)] * jobs
