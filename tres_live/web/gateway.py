"""The process that speaks Dask for a `ClusterWeb`, in lines, and unpickles nothing.

Dask's client unpickles what a scheduler or a worker sends, whatever its `deserializers`: frames
that are marked so, types, warnings. So nothing but ours runs here, and pickle is replaced.
"""

import json
import os
import pickle
import sys
import time
from collections import defaultdict
from contextlib import suppress
from io import BytesIO
from threading import Condition, Lock, Thread
from typing import Any

LOOK = 1.0  # seconds until workers are looked for again
QUICK, SLOW = 0.02, 0.25  # seconds that a worker waits for pages in a swap: at first, at last
IDLE = 10.0  # seconds after which a worker without work is told that the crawl goes on
SLOWEST = 600.0  # seconds in which a worker answers, as when it loads a classifier
LEAVE = 2.0  # seconds to say goodbye


class _Bytes(pickle.Unpickler):
    """Reads what is made of plain data and the type bytes, which Dask sends in each answer."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("builtins", "bytes"):
            return bytes
        raise pickle.UnpicklingError(f"{module}.{name} is not loaded here")


def unpickled(data: Any, /, **_: Any) -> Any:
    """Return plain data, or an error in place of anything else."""
    try:
        return _Bytes(BytesIO(data)).load()
    except Exception:
        return OSError("it was pickled, and is not read")


class Gateway:
    """A thread a worker, which swaps lines with its `Reading`."""

    def __init__(self, client: Any):
        self._client = client
        self._out: defaultdict[str, list[bytes]] = defaultdict(list)  # lines by worker
        self._news = Condition()
        self._writing = Lock()
        self._there: set[str] = set()
        self._actors: dict[str, Any] = {}  # of those that are served

    def take(self, line: bytes) -> None:
        """Keep a line for a worker."""
        worker, _, text = line.partition(b" ")
        with self._news:
            self._out[worker.decode()].append(text)
            self._news.notify_all()

    def look(self) -> None:
        """Serve workers as they come; end if the scheduler is gone."""
        try:
            while self._client.status == "running":
                self._there = set(self._client.nthreads())
                for worker in [each for each in self._there if each not in self._actors]:
                    self._actors[worker] = None
                    Thread(target=self._serve, args=(worker,), daemon=True).start()
                time.sleep(LOOK)
        finally:
            os._exit(1)

    def close(self) -> None:
        """Let all workers end their threads."""
        calls = [actor.close() for actor in list(self._actors.values()) if actor]
        until = time.monotonic() + LEAVE
        with suppress(Exception):
            for call in calls:
                call.result(timeout=max(until - time.monotonic(), 0.01))

    def _serve(self, worker: str) -> None:
        """Begin on a worker, and swap until it is gone."""
        from distributed import Actor

        from .reading import Reading

        where = {"workers": [worker], "allow_other_workers": False, "pure": False}
        future = self._client.submit(Reading, actor=True, **where)
        while not future.done() and worker in self._there:
            time.sleep(0.05)
        if future.status != "finished":  # with other code than ours it stays unused
            self._say(worker, b"! it cannot load tres_live: install it there as it is here")
            return
        actor = self._actors[worker] = Actor(Reading, worker, future.key)
        self._say(worker, b"+")
        try:
            self._swap(worker, actor)
        except Exception:
            time.sleep(2 * LOOK)  # by then the scheduler knows whether it is gone
        if worker in self._there:
            self._say(worker, b"! it does not answer as it should, and is left out")
        else:
            del self._actors[worker]  # it may come again
        self._say(worker, b"-")

    def _swap(self, worker: str, actor: Any) -> None:
        busy, wait = False, QUICK
        while True:
            with self._news:
                if not busy and not self._out[worker]:
                    self._news.wait(IDLE)
                lines, self._out[worker] = self._out[worker], []
            answer = self._answer(worker, actor.swap(lines, wait if busy or lines else 0.0))
            # Who sends anything else was changed; the crawl says so.
            waiting, _, text = (
                answer.partition(b" ") if isinstance(answer, bytes) else (b"", b"", b"")
            )
            busy = waiting != b"0"
            came = text != b"[]"
            wait = QUICK if came or lines else min(SLOW, 2 * wait)
            if came:
                self._say(worker, text.replace(b"\n", b" ") or b"what it sends is no text")
            if not text:
                return

    def _answer(self, worker: str, call: Any) -> Any:
        """Wait for a call as long as its worker lives."""
        until = time.monotonic() + SLOWEST
        while worker in self._there and time.monotonic() < until:
            with suppress(TimeoutError):
                return call.result(timeout=LOOK)
        raise OSError(f"{worker} is gone")

    def _say(self, worker: str, text: bytes) -> None:
        with self._writing:
            sys.stdout.buffer.write(b"%b %b\n" % (worker.encode(), text))
            sys.stdout.buffer.flush()


def main() -> None:
    """Serve the process that has started this one, until it ends or closes the pipe."""
    pickle.load = lambda file, /, **_: unpickled(file.read())  # type: ignore[assignment]
    pickle.loads = unpickled
    address, tls = json.loads(sys.stdin.buffer.readline())
    from distributed import Client, Security

    safe = Security(require_encryption=address.startswith("tls:"), **tls)
    try:
        gateway = Gateway(Client(address, security=safe, timeout=30))
    except Exception as error:
        print("*", "!", " ".join(f"{type(error).__name__}: {error}".split())[:300], flush=True)
        os._exit(1)
    Thread(target=gateway.look, daemon=True).start()
    for line in sys.stdin.buffer:
        gateway.take(line.rstrip(b"\n"))
    gateway.close()
    os._exit(0)
