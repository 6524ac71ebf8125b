"""HTTP connections bounded in time and bytes, and only to addresses that may be reached.

requests bounds single reads, so a server that sends a byte a second holds a caller for ever, and it
does not check which address a name has. Here each read of an answer looks at the time left.
"""

import io
import socket
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from http.client import HTTPResponse, parse_headers
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from math import inf
from threading import Thread
from time import monotonic, sleep
from urllib.parse import urlsplit

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util.connection import create_connection

from tres_webs import FetchError, canonical_url

Networks = tuple[IPv4Network | IPv6Network, ...]

EVERYWHERE: Networks = (IPv4Network("0.0.0.0/0"), IPv6Network("::/0"))
NAT64 = IPv6Network("64:ff9b::/96")
IPV4_COMPATIBLE = IPv6Network("::/96")
GLOBAL_UNICAST = IPv6Network("2000::/3")
# IANA's special-purpose registries, so that no Python version decides; and multicast.
SPECIAL_PURPOSE = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24
198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3
2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20"""
SPECIAL = tuple(map(ip_network, SPECIAL_PURPOSE.split()))
WEB_PORTS = (80, 443)
FIRST_FREE_PORT = 1024  # below it live mail, shells and name servers, which a link must not reach
# Above it: what the Fetch standard has browsers refuse, then desktops, data bases and queues.
OTHER_PORTS = """
1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080
1433 1521 1883 2181 2375 2376 2379 2380 3260 3306 3389 5222 5269 5432 5672 5900 6379 8883
9042 9092 9100 9160 9200 9300 10250 11211 27017 27018 27019"""
NOT_WEB = frozenset(range(FIRST_FREE_PORT)) - {*WEB_PORTS} | {*map(int, OTHER_PORTS.split())}
MAX_ADDRESSES = 4  # of one host that are tried
MAX_INTERIM = 20  # answers 1xx before the one that counts
OPTIONS = HTTPConnection.default_socket_options
TOO_LONG = "took too long as a whole"


@dataclass
class Limits:
    """What one fetch may still use of the network and of patience, over all its exchanges."""

    seconds: float  # of the whole fetch
    timeout: float  # of a single step
    max_bytes: int  # of one answer, headers and framing included
    waiting: float = inf  # seconds of polite waits
    address: str | None = None  # connected to last, without a proxy
    found: dict[tuple, list[str]] = field(default_factory=dict)  # addresses by host and networks

    @contextmanager
    def exchange(self, url: str, allowed: Networks | None) -> Iterator[None]:
        """Bound what this thread does on guarded connections, and charge its time."""
        self.url = url
        self.allowed = allowed  # private networks; None for a proxy, which connects in our stead
        self.address = None
        self._received = 0
        self._ends = monotonic() + self.seconds
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)
            self.seconds = self._ends - monotonic()

    def wait(self, url: str, until: float, why: str) -> None:
        """Wait politely until that moment; FetchError at once if all waits would be too long."""
        seconds = max(until - monotonic(), 0.0)
        self.waiting -= seconds
        if self.waiting < 0:
            raise FetchError(url, f"its host is left alone for {seconds:.0f} s more: {why}")
        sleep(seconds)

    def patience(self) -> float:
        """Return the seconds that the next step may take; FetchError if none are left."""
        left = self._ends - monotonic()
        if left <= 0:
            raise self.late()
        return min(self.timeout, left)

    def late(self) -> FetchError:
        """Return the error of a step that took too long."""
        whole = monotonic() >= self._ends
        return FetchError(self.url, TOO_LONG if whole else f"silent for {self.timeout:g} s")

    def count(self, n: int) -> int:
        """Add n received bytes; FetchError if they are too many."""
        self._received += n
        if self._received > self.max_bytes:
            raise FetchError(self.url, f"sent more than {self.max_bytes:,} bytes")
        return n


_current: ContextVar[Limits] = ContextVar("limits")


class _BoundedReads(io.RawIOBase):
    """A socket's bytes, read within the limits of a fetch."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket):
        self._raw = raw
        self._sock = sock
        self._limits = _current.get()

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
        self.fp = io.BufferedReader(_BoundedReads(self.fp.detach(), sock))

    def _read_status(self) -> tuple[str, int, str]:
        """Skip interim answers; http.client skips 100 alone, and takes others for the last word."""
        for _ in range(MAX_INTERIM + 1):
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if not 100 <= status < 200:
                return version, status, reason
            parse_headers(self.fp)
        raise FetchError(_current.get().url, f"more than {MAX_INTERIM} interim answers")


