"""Worker processes that end when their owner ends, however that happens."""

import logging
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from threading import Thread

import psutil

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
