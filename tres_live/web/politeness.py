"""The turns of each host: never two at once, a rest between them, a pause if it asks for one.

A host is a name, whatever the port. Names of one address share its turns. Long pauses outlive the
process, if a file is given.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

from tres_webs.files import open_file, read_file

from .connections import Limits

MAX_FAILURES = 10  # in a row, after which a host is left alone
COOL_OFF = 300.0  # seconds, for which it is
WRITTEN = 5.0  # seconds from which a pause or a crawl delay is written to the file
LONGEST = 86_400.0  # seconds of a pause in a file
DAMAGED = ValueError, TypeError, AttributeError, OverflowError, RecursionError  # of a line


@dataclass(frozen=True)
class HostLog:
    """How many requests one host was sent, and how close together."""

    requests: int
    smallest_gap: float | None  # seconds from an answer's end to the next request, if any


@dataclass
class _Machine:
    lock: Lock = field(default_factory=Lock)
    ended: float = -inf


@dataclass
class _Host:
    lock: Lock = field(default_factory=Lock)
    machine: _Machine | None = None
    requests: int = 0
    smallest_gap: float = inf
    ended: float = -inf
    crawl_delays: dict[str, float] = field(default_factory=dict)  # by origin
    paused_until: float = -inf
    why: str = ""
    failures: int = 0


def host_of(url: str) -> str:
    """Return the host of a canonical URL; all its ports share it, and http and https."""
    return urlsplit(url).hostname or ""


def origin_of(url: str) -> str:
    """Return the scheme, host and port of a canonical URL, whose robots.txt holds for it."""
    return "://".join(urlsplit(url)[:2])


@dataclass
class Politeness:
    """When each host may be asked again, `delay` seconds after its last answer at the earliest."""

    delay: float
    file: Path | None = None  # of pauses that the next process keeps too
    _hosts: dict[str, _Host] = field(default_factory=dict)
    _machines: dict[str, _Machine] = field(default_factory=dict)  # by address

    def __post_init__(self) -> None:
        if self.file is None:
            return
        with suppress(OSError, ValueError):
            lines = read_file(self.file).splitlines()
            self.file.unlink()  # what still holds is written again
            for line in lines:  # a damaged or foreign one loses itself alone
                with suppress(*DAMAGED):
                    self._go_on(**json.loads(line))

    @contextmanager
    def turn(self, url: str, limits: Limits, address: str | None = None) -> Iterator[None]:
        """Wait until the URL's host, at an address if it is known, may be asked, and hold it."""
        host = self._host(url)
        with host.lock:
            rested = host.ended + max([self.delay, *host.crawl_delays.values()])
            paused = host.paused_until > rested
            until = max(rested, host.paused_until)
            limits.wait(url, until, host.why if paused else "its crawl delay")
            machine = host.machine = host.machine or self._machine(address)
            with machine.lock:  # only now, so that a slow host holds up no neighbour
                limits.wait(url, machine.ended + self.delay, "its address was just asked")
                host.requests += 1
                host.smallest_gap = min(host.smallest_gap, time.monotonic() - host.ended)
                try:
                    yield
                finally:
                    if limits.address:
                        host.machine = machine = self._machine(limits.address)
                    host.ended = machine.ended = time.monotonic()

    def is_new(self, url: str) -> bool:
        """Return whether the URL's host was not asked yet, so that its address is to be found."""
        return self._host(url).machine is None

    def slow_down(self, url: str, crawl_delay: float) -> None:
        """Keep to the longest delay that an origin of the host asks for, if longer than ours."""
        delays = self._host(url).crawl_delays
        if delays.get(origin_of(url), 0.0) != crawl_delay:
            self._keep(url, crawl_delay, None, "its crawl delay")
        delays[origin_of(url)] = crawl_delay

    def pause(self, url: str, seconds: float, why: str) -> None:
        """Leave the host alone for some seconds from now."""
        host = self._host(url)
        until = time.monotonic() + seconds
        if until > host.paused_until:
            host.paused_until = until
            host.why = why
            self._keep(url, seconds, time.time(), why)

    def asks_for(self, url: str) -> float:
        """Return for how many seconds from now the host asks to be left alone, beyond `delay`."""
        host = self._host(url)
        rested = host.ended + max(host.crawl_delays.values(), default=0.0)
        return max(0.0, host.paused_until - time.monotonic(), rested - time.monotonic())

    def note(self, url: str, failed: bool) -> None:
        """Count a request without a sound answer; too many in a row, and the host is left alone."""
        host = self._host(url)
        host.failures = host.failures + 1 if failed else 0
        if host.failures >= MAX_FAILURES:
            self.pause(url, COOL_OFF, f"{host.failures} failures in a row")

    def log(self) -> dict[str, HostLog]:
        """Return what each host was asked, by host."""
        return {
            name: HostLog(host.requests, host.smallest_gap if host.requests > 1 else None)
            for name, host in sorted(self._hosts.items())
        }

    def _go_on(self, url: str, seconds: float, since: float | None, why: str) -> None:
        # The clock may have been put back since.
        left = seconds if since is None else min(seconds, since + seconds - time.time())
        self.pause(url, min(left, LONGEST), str(why))

    def _keep(self, url: str, seconds: float, since: float | None, why: str) -> None:
        """Write a pause since that time, or of None: since the start of the next process."""
        if self.file and seconds >= WRITTEN:
            with suppress(OSError), open_file(self.file, "a", encoding="utf-8") as file:
                line = {"url": origin_of(url), "seconds": seconds, "since": since, "why": why}
                file.write(json.dumps(line) + "\n")

    def _machine(self, address: str | None) -> _Machine:
        return self._machines.setdefault(address, _Machine()) if address else _Machine()

    def _host(self, url: str) -> _Host:
        return self._hosts.setdefault(host_of(url), _Host())
