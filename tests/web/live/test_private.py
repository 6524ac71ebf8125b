"""Which addresses a crawler may connect to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tres_lib.web import FetchError
from tres_lib.web.live.private import check_target, may_connect, read_networks


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "1.1.1.1"])
def test_public_addresses_may_be_reached(address):
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


@pytest.mark.parametrize("port", [22, 25, 53, 110, 445])
def test_a_link_reaches_no_mail_server_and_no_shell(port):
    with pytest.raises(FetchError, match=f"port {port}"):
        check_target(f"http://example.org:{port}/", ())
