"""Politeness of LiveWeb, as the hosts see it: gaps, waits, pauses, and hosts side by side."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from email.utils import formatdate
from itertools import pairwise

import pytest
from loopback import Loopback, live, reply, resolve_to

from tres_live import LiveWeb
from tres_live.web import politeness
from tres_live.web.connections import Limits
from tres_live.web.http import RETRY, backoff, retry_after
from tres_live.web.politeness import Politeness
from tres_webs import FetchError, Page

pytestmark = pytest.mark.network

PAGE = reply("<p>x")
LONGEST = RETRY.retry_after_max


def gaps(server: Loopback) -> list[float]:
    return all_gaps([server])


def test_delay_holds_for_pages_redirects_robots_and_retries():
    routes = {
        "/a": PAGE,
        "/b": reply(status=302, Location="/c"),
        "/c": [reply(status=503), PAGE],
    }
    with Loopback(routes) as server:
        web = live(delay=0.1, retries=1)
        web.fetch(server.url("/a"))
        web.fetch(server.url("/b"))
        assert server.paths() == ["/robots.txt", "/a", "/b", "/c", "/c"]
        assert min(gaps(server)) >= 0.1 and gaps(server)[-1] >= 0.5
        ((host, log),) = web.politeness_log().items()
        assert host == "127.0.0.1" and log.requests == 5
        assert 0.1 <= log.smallest_gap <= min(gaps(server)) + 0.05


def test_crawl_delays_of_http_https_and_other_ports_hold_for_the_whole_host():
    for second in ("https://h.example/", "http://h.example:8080/"):
        polite = Politeness(0.0)
        polite.slow_down("http://h.example/", 5.0)
        polite.slow_down(second, 0.0)
        with polite.turn(second, Limits(1, 1, 1)):
            pass
        for url in (second, "http://h.example/"):
            with pytest.raises(FetchError, match="5 s more: its crawl delay"):
                polite.turn(url, Limits(1, 1, 1, waiting=1)).__enter__()
        polite.slow_down("http://h.example/", 0.0)  # read anew a day later
        with polite.turn(second, Limits(1, 1, 1, waiting=1)):
            pass


@pytest.mark.parametrize("status, date", [(429, False), (503, True)])
def test_retry_after_is_kept_to(status, date):
    def busy(connection):
        wait = formatdate(time.time() + 2, usegmt=True) if date else "1"
        connection.sendall(reply(status=status, Retry_After=wait, Connection="close"))

    with Loopback({"/": [busy, PAGE]}) as server:
        assert live(retries=1).fetch(server.url()).status == 200
        assert gaps(server)[-1] >= 0.95


def test_a_wait_beyond_max_wait_is_an_error_and_the_host_is_left_alone():
    routes = {"/": reply(status=429, Retry_After="3600"), "/b": PAGE}
    with Loopback(routes) as server:
        web = live(retries=2, max_wait=2)
        with pytest.raises(FetchError, match="wait 3600 s") as caught:
            web.fetch(server.url())
        assert caught.value.status == 429
        with pytest.raises(FetchError, match="left alone for 3[56].. s more: HTTP 429"):
            web.fetch(server.url("/b"))
        assert server.paths() == ["/robots.txt", "/"]


@pytest.mark.parametrize("status, times", [(429, 2), (503, 2), (500, 1), (404, 1)])
def test_only_busy_hosts_are_asked_again(status, times):
    with Loopback({"/": reply(status=status)}) as server:
        with pytest.raises(FetchError) as caught:
            live(retries=1).fetch(server.url())
        assert caught.value.status == status
        assert server.paths().count("/") == times


def break_off(connection):
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>"
    )


@pytest.mark.parametrize("action", [lambda connection: None, break_off])
def test_a_connection_that_breaks_is_tried_again(action):
    with Loopback({"/": [action, PAGE]}) as server:
        assert live(retries=1).fetch(server.url()).text == "x"
        assert server.paths().count("/") == 2


def busy_once(answer: bytes = PAGE) -> list[bytes]:
    return [reply(status=503, Retry_After="1"), answer]


@pytest.mark.parametrize("by", ["retries", "redirects", "robots", "hosts", "crawl delay"])
def test_all_waits_of_a_fetch_have_one_bound(by, monkeypatch):
    steps = [reply(status=302, Location=f"/{i}") for i in range(1, 5)] + [PAGE]
    routes = {f"/{i}": busy_once(step) for i, step in enumerate(steps)}
    if by == "retries":
        routes["/0"] = [reply(status=503, Retry_After="1")] * 5 + [PAGE]
    if by == "robots":
        routes |= {f"/r{i}": busy_once(reply(status=302, Location=f"/r{i + 1}")) for i in range(4)}
        routes["/robots.txt"] = busy_once(reply(status=302, Location="/r0"))
    if by == "hosts":
        resolve_to(monkeypatch, {f"h{i}.example": ["127.0.0.1"] for i in range(5)})
    if by == "crawl delay":
        routes |= {f"/{i}": step for i, step in enumerate(steps)}
        routes["/robots.txt"] = reply("User-agent: *\nCrawl-delay: 1")
    with Loopback(routes) as server:
        if by == "hosts":
            for i in range(1, 5):
                away = f"http://h{i}.example:{server.port}/{i}"
                routes[f"/{i - 1}"][1] = reply(status=302, Location=away)
        start = time.monotonic()
        with pytest.raises(FetchError, match="left alone|wait 1 s|for now"):
            live(max_wait=1.1, deadline=1, retries=6).fetch(server.url("/0"))
        assert time.monotonic() - start < 1.1 + 1.0


def test_redirects_do_not_wipe_out_failures(monkeypatch):
    monkeypatch.setattr(politeness, "MAX_FAILURES", 3)
    routes = {"/a": reply(status=302, Location="/b"), "/b": reply(status=500), "/ok": PAGE}
    with Loopback(routes) as server:
        web = live(max_wait=0.4)
        for _ in range(3):
            with pytest.raises(FetchError, match="HTTP 500"):
                web.fetch(server.url("/a"))
        with pytest.raises(FetchError, match="3 failures in a row"):
            web.fetch(server.url("/ok"))
        assert server.paths().count("/b") == 3 and "/ok" not in server.paths()


def test_a_host_that_fails_again_and_again_is_left_alone_for_a_while(monkeypatch):
    monkeypatch.setattr(politeness, "MAX_FAILURES", 3)
    monkeypatch.setattr(politeness, "COOL_OFF", 1.3)
    with Loopback({"/ok": PAGE}) as server:
        server.routes |= {f"/{i}": reply(status=500) for i in range(3)}
        web = live(max_wait=0.4)
        for i in range(3):
            with pytest.raises(FetchError, match="HTTP 500"):
                web.fetch(server.url(f"/{i}"))
        asked = len(server.asked)
        with pytest.raises(FetchError, match="3 failures in a row"):
            web.fetch(server.url("/ok"))
        assert len(server.asked) == asked
        time.sleep(1.0)
        assert web.fetch(server.url("/ok")).text == "x"  # waits out the rest


def test_what_a_crawler_does_not_want_is_no_failure_of_the_host(monkeypatch):
    monkeypatch.setattr(politeness, "MAX_FAILURES", 1)
    routes = {"/": PAGE, "/no": reply(status=404), "/pdf": reply(Content_Type="application/pdf")}
    with Loopback(routes) as server:
        web = live()
        for path in ("/no", "/pdf"):
            with pytest.raises(FetchError):
                web.fetch(server.url(path))
        assert web.fetch(server.url()).text == "x"


class Meeting:
    """Says its page once that many requests are under way at the same time, here or elsewhere."""

    def __init__(self, n: int):
        self.together = threading.Barrier(n, timeout=5)
        self.inside, self.most = 0, 0

    def __call__(self, connection):
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.together.wait()
        self.inside -= 1
        connection.sendall(reply("<p>met", Connection="close"))


def fetch_at_once(web: LiveWeb, urls: list[str]) -> list[Page]:
    """Return the pages, each fetched in a thread of its own."""
    with ThreadPoolExecutor(len(urls)) as pool:
        return list(pool.map(web.fetch, urls))


def test_several_hosts_at_once():
    """Three servers answer only when all three are being asked."""
    meeting = Meeting(3)
    with (
        Loopback({"/": meeting}, address="127.0.0.1") as a,
        Loopback({"/": meeting}, address="127.0.0.2") as b,
        Loopback({"/": meeting}, address="127.0.0.3") as c,
    ):
        pages = fetch_at_once(live(), [server.url() for server in (a, b, c)])
    assert [page.text for page in pages] == ["met"] * 3


def servers(n: int, routes: dict) -> ExitStack:
    """Return a context of some servers on one address, each with a port of its own."""
    stack = ExitStack()
    stack.servers = [stack.enter_context(Loopback(dict(routes))) for _ in range(n)]
    return stack


def all_gaps(many: list[Loopback]) -> list[float]:
    times = sorted(asked.at for server in many for asked in server.asked)
    return [later - earlier for earlier, later in pairwise(times)]


def test_ports_of_one_host_share_its_turns_and_its_log():
    meeting = Meeting(1)
    with servers(4, {"/": meeting}) as stack:
        web = live(delay=0.05)
        fetch_at_once(web, [server.url() for server in stack.servers])
        assert meeting.most == 1 and min(all_gaps(stack.servers)) >= 0.05
        ((name, log),) = web.politeness_log().items()
        assert name == "127.0.0.1" and log.requests == 8 and log.smallest_gap >= 0.05


def test_many_names_of_one_address_share_its_turns_from_the_first_request(monkeypatch):
    resolve_to(monkeypatch, names := {f"n{i}.example": ["127.0.0.1"] for i in range(6)})
    with Loopback({"/": PAGE}) as server:
        fetch_at_once(live(delay=0.1), [server.url().replace("127.0.0.1", n) for n in names])
        assert len(server.asked) == 12 and min(gaps(server)) >= 0.1


def test_what_a_host_asked_for_holds_after_a_restart(tmp_path):
    file = tmp_path / "pauses.jsonl"
    slow = reply("User-agent: *\nCrawl-delay: 7", Content_Type="text/plain")
    busy = {"/": reply(status=429, Retry_After="3600")}
    with Loopback(busy) as a, Loopback({"/robots.txt": slow}, address="127.0.0.2") as b:
        for server in (a, b):
            with pytest.raises(FetchError, match="wait 3600 s|its crawl delay"):
                live(max_wait=2, pauses=file).fetch(server.url())
        asked = len(a.asked), len(b.asked)
        for server, why in ((a, "3[56].. s more: HTTP 429"), (b, "7 s more: its crawl delay")):
            with pytest.raises(FetchError, match=why):
                live(max_wait=2, pauses=file).fetch(server.url())
        assert asked == (len(a.asked), len(b.asked))


@pytest.mark.parametrize(
    "changed", [{"url": 5}, {"seconds": float("nan")}, {"seconds": 10**400, "since": 1.0},
                {"since": "x"}, {"more": 1}, [5], "x", None]
)  # fmt: skip
def test_of_a_damaged_file_of_pauses_the_sound_lines_count(tmp_path, changed):
    file, line = tmp_path / "pauses.jsonl", {"url": "http://h.example", "seconds": 1e999}
    line |= {"since": None, "why": "crawl"}
    bad = json.dumps(line | changed if isinstance(changed, dict) else changed)
    deep = f"{'[' * 200_000}\n".encode() + b"\xff\xfe\n"
    file.write_bytes(deep + f"{bad.replace('h.example', 'a.example')}\n[[\n".encode())
    with file.open("a") as more:
        more.write(f"{json.dumps(line)}\n{{")
    polite = Politeness(0.0, file)
    with pytest.raises(FetchError, match="for 86400 s more: crawl"):
        polite.turn("http://h.example/", Limits(1, 1, 1, waiting=1)).__enter__()


def test_a_pause_ends_in_time_though_the_clock_was_put_back(tmp_path):
    file = tmp_path / "pauses.jsonl"
    line = {"url": "http://h.example", "seconds": 60, "since": time.time() + 864_000, "why": "busy"}
    file.write_text(json.dumps(line))
    for _ in range(3):
        assert 50 < Politeness(0.0, file).asks_for("http://h.example/") <= 60


def test_a_name_with_several_addresses_makes_no_neighbours_of_them(monkeypatch):
    with Loopback({"/": PAGE}) as a, Loopback({"/": PAGE}, address="127.0.0.2") as b:
        web = live()
        for server in (a, b):
            resolve_to(monkeypatch, {"both.example": [server.address]})
            web.fetch(server.url().replace(server.address, "both.example"))
        meeting = Meeting(2)
        for server in (a, b):
            web.fetch(server.url())
            server.routes["/"] = meeting
        assert [page.text for page in fetch_at_once(web, [a.url(), b.url()])] == ["met", "met"]


def test_the_crawl_delay_of_one_name_is_not_that_of_its_neighbours(monkeypatch):
    resolve_to(monkeypatch, {f"{letter}.example": ["127.0.0.1"] for letter in "ab"})
    slow = reply("User-agent: *\nCrawl-delay: 1", Content_Type="text/plain")
    with Loopback({"/": PAGE}) as server, ThreadPoolExecutor(1) as pool:
        web = live()
        slowed, other = (server.url().replace("127.0.0.1", f"{x}.example") for x in "ab")
        web.fetch(other)
        server.routes["/robots.txt"] = slow
        waiting = pool.submit(web.fetch, slowed)
        time.sleep(0.2)
        start = time.monotonic()
        assert web.fetch(other).text == "x" and time.monotonic() - start < 0.5
        assert not waiting.done() and waiting.result().text == "x"


@pytest.mark.parametrize(
    "value, seconds",
    [
        ("7", 7), (" 120 ", 120), ("0", 0), ("-5", 0), ("soon", 0), ("", 0), ("1.5", 0),
        ("9" * 5_000, LONGEST), ("١٢", 0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST), ("Wed, 99 Oct 2015 99:99:99 GMT", 0),
    ],
)  # fmt: skip
def test_retry_after(value, seconds):
    assert retry_after({"Retry-After": value}) == seconds


def test_backoff_doubles_and_is_never_shorter_than_the_delay():
    assert [backoff(i, 0.0) for i in range(3)] == [0.5, 1.0, 2.0]
    assert backoff(0, 3.0) == 3.0 and backoff(1, 3.0) == 6.0
