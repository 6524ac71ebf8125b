"""LiveWeb against a server on this machine: what it asks for, follows, keeps and refuses."""

import gzip
import zlib

import pytest
import requests
from loopback import Loopback, live, reply

from tres_live import LiveWeb
from tres_webs import FetchError, Link, Page

pytestmark = pytest.mark.network


def failure(web: LiveWeb, url: str) -> FetchError:
    with pytest.raises(FetchError) as caught:
        web.fetch(url)
    assert caught.value.url == url
    return caught.value


def fetched(action, **settings) -> Page:
    with Loopback({"/": action}) as server:
        return live(**settings).fetch(server.url())


def failed(action, **settings) -> FetchError:
    with Loopback({"/": action}) as server:
        return failure(live(**settings), server.url())


def test_a_page():
    with Loopback({"/a?x=1&y=2": reply("<title>T</title><a href=b#c>bee</a>")}) as server:
        web = live()
        page = web.fetch(server.url("/a?y=2&x=1&utm_source=z#part"))
        assert (page.url, page.status) == (server.url("/a?x=1&y=2"), 200)
        assert (page.title, page.text) == ("T", "bee")
        assert page.links == (Link(server.url("/b"), "bee"),)
        assert page.html.startswith(b"<title>") and page.fetched_at > 1.6e9
        assert web.is_relevant(page.url, "sports") is None
        assert repr(web) == "LiveWeb('test-crawler/1.0')"
        robots, asked = server.asked
    assert robots.path == "/robots.txt"
    assert asked.headers["user-agent"] == "test-crawler/1.0 (+tests@example.org)"
    assert robots.headers["user-agent"] == asked.headers["user-agent"]
    assert asked.headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("status", [201, 206, 300, 304, 403, 404, 410, 418, 429, 500, 503, 999])
def test_every_status_but_200_is_an_error(status):
    error = failed(reply("<p>no", status))
    assert (error.status, error.reason) == (status, f"HTTP {status}")


@pytest.mark.parametrize(
    "kind, body, is_page",
    [
        ("text/html", "<p>x", True),
        ("TEXT/HTML;charset=utf-8", "x", True),
        ("text/html, text/html", "x", True),
        ("application/xhtml+xml", "<html/>", True),
        ("", " \n<!DOCTYPE html><p>x", True),
        ("", "\ufeff<html>", True),
        ("nonsense", "<title>x</title>", True),
        ("", "plain words", False),
        ("", "<svg xmlns='...'>", False),
        ("", "", False),
        ("text/plain", "<html>", False),
        ("application/pdf", "%PDF-1.7", False),
        ("application/json", "{}", False),
        ("text/html", "%PDF-1.7", False),
        ("text/html", b"\x89PNG\r\n", False),
        ("text/html", b"\x1f\x8b\x08", False),
        ("text/html", "", True),
    ],
)
def test_only_html_is_a_page(kind, body, is_page):
    action = reply(body, Content_Type=kind)
    if is_page:
        assert fetched(action).status == 200
    else:
        error = failed(action)
        assert error.status == 200 and "not HTML" in error.reason


RUSSIAN = "Программа курса включает лекции и семинары"


@pytest.mark.parametrize(
    "kind, body",
    [
        ("text/html; charset=koi8-r", RUSSIAN.encode("koi8-r")),
        ("text/html", b"<meta charset=windows-1251>" + RUSSIAN.encode("cp1251")),
        ("text/html; charset=koi8-r", b"\xef\xbb\xbf" + RUSSIAN.encode()),
        ("text/html; charset=koi8-r", b"<meta charset=utf-8>" + RUSSIAN.encode("koi8-r")),
        ("text/html", RUSSIAN.encode("cp1251")),
        ("text/html", RUSSIAN.encode("koi8-r")),
        ("text/html", RUSSIAN.encode()),
    ],
)
def test_charset_by_mark_header_meta_then_letters(kind, body):
    assert fetched(reply(body, Content_Type=kind)).text == RUSSIAN


DEFLATE = zlib.compressobj(wbits=-15)
PACKED = {
    "gzip": gzip.compress(b"<p>packed", mtime=0),  # in the name of a test
    "x-gzip": gzip.compress(b"<p>pac") + gzip.compress(b"ked") + b"\0\0padding",
    "deflate": zlib.compress(b"<p>packed"),
    "Deflate": DEFLATE.compress(b"<p>packed") + DEFLATE.flush(),
    "identity": b"<p>packed",
}


