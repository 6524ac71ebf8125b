"""One URL asked for politely: in its host's turn, within limits, again if that may help."""

import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPException
from http.cookiejar import Cookie, DefaultCookiePolicy, MozillaCookieJar
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests
from requests.adapters import BaseAdapter, HTTPAdapter
from requests.cookies import get_cookie_header
from requests.exceptions import InvalidHeader as BadHeader
from requests.utils import check_header_validity, select_proxy
from urllib3.exceptions import HTTPError, InvalidHeader, ProtocolError
from urllib3.util import Retry, parse_url

from tres_webs import FetchError, canonical_url, domain
from tres_webs.files import open_file

from .connections import TOO_LONG, BoundedAdapter, Limits, Networks, check_target, reachable
from .politeness import Politeness, host_of, origin_of

BUSY = (429, 503)
REDIRECTS = (301, 302, 303, 307, 308)
FIRST_BACKOFF = 0.5  # seconds; each further wait is twice as long
RETRY = Retry(retry_after_max=86_400)  # seconds; what is longer is as good as for ever
RETRY_AFTER_LENGTH = 40  # characters of a Retry-After header that are read
OPEN = 32  # hosts to which connections are kept, and connections to a proxy
# All that requests and what lies below it raise; LocationParseError is a ValueError.
NETWORK_ERRORS = (requests.RequestException, HTTPError, HTTPException, OSError, ValueError)
# Those after which the same request may do better: a connection that failed or broke off. A host
# that was silent until time ran out is not asked again at once.
BROKEN = (requests.ConnectionError, ProtocolError)
LASTING = (requests.exceptions.SSLError, requests.exceptions.ProxyError, requests.Timeout)
CODINGS = ("gzip", "x-gzip", "deflate")
CHUNK = 2**14  # bytes read at a time
VALIDATORS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
SOUND = re.compile("[ -~]{1,1000}")  # other validators are not sent back
GZIP_OR_ZLIB = 47  # zlib's "window bits" for either header
BARE_DEFLATE = -15

Read = Callable[[str, requests.Response], bytes]


