"""robots.txt: read once, kept for a while, obeyed; what it may do to us is bounded."""

import gzip
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings, strategies as st
from loopback import Loopback, live, reply
from protego import Protego

from tres_live.web import robots
from tres_live.web.connections import Limits
from tres_live.web.robots import Robots, for_agent
from tres_webs import FetchError, canonical_url

AGENT = "test-crawler/1.0"
LIMITS = Limits(1.0, 1.0, 10**6)
PAGE = reply("<p>x")


def allowed(text: bytes | str, path: str = "/a", agent: str = AGENT, status: int = 200) -> bool:
    body = text.encode() if isinstance(text, str) else text
    try:
        Robots(agent).check(f"http://h.example{path}", lambda *_: (status, body), LIMITS)
    except FetchError:
        return False
    return True


@pytest.mark.parametrize(
    "text, path, expected",
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /b", "/a", True),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("User-agent: other\nUser-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: test-crawler\nAllow: /", "/a", True),
        ("User-agent: *\nAllow: /\n\nUser-agent: Test-Crawler # us\nDisallow: /", "/a", False),
        ("User-agent: test\nDisallow: /\n\nUser-agent: test-crawler\nAllow: /", "/a", True),
        ("User-agent: crawler\nDisallow: /", "/a", True),
        ("User-agent: test-crawler*\nDisallow: /", "/a", False),
        ("User-agent: other\nDisallow: /b\nuser agent test-crawler\nDisallow: /a", "/a", False),
        ("User-agent: *\nDisallow: /*.php$", "/x.php", False),
        ("User-agent: *\nDisallow: /\nAllow: /a", "/a", True),
        (b"\xef\xbb\xbfUser-agent: *\nDisallow: /", "/a", False),
        (b"\xff\xfe\x00garbage", "/a", True),
        ("<html>User-agent: *<br>Disallow: /", "/a", True),
        ("User-agent: *\r\nDisallow: /\r\n", "/a", False),
        ("Disallow: /", "/a", True),
        ("User-agent: test-crawler/2.0\nDisallow: /", "/a", False),
        ("User-agent: Test-Crawler/9 (+http://x)\nDisallow: /", "/a", False),
        ("User-agent: *\nAllow: /\n\nUser-agent: test-crawler / 2\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: test-crawler/2.0\nAllow: /", "/a", True),
        ("User-agent: other/1.0\nDisallow: /", "/a", True),
        ("User-agent: tester/1.0\nDisallow: /", "/a", True),
        ("User-agent: /1.0\nDisallow: /", "/a", True),
    ],
)
def test_rules(text, path, expected):
    assert allowed(text, path) is expected


SEARCH = "User-agent: *\nDisallow: /search?q=\nDisallow: /*&print="


@pytest.mark.parametrize(
    "found, expected",
    [
        ("/search?q=x", False),
        ("/search?q=x&a=1", False),
        ("/search?q=x&utm_source=y&a=1", False),
        ("/search?z=1&q=x&a=1&b=2&c=3&d=4", False),
        ("/page?z=1&print=1", False),
        ("/page?print=1", True),
        ("/search?a=1&b=2", True),
        ("/search?", True),
        ("/other?q=x&a=1", True),
    ],
)
def test_sorting_the_query_evades_no_rule(found, expected):
    url = canonical_url(f"http://h.example{found}").removeprefix("http://h.example")
    assert allowed(SEARCH, url) is expected


@pytest.mark.slow
def test_many_parameters_and_hostile_rules_take_bounded_time():
    start = time.process_time()
    allowed(HOSTILE["many stars"], "/?" + "&".join(f"p{i}=aaaa" for i in range(220)))
    assert time.process_time() - start < 3.0


@pytest.mark.network
@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418])
def test_none_allows_all(status):
    with Loopback(
        {"/robots.txt": reply("User-agent: *\nDisallow: /", status), "/": PAGE}
    ) as server:
        assert live().fetch(server.url()).text == "x"


@pytest.mark.network
@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_fault_of_the_server_forbids_all_for_now(status):
    with Loopback({"/robots.txt": reply(status=status), "/": PAGE}) as server:
        web = live()
        for _ in range(2):
            with pytest.raises(FetchError, match=f"cannot be fetched for now: HTTP {status}"):
                web.fetch(server.url())
        assert server.paths() == ["/robots.txt"]


@pytest.mark.parametrize("status", [200, 201, 202, 203, 207, 226, 299])
def test_any_answer_of_success_gives_rules(status):
    assert not allowed("User-agent: *\nDisallow: /a", status=status)
    assert allowed("User-agent: *\nDisallow: /b", status=status)


@pytest.mark.parametrize("status", [206, 300, 304, 305, 306, 399, 600, 999])
def test_a_part_of_it_and_odd_answers_forbid_all_for_now(status):
    assert not allowed("", status=status)


