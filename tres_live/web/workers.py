"""The workers of a `ClusterWeb`: the process that speaks Dask to them, and what each one does.

Dask's client unpickles what a scheduler or a worker sends, whatever its `deserializers`: frames
that are marked so, types, warnings. So it has a process in which nothing but `main` runs, and
there pickle is replaced.
"""

import hashlib
import json
import os
import pickle
import sys
import time
from base64 import b64decode, b64encode
from collections import defaultdict
from contextlib import suppress
from functools import cache
from io import BytesIO
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Condition, Lock, Thread, local
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from tres_lib.focused.features import link_features
from tres_lib.focused.fetching import Visit, fetched
from tres_lib.topics import as_classifier, page_text
from tres_webs import Page, domain
from tres_webs.page import as_web

from .guard import Guard, digest

LOOK = 1.0  # seconds until workers are looked for again
QUICK, SLOW = 0.02, 0.25  # seconds that a worker waits for pages in a swap: at first, at last
IDLE = 10.0  # seconds after which a worker without work is told that the crawl goes on
SLOWEST = 600.0  # seconds in which a worker answers, as when it loads a classifier
LEAVE = 2.0  # seconds to say goodbye
SILENT = 60.0  # seconds without a driver, after which a worker's threads end
MOST = 4_000_000  # bytes of pages in one answer, and one page more
HOUSES = ("tres_webs", "tres_lib", "tres_live")


class Reading:
    """On a worker: fetches by threads of its own, and judges each page."""

    def __init__(self) -> None:
        self._todo: SimpleQueue[tuple[str, str, int, float]] = SimpleQueue()
        self._done: SimpleQueue[bytes] = SimpleQueue()
        self._waiting = 0
        self._threads: list[Thread] = []
        self._wanted = 0  # threads
        self._here = local()  # the domain that a thread may ask, and its page's digest
        self._judging = Lock()
        self._until = 0.0  # the time when the threads end, unless there is a swap
        self._known = False  # whether the web has given a page

    def swap(self, lines: list[bytes], wait: float) -> bytes:
        """Take lines of JSON; return how many URLs wait, and JSON of what has come.

        If nothing has, it waits for some seconds. It raises nothing: an error would be pickled.
        """
        found = []
        try:
            for line in lines:
                kind, *rest = json.loads(line)
                getattr(self, f"_take_{kind}")(*rest)
        except Exception as error:
            found.append(_raised(error))
        self._until = time.monotonic() + SILENT if self._wanted else 0.0
        # Those that have ended, as while the driver's machine slept, begin anew.
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for _ in range(self._wanted - len(self._threads)):
            self._threads.append(Thread(target=self._work, daemon=True))
            self._threads[-1].start()
        with suppress(Empty):
            found.append(self._done.get(timeout=wait))
            while sum(map(len, found)) < MOST:
                found.append(self._done.get_nowait())
        self._waiting -= len(found)
        return b"%d [%b]" % (max(self._waiting, 0), b",".join(found))

    def close(self) -> bytes:
        """End the threads."""
        self._until = self._wanted = 0
        return b""

    def _take_open(self, theirs: str, made: str, threads: int) -> None:
        if theirs != code():
            raise ValueError("tres_lib is of another version there")
        from cloudpickle import loads

        open_web, classifier, keywords, self._html, self._guarded = loads(b64decode(made))
        self._web = as_web(open_web())
        if isinstance(self._web, Guard):
            self._web.digest_of = self._digest_of
        self._classifier = None if classifier is None else as_classifier(classifier)
        judges = bool(keywords) and classifier is not None
        self._features = link_features(keywords, self._classifier, False) if judges else None
        self._wanted = threads

    def _take_only(self, owns: str) -> None:
        from cloudpickle import loads

        theirs = loads(b64decode(owns))

        def ours(url: str) -> bool:
            # One may lead to another domain's robots.txt, as where a site has moved.
            mine = domain(url) == getattr(self._here, "domain", None)
            return theirs(url) and (mine or urlsplit(url).path == "/robots.txt")

        self._web.ask_only(ours)

    def _take_past(self, line: str) -> None:
        visit = Visit.from_json(json.loads(line))
        if visit.page is None:
            self._web.remember_failure(visit.url, visit.error)
        else:
            self._web.remember(visit.url, visit.page)

    def _take_fetch(self, first: str, at: str, hops: int, rest: float) -> None:
        self._waiting += 1
        self._todo.put((first, at, hops, rest))

    def _work(self) -> None:
        while time.monotonic() < self._until:
            with suppress(Empty):
                first, at, hops, rest = self._todo.get(timeout=1.0)
                time.sleep(min(rest, SILENT))
                try:
                    line = {"first": first, "at": at, "hops": hops, **self._read(at)}
                    self._done.put(json.dumps(line).encode())
                except Exception as error:
                    self._done.put(_raised(error))

    def _read(self, url: str) -> dict[str, Any]:
        """Fetch and judge a page."""
        self._here.domain, self._here.digest = domain(url), None
        visit = fetched(self._web, url, lambda: 0.0, self._known)
        page = visit.page
        line: dict[str, Any] = {"visit": visit.as_json(), "pause": self._web.pause(url)}
        if page is None:
            return line
        self._known = True
        line["pause"] = max(line["pause"], self._web.pause(page.url))
        if self._here.digest is not None:
            line["digest"] = self._here.digest.hex()
        if self._html and page.html is not None:
            line["html"] = page.html.decode("utf-8", "surrogateescape")
        with self._judging:
            if self._classifier is not None:
                line["p"] = float(self._classifier.proba([page_text(page)])[0])
            if self._features is not None:
                own = np.ascontiguousarray(self._features(list(page.links)), np.float32)
                line["own"] = b64encode(own.tobytes()).decode()
        return line

    def _digest_of(self, page: Page) -> bytes:
        """Keep a page's digest for the driver; what is a copy, its guard says if it has one."""
        self._here.digest = digest(page)
        return b"" if self._guarded else self._here.digest


def _raised(error: Exception) -> bytes:
    return json.dumps({"raised": f"{type(error).__name__}: {error}"[:300]}).encode()


@cache
def code() -> str:
    """Return a digest of our code, which workers must have too."""
    files = [f for name in HOUSES for f in Path(__file__).parents[2].glob(f"{name}/**/*.py")]
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(files))).hexdigest()


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

        where = {"workers": [worker], "allow_other_workers": False, "pure": False}
        future = self._client.submit(Reading, actor=True, **where)
        while not future.done() and worker in self._there:
            time.sleep(0.05)
        if worker not in self._there:
            del self._actors[worker]
            return
        if future.status != "finished":
            self._say(worker, b"! it cannot load tres_live, and is left out: install it there too")
            return
        actor = self._actors[worker] = Actor(Reading, worker, future.key)
        with self._news:
            self._out[worker] = []  # what one of this address was sent before
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
                if not busy:
                    self._news.wait_for(lambda: self._out[worker], IDLE)
                lines, self._out[worker] = self._out[worker], []
            answer = self._answer(worker, actor.swap(lines, wait if busy or lines else 0.0))
            waiting, _, text = answer.partition(b" ") if isinstance(answer, bytes) else 3 * (b"",)
            if text[:1] != b"[":  # it was changed; the crawl says so
                self._say(worker, b"?what it sends is no text")
                return
            busy, came = waiting != b"0", text != b"[]"
            if came:
                self._say(worker, text.replace(b"\n", b" "))
            wait = QUICK if came or lines else min(SLOW, 2 * wait)

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