class Answer(NamedTuple):
    """What a server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""  # read if the status is 2xx

    def sound(self, url: str) -> bytes:
        """Return the body of an answer 200; FetchError for another."""
        if self.status != 200:
            raise FetchError(url, f"HTTP {self.status}", self.status)
        return self.body

    def conditions(self) -> dict[str, str]:
        """Return the request headers that ask whether it still holds (RFC 9110)."""
        given = {ask: self.headers.get(name, "") for name, ask in VALIDATORS.items()}
        return {ask: value for ask, value in given.items() if SOUND.fullmatch(value)}


class Logins:
    """What a person shows to the hosts named, and to no other: cookies of a file, and headers."""

    def __init__(
        self,
        cookies: str | PathLike[str] | None = None,
        headers: Mapping[str, Mapping[str, str]] | None = None,
    ):
        self._jar = None if cookies is None else _cookie_jar(cookies)
        self._headers: dict[str, Mapping[str, str]] = {}
        for origin, given in (headers or {}).items():
            root = canonical_url(f"{origin.rstrip('/')}/") or ""
            if urlsplit(root).path != "/":
                remedy = "give scheme and host, such as 'https://wiki.example'"
                raise ValueError(f"headers={origin!r}: no origin; {remedy}")
            for name, value in given.items():
                try:
                    check_header_validity((name, value))
                except BadHeader:  # whose text has the value
                    raise ValueError(f"headers: {name!r} for {origin}: no sound header") from None
            self._headers[origin_of(root)] = dict(given)

    def headers(self, url: str) -> Mapping[str, str]:
        """Return the headers of a request for this URL."""
        own = self._headers.get(origin_of(url), {})
        cookies = self._jar is not None and get_cookie_header(self._jar, requests.Request(url=url))
        return {"Cookie": cookies, **own} if cookies else own


class _NamedHosts(DefaultCookiePolicy):
    """A cookie is of the host that it names, and of those below only if it says so."""

    def return_ok_domain(self, cookie: Cookie, request: Any) -> bool:
        host, named = host_of(request.get_full_url()), cookie.domain.lstrip(".")
        return host == named or (cookie.domain_specified and host.endswith(f".{named}"))


@dataclass
class Client:
    """Asks for single URLs; redirects are answers like others."""

    session: requests.Session  # for its adapters and certificates, not cookies and credentials
    headers: Mapping[str, str | bytes]
    politeness: Politeness
    retries: int
    allowed: Networks = ()  # private ones that may be reached
    proxies: dict[str, str] = field(default_factory=dict)
    logins: Logins = field(default_factory=Logins)
    # Sends where the session has no adapter of the caller's own.
    adapter: BoundedAdapter = field(default_factory=partial(BoundedAdapter, OPEN, OPEN))

    def ask(self, url: str, limits: Limits, read: Read, conditions: Mapping[str, str]) -> Answer:
        """Return a canonical URL's answer, read if its status is 2xx; ask a busy host again."""
        check_target(url, self.allowed)
        for attempt in range(self.retries + 1):
            pause = backoff(attempt, self.politeness.delay)
            try:
                answer = self._once(url, limits, read, conditions)
            except NETWORK_ERRORS as error:
                passing = isinstance(error, BROKEN) and not isinstance(error, LASTING)
                if attempt == self.retries or not passing:
                    raise FetchError(url, why(error)) from error
                self.politeness.pause(url, pause, "back-off")
                continue
            if answer.status not in BUSY:
                break
            asked = retry_after(answer.headers)
            self.politeness.pause(url, max(asked, pause), f"HTTP {answer.status}")
            if asked > limits.waiting:
                raise FetchError(url, f"HTTP {answer.status}, wait {asked:.0f} s", answer.status)
        return answer

    def _once(self, url: str, limits: Limits, read: Read, conditions: Mapping[str, str]) -> Answer:
        """Ask in the host's turn, and note whether it answered soundly."""
        allowed = None if select_proxy(url, self.proxies) else self.allowed
        if limits.seconds <= 0:
            raise FetchError(url, TOO_LONG)
        new = self.politeness.is_new(url)
        address = self._address(url, limits, allowed) if new else None
        with self.politeness.turn(url, limits, address):
            with self._noted(url), limits.exchange(url, allowed):
                answer = self._send(url, limits.timeout, read, conditions)
            if answer.status not in REDIRECTS:  # the page they lead to says more
                self.politeness.note(url, failed=answer.status >= 500 or answer.status in BUSY)
        return answer

    def _address(self, url: str, limits: Limits, allowed: Networks | None) -> str | None:
        """Return the address of a URL's host; None if a proxy or the caller's adapter finds it."""
        if allowed is None or self._adapter(url) is not self.adapter:
            return None
        with self._noted(url), limits.exchange(url, allowed):
            return reachable(host_of(url), urlsplit(url).port or 80, limits)[0]

    @contextmanager
    def _noted(self, url: str) -> Iterator[None]:
        try:
            yield
        except (FetchError, *NETWORK_ERRORS) as error:
            self.politeness.note(url, failed=getattr(error, "status", None) is None)
            raise

    def _adapter(self, url: str) -> BaseAdapter:
        adapter = self.session.get_adapter(url)
        return self.adapter if type(adapter) is HTTPAdapter else adapter

    def _send(self, url: str, timeout: float, read: Read, conditions: Mapping[str, str]) -> Answer:
        # Not by the session, which would read redirects' bodies without limit, and would send
        # cookies, its credentials and those of .netrc.
        headers = {**self.logins.headers(url), **self.headers, **conditions}
        request = requests.Request("GET", url, headers=headers).prepare()
        verify = True if self.session.verify is None else self.session.verify
        options: dict[str, Any] = {"cert": self.session.cert, "proxies": self.proxies}
        options |= {"stream": True, "timeout": timeout, "verify": verify}
        with closing(self._adapter(url).send(request, **options)) as response:
            body = read(url, response) if response.status_code // 100 == 2 else b""
            return Answer(response.status_code, response.headers, body)


def follow(
    url: str,
    visit: Callable[[str], Answer],
    max_redirects: int,
    extensions: frozenset[str] = frozenset(),
) -> tuple[str, Answer]:
    """Return the last URL of a chain of redirects and its answer; FetchError if it ends nowhere."""
    seen: list[str] = []
    while (answer := visit(url)).status in REDIRECTS:
        seen.append(url)
        # http.client reads headers as Latin-1, servers send UTF-8.
        location = answer.headers.get("Location", "").encode("latin-1", "replace")
        there = location.decode("utf-8", "replace")
        target = canonical_url(there, url, extensions) if location else None
        if target is None:
            raise FetchError(url, "redirects to what a crawler must not fetch", answer.status)
        if target in seen:
            raise FetchError(url, "redirects in a circle", answer.status)
        if len(seen) > max_redirects:
            raise FetchError(url, f"more than {max_redirects} redirects", answer.status)
        url = target
    return url, answer


