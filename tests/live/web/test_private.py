"""Which addresses a crawler may connect to."""

from ipaddress import ip_network

import pytest
from hypothesis import given, strategies as st

from tres_live.web.connections import check_target, may_connect, read_networks
from tres_webs import FetchError


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "1.1.1.1"])
def test_public_addresses_may_be_reached(address):
    assert may_connect(address)


# All of IANA's special-purpose registries, multicast, and the rest that is not in 2000::/3.
SPECIAL = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24
192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15
198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32
::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128
2001:1::2/128 2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28
2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10
fec0::/10 ff00::/8 1::/16 4000::/3 8000::/1 ::ffff:0:808:808/128"""


@pytest.mark.parametrize("network", SPECIAL.split())
def test_special_purpose_addresses_are_refused_on_every_python(network):
    first, last = ip_network(network)[0], ip_network(network)[-1]
    for address in (first, last):
        assert not may_connect(str(address))
        assert may_connect(str(address), read_networks([network]))
        if address.version == 4:
            for wrapped in (f"::ffff:{address}", f"64:ff9b::{address}"):
                assert not may_connect(wrapped)


NEIGHBOURS = """
1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 128.0.0.0 172.32.0.0 192.0.1.0
192.0.3.0 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 2001:200:: 2001:db7:ffff::
2001:db9:: 2003:: 2620:4f:7fff:: 2620:4f:8001:: 3ffe:ffff:: 3fff:1000:: 64:ff9b::808:808"""


@pytest.mark.parametrize("address", NEIGHBOURS.split())
def test_their_neighbours_are_not(address):
    assert may_connect(address)


def test_what_is_no_address_is_refused():
    assert not may_connect("localhost") and not may_connect("")


def test_some_private_addresses_may_be_allowed():
    some = read_networks(["127.0.0.1", "10.0.0.0/8", "::1"])
    assert may_connect("127.0.0.1", some) and may_connect("::ffff:10.1.2.3", some)
    assert may_connect("::1", some) and may_connect("8.8.8.8", some)
    assert not may_connect("127.0.0.2", some) and not may_connect("fe80::1%eth0", some)
    assert may_connect("fe80::1%eth0", read_networks(True))
    assert read_networks(False) == () and read_networks("::1") == read_networks(["::1"])


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_wrapped_in_ipv6_counts_as_itself(address):
    plain = may_connect(str(address))
    assert may_connect(f"::ffff:{address}") == plain
    assert may_connect(f"64:ff9b::{address}") == plain


FETCH_STANDARD = """
1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115
117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563
587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667
6668 6669 6679 6697 10080"""
SERVICES = "445 1433 1521 2375 2379 3306 3389 5432 5672 5900 6379 9042 9092 9200 11211 27017"


@pytest.mark.parametrize("port", [int(port) for port in f"{FETCH_STANDARD} {SERVICES}".split()])
def test_a_link_reaches_no_service_that_is_not_of_the_web(port):
    for scheme in ("http", "https"):
        with pytest.raises(FetchError, match=f"port {port} "):
            check_target(f"{scheme}://example.org:{port}/", read_networks(True))


@pytest.mark.parametrize("port", [80, 443, 3000, 5000, 8000, 8008, 8080, 8081, 8443, 8888, 9000])
def test_ports_that_serve_pages_are_reached(port):
    check_target(f"http://example.org:{port}/", ())
