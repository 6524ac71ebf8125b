"""HTTP connections bounded in time and bytes, and only to allowed addresses.

requests limits each single read, so a server that sends a byte a second holds a caller for ever,
and it does not check which address a name turns out to have. Here each read of an answer looks at
the time left, and each address is checked before it is connected to.
"""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from http.client import HTTPResponse
from time import monotonic

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util.connection import create_connection

from ..page import FetchError
from .private import Networks, may_connect

MAX_ADDRESSES = 4  # of one host that are tried
TOO_LONG = "took too long as a whole"
_limits: ContextVar[Limits | None] = ContextVar("limits", default=None)


class Limits:
    """What one fetch may use of the network, over all its exchanges.

    Parameters
    ----------
    seconds : float
        For the whole fetch; polite waiting is not charged.
    timeout : float
        Seconds for a single step of an exchange.
    max_bytes : int
        Bytes that one answer may have, headers and framing included.
    """

    def __init__(self, seconds: float, timeout: float, max_bytes: int):
        self.seconds = seconds
        self.timeout = timeout
        self.max_bytes = max_bytes

    def check(self, url: str) -> None:
        """Raise FetchError if no time is left."""
        if self.seconds <= 0:
            raise FetchError(url, TOO_LONG)

    @contextmanager
    def exchange(self, url: str, allowed: Networks | None) -> Iterator[None]:
        """Bound what this thread does on guarded connections, and charge its time.

        ``allowed`` are the private networks that may be reached; None for a proxy, which
        connects in our stead.
        """
        self.url = url
        self.allowed = allowed
        self._received = 0
        start = monotonic()
        self._ends = start + self.seconds
        token = _limits.set(self)
        try:
            yield
        finally:
            _limits.reset(token)
            self.seconds -= monotonic() - start

    def left(self) -> float:
        """Return the seconds that the next step of the exchange may take."""
        return min(self.timeout, self._ends - monotonic())

    def patience(self) -> float:
        """Return the seconds that the next step may take; FetchError if there are none."""
        left = self.left()
        if left <= 0:
            raise self.late()
        return left

    def late(self) -> FetchError:
        """Return the error of a step that took too long."""
        return FetchError(self.url, TOO_LONG if self.left() <= 0 else f"silent for {self.timeout:g} s")

    def count(self, n: int) -> int:
        """Add n received bytes; FetchError if they are too many."""
        self._received += n
        if self._received > self.max_bytes:
            raise FetchError(self.url, f"sent more than {self.max_bytes:,} bytes")
        return n


class _BoundedReads(io.RawIOBase):
    """A socket's bytes, where each read keeps the limits of an exchange."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, limits: Limits):
        self._raw = raw
        self._sock = sock
        self._limits = limits

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        self._sock.settimeout(self._limits.patience())
        try:
            return self._limits.count(self._raw.readinto(buffer) or 0)
        except TimeoutError:
            raise self._limits.late() from None

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(HTTPResponse):
    def __init__(self, sock: socket.socket, *args, **kwargs):
        super().__init__(sock, *args, **kwargs)
        limits = _limits.get()
        if limits is not None:
            self.fp = io.BufferedReader(_BoundedReads(self.fp.detach(), sock, limits))


class _Connection(HTTPConnection):
    response_class = _Response

    def _new_conn(self) -> socket.socket:
        limits = _limits.get()
        return super()._new_conn() if limits is None else _connect(self.host, self.port, limits)


class _TLSConnection(_Connection, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


_POOLS = {"http": _Pool, "https": _TLSPool}


class GuardedAdapter(HTTPAdapter):
    """An adapter for requests whose connections keep the limits of the current exchange."""

    def init_poolmanager(self, *args, **kwargs) -> None:
        """Make the manager of direct connections."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, proxy: str, **kwargs):
        """Return the manager of connections through a proxy."""
        manager = super().proxy_manager_for(proxy, **kwargs)
        manager.pool_classes_by_scheme = _POOLS
        return manager


def _connect(host: str, port: int, limits: Limits) -> socket.socket:
    """Connect to the first address of a host that may be reached and answers."""
    failure = OSError(f"no address of {host} answers")
    for address in _reachable(host, port, limits)[:MAX_ADDRESSES]:
        try:
            connection = create_connection(
                (address, port),
                limits.patience(),
                socket_options=HTTPConnection.default_socket_options,
            )
            connection.settimeout(max(limits.left(), 1e-3))  # for a TLS handshake
            return connection
        except OSError as error:
            failure = error
    if isinstance(failure, TimeoutError):
        raise limits.late() from failure
    raise failure


def _reachable(host: str, port: int, limits: Limits) -> list[str]:
    """Return a host's addresses; FetchError if all of them are private and not allowed."""
    found = _look_up(host.strip("[]"), port, limits)
    if limits.allowed is None:
        return found
    reachable = [address for address in found if may_connect(address, limits.allowed)]
    if not reachable:
        raise FetchError(limits.url, f"{host} has a private address, {found[0]}")
    return reachable


def _look_up(host: str, port: int, limits: Limits) -> list[str]:
    """Call getaddrinfo, which knows no time limit, in a thread that may be left behind."""
    answer: Future[list[str]] = Future()

    def ask() -> None:
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answer.set_result([str(entry[4][0]) for entry in entries])
        except (OSError, UnicodeError) as error:
            answer.set_exception(error)

    threading.Thread(target=ask, daemon=True).start()
    try:
        return answer.result(limits.patience())
    except TimeoutError:
        raise FetchError(limits.url, f"no name server answered for {host}") from None
    except (OSError, UnicodeError) as error:
        raise FetchError(limits.url, f"host {host} not found") from error
