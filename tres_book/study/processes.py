"""Calls in other processes: a cluster, or workers that end when their owner ends."""

import logging
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

import psutil

from ..code_hash import PACKAGES

GRACE = 4.0  # seconds in which the workers of a killed kernel may end by themselves


@contextmanager
def worker_pools(
    sizes: Sequence[int], environment: Mapping[str, str]
) -> Iterator[list[ProcessPoolExecutor]]:
    """Give pools of spawned workers, which end at once if the block is left by an exception.

    They hold one end of a pipe, this process the other, which closes when this process ends, even
    by SIGKILL; then each worker ends with all processes that it has started.
    """
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


@contextmanager
def results_of(
    call: Callable[[Any], Any],
    todo: Mapping[Any, Any],
    lanes: Sequence[int],
    executor: str | None,
    workers: int,
) -> Iterator[Iterator[tuple[Any, Callable[[], Any]]]]:
    """Give each key of `todo` and a function that returns its call's result, or raises.

    Calls of one lane run one after another in one process. They come as they get ready; without an
    executor and with one worker, each is made in this process when its function is called.
    """
    if not todo or (not executor and min(workers, len(todo)) == 1):
        yield ((key, partial(call, argument)) for key, argument in todo.items())
        return
    with _pools(executor, min(workers, len(todo)), split=max(lanes) > 0) as pools:
        keys = {
            pools[lane % len(pools)].submit(_in_worker, call, argument): key
            for lane, (key, argument) in zip(lanes, todo.items(), strict=True)
        }
        # A future holds its result, so it is let go as soon as that is taken.
        yield ((keys.pop(future), future.result) for future in as_completed(keys))


def _in_worker(call: Callable[[Any], Any], argument: Any) -> Any:
    """Return a call's result; workers share a console, so the library reports errors only."""
    for package in PACKAGES:
        logging.getLogger(package).setLevel(logging.ERROR)
    return call(argument)


@contextmanager
def _pools(executor: str | None, workers: int, split: bool) -> Iterator[Sequence[Executor]]:
    """Give a Dask cluster, or processes of this machine, in a pool each if they are split."""
    if not executor:
        # OpenMP threads on busy cores are hundreds of times slower than one.
        environment = {"OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1")}
        with worker_pools([1] * workers if split else [workers], environment) as pools:
            yield pools
        return
    if "://" not in executor:
        raise ValueError(f"executor: {executor!r} is no address; give one such as tcp://host:8786")
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError("executor: no Dask here; pip install 'tres_lib[cluster]'") from error
    with Client(executor) as client:
        yield [client.get_executor(pure=False)]
