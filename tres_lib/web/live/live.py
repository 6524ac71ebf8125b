"""LiveWeb: pages from the Web itself, asked for politely and read with suspicion."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from numbers import Integral, Real

import requests
from w3lib.encoding import http_content_type_encoding

from ..page import FetchError, Page, parse_page
from ..urls import canonical_url
from . import robots
from .body import ACCEPT_CODINGS, HTML_TYPES, declared_length, is_html, media_type, read_body
from .connections import Clock
from .http import Answer, Client, guarded
from .http_cache import HttpCache
from .in_flight import fetch_many
from .politeness import HostLog, Politeness
from .private import check_target, read_networks

REDIRECTS = (301, 302, 303, 307, 308)
SNIFFED = 1_024  # bytes that tell whether a body is HTML


class LiveWeb:
    """The Web, as a polite crawler sees it.

    Each host is asked one thing at a time, with `delay` or its own longer
    crawl delay in between, redirects and retries included; robots.txt is
    obeyed at each step of a redirect; 429 and 503 are waited out. Nothing that
    a server does makes a fetch raise anything but FetchError, take more than
    `deadline` seconds on the network, or keep more than `max_bytes` of a page.
    No cookies are kept; ``.netrc`` and proxies in the environment are ignored.

    Parameters
    ----------
    user_agent : str
        Name and version of your crawler: "my-crawler/1.0".
    contact : str
        Address of a page or a mailbox, for those whose hosts it visits.
    delay : float
        Seconds from the end of an answer to the next request to the same host.
    timeout : float
        Seconds for a connection and for each wait for more data.
    deadline : float
        Seconds that a fetch may spend on the network, with robots.txt, redirects and
        retries; polite waiting comes on top.
    max_bytes : int
        Of a page after decompression; a longer one is a FetchError.
    max_redirects, retries : int
        Of one fetch; retries are for 429, 503 and broken connections.
    max_wait : float
        Seconds for which a host may ask us to leave it alone; FetchError beyond.
    allow_private : bool or iterable of str
        Addresses and networks that may be reached though they are not public; True for all.
    proxies : dict, optional
        As in requests: {"http": "http://127.0.0.1:8080"}. The proxy then resolves names, so
        which addresses they have is not checked here.
    session : requests.Session, optional
        For certificates, more headers or adapters of your own. Its headers go to every host;
        its own adapters are used as they are, so addresses and time are up to them.
    cache : path, optional
        Folder of pages for conditional requests, kept between runs; without it the
        latest 32 MB are kept in memory.
    threads : int
        Hosts that `fetch_many` has in flight at once.
    max_failures, cool_off : int, float
        After so many failed requests in a row a host is left alone for so many seconds.

    Raises
    ------
    ValueError
        If an argument is out of range.
    """

    def __init__(
        self,
        user_agent: str,
        contact: str,
        *,
        delay: float = 1.0,
        timeout: float = 10.0,
        deadline: float = 30.0,
        max_bytes: int = 2_000_000,
        max_redirects: int = 5,
        retries: int = 2,
        max_wait: float = 60.0,
        allow_private: bool | Iterable[str] = False,
        proxies: Mapping[str, str] | None = None,
        session: requests.Session | None = None,
        cache: str | os.PathLike | None = None,
        threads: int = 8,
        max_failures: int = 10,
        cool_off: float = 300.0,
    ):
        _check_texts(user_agent=user_agent, contact=contact)
        _check_numbers(Real, 0, delay=delay, max_wait=max_wait, cool_off=cool_off)
        _check_numbers(Real, 1e-3, timeout=timeout, deadline=deadline)
        _check_numbers(Integral, 0, retries=retries, max_redirects=max_redirects)
        _check_numbers(Integral, 1, max_bytes=max_bytes, threads=threads, max_failures=max_failures)
        if delay > max_wait:
            raise ValueError(f"delay={delay!r}: raise max_wait={max_wait!r} to that at least")
        self.deadline, self.max_bytes, self.max_redirects = deadline, max_bytes, max_redirects
        self.user_agent, self.threads = user_agent, threads
        self._politeness = Politeness(delay, max_wait, max_failures, cool_off)
        self._robots = robots.Robots(user_agent)
        self._cache = HttpCache(cache)
        session = guarded(session or requests.Session(), threads)
        self._client = Client(
            session=session,
            headers={
                **session.headers,
                "User-Agent": f"{user_agent} (+{contact})",
                "Accept": "text/html, application/xhtml+xml;q=0.9",
                "Accept-Encoding": ACCEPT_CODINGS,
            },
            politeness=self._politeness,
            timeout=timeout,
            max_bytes=max_bytes,
            retries=retries,
            allowed=read_networks(allow_private),
            proxies=_checked_proxies(session.proxies if proxies is None else proxies),
        )

    def __repr__(self) -> str:
        return f"LiveWeb({self.user_agent!r})"

    # -- what a crawler may call -------------------------------------------------

    def fetch(self, url: str) -> Page:
        """The page, under the canonical URL at the end of its redirects.

        Raises
        ------
        FetchError
            For every status but 200 after retries, what is not HTML, what robots.txt
            disallows, private addresses, and whatever goes wrong on the way.
        """
        start, clock = canonical_url(url), Clock(self.deadline)
        if start is None:
            raise FetchError(url, "not a URL that a crawler may fetch")
        try:
            final, answer = self._follow(start, lambda at: self._visit(at, clock))
            return _page(final, answer)
        except FetchError as error:
            place = "" if error.url == start else f" (at {error.url})"
            raise FetchError(url, error.reason + place, error.status) from error

    def fetch_many(self, urls: Iterable[str]) -> Iterator[tuple[str, Page | FetchError]]:
        """Fetch pages of several hosts at once; pairs of URL and page or error as they arrive."""
        return fetch_many(self, urls, self.threads)

    def is_relevant(self, url: str, topic: object) -> None:
        """None: nobody knows the truth about a page of the Web."""

    def politeness_log(self) -> dict[str, HostLog]:
        """By host, how many requests it got and the shortest rest between two, in seconds."""
        return self._politeness.log()

    def close(self) -> None:
        """Hang up on all hosts."""
        self._client.session.close()

    # -- how -----------------------------------------------------------------------

    def _follow(self, url: str, visit: Callable[[str], Answer]) -> tuple[str, Answer]:
        """The URL at the end of the redirects, and what it answers."""
        seen: list[str] = []
        while (answer := visit(url)).status in REDIRECTS:
            seen.append(url)
            url = self._target(url, answer, seen)
        return url, answer

    def _target(self, url: str, answer: Answer, seen: list[str]) -> str:
        target = _location(url, answer)
        if target is None:
            fault = "redirects to what a crawler must not fetch"
        elif target in seen:
            fault = "redirects in a circle"
        elif len(seen) > self.max_redirects:
            fault = f"more than {self.max_redirects} redirects"
        else:
            return target
        raise FetchError(url, fault, answer.status)

    def _visit(self, url: str, clock: Clock) -> Answer:
        """Ask for a page, if robots.txt lets us; what is stored of it is used if it still holds."""
        check_target(url, self._client.allowed)
        self._politeness.slow_down(url, self._robots.check(url, self._read_robots, clock))
        stored = self._cache.get(url)
        conditions = stored.conditions if stored else {}
        answer = self._client.ask(url, clock, self._read_html, conditions)
        if answer.status == 304 and stored:
            return Answer(200, {"Content-Type": stored.content_type or ""}, stored.body)
        if answer.status == 200:
            self._cache.put(url, answer.headers, answer.body)
        return answer

    def _read_robots(self, url: str, clock: Clock) -> tuple[int, bytes]:
        def visit(at: str) -> Answer:
            return self._client.ask(at, clock, read)

        def read(at: str, response: requests.Response) -> bytes:
            return read_body(at, response, robots.MAX_BYTES)

        _, answer = self._follow(url, visit)
        return answer.status, answer.body

    def _read_html(self, url: str, response: requests.Response) -> bytes:
        """The body if it is HTML and not too long; nothing of it is read if the header says no."""
        kind = response.headers.get("Content-Type")
        named = media_type(kind)
        if named and named not in HTML_TYPES:
            raise FetchError(url, f"not HTML but {named}", 200)
        length, body = declared_length(response.headers.get("Content-Length")), b""
        if length <= self.max_bytes:
            body = read_body(url, response, self.max_bytes)
        if max(length, len(body)) > self.max_bytes:
            raise FetchError(url, f"longer than {self.max_bytes:,} bytes", 200)
        if not is_html(kind, body[:SNIFFED]):
            raise FetchError(url, "not HTML by its first bytes", 200)
        return body


def _page(url: str, answer: Answer) -> Page:
    if answer.status != 200:
        raise FetchError(url, f"HTTP {answer.status}", answer.status)
    encoding = http_content_type_encoding(answer.headers.get("Content-Type", ""))
    return replace(parse_page(url, answer.body, encoding), fetched_at=time.time())


def _location(url: str, answer: Answer) -> str | None:
    """Where a redirect leads; http.client reads headers as Latin-1, servers send UTF-8."""
    location = answer.headers.get("Location", "")
    if not location:
        return None
    return canonical_url(location.encode("latin-1", "replace").decode("utf-8", "replace"), url)


def _check_texts(**texts: str) -> None:
    for name, text in texts.items():
        if not (isinstance(text, str) and text.strip() and text.isascii() and text.isprintable()):
            raise ValueError(f"{name}={text!r}: use printable ASCII, so that hosts know who visits")


def _check_numbers(kind: type, least: float, **numbers: float) -> None:
    for name, number in numbers.items():
        if not (isinstance(number, kind) and math.isfinite(number) and number >= least):
            whole = "a whole number" if kind is Integral else "a number"
            raise ValueError(f"{name}={number!r}: use {whole} from {least:g} on")


def _checked_proxies(proxies: Mapping[str, str]) -> dict[str, str]:
    for scheme, proxy in proxies.items():
        if not str(proxy).lower().startswith(("http://", "https://")):
            raise ValueError(f"proxies[{scheme!r}]={proxy!r}: use an HTTP proxy, http://host:port")
    return dict(proxies)
