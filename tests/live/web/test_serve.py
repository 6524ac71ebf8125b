"""tres_live.serve: any Web over HTTP, as a proxy."""

import socket
import threading
from dataclasses import replace

import pytest
import requests
from fakes import DictWeb, page
from loopback import live

import tres_live
from tres_webs import FetchError, Link, Page, ReplayWeb

pytestmark = pytest.mark.network

A, B = "http://a.example/", "http://b.example/deep/page?x=1&y=2"
PAGES = {A: f"<title>A</title><p>one <a href='{B}'>bee &amp; co</a>", B: "<p>bee ж"}


def get(server, url: str, **settings) -> requests.Response:
    with requests.Session() as session:
        session.trust_env = False
        return session.get(url, proxies=server.proxies, timeout=5, **settings)


def test_a_recorded_web_looks_the_same_through_it():
    recorded = ReplayWeb.from_pages(PAGES)
    with tres_live.serve(recorded) as server:
        crawler = live(proxies=server.proxies, allow_private=False)
        for url in PAGES:
            here, there = recorded.fetch(url), crawler.fetch(url)
            assert (there.url, there.title, there.text) == (here.url, here.title, here.text)
            assert there.links == here.links and there.html == here.html


def test_pages_without_html_are_written_from_their_parts():
    odd = Page(A, 200, 'a < b & "c"', "x <b> y\nz", (Link(B, "1 > 0 'q'"), Link(A + "e", "")))
    with tres_live.serve(DictWeb({A: odd})) as server:
        there = live(proxies=server.proxies).fetch(A)
    assert (there.title, there.text, there.links) == (odd.title, odd.text, odd.links)


def test_redirects():
    moved = DictWeb({A: page(B), B: page(B, text="here")})
    with tres_live.serve(moved) as server:
        answer = get(server, A, allow_redirects=False)
        assert (answer.status_code, answer.headers["Location"]) == (301, B)
        assert live(proxies=server.proxies).fetch(A).url == B


@pytest.mark.parametrize(
    "status, served", [(404, 404), (410, 410), (503, 503), (None, 404), (200, 404), (301, 404)]
)
def test_errors_are_statuses(status, served):
    class Failing:
        def fetch(self, url):
            raise FetchError(url, "because", status)

    with tres_live.serve(Failing()) as server:
        answer = get(server, A)
    assert answer.status_code == served and answer.text == f"{A}: because"


def test_robots_txt_is_404_unless_the_web_has_one():
    with tres_live.serve(ReplayWeb.from_pages(PAGES)) as server:
        assert get(server, A + "robots.txt").status_code == 404
    rules = {A + "robots.txt": "User-agent: *\nDisallow: /no\n", A + "no": "x", **PAGES}
    with tres_live.serve(ReplayWeb.from_pages(rules)) as server:
        answer = get(server, A + "robots.txt")
        assert (answer.text, answer.headers["Content-Type"][:10]) == (
            rules[answer.url],
            "text/plain",
        )
        with pytest.raises(FetchError, match="disallows"):
            live(proxies=server.proxies).fetch(A + "no")


def test_https_is_refused_in_so_many_words():
    with tres_live.serve(ReplayWeb.from_pages(PAGES)) as server:
        with pytest.raises(FetchError, match="501 No HTTPS here"):
            live(proxies=server.proxies).fetch("https://a.example/")
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"CONNECT a.example:443 HTTP/1.1\r\n\r\n")
            assert client.makefile("rb").read().startswith(b"HTTP/1.1 501 No HTTPS here")


@pytest.mark.parametrize(
    "url",
    [
        "http://b.example/\r\nSet-Cookie: a=b\r\n\r\n<b>", "http://b.example/\nX: y", "\rX: y",
        "http://b.example/\u0100\ud800\0\x1b", "http://é.example/ a",
    ],
)  # fmt: skip
def test_an_url_of_a_web_stays_within_its_header(url):
    class Odd:
        def fetch(self, _):
            return page(url, text="x")

    last = raw_answer(Odd()).split(b"\r\nLocation: ")[1].splitlines()[1:]
    assert last == [b"Connection: close", b""]
    with tres_live.serve(Odd()) as server:
        answer = get(server, A, allow_redirects=False)
    assert answer.status_code == 301 and not {"X", "Set-Cookie"} & set(answer.headers)


@pytest.mark.parametrize("status", [0, 100, 103, 204, 304, 999])
def test_a_status_without_a_body_splits_no_answer(status):
    class Odd:
        def fetch(self, url):
            return replace(page(url, text="x"), status=status, html=b"HTTP/1.1 200 OK\r\n\r\n")

    assert raw_answer(Odd()).startswith((b"HTTP/1.1 200 ", b"HTTP/1.1 599 "))


def raw_answer(pages) -> bytes:
    with (
        tres_live.serve(pages) as server,
        socket.create_connection(("127.0.0.1", server.port)) as client,
    ):
        client.sendall(f"GET {A} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
        return client.makefile("rb").read()


def test_many_clients_at_once():
    """All are served at the same time, and connections are kept for more."""
    together = threading.Barrier(4, timeout=5)

    class Slow:
        def fetch(self, url):
            together.wait()
            return page(url, text="x")

    with tres_live.serve(Slow()) as server:
        clients = [threading.Thread(target=get, args=(server, A)) for _ in range(4)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    assert not together.broken


def test_a_fault_of_the_web_is_500(caplog):
    class Broken:
        def fetch(self, url):
            raise KeyError(url)

    with tres_live.serve(Broken()) as server:
        assert get(server, A).status_code == 500
    assert "KeyError" in caplog.text