class _Connection(HTTPConnection):
    response_class = _Response

    def _new_conn(self) -> socket.socket:
        """Connect to the first address of a host that may be reached and answers."""
        limits = _current.get()
        failure = OSError(f"{self.host} has no address")
        for address in reachable(self.host.strip("[]"), self.port, limits)[:MAX_ADDRESSES]:
            try:
                made = create_connection((address, self.port), limits.patience(), None, OPTIONS)
                made.settimeout(limits.patience())  # for a TLS handshake
                limits.address = None if limits.allowed is None else address
                return made
            except OSError as error:
                failure = error
        raise limits.late() if isinstance(failure, TimeoutError) else failure


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = type("_TLSConnection", (_Connection, HTTPSConnection), {})


class BoundedAdapter(HTTPAdapter):
    """An adapter for requests that only works within `Limits.exchange`, and keeps to it."""

    def init_poolmanager(self, *args, **kwargs) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TLSPool}

    def proxy_manager_for(self, proxy: str, **kwargs):
        manager = super().proxy_manager_for(proxy, **kwargs)
        manager.pool_classes_by_scheme = self.poolmanager.pool_classes_by_scheme
        return manager


def reachable(host: str, port: int, limits: Limits) -> list[str]:
    """Return a host's addresses that may be reached, looked up once a fetch."""
    key = host, limits.allowed
    if key in limits.found:
        return limits.found[key]
    # getaddrinfo knows no time limit, so it runs in a thread that may be left behind.
    answer: Future[list[tuple]] = Future()

    def ask() -> None:
        try:
            answer.set_result(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answer.set_exception(error)

    Thread(target=ask, daemon=True).start()
    try:
        addresses = [entry[4][0] for entry in answer.result(limits.patience())]
    except TimeoutError:
        raise FetchError(limits.url, f"no name server answered for {host}") from None
    except (OSError, UnicodeError) as error:
        raise FetchError(limits.url, f"host {host} not found") from error
    if limits.allowed is not None:
        first, allowed = addresses[0], limits.allowed
        addresses = [address for address in addresses if may_connect(address, allowed)]
        if not addresses:
            raise FetchError(limits.url, f"{host} has a private address, {first}")
    limits.found[key] = addresses
    return addresses


def read_networks(allow_private: bool | str | Iterable[str], resolve: bool = True) -> Networks:
    """Return the networks that are allowed although they are not public: all for True."""
    if isinstance(allow_private, bool):
        return EVERYWHERE if allow_private else ()
    given = [allow_private] if isinstance(allow_private, str) else allow_private
    try:
        return tuple(network for item in given for network in _networks_of(item, resolve))
    except (ValueError, TypeError) as error:
        remedy = "use hosts, addresses, networks such as '10.0.0.0/8', or True for all"
        name = f"allow_private={allow_private!r} (--intranet)"
        raise ValueError(f"{name}: {error}; {remedy}") from error


def _networks_of(item: str, resolve: bool) -> Networks:
    try:
        return (ip_network(item, strict=False),)
    except ValueError:
        if canonical_url(f"http://{item}/") != f"http://{str(item).lower()}/":
            raise
    try:
        answers = socket.getaddrinfo(item, None) if resolve else ()
    except OSError as error:
        raise ValueError(f"no address of {item!r} is known, {error.strerror}") from None
    addresses = dict.fromkeys(str(answer[4][0]).partition("%")[0] for answer in answers)
    return tuple(map(ip_network, addresses))


def may_connect(address: str, allowed: Networks = ()) -> bool:
    """Return whether an IP address is public, or in one of the `allowed` networks."""
    try:
        meant = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(meant, IPv6Address):  # which may wrap the IPv4 address that is meant
        wraps = meant in NAT64 or (meant in IPV4_COMPATIBLE and int(meant) > 1)
        meant = IPv4Address(int(meant) & 0xFFFFFFFF) if wraps else meant.ipv4_mapped or meant
    public = meant.version == 4 or meant in GLOBAL_UNICAST
    special = any(meant in network for network in SPECIAL)
    return (public and not special) or any(meant in network for network in allowed)


def check_target(url: str, allowed: Networks) -> None:
    """Raise FetchError if a canonical URL itself names a private address or an odd port."""
    # Other names are resolved and checked when the connection is made, or by the proxy.
    parts = urlsplit(url)
    if parts.port in NOT_WEB:
        raise FetchError(url, f"port {parts.port} is not a web port")
    host = parts.hostname or ""
    local = host == "localhost" or host.endswith((".localhost", ".localdomain"))
    address = "127.0.0.1" if local else host
    spelled_out = ":" in address or address.replace(".", "").isdigit()
    if spelled_out and not may_connect(address, allowed):
        raise FetchError(url, f"{host} is a private address")