def read_body(url: str, response: requests.Response, limit: int) -> bytes:
    """Return the unpacked body of a streamed answer, at most `limit` + 1 bytes of it."""
    coding = response.headers.get("Content-Encoding", "").strip().lower() or "identity"
    # urllib3 would unpack as well, but takes a stream that ends too early for a whole one.
    chunks: Iterable[bytes] = response.raw.stream(CHUNK, decode_content=False)
    if coding in CODINGS:
        chunks = unpacked(chunks, coding)
    elif coding != "identity":
        raise FetchError(url, f"packed by {coding[:40]!r}, which was not asked for", 200)
    body = bytearray()
    try:
        for chunk in chunks:
            body += chunk[: limit + 1 - len(body)]
            if len(body) > limit:
                break
    except zlib.error as error:
        raise FetchError(url, f"damaged {coding} data: {error}", 200) from error
    return bytes(body)


def unpacked(chunks: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """Decompress in pieces of bounded size, however much a piece may swell."""
    stream = None
    for chunk in chunks:
        while chunk:
            if stream is None or stream.eof:
                if stream and not chunk.startswith(b"\x1f"):
                    return  # a gzip file may go on with another member; this is padding
                # Many servers send "deflate" without the wrapping that the RFC asks for.
                bare = coding == "deflate" and chunk[0] & 0x8F != 8
                stream = zlib.decompressobj(BARE_DEFLATE if bare else GZIP_OR_ZLIB)
            yield stream.decompress(chunk, CHUNK)
            chunk = stream.unused_data if stream.eof else stream.unconsumed_tail
    if stream and not stream.eof:
        raise zlib.error("cut off")


def retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that a Retry-After header asks for; 0 without a sound one."""
    try:
        return RETRY.parse_retry_after(headers.get("Retry-After", "")[:RETRY_AFTER_LENGTH])
    except (InvalidHeader, ValueError, OverflowError):
        return 0.0


def backoff(attempt: int, delay: float) -> float:
    """Return the seconds to wait after the attempt, counted from 0."""
    return max(delay, FIRST_BACKOFF) * 2**attempt


def why(error: BaseException) -> str:
    """Return the innermost fault of the network stack as a line that a terminal may show."""
    inside: list[object] = [error]
    while inside := [one for one in inside if isinstance(one, BaseException)]:
        error = inside[0]  # requests and urllib3 hand a fault on as an argument of the next
        inside = [getattr(error, "reason", None), *reversed(error.args)]
    text = getattr(error, "strerror", None) or str(error)
    line = f"{type(error).__name__}: {' '.join(str(text).split())[:200]}"
    return "".join(c if c.isprintable() else "?" for c in line)


def _cookie_jar(file: str | PathLike[str]) -> MozillaCookieJar:
    """Return the cookies of a file; ValueError, which shows none of them, if none can be used."""
    jar, name = MozillaCookieJar(file, policy=_NamedHosts()), f"cookies={str(file)!r}"
    try:
        with warnings.catch_warnings(action="ignore"):  # with a traceback, of a bad line
            open_file(Path(file).resolve()).close()  # no FIFO, which would hold it
            jar.load(ignore_discard=True, ignore_expires=True)
    except (OSError, ValueError) as error:
        remedy = "give a file in Netscape's format, as browsers' extensions and curl write it"
        why = getattr(error, "strerror", None) or "not readable"
        raise ValueError(f"{name}: {why}; {remedy}") from None
    for cookie in jar:
        below = f"x.{cookie.domain.lstrip('.')}"
        if cookie.domain_specified and domain(f"http://{below}/") == below:
            raise ValueError(f"{name}: {cookie.domain!r} is no site, but has sites; take it out")
        cookie.expires = cookie.expires or None  # 0: it ends with the browser's session
    jar.clear_expired_cookies()
    if not len(jar):
        raise ValueError(f"{name}: has no cookie that still holds; log in and export them again")
    return jar


def check_identity(user_agent: str, contact: str, proxies: Mapping[str, str]) -> None:
    """Raise ValueError unless hosts can read who visits, and the proxies are HTTP's."""
    for name, text in {"user_agent": user_agent, "contact": contact}.items():
        if not (isinstance(text, str) and text.strip() and text.isascii() and text.isprintable()):
            raise ValueError(f"{name}={text!r}: use printable ASCII, so that hosts know who visits")
    for proxy in proxies.values():
        if not _is_http_address(str(proxy)):
            name, at, address = str(proxy).rpartition("@")
            plain = f"***{at}{address}" if name else address  # without a password
            raise ValueError(f"proxies={plain!r}: give an HTTP proxy, --proxy http://host:port")


def _is_http_address(proxy: str) -> bool:
    """Return whether requests can take it; what it cannot, it would tell with the password."""
    try:
        address = parse_url(proxy)
    except (HTTPError, ValueError):
        return False
    blank = re.search(r"\s", proxy)
    return address.scheme in ("http", "https") and bool(address.host) and not blank
