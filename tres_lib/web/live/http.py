"""One URL asked for politely: in its host's turn, within limits, again if that may help."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException

import requests
from requests.adapters import HTTPAdapter
from requests.utils import select_proxy
from urllib3.exceptions import HTTPError

from ..page import FetchError
from .connections import Clock, GuardedAdapter, exchange
from .politeness import Politeness
from .private import Networks, check_target
from .retry import backoff, is_passing, retry_after, why

BUSY = (429, 503)
OVERHEAD = 2**20  # bytes of headers and framing that an answer may have besides its body
OPEN_HOSTS = 32  # to which a connection is kept for more
# All that requests and what lies below it raise; LocationParseError is a ValueError.
NETWORK_ERRORS = (requests.RequestException, HTTPError, HTTPException, OSError, ValueError)

Read = Callable[[str, requests.Response], bytes]


@dataclass(frozen=True)
class Answer:
    """What a server said; ``body`` stays empty unless the status is 200."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass
class Client:
    """Asks for single URLs; redirects are answers like others.

    ``headers`` go with each request; ``allowed`` are the private networks that
    may be reached; the rest is as in `LiveWeb`.
    """

    session: requests.Session
    headers: Mapping[str, str]
    politeness: Politeness
    timeout: float
    max_bytes: int
    retries: int
    allowed: Networks = ()
    proxies: Mapping[str, str] = field(default_factory=dict)

    def ask(
        self, url: str, clock: Clock, read: Read, conditions: Mapping[str, str] | None = None
    ) -> Answer:
        """The answer for a canonical URL; a busy host and broken connections are tried again.

        Parameters
        ----------
        url : str
        clock : Clock
            Seconds left to the fetch that this belongs to; what is used is taken off.
        read : callable
            Reads the body of an answer of status 200, or raises FetchError.
        conditions : mapping, optional
            Further headers.

        Raises
        ------
        FetchError
            If there is no answer, or the host asks for a longer wait than is allowed.
        """
        check_target(url, self.allowed)
        for attempt in range(self.retries + 1):
            try:
                answer = self._once(url, clock, read, conditions or {})
            except NETWORK_ERRORS as error:
                if attempt == self.retries or not is_passing(error):
                    raise FetchError(url, why(error)) from error
                self.politeness.pause(url, backoff(attempt, self.politeness.delay), "back-off")
                continue
            if answer.status not in BUSY:
                break
            self._rest(url, answer, backoff(attempt, self.politeness.delay))
        return answer

    def _rest(self, url: str, answer: Answer, at_least: float) -> None:
        """Leave a busy host alone for as long as it asks for."""
        asked = retry_after(answer.headers)
        self.politeness.pause(url, max(asked, at_least), f"HTTP {answer.status}")
        if asked > self.politeness.max_wait:
            raise FetchError(url, f"HTTP {answer.status}, wait {asked:.0f} s", answer.status)

    def _once(self, url: str, clock: Clock, read: Read, conditions: Mapping[str, str]) -> Answer:
        allowed = None if select_proxy(url, dict(self.proxies)) else self.allowed
        max_bytes = 2 * self.max_bytes + OVERHEAD
        clock.check(url)
        with self.politeness.turn(url):
            try:
                with exchange(
                    url, clock, timeout=self.timeout, max_bytes=max_bytes, allowed=allowed
                ):
                    answer = self._send(url, read, conditions)
            except (FetchError, *NETWORK_ERRORS) as error:
                self.politeness.note(url, failed=getattr(error, "status", None) is None)
                raise
            self.politeness.note(url, failed=answer.status >= 500 or answer.status in BUSY)
        return answer

    def _send(self, url: str, read: Read, conditions: Mapping[str, str]) -> Answer:
        """Send by the adapter itself: a session would read the bodies of redirects, without limit.

        Nor are a session's cookies, its credentials and those of .netrc sent.
        """
        headers = {**self.headers, **conditions}
        request = requests.Request("GET", url, headers=headers).prepare()
        response = self.session.get_adapter(url).send(
            request,
            stream=True,
            timeout=self.timeout,
            verify=self.session.verify,
            cert=self.session.cert,
            proxies=dict(self.proxies),
        )
        with closing(response):
            body = read(url, response) if response.status_code == 200 else b""
            return Answer(response.status_code, response.headers, body)


def guarded(session: requests.Session, threads: int) -> requests.Session:
    """The session with adapters that keep the limits; a caller's own adapters stay."""
    session.trust_env = False
    for prefix in ("http://", "https://"):
        if type(session.get_adapter(prefix)) in (HTTPAdapter, GuardedAdapter):
            hosts = max(OPEN_HOSTS, threads)
            session.mount(prefix, GuardedAdapter(pool_connections=hosts, pool_maxsize=threads))
    return session
