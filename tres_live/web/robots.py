"""robots.txt (RFC 9309): read once an origin, kept for a day, obeyed."""

import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice, permutations
from threading import Lock
from typing import NamedTuple

from protego import Protego

from tres_webs.page import Failure, FetchError

from .connections import Limits
from .politeness import origin_of

MAX_BYTES = 500_000  # of a robots.txt that are read, as the RFC asks for
LIFETIME = 86_400.0  # seconds for which an answer holds
RETRY_AFTER = 300.0  # seconds until one that failed is asked for again; till then all is barred
MEMORY = 64_000_000  # bytes of robots.txt kept, over all origins
ENTRY = 1_000  # bytes of objects that an entry takes besides its text
PARTIAL, BUSY = 206, 429
MAX_ORDERS = 20  # of the parameters of a URL
AGENT_LINE = re.compile(r"\s*user(?:-|\s*)agent\s*[:\s]\s*([^#]*)", re.I)
parsed = lru_cache(maxsize=16)(Protego.parse)  # one of the greatest size takes some 30 MB

Read = Callable[[str, Limits], tuple[int, bytes]]  # URL -> final status, first MAX_BYTES bytes


class _Entry(NamedTuple):
    text: str | None  # None: nothing may be fetched for now
    why: str
    until: float

    @property
    def size(self) -> int:
        return ENTRY + sys.getsizeof(self.text)


class Robots:
    """What each origin lets the crawler of this name fetch, and how fast."""

    def __init__(self, user_agent: str):
        self.user_agent = user_agent
        self._entries: dict[str, _Entry] = {}  # by origin, the one used last at the end
        self._size = 0  # of them all
        self._keeping = Lock()
        self._asking: dict[str, Lock] = {}

    def check(self, url: str, read: Read, limits: Limits) -> float:
        """Return the origin's crawl delay in seconds; FetchError if the URL is disallowed."""
        with self._asking.setdefault(origin_of(url), Lock()):
            return self.check_at_once(url, read, limits)

    def check_at_once(self, url: str, read: Read, limits: Limits) -> float:
        """Do as `check`, but don't wait for a thread that asks for the same robots.txt."""
        entry = self._rules(origin_of(url), read, limits)
        if entry.text is None:
            raise FetchError(url, f"robots.txt cannot be fetched for now: {entry.why}")
        rules = parsed(entry.text)
        # Canonical URLs have their queries sorted; the rules must allow other orders as well.
        if not all(rules.can_fetch(order, self.user_agent) for order in orders(url)):
            raise FetchError(url, "robots.txt disallows it", None, Failure.ROBOTS)
        return rules.crawl_delay(self.user_agent) or 0.0

    def sitemaps(self, url: str, read: Read, limits: Limits) -> list[str]:
        """Return the sitemaps that the origin's robots.txt names, as written."""
        with self._asking.setdefault(origin_of(url), Lock()):
            entry = self._rules(origin_of(url), read, limits)
        return list(parsed(entry.text or "").sitemaps)

    def _rules(self, origin: str, read: Read, limits: Limits) -> _Entry:
        entry = self._entries.get(origin)
        if entry is None or time.monotonic() > entry.until:
            entry = self._ask(f"{origin}/robots.txt", read, limits)
        with self._keeping:
            old = self._entries.pop(origin, None)
            self._entries[origin] = entry
            self._size += entry.size - (old.size if old else 0)
            while self._size > MEMORY:
                self._size -= self._entries.pop(next(iter(self._entries))).size
        return entry

    def _ask(self, url: str, read: Read, limits: Limits) -> _Entry:
        now = time.monotonic()
        try:
            status, body = read(url, limits)
        except FetchError as error:
            if limits.seconds <= 0 or limits.waiting < 0:
                raise  # time may have gone elsewhere: that must not shut this host
            return _Entry(None, error.reason, now + RETRY_AFTER)
        if status in (PARTIAL, BUSY) or status // 100 not in (2, 4):
            return _Entry(None, f"HTTP {status}", now + RETRY_AFTER)
        text = body[:MAX_BYTES].decode("utf-8-sig", "replace") if status < 300 else ""
        return _Entry(for_agent(text, self.user_agent), "", now + LIFETIME)


def orders(url: str) -> Iterator[str]:
    """Yield the URL, then with each one of its query's parameters ahead, of up to four each two."""
    yield url  # which is the first of the permutations
    path, _, query = url.partition("?")
    parts = query.split("&")
    for ahead in islice(permutations(parts, 2 if len(parts) < 5 else 1), 1, MAX_ORDERS):
        yield f"{path}?{'&'.join([*ahead, *(part for part in parts if part not in ahead)])}"


def for_agent(text: str, user_agent: str) -> str:
    """Return a robots.txt in which all agents but ``*`` and the one that means us share a name."""
    # Protego copies each rule to every agent of its group: with ten thousand each it would take all
    # memory. Three names cost little.
    lines = text.splitlines()
    names = [_agent(line) for line in lines]
    whole = user_agent.lower()
    inside = [n for n in set(names) if n and n in whole]
    meant = [n for n in inside if re.search(rf"(?<![\w-]){re.escape(n)}", whole)]
    ours = max(meant, key=len, default=None)
    result: list[str] = []
    for line, name in zip(lines, names, strict=True):
        if name is not None:
            line = f"user-agent: {name if name in ('*', ours) else 'another'}"
        if name is None or not result or result[-1] != line:
            result.append(line)
    return "\n".join(result)


def _agent(line: str) -> str | None:
    match = AGENT_LINE.match(line)
    name = match[1].partition("/")[0].strip().lower() if match else None  # whatever the version
    return name and (name.replace("*", "") or "*")
