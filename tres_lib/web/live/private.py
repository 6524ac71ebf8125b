"""Which addresses a crawler may connect to: those of the public Internet, unless told otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from ..page import FetchError

Networks = tuple[IPv4Network | IPv6Network, ...]

EVERYWHERE: Networks = (IPv4Network("0.0.0.0/0"), IPv6Network("::/0"))
NAT64 = IPv6Network("64:ff9b::/96")
IPV4_COMPATIBLE = IPv6Network("::/96")
WEB_PORTS = (80, 443)
FIRST_FREE_PORT = 1024  # below it live mail, shells and name servers, which a link must not reach


def read_networks(allow_private: bool | str | Iterable[str]) -> Networks:
    """The networks that are allowed although they are not public.

    Parameters
    ----------
    allow_private : bool, str or iterable of str
        True for all, False for none, or addresses and networks ("127.0.0.1", "10.0.0.0/8").

    Raises
    ------
    ValueError
        If one of them is neither an address nor a network.
    """
    if isinstance(allow_private, bool):
        return EVERYWHERE if allow_private else ()
    given = [allow_private] if isinstance(allow_private, str) else allow_private
    try:
        return tuple(ip_network(item, strict=False) for item in given)
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"allow_private={allow_private!r}: use True, False, or addresses and networks "
            "such as ['127.0.0.1', '10.0.0.0/8']"
        ) from error


def may_connect(address: str, allowed: Networks = ()) -> bool:
    """Whether a crawler may connect to an IP address: a public one, or one of `allowed`.

    An IPv6 address that stands for an IPv4 address counts as both.
    """
    try:
        meant = _meant(ip_address(address.partition("%")[0]))
    except ValueError:
        return False
    return any(one in network for one in meant for network in allowed) or all(map(_public, meant))


def check_target(url: str, allowed: Networks) -> None:
    """Raise FetchError if a canonical URL itself names a private address or an odd port.

    Names other than localhost are not resolved here: what they stand for is
    checked when the connection is made, or is the proxy's business.
    """
    parts = urlsplit(url)
    if parts.port and parts.port < FIRST_FREE_PORT and parts.port not in WEB_PORTS:
        raise FetchError(url, f"port {parts.port} is not one of the Web")
    address = _literal(parts.hostname or "")
    if address and not may_connect(address, allowed):
        raise FetchError(url, f"{parts.hostname} is a private address")


def _literal(host: str) -> str | None:
    """The address that a host spells out, without asking a name server."""
    if host == "localhost" or host.endswith((".localhost", ".localdomain")):
        return "127.0.0.1"
    try:
        return str(ip_address(host))
    except ValueError:
        return None


def _public(address: IPv4Address | IPv6Address) -> bool:
    site_local = isinstance(address, IPv6Address) and address.is_site_local
    return address.is_global and not (address.is_multicast or address.is_reserved or site_local)


def _meant(address: IPv4Address | IPv6Address) -> list[IPv4Address | IPv6Address]:
    """The address itself, or where it wraps an IPv4 address, what that one is.

    A tunnel's address (6to4, Teredo) is an address of its own besides.
    """
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped:
        return [address.ipv4_mapped]
    if address in NAT64 or (address in IPV4_COMPATIBLE and int(address) > 1):
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    tunnelled = [address.sixtofour, *(address.teredo or ())]
    return [address, *filter(None, tunnelled)]
