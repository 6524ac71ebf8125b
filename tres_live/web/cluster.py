"""ClusterWeb: one frontier here, and its pages from the workers of a Dask cluster.

Lines of JSON go between three parts: `ClusterWeb` in the crawl's process, a `Gateway` in one of its
own, which alone speaks Dask, and a `Reading` on each worker.
"""

import json
import logging
import subprocess
import sys
import time
from base64 import b64decode, b64encode
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from os import PathLike, environ
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any, NamedTuple, Self

import numpy as np

from tres_lib.focused.fetching import Visit, fetched
from tres_webs import Failure, Page, Web, Wrapper, canonical_url, domain
from tres_webs.checks import count, number
from tres_webs.parsing import printable

from .guard import Guard, digest
from .politeness import LONGEST, Politeness
from .workers import code

HOPS = 10  # redirects from domain to domain
MOVED = 5.0  # seconds that a domain rests whose worker was lost
NO_WORKERS = 60.0  # seconds without any, after which a crawl ends
ANSWERS = 8  # that wait here to be taken in

Came = tuple[Visit, float | None, np.ndarray | None]
logger = logging.getLogger(__name__)


class ClusterError(OSError):
    """The cluster cannot serve a crawl: it is gone, or answers what it should not."""

    def __init__(self, what: str):
        super().__init__(printable(f"cluster: {what}"[:500]))