@pytest.mark.network
@pytest.mark.parametrize("status", [203, 226])
def test_the_body_of_other_successes_is_read_within_the_same_limit(status):
    text = b"User-agent: *\nDisallow: /\n" + b"#" * robots.MAX_BYTES
    packed = reply(gzip.compress(text), status, Content_Encoding="gzip")
    for rules in (reply(text, status), packed):
        with (
            Loopback({"/robots.txt": rules, "/": PAGE}) as server,
            pytest.raises(FetchError, match="robots.txt disallows it"),
        ):
            live().fetch(server.url())


HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
SWITCH = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"
INTERIM = {
    "102": b"HTTP/1.1 102 Processing\r\n\r\n",
    "103": HINTS,
    "199": b"HTTP/1.1 199\r\nContent-Length: 7\r\n\r\n",
    "several": HINTS * 3 + b"HTTP/1.1 100 Continue\r\n\r\n" + HINTS,
}


@pytest.mark.network
@pytest.mark.parametrize("ahead", INTERIM.values(), ids=INTERIM)
def test_interim_answers_are_skipped_before_rules_and_pages(ahead):
    rules = reply("User-agent: *\nDisallow: /no")
    with Loopback({"/robots.txt": ahead + rules, "/": ahead + PAGE, "/no": PAGE}) as server:
        web = live()
        with pytest.raises(FetchError, match="robots.txt disallows it"):
            web.fetch(server.url("/no"))
        assert [web.fetch(server.url()).text for _ in "ab"] == ["x", "x"]
        assert server.paths() == ["/robots.txt", "/", "/"]


@pytest.mark.network
@pytest.mark.parametrize("ahead", [HINTS * 100, SWITCH])
def test_interim_answers_without_end_and_other_protocols_forbid_all_for_now(ahead):
    def act(connection):
        connection.sendall(ahead)

    with Loopback({"/robots.txt": act, "/": PAGE}) as server:
        with pytest.raises(FetchError, match="robots.txt cannot be fetched for now"):
            live().fetch(server.url())
        server.routes = {"/": act}
        with pytest.raises(FetchError):
            live().fetch(server.url())


@pytest.mark.network
def test_it_is_asked_again_when_its_time_is_up(monkeypatch):
    answers = [reply(status=500), reply(status=404), reply("User-agent: *\nDisallow: /")]
    with Loopback({"/robots.txt": answers, "/": PAGE}) as server:
        web = live()
        monkeypatch.setattr(robots, "RETRY_AFTER", -1.0)
        with pytest.raises(FetchError, match="HTTP 500"):
            web.fetch(server.url())
        monkeypatch.setattr(robots, "LIFETIME", 0.0)
        assert web.fetch(server.url()).text == "x"
        with pytest.raises(FetchError, match="disallows"):
            web.fetch(server.url())


@pytest.mark.network
def test_it_is_asked_once_an_origin_and_disallowed_pages_never():
    with Loopback({"/robots.txt": reply("User-agent: *\nDisallow: /no"), "/": PAGE}) as server:
        web = live()
        for _ in range(3):
            web.fetch(server.url())
            with pytest.raises(FetchError, match="robots.txt disallows it"):
                web.fetch(server.url("/no"))
        assert server.paths() == ["/robots.txt", "/", "/", "/"]


@pytest.mark.network
def test_a_redirect_to_a_disallowed_page_ends_there():
    with Loopback({"/robots.txt": reply("User-agent: *\nDisallow: /x")}) as other:
        away = other.url("/x")
        with (
            Loopback({"/": reply(status=302, Location=away)}) as server,
            pytest.raises(FetchError, match="robots.txt disallows it") as caught,
        ):
            live().fetch(server.url())
        assert away in caught.value.reason
        assert other.paths() == ["/robots.txt"]


@pytest.mark.network
def test_its_own_redirects_are_followed_up_to_a_point():
    routes = {
        "/robots.txt": reply(status=301, Location="/r"),
        "/r": reply(gzip.compress(b"User-agent: *\nDisallow: /"), Content_Encoding="gzip"),
    }
    with Loopback(routes) as server:
        with pytest.raises(FetchError, match="robots.txt disallows"):
            live().fetch(server.url())
        routes["/r"] = reply(status=301, Location="/robots.txt")
        with pytest.raises(FetchError, match="for now: redirects in a circle"):
            live().fetch(server.url())


@pytest.mark.network
def test_a_redirected_one_reaches_no_page_that_its_host_disallows():
    with Loopback({"/robots.txt": reply("User-agent: *\nDisallow: /no"), "/yes": PAGE}) as other:
        to_no, to_yes = (reply(status=302, Location=other.url(path)) for path in ("/no", "/yes"))
        with Loopback({"/robots.txt": to_no, "/": PAGE}) as server:
            with pytest.raises(FetchError, match="for now: robots.txt disallows it"):
                live().fetch(server.url())
            assert other.paths() == ["/robots.txt"] and server.paths() == ["/robots.txt"]
            server.routes["/robots.txt"] = to_yes
            assert live().fetch(server.url()).text == "x"
            assert other.paths() == ["/robots.txt"] * 2 + ["/yes"]


