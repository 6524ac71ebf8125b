"""Which addresses a crawler may connect to: by default those of the public Internet."""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from socket import getaddrinfo
from urllib.parse import urlsplit

from tres_lib.web.page import FetchError
from tres_lib.web.urls import canonical_url

Address = IPv4Address | IPv6Address
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


def read_networks(allow_private: bool | str | Iterable[str]) -> Networks:
    """Return the networks that are allowed although they are not public: all for True."""
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


def intranet_networks(intranet: Iterable[str], resolve: bool) -> Iterator[str]:
    """Yield the addresses and networks among the items; `resolve`: and those of the host names."""
    for item in intranet:
        try:
            ip_network(item, strict=False)
        except ValueError:
            if canonical_url(f"http://{item}/") != f"http://{item.lower()}/":
                remedy = "give a host's name, an address or a network, as in --intranet 10.0.0.0/8"
                raise ValueError(f"intranet={item!r}: {remedy}") from None
            yield from _addresses(item) if resolve else ()
        else:
            yield item


def may_connect(address: str, allowed: Networks = ()) -> bool:
    """Return whether an IP address is public, or in one of the `allowed` networks."""
    try:
        meant = _meant(ip_address(address.partition("%")[0]))
    except ValueError:
        return False
    return any(meant in network for network in allowed) or _public(meant)


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


def _addresses(host: str) -> list[str]:
    try:
        answers = getaddrinfo(host, None)
    except OSError as error:
        advice = f"no address is known ({error.strerror}); check the name, or give an address"
        raise ValueError(f"intranet={host!r}: {advice}") from None
    return list(dict.fromkeys(str(address[0]).partition("%")[0] for *_, address in answers))


def _public(address: Address) -> bool:
    allotted = address.version == 4 or address in GLOBAL_UNICAST
    return allotted and not any(address in network for network in SPECIAL)


def _meant(address: Address) -> Address:
    """Return the address, or the IPv4 address that it wraps."""
    if isinstance(address, IPv4Address):
        return address
    wraps = address in NAT64 or (address in IPV4_COMPATIBLE and int(address) > 1)
    return IPv4Address(int(address) & 0xFFFFFFFF) if wraps else address.ipv4_mapped or address
