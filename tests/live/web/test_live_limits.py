"""Limits of LiveWeb: servers that never end, swell, or have addresses they should not have."""

import gzip
import shutil
import socket
import ssl
import subprocess
import time
import tracemalloc
import zlib

import pytest
import requests
from loopback import Loopback, drip, live, reply, resolve_to

from tres_webs import FetchError

pytestmark = pytest.mark.network

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
PAGE = reply("<p>x")

ENDLESS_SLOW = {
    "nothing at all": drip(b"", b""),
    "status line": drip(b"HTTP", b"/"),
    "headers": drip(HEAD, b"X: y\r\n", 0.05),
    "one header": drip(HEAD + b"X: ", b"y"),
    "one hundred continues": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "body": drip(HEAD + b"\r\n", b"x"),
    "body with a length": drip(HEAD + b"Content-Length: 1000\r\n\r\n", b"x", 0.1),
    "chunks": drip(CHUNKED, b"1\r\nx\r\n"),
    "chunk size": drip(CHUNKED, b"0"),
    "trailer": drip(CHUNKED + b"1\r\nx\r\n0\r\n", b"X: y\r\n"),
    "gzip": drip(HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"x")[:10], b"\0"),
    "redirect": drip(b"HTTP/1.1 302 Go\r\nLocation: /b\r\n", b"X: y\r\n", 0.05),
}


@pytest.mark.parametrize("action", ENDLESS_SLOW.values(), ids=ENDLESS_SLOW)
def test_a_server_that_drips_cannot_hold_a_fetch(action):
    with Loopback({"/": action}) as server:
        start = time.monotonic()
        with pytest.raises(FetchError) as caught:
            live(deadline=0.25, timeout=0.2, retries=5).fetch(server.url())
        assert time.monotonic() - start < 2.0
        assert "took too long" in caught.value.reason or "silent for" in caught.value.reason


def test_nor_can_its_robots_txt_or_its_redirects_together():
    slow = drip(HEAD + b"\r\n", b"x")

    def in_a_moment(connection):
        time.sleep(0.15)
        connection.sendall(reply(status=302, Location="/b"))

    with Loopback({"/robots.txt": slow}) as server, Loopback({"/": in_a_moment}) as other:
        other.routes["/b"] = slow
        for url in (server.url(), other.url()):
            start = time.monotonic()
            with pytest.raises(FetchError, match="too long"):
                live(deadline=0.4).fetch(url)
            assert time.monotonic() - start < 2.0


def test_polite_waits_are_not_counted_against_the_deadline():
    with Loopback({"/": [reply(status=503, Retry_After="1"), PAGE]}) as server:
        assert live(deadline=0.8, retries=1).fetch(server.url()).text == "x"


def test_a_silent_tls_server_cannot_hold_a_fetch():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        start = time.monotonic()
        with pytest.raises(FetchError):
            live(deadline=0.4).fetch(f"https://127.0.0.1:{listener.getsockname()[1]}/")
        assert time.monotonic() - start < 2.0


def test_a_slow_name_server_cannot_hold_a_fetch(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: time.sleep(1.5))
    start = time.monotonic()
    with pytest.raises(FetchError, match="no name server answered"):
        live(deadline=0.3).fetch("http://slow.example/")
    assert time.monotonic() - start < 1.2


ZEROS = b"\0" * 1_000_000
DEFLATE = zlib.compressobj(1)
BOMB = b"".join(DEFLATE.compress(ZEROS) for _ in range(200)) + DEFLATE.flush()
ENDLESS_FAST = {
    "chunk size": drip(CHUNKED, b"0" * 1_000_000, 0),
    "trailer": drip(CHUNKED + b"0\r\n", b"X: y\r\n" * 100_000, 0),
    "wasteful chunks": drip(CHUNKED, (b"1;" + b"a" * 50 + b"\r\nx\r\n") * 1_000, 0),
    "one hundred continues": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000, 0),
    "status line": drip(b"HTTP/1.1 ", ZEROS, 0),
    "headers": drip(HEAD, b"X: y\r\n" * 10_000, 0),
    "gzip members": drip(HEAD + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"") * 10_000, 0),
    "length": reply(b"<p>x", Content_Length="9" * 30),
}


