"""What a worker of a cluster does: it fetches, reads and judges pages for a `ClusterWeb`."""

import hashlib
import json
import time
from base64 import b64decode, b64encode
from contextlib import suppress
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread, local
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from tres_lib.focused.features import link_features
from tres_lib.focused.visit import Visit, fetched
from tres_lib.topics import as_classifier, page_text
from tres_webs import Page, domain
from tres_webs.page import as_web

from .guard import Guard, digest

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
        self._until = time.monotonic() + SILENT
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
        self._until = 0.0
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

    def _take_told(self, line: dict[str, Any]) -> None:
        visit = Visit.from_json(line)
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