@pytest.mark.parametrize("coding", PACKED)
def test_packed_bodies_are_unpacked(coding):
    assert fetched(reply(PACKED[coding], Content_Encoding=coding)).text == "packed"


@pytest.mark.parametrize(
    "coding, body",
    [("br", b"x"), ("gzip, gzip", b"x"), ("gzip", b"<p>not packed"), ("gzip", PACKED["gzip"][:-9])],
)
def test_bodies_packed_otherwise_are_errors(coding, body):
    error = failed(reply(body, Content_Encoding=coding))
    assert error.status == 200 and ("packed by" in error.reason or "damaged" in error.reason)


def test_redirects_are_followed_and_robots_asked_on_each_host():
    with Loopback({"/b": reply("<p>end")}) as other:
        routes = {
            "/": reply(status=302, Location="a?utm_source=z"),
            "/a": reply(status=308, Location=other.url("/b")),
        }
        with Loopback(routes) as server:
            page = live().fetch(server.url())
            assert (page.url, page.text) == (other.url("/b"), "end")
            assert server.paths() == ["/robots.txt", "/", "/a"]
            assert other.paths() == ["/robots.txt", "/b"]


@pytest.mark.parametrize(
    "location, reason",
    [
        ("/", "circle"),
        ("", "must not fetch"),
        ("ftp://example.org/", "must not fetch"),
        ("javascript:alert(1)", "must not fetch"),
        ("file:///etc/passwd", "must not fetch"),
        ("/movie.mp4", "must not fetch"),
        ("http://[::1", "must not fetch"),
        ("http://0x7f.1/", "must not fetch"),
    ],
)
def test_redirects_that_lead_nowhere(location, reason):
    error = failed(reply(status=301, Location=location))
    assert reason in error.reason and error.status == 301


def test_no_more_redirects_than_allowed():
    routes = {f"/{i}": reply(status=302, Location=f"/{i + 1}") for i in range(5)} | {"/5": reply()}
    with Loopback(routes) as server:
        assert live(max_redirects=5).fetch(server.url("/0")).url == server.url("/5")
        error = failure(live(max_redirects=4), server.url("/0"))
        assert "more than 4 redirects" in error.reason and server.url("/4") in error.reason
        assert failure(live(max_redirects=0), server.url("/0")).status == 302


def test_the_body_of_a_redirect_is_not_read():
    def act(connection):
        connection.sendall(b"HTTP/1.1 302 Go\r\nLocation: /b\r\nContent-Length: 1000000\r\n\r\n")
        connection.recv(1)  # until the client hangs up: waits for ever if it reads on

    with Loopback({"/": act, "/b": reply("<p>b")}) as server:
        assert live().fetch(server.url()).text == "b"


def test_no_cookies_and_no_credentials_are_sent(monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with Loopback({"/b": reply("<p>b")}) as server:
        server.routes["/"] = reply(
            status=302, Location=f"http://me:secret@127.0.0.1:{server.port}/b", Set_Cookie="a=b"
        )
        web = live(session=requests.Session())
        assert web.fetch(server.url()).url == server.url("/b")
        web.fetch(server.url("/b"))
        assert len(server.asked) == 4
        for asked in server.asked:
            assert not {"cookie", "authorization", "referer"} & asked.headers.keys()


@pytest.mark.parametrize("url", ["", "mailto:a@example.org", "http://", "http://h/x.pdf", None])
def test_what_is_no_url_of_a_page(url):
    assert failure(live(), url).reason == "not a URL that a crawler may fetch"


def test_faults_of_the_network_say_what_they_are():
    with Loopback({}) as server:
        gone = server.url()
    web = live()
    assert "refused" in failure(web, gone).reason.lower()
    assert "not found" in failure(web, "http://nowhere.invalid/").reason
    with Loopback({"/": lambda connection: None, "/cut": reply()[:-2]}) as server:
        assert "Remote end closed" in failure(web, server.url()).reason
        assert failure(web, f"https://127.0.0.1:{server.port}/").reason
