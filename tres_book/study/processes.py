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
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

import psutil

from ..code_hash import PACKAGES

Lane = Sequence[tuple[Any, Any]]  # a key and an argument a call
GRACE = 4.0  # seconds in which the workers of a killed kernel may end by themselves


@contextmanager
def worker_pools(
    sizes: Sequence[int], environment: Mapping[str, str]
) -> Iterator[list[ProcessPoolExecutor]]:
    """Give pools of spawned workers, which end at once if the block is left by an exception.

    They hold one end of a pipe, this process the other, which closes when this process ends, even
    by SIGKILL; then each worker ends with all processes that it has started.
    """
    # joblib's workers go on with their call when their owner was killed.
    theirs, ours = Pipe(duplex=False)
    given = (get_context("spawn"), _begin, (theirs, dict(environment)))
    pools = [ProcessPoolExecutor(size, *given) for size in sizes]
    try:
        yield pools
    except BaseException:
        ours.close()
        raise
    finally:
        for pool in pools:
            pool.shutdown(cancel_futures=True)
        ours.close()
        theirs.close()


def _begin(pipe: Connection, environment: Mapping[str, str]) -> None:
    """Prepare a worker: Ctrl-C and a closed terminal are its owner's to answer."""
    os.environ.update(environment)
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
    call: Callable[[Any], Any], lanes: Sequence[Lane], executor: str | None, workers: int
) -> Iterator[Iterator[tuple[Any, Callable[[], Any]]]]:
    """Give each call's key, as they get ready, and a function that returns its result, or raises.

    Calls of a lane run one after another in one process; a process without a lane helps with the
    longest of the others, so that all are busy to the end. Without an executor and with one
    worker, each call is made in this process when its function is called.
    """
    workers = min(workers, sum(map(len, lanes)))
    if not executor and workers < 2:
        yield ((key, partial(call, argument)) for lane in lanes for key, argument in lane)
        return
    with _slots(executor, workers, len(lanes)) as slots:
        yield _as_ready(partial(_in_worker, call), lanes, slots)


def _as_ready(
    call: Callable[[Any], Any], lanes: Sequence[Lane], slots: Sequence[Executor]
) -> Iterator[tuple[Any, Callable[[], Any]]]:
    waiting = deque(map(deque, lanes))
    own: list[deque[tuple[Any, Any]]] = [deque() for _ in slots]
    running: dict[Future, tuple[int, Any]] = {}

    def begin(slot: int) -> None:
        if not own[slot]:
            own[slot] = waiting.popleft() if waiting else max(own, key=len)
        with suppress(BrokenExecutor):  # its process was killed; the others take its lane over
            if own[slot]:
                key, argument = own[slot][0]
                running[slots[slot].submit(call, argument)] = slot, key
                own[slot].popleft()

    for slot in range(len(slots)):
        begin(slot)
    while running:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            slot, key = running.pop(future)
            begin(slot)
            yield key, future.result


def _in_worker(call: Callable[[Any], Any], argument: Any) -> Any:
    """Return a call's result; workers share a console, so the library reports errors only."""
    for package in PACKAGES:
        logging.getLogger(package).setLevel(logging.ERROR)
    return call(argument)


@contextmanager
def _slots(executor: str | None, workers: int, lanes: int) -> Iterator[Sequence[Executor]]:
    """Give what runs one call at a time each: processes of this machine, or lanes of a cluster."""
    if not executor:
        # OpenMP threads on busy cores are hundreds of times slower than one.
        environment = {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
        with worker_pools([1] * workers, environment) as pools:
            yield pools
        return
    if "://" not in executor:
        raise ValueError(f"executor: {executor!r} is no address; give one such as tcp://host:8786")
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError("executor: no Dask here; pip install 'tres_lib[cluster]'") from error
    with Client(executor) as client:
        yield [client.get_executor(pure=False)] * lanes