class ClusterWeb(Wrapper):
    """A web whose pages the workers of a Dask cluster fetch, for one crawl here.

    A domain is asked for by one worker; URLs of one that is lost start anew on another. Pauses that
    hosts ask for hold there too. Names of one address share their turns within a worker alone.
    Workers need the same code of ours. They, and whoever reaches them, can lie about pages; nothing
    that they send is unpickled here, so no code of theirs runs here.

    Parameters
    ----------
    client : str or distributed.Client
        The scheduler's address, of which Dask's own configuration has the TLS files, or a client,
        whose address and TLS files are taken.
    open_web : callable
        Opens the web, here and on each worker, such as ``partial(LiveWeb, "me/1.0", "me@a.org")``.
    classifier, keywords
        Those of the crawl, to give a page its probability, and its links their features, on the
        worker. Leave out `keywords` for a crawl with an `anchor_classifier`.
    around : callable, optional
        Given a web of the pages that have come, with their `html`, returns that web within an
        `Archive`, which then writes one file here, or a `Guard` of all hosts. A `Guard` in
        `open_web` probes hosts, and takes digests for both.
    held : dict, optional
        Pages by URL that are there already and are not fetched.
    pauses : path, optional
        As of `LiveWeb`.
    threads : int
        Of each worker.
    plain : bool
        Whether the way to the scheduler may be without TLS. Then anyone on it reads along, and who
        reaches the scheduler's port runs code on its workers.
    """

    def __init__(
        self,
        client: Any,
        open_web: Callable[[], Web],
        classifier: Any = None,
        keywords: Iterable[str] = (),
        *,
        around: Callable[[Web], Web] | None = None,
        held: dict[str, Page] | None = None,
        pauses: str | PathLike[str] | None = None,
        threads: int = 16,
        plain: bool = False,
    ):
        address, tls = scheduler_of(client, plain)
        from cloudpickle import dumps

        super().__init__(open_web())
        self._came = _Came()
        self._chain = around(self._came) if around else self._came
        self._digest: bytes | None = None  # of the page that has come
        if guarded := isinstance(self._chain, Guard):
            self._chain.digest_of = lambda page: self._digest or digest(page)
        made = dumps((open_web, classifier, tuple(keywords), around is not None, guarded))
        self._opening = ["open", code(), b64encode(made).decode(), count("threads", threads)]
        self._held = {} if held is None else held
        self._pauses = Politeness(0.0, None if pauses is None else Path(pauses))
        self._begun = time.perf_counter()
        self._there: set[str] = set()  # workers
        self._homes: dict[str, str] = {}  # worker by domain
        self._given: Counter[str] = Counter()  # domains by worker
        self._rests: dict[str, float] = {}  # until when a domain rests that has a new home
        self._flight: dict[str, _Leg] = {}  # by the URL that was asked for
        self._waiting: list[_Leg] = []  # for a worker
        self._past: defaultdict[str, list[str]] = defaultdict(list)  # visits by domain, as JSON
        self._ready: deque[Came] = deque()
        self._why = ""
        self.ask_only(lambda url: True)
        self._address = address
        self._process = _start_gateway()
        self._stdin: Any = self._process.stdin
        self._lines: Queue[bytes] = Queue(ANSWERS)
        Thread(target=_pump, args=(self._process.stdout, self._lines), daemon=True).start()
        self._write([address, tls])
        try:
            while not self._there:
                self._take_line()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the threads on the workers, and the connection."""
        with suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def fetch(self, url: str) -> Page:
        """Return a page while no crawl waits for others."""
        self.start(url)
        visit = self.next()[0]
        if visit.page is None:
            raise visit.error
        return visit.page

    def start(self, url: str) -> None:
        """Begin to fetch a URL on the worker of its domain."""
        if page := self._held.pop(url, None):
            self._ready.append(self._taken_in(Visit.of(url, page, self._clock()), None, None))
        else:
            self._ask(_Leg(url, url))

    def next(self) -> Came:
        """Wait for a visit; return it with its page's probability and its links' features."""
        while not self._ready:
            self._take_line()
        return self._ready.popleft()

    def replayed(self, visit: Visit) -> None:
        """Let all go on after a visit of an earlier run."""
        self._begun = time.perf_counter() - visit.seconds
        self._note(visit)
        if visit.page is None:
            self._chain.remember_failure(visit.url, visit.error)
        else:
            self._chain.remember(visit.url, visit.page)

    def ask_only(self, owns: Callable[[str], bool]) -> None:
        """Restrict requests, here and on the workers; `owns` is sent there."""
        from cloudpickle import dumps

        self._owns, self._only = owns, ["only", b64encode(dumps(owns)).decode()]
        for worker in self._there:
            self._send(worker, self._only)

    def pause(self, url: str) -> float:
        """Return for how many seconds from now the URL's host asks to be left alone."""
        return self._pauses.asks_for(url)

    # What goes out.

    def _ask(self, leg: "_Leg") -> None:
        self._flight[leg.first] = leg
        if not self._there:
            self._waiting.append(leg)
            return
        name, now = domain(leg.at), time.monotonic()
        home = self._homes.get(name)
        if home not in self._there:
            if rest := max(self.pause(leg.at), MOVED if home else 0.0):
                self._rests[name] = now + rest
            busy = Counter(other.home for other in self._flight.values())
            home = min(sorted(self._there), key=lambda each: (busy[each], self._given[each]))
            self._homes[name] = home
            self._given[home] += 1
            for line in self._past[name]:
                self._send(home, ["past", line])
        rest = max(self._rests.get(name, now) - now, 0.0)
        self._flight[leg.first] = leg._replace(home=home)
        self._send(home, ["fetch", leg.first, leg.at, leg.hops, rest])

    def _send(self, worker: str, line: list[Any]) -> None:
        self._write(line, worker + " ")

    def _write(self, line: list[Any], to: str = "") -> None:
        with suppress(OSError):  # it has died: why, is read where its lines end
            self._stdin.write(f"{to}{json.dumps(line)}\n".encode())
            self._stdin.flush()

    # What comes in.

    def _take_line(self) -> None:
        """Wait for what a worker says, and take it in."""
        try:
            line = self._lines.get(timeout=None if self._there else NO_WORKERS)
        except Empty:
            remedy = f"start some, `dask worker {self._address}`, and the same command goes on"
            raise self._error(f"has no workers: {remedy}") from None
        worker, _, text = line.rstrip(b"\n").decode("utf-8", "replace").partition(" ")
        match text[:1]:
            case "":
                raise self._error("is gone, or cannot be reached")
            case "!":
                self._why = f" ({text[2:]})"
                logger.warning("%s: %s", printable(worker), printable(text[2:]))
            case "+":
                self._there.add(worker)
                self._send(worker, self._opening)
                self._send(worker, self._only)
                waiting, self._waiting = self._waiting, []
                for leg in waiting:
                    self._ask(leg)
            case "-":
                self._there.discard(worker)
                again = [leg for leg in self._flight.values() if leg.home == worker]
                logger.warning("%s is lost: %d URLs start anew", printable(worker), len(again))
                for leg in again:
                    self._ask(leg)
            case _:
                self._take_answer(worker, text)

    def _take_answer(self, worker: str, text: str) -> None:
        try:
            if text[0] == "?":
                raise ValueError(text[1:])
            for line in json.loads(text):
                if raised := line.get("raised"):
                    remedy = "it needs our code as here, and what the web and the classifier need"
                    raise ClusterError(f"the worker {worker} fails: {raised}; {remedy}")
                leg = self._flight.get(line["first"])
                if leg and leg[1:] == (line["at"], worker, line["hops"]):
                    self._arrived(leg, line)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            remedy = "its code was changed, or is of another version: look who can reach it"
            problem = f"the worker {worker} gives no pages ({str(error)[:200]})"
            raise ClusterError(f"{problem}; {remedy}") from None

    def _arrived(self, leg: "_Leg", line: dict[str, Any]) -> None:
        """Go on where a redirect leads, or take a visit in."""
        visit = Visit.from_json({**line["visit"], "url": leg.first, "seconds": self._clock()})
        pause = min(number("pause", line["pause"], 0), LONGEST)
        for url in {leg.at, visit.page.url if visit.page else leg.at} if pause else ():
            self._pauses.pause(url, pause, "its host asks for it")
        leads = visit.failure is Failure.NOT_OURS and canonical_url(visit.target)
        if leads and domain(visit.target) != domain(leg.at) and self._owns(visit.target):
            if leg.hops < HOPS:
                self._ask(_Leg(leg.first, visit.target, None, leg.hops + 1))
                return
            visit = visit.refused(Failure.OTHER, f"more than {HOPS} redirects")
        p = own = None
        if page := visit.page:
            if "p" in line:
                p = number("p", line["p"], 0, 1)
            if "own" in line:
                own = np.frombuffer(b64decode(line["own"]), np.float32)
                own = own.reshape(len(page.links), 3)
                if not np.isfinite(own).all():
                    raise ValueError("features that are no numbers")
            if "html" in line:
                page = replace(page, html=line["html"].encode("utf-8", "surrogateescape"))
                visit = replace(visit, page=page)
            self._digest = bytes.fromhex(line["digest"]) if "digest" in line else None
        del self._flight[leg.first]
        self._ready.append(self._taken_in(visit, p, own))
        self._digest = None

    def _taken_in(self, visit: Visit, p: float | None, own: np.ndarray | None) -> Came:
        """Return a visit as the webs around let it pass."""
        self._note(visit)
        sent = visit.page
        if sent is None:
            self._chain.remember_failure(visit.url, visit.error)
            return visit, None, None
        self._came.page = sent
        visit = fetched(self._chain, visit.url, lambda: visit.seconds)
        page = visit.page
        if own is not None and page is not None and page.links != sent.links:
            numbers = {link: i for i, link in enumerate(sent.links)}
            rows = [numbers.get(link, -1) for link in page.links]
            own = None if -1 in rows else own[rows]
        return visit, p, own

    def _note(self, visit: Visit) -> None:
        """Keep, for a domain's next worker, what its web is told of a visit: no text, no links."""
        page = visit.page and replace(visit.page, title="", text="", links=())
        self._past[domain(visit.url)].append(json.dumps(replace(visit, page=page).as_json()))

    def _clock(self) -> float:
        return time.perf_counter() - self._begun

    def _error(self, what: str) -> ClusterError:
        return ClusterError(f"{self._address} {what}{self._why}")