@pytest.mark.network
def test_files_that_lead_to_each_others_pages_hang_nothing():
    with Loopback({"/": PAGE}) as a, Loopback({"/": PAGE}) as b:
        a.routes["/robots.txt"] = reply(status=302, Location=b.url("/x"))
        b.routes["/robots.txt"] = reply(status=302, Location=a.url("/y"))
        start = time.monotonic()
        web = live()

        def fail(url):
            with pytest.raises(FetchError, match="cannot be fetched for now"):
                web.fetch(url)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(fail, [a.url(), b.url()] * 4))
        assert time.monotonic() - start < 3.0
        assert {*a.paths(), *b.paths()} == {"/robots.txt"}


@pytest.mark.network
def test_what_follows_after_half_a_million_bytes_is_not_read():
    filler = b"#" * (robots.MAX_BYTES - 30) + b"\n"
    rules = b"User-agent: *\nDisallow: /b\nDisallow: /c\n"
    with Loopback({"/robots.txt": reply(filler + rules), "/c": PAGE}) as server:
        web = live()
        assert web.fetch(server.url("/c")).text == "x"
        with pytest.raises(FetchError, match="disallows"):
            web.fetch(server.url("/b"))


@pytest.mark.parametrize("agent, delay", [(AGENT, 2.5), ("stranger", 5.0)])
def test_crawl_delay_is_that_of_our_group(agent, delay):
    text = b"User-agent: *\nCrawl-delay: 5\n\nUser-agent: test-crawler\nCrawl-delay: 2.5"
    assert Robots(agent).check("http://h/", lambda *_: (200, text), LIMITS) == delay


@pytest.mark.parametrize("odd", [b"nan", b"inf", b"-3", b"1e999", b"soon", b""])
def test_a_crawl_delay_that_is_none(odd):
    text = b"User-agent: *\nCrawl-delay: " + odd
    assert Robots(AGENT).check("http://h/", lambda *_: (200, text), LIMITS) == 0.0


@pytest.mark.parametrize("of", ["seconds", "waiting"])
def test_a_host_is_not_shut_because_time_ran_out_elsewhere(of):
    def late(url, limits):
        setattr(limits, of, -1.0)
        raise FetchError(url, "took too long as a whole")

    rules = Robots(AGENT)
    with pytest.raises(FetchError, match="too long"):
        rules.check("http://h/a", late, Limits(1.0, 1.0, 10**6))
    assert rules.check("http://h/a", lambda *_: (404, b""), LIMITS) == 0.0


@pytest.mark.parametrize("letter", ["a", "é", "€", "😀"])
def test_rules_count_by_the_memory_that_they_take(letter, monkeypatch):
    monkeypatch.setattr(robots, "MEMORY", 1_000_000)
    rules = Robots(AGENT)
    tracemalloc.start()
    for i in range(20):
        body = f"# {letter * 100_000}".encode()
        rules.check(f"http://h{i}.example/", lambda *_, body=body: (200, body), LIMITS)
    robots.parsed.cache_clear()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 2_000_000


HOSTILE = {
    "agents times rules": "\n".join(
        [f"user-agent: {i}" for i in range(5_000)] + [f"allow: /{i}" for i in range(10_000)]
    ),
    "our names times rules": "\n".join(
        [f"user-agent: {AGENT[i:j]}" for i in range(16) for j in range(i + 1, 17)] * 100
        + [f"allow: /{i}" for i in range(10_000)]
    ),
    "stars": "user-agent: *\n" + "disallow: /" + "*a" * 200_000,
    "many stars": "user-agent: *\n" + ("disallow: /" + "*a" * 500 + "$\n") * 400,
    "dollars": "user-agent: *\ndisallow: /" + "$" * 400_000,
    "spaces": "user" + " " * 400_000 + "x",
    "one line": "user-agent:" * 40_000,
    "escapes": "user-agent: *\ndisallow: /" + "%" * 400_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_take_bounded_time(text):
    start = time.process_time()
    allowed(text, "/" + "a/" * 900)
    assert time.process_time() - start < 3.0


WORDS = """user-agent: *|User-Agent: test-crawler|user-agent: test|useragent other|user agent: a b
|disallow: /|allow: /a|disallow: /a|crawl-delay: 3|sitemap: /s||# x|user-agent:|nonsense"""
LINES = st.sampled_from([line.strip() for line in WORDS.split("|")])


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.lists(LINES).map("\n".join), st.sampled_from(["/", "/a", "/b"]))
def test_fewer_names_change_nothing_for_us(text, path):
    url = f"http://h.example{path}"
    before, after = Protego.parse(text), Protego.parse(for_agent(text, AGENT))
    assert before.can_fetch(url, AGENT) == after.can_fetch(url, AGENT)
    assert before.crawl_delay(AGENT) == after.crawl_delay(AGENT)


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.binary(), st.text().map(lambda t: f"User-agent: *\nDisallow: {t}".encode())))
@pytest.mark.slow
def test_any_bytes_are_read(body):
    assert allowed(body, "/a") in (True, False)