@pytest.mark.parametrize("action", ENDLESS_FAST.values(), ids=ENDLESS_FAST)
def test_no_more_than_the_limit_is_read(action):
    with Loopback({"/": action}) as server, pytest.raises(FetchError) as caught:
        live(max_bytes=100_000, deadline=5, timeout=1).fetch(server.url())
    assert "took too long" not in caught.value.reason  # it was cut off, not waited out


TOO_LONG = {
    "body": drip(HEAD + b"\r\n", ZEROS, 0),
    "body with a length": reply(ZEROS),
    "chunks": drip(CHUNKED, b"F4240\r\n" + ZEROS + b"\r\n", 0),
    "tiny chunks": drip(CHUNKED, b"1\r\nx\r\n" * 100_000, 0),
    "gzip bomb": reply(gzip.compress(ZEROS * 200, 1), Content_Encoding="gzip"),
    "deflate bomb": reply(BOMB, Content_Encoding="deflate"),
}


@pytest.mark.parametrize("action", TOO_LONG.values(), ids=TOO_LONG)
def test_the_first_part_of_a_longer_page_is_kept(action):
    with Loopback({"/": action}) as server:
        page = live(max_bytes=100_000, deadline=30, timeout=5).fetch(server.url())
    assert page.truncated and page.status == 200 and len(page.html.decode()) == 100_000


@pytest.mark.parametrize("bomb", ["gzip bomb", "deflate bomb"])
def test_a_bomb_of_200_megabytes_takes_little_memory(bomb):
    with Loopback({"/": TOO_LONG[bomb]}) as server:
        tracemalloc.start()
        page = live(max_bytes=100_000).fetch(server.url())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert page.truncated and peak < 20_000_000


def test_a_page_just_within_the_limit_is_whole_and_a_longer_one_is_cut():
    body = b"<p>" + b"x" * 9_997
    routes = {"/a": reply(body), "/b": reply(body + b"y", ETag="1")}
    routes["/c"] = reply(gzip.compress(body + b"y"), Content_Encoding="gzip")
    with Loopback(routes) as server:
        web = live(max_bytes=10_000)
        whole = web.fetch(server.url("/a"))
        assert whole.html == body and not whole.truncated
        for path in ("/b", "/c", "/b"):
            cut = web.fetch(server.url(path))
            assert cut.html == body and cut.truncated
        assert "if-none-match" not in server.asked[-1].headers  # only whole pages are kept


@pytest.mark.parametrize("letter", ["é", "€", "𝄞"])
@pytest.mark.parametrize("ahead", range(4))
def test_a_page_is_not_cut_within_a_letter(letter, ahead):
    text = "x" * ahead + letter * 3_000
    with Loopback({"/": reply(text)}) as server:
        page = live(max_bytes=1_000).fetch(server.url())
    assert page.truncated and text.startswith(page.text)
    assert 990 <= len(page.text.encode()) <= 1_000


def test_a_page_that_breaks_off_is_no_first_part():
    half = b"Content-Length: 1000\r\n\r\n" + b"x" * 500
    with Loopback({"/": lambda connection: connection.sendall(HEAD + half)}) as server:
        with pytest.raises(FetchError):
            live(max_bytes=900).fetch(server.url())
        assert live(max_bytes=400).fetch(server.url()).truncated


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://127.9.9.9:8080/", "http://localhost/", "http://a.localhost/",
        "http://10.0.0.1/", "http://192.168.1.1/", "http://172.16.0.1/", "http://0.0.0.0/",
        "http://169.254.169.254/latest/meta-data", "http://100.64.0.1/", "http://224.0.0.1/",
        "http://255.255.255.255/", "http://[::1]/", "http://[::]/", "http://[fe80::1]/",
        "http://[fc00::1]/", "http://[ff02::1]/", "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:a00:1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
        "http://[::7f00:1]/", "http://[fec0::1]/", "http://[2001:db8::1]/",
    ],
)  # fmt: skip
def test_private_addresses_are_refused_with_and_without_a_proxy(url):
    for proxies in (None, {"http": "http://127.0.0.1:1"}):
        with pytest.raises(FetchError, match="private address"):
            live(allow_private=False, proxies=proxies).fetch(url)


