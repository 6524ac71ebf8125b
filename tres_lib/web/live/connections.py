"""HTTP exchanges that end: in time, within a number of bytes, and only with allowed addresses.

requests bounds the wait for each single read, so a server that sends a byte a
second holds a caller for ever, and it leaves open which address a name turns
out to have. Here every read of a socket looks at the clock of the exchange it
belongs to, and every address is checked before anything is sent to it.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util.ssl_ import create_urllib3_context, resolve_cert_reqs

from ..page import FetchError
from .private import Networks, may_connect

MAX_ADDRESSES = 4  # of one host that are tried
TOO_LONG = "took too long as a whole"
_exchange: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@dataclass
class Clock:
    """Seconds that one fetch may still spend on the network, over all its exchanges."""

    left: float

    def check(self, url: str) -> None:
        """Raise FetchError if nothing is left."""
        if self.left <= 0:
            raise FetchError(url, TOO_LONG)


@dataclass
class Exchange:
    """One request and its answer: what it may use up.

    ``allowed`` are the networks that may be reached although they are private;
    None where a proxy is spoken to, which connects in our stead.
    """

    url: str
    ends: float
    timeout: float
    max_bytes: int
    allowed: Networks | None
    received: int = 0

    def patience(self) -> float:
        """Seconds that the next step may take; FetchError when there are none."""
        left = self.ends - monotonic()
        if left <= 0:
            raise FetchError(self.url, TOO_LONG)
        return min(left, self.timeout)

    def late(self) -> FetchError:
        """What to raise when a step took longer than its patience."""
        whole = self.ends - monotonic() <= 0
        reason = TOO_LONG if whole else f"silent for {self.timeout:g} s"
        return FetchError(self.url, reason)

    def count(self, n: int) -> int:
        """Add n received bytes; FetchError when they are too many, headers and framing included."""
        self.received += n
        if self.received > self.max_bytes:
            raise FetchError(self.url, f"sent more than {self.max_bytes:,} bytes")
        return n


@contextmanager
def exchange(
    url: str, clock: Clock, *, timeout: float, max_bytes: int, allowed: Networks | None
) -> Iterator[None]:
    """Bound all that this thread does on guarded sockets; what it took is off the clock."""
    start = monotonic()
    bounds = Exchange(url, start + clock.left, timeout, max_bytes, allowed)
    token = _exchange.set(bounds)
    try:
        yield
    finally:
        _exchange.reset(token)
        clock.left -= monotonic() - start


class _Guarded:
    """Every read takes at most what is left of the exchange."""

    def recv_into(self, *args) -> int:
        bounds = _exchange.get()
        if bounds is None:
            return super().recv_into(*args)
        self.settimeout(bounds.patience())
        try:
            return bounds.count(super().recv_into(*args))
        except TimeoutError:
            raise bounds.late() from None


class GuardedSocket(_Guarded, socket.socket):
    """A plain socket under the exchange's limits."""


class GuardedTLSSocket(_Guarded, ssl.SSLSocket):
    """A TLS socket under the exchange's limits."""


def connect(host: str, port: int, bounds: Exchange) -> socket.socket:
    """A connection to the first address of the host that may be reached and answers.

    Raises
    ------
    FetchError
        If the host is unknown, has only private addresses, or time is up.
    OSError
        If no address answers.
    """
    failure: OSError | None = None
    for family, kind, protocol, address in _reachable(host, port, bounds)[:MAX_ADDRESSES]:
        connection = GuardedSocket(family, kind, protocol)
        try:
            connection.settimeout(bounds.patience())
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.connect(address)
            return connection
        except OSError as error:
            connection.close()
            failure = error
        except FetchError:
            connection.close()
            raise
    if isinstance(failure, TimeoutError):
        raise bounds.late() from failure
    raise failure


def _reachable(host: str, port: int, bounds: Exchange) -> list[tuple]:
    found = [entry[:3] + entry[4:] for entry in _look_up(host.strip("[]"), port, bounds)]
    if bounds.allowed is None:
        return found
    open_ = [entry for entry in found if may_connect(entry[3][0], bounds.allowed)]
    if not open_:
        raise FetchError(bounds.url, f"{host} has a private address, {found[0][3][0]}")
    return open_


def _look_up(host: str, port: int, bounds: Exchange) -> list[tuple]:
    """getaddrinfo, which knows no time limit, in a thread that may be left behind."""
    answer: Future[list[tuple]] = Future()

    def ask() -> None:
        try:
            answer.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answer.set_exception(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        return answer.result(bounds.patience())
    except FutureTimeout:
        raise FetchError(bounds.url, f"no name server answered for {host}") from None
    except (OSError, UnicodeError) as error:
        raise FetchError(bounds.url, f"host {host} not found") from error


class _Connecting:
    """urllib3's hook for making connections, as its own SOCKS support uses it."""

    def _new_conn(self) -> socket.socket:
        bounds = _exchange.get()
        return super()._new_conn() if bounds is None else connect(self.host, self.port, bounds)


class _Connection(_Connecting, HTTPConnection):
    pass


class _TLSConnection(_Connecting, HTTPSConnection):
    def connect(self) -> None:
        self.ssl_context = create_urllib3_context(cert_reqs=resolve_cert_reqs(self.cert_reqs))
        self.ssl_context.sslsocket_class = GuardedTLSSocket
        super().connect()


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


_POOLS = {"http": _Pool, "https": _TLSPool}


class GuardedAdapter(HTTPAdapter):
    """An adapter for requests whose connections keep within the current `exchange`."""

    def init_poolmanager(self, *args, **kwargs) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **kwargs):
        manager = super().proxy_manager_for(proxy, **kwargs)
        manager.pool_classes_by_scheme = _POOLS
        return manager