class _Leg(NamedTuple):
    """What is in flight: the URL asked for, and where its redirects have led."""

    first: str
    at: str
    home: str | None = None
    hops: int = 0


class _Came(Web):
    """A web of the page that has come, whatever is asked for."""

    page: Page

    def fetch(self, url: str) -> Page:
        return self.page


def scheduler_of(client: Any, plain: bool) -> tuple[str, dict[str, Any]]:
    """Return a scheduler's address, and the TLS files of a client; ValueError if it is unsafe."""
    if find_spec("distributed") is None:
        remedy = "install it: pip install 'tres_lib[cluster]'"
        raise ValueError(f"cluster={client!r}: Dask is missing; {remedy}")
    address, tls = client, {}
    if not isinstance(client, str):
        address, security = client.scheduler.address, client.security
        names = {"ca_file": "ca_file", "client_cert": "cert", "client_key": "key"}
        given = security.get_tls_config_for_role("client")
        tls = {f"tls_{name}": given[key] for name, key in names.items() if given.get(key)}
    if "://" not in address:
        address = f"tcp://{address}"
    scheme = address.partition("://")[0]
    if scheme not in ("tls", "tcp"):
        raise ValueError(f"cluster={address!r}: give tls://HOST:PORT of a scheduler")
    if scheme == "tcp" and not plain:
        remedy = "give tls://HOST:PORT, or plain=True (--cluster-plain) in a network that you trust"
        problem = "whoever reaches this port can run code on the workers, and read along"
        raise ValueError(f"cluster={address!r}: {problem}; {remedy}")
    return address, tls


def _start_gateway() -> subprocess.Popen[bytes]:
    """Start what speaks Dask, out of reach of Ctrl-C; it ends with this process."""
    run = (
        f"import sys; sys.path[:] = {sys.path!r}; from tres_live.web import workers as w; w.main()"
    )
    errors = None if environ.get("TRES_DEBUG") else subprocess.DEVNULL
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": errors}
    return subprocess.Popen([sys.executable, "-P", "-c", run], start_new_session=True, **pipes)


def _pump(lines: Any, queue: "Queue[bytes]") -> None:
    for line in lines:
        queue.put(line)
    queue.put(b"")