def test_a_redirect_to_a_private_address_is_not_followed(monkeypatch):
    """The server itself is allowed here; where it sends us is not."""
    for target in ("http://127.0.0.2/", "http://[::1]/", "http://inside.example/"):
        with Loopback({"/": reply(status=302, Location=target)}) as server:
            resolve_to(monkeypatch, {"inside.example": ["127.0.0.3"]})
            with pytest.raises(FetchError, match="private address"):
                live(allow_private=["127.0.0.1"]).fetch(server.url())


def test_robots_txt_leads_to_no_private_address_either():
    routes = {"/robots.txt": reply(status=302, Location="http://127.0.0.2/x")}
    with Loopback(routes) as server, pytest.raises(FetchError, match="fetched for now.*private"):
        live(allow_private=["127.0.0.1"]).fetch(server.url())


def test_names_are_judged_by_the_address_connected_to(monkeypatch):
    """A name that is public when looked up first and private afterwards gains nothing."""
    with Loopback({"/": PAGE}) as server:
        url = server.url().replace("127.0.0.1", "rebind.example")
        lookups = resolve_to(monkeypatch, {"rebind.example": ["127.0.0.1"]})
        with pytest.raises(FetchError, match=r"private address, 127\.0\.0\.1"):
            live(allow_private=False).fetch(url)
        assert server.asked == [] and len(lookups) == 1
        assert live(allow_private=["127.0.0.1"]).fetch(url).text == "x"


def test_of_several_addresses_only_allowed_ones_are_tried(monkeypatch):
    tried = []
    connect = socket.socket.connect
    monkeypatch.setattr(
        socket.socket, "connect", lambda self, to: (tried.append(to[0]), connect(self, to))[1]
    )
    with Loopback({"/": PAGE}) as server:
        resolve_to(monkeypatch, {"many.example": ["127.0.0.2", "10.0.0.1", "127.0.0.1"]})
        url = server.url().replace("127.0.0.1", "many.example")
        assert live(allow_private=["127.0.0.1"]).fetch(url).text == "x"
    assert set(tried) == {"127.0.0.1"}


def test_a_proxy_resolves_names_itself():
    """Then the proxy, whose address is private, is not taken for the host."""
    with Loopback({}) as proxy:
        page = "http://far.example/"
        proxy.routes[page] = PAGE
        web = live(allow_private=False, proxies={"http": proxy.url()})
        assert web.fetch(page).text == "x"
        assert proxy.paths() == ["http://far.example/robots.txt", page]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A key and a certificate for 127.0.0.1, made on the spot."""
    if not shutil.which("openssl"):
        pytest.skip("needs openssl to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    key, chain = folder / "key.pem", folder / "chain.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        + ["-nodes", "-days", "2", "-subj", "/CN=here", "-addext", "subjectAltName=IP:127.0.0.1"]
        + ["-keyout", str(key), "-out", str(chain)],
        check=True,
        capture_output=True,
    )
    return key, chain


def test_tls_is_checked_and_limited_too(certificate):
    key, chain = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    slow = drip(HEAD + b"\r\n", b"x")
    with Loopback({"/": PAGE, "/slow": slow}, tls=context) as server:
        with pytest.raises(FetchError, match="(?i)certificate"):
            live().fetch(server.url())
        session = requests.Session()
        session.verify = str(chain)
        web = live(session=session, deadline=1.0)
        assert web.fetch(server.url()).text == "x"
        with pytest.raises(FetchError, match="too long"):
            web.fetch(server.url("/slow"))
        session.verify = False
        with pytest.warns(Warning, match="Unverified"):
            assert live(session=session).fetch(server.url()).text == "x"
