"""The same policy, fed by Scrapy: the same crawl. Each test runs Scrapy in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.network, pytest.mark.slow]

pytest.importorskip("scrapy")
TESTS = Path(__file__).parents[2]

START = """
import json
from fakes import TOPIC, CountingClassifier, orchard, seed_of
import tres_live
from tres_lib import focused, web
from tres_live.web.scrapy import with_scrapy

FRUIT = orchard()
SEEDS = seed_of(FRUIT, 2)
SETTINGS = {"CONCURRENT_REQUESTS": 8, "LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False,
            "ROBOTSTXT_OBEY": True, "USER_AGENT": "test-crawler/1.0", "DOWNLOAD_DELAY": 0,
            "RETRY_ENABLED": False}

def crawl(pages, policy="tres", **options):
    options = {"budget": 80, "max_per_domain": 10, "progress": False} | options
    return focused.crawl(pages, SEEDS, TOPIC, policy=policy, classifier=CountingClassifier(),
                         **options)

def course(result):
    return result.log[["url", "reward", "parent", "status"]].fillna(0).values.tolist()
"""


def run(script: str) -> dict:
    """What a script prints last, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", START + script],
        capture_output=True,
        text=True,
        cwd=TESTS,
        env={"PYTHONPATH": f"{TESTS}:{TESTS.parent}", "OMP_NUM_THREADS": "1"},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_crawl_takes_the_same_course():
    found = run("""
with tres_live.serve(FRUIT) as server:
    by_scrapy = with_scrapy(crawl, SETTINGS, {"proxy": server.proxies["http"]})
    live = tres_live.LiveWeb("test-crawler/1.0", "me@example.org", delay=0, proxies=server.proxies)
    by_us = crawl(live)
print(json.dumps([course(by_scrapy), course(by_us), course(crawl(FRUIT))]))
""")
    by_scrapy, by_us, in_memory = found
    assert by_scrapy == by_us == in_memory
    assert len(by_scrapy) == 82
    assert {status for *_, status in by_scrapy} == {200, 404}


def test_many_pages_may_be_in_flight_and_a_page_may_be_kept():
    found = run("""
import tempfile
with tres_live.serve(FRUIT) as server, tempfile.TemporaryDirectory() as folder:
    kept = f"{folder}/pages.warc.gz"
    result = with_scrapy(lambda pages: crawl(tres_live.Archive(pages, kept), "bfs", in_flight=8),
                         SETTINGS, {"proxy": server.proxies["http"]})
    recorded = len(web.ReplayWeb.from_warc([kept]))
had = int((result.log["reason"] == "").sum())
print(json.dumps([result.stopped, len(result.log), had, recorded]))
""")
    stopped, fetched, had, recorded = found
    assert (stopped, fetched) == ("budget spent", 82)
    assert had == recorded > 60


def test_robots_and_what_is_not_html_are_reasons_and_errors_of_the_work_are_raised():
    found = run("""
from loopback import Loopback, reply
routes = {"/robots.txt": reply("User-agent: *\\nDisallow: /private", Content_Type="text/plain"),
          "/picture": reply(b"\\x89PNG", Content_Type="image/png"),
          "/moved": reply(status=302, Location="/here"),
          "/here": reply("<title>caf\\u00e9</title>".encode("latin-1"),
                         Content_Type="text/html; charset=latin-1")}
said = {}

def work(pages):
    for path in ("/private", "/picture", "/moved", "/gone"):
        try:
            page = pages.fetch(server.url(path))
            said[path] = [page.title, page.url == server.url("/here"), page.status]
        except web.FetchError as error:
            said[path] = [error.reason, error.status]
    raise KeyError("ours")

with Loopback(routes) as server:
    try:
        with_scrapy(work, SETTINGS, allow_private=["127.0.0.1"])
    except KeyError as error:
        said["raised"] = str(error)
print(json.dumps(said))
""")
    assert found["/private"] == ["Forbidden by robots.txt", None]
    assert found["/picture"] == ["not HTML", 200]
    assert found["/moved"] == ["caf\u00e9", True, 200]
    assert found["/gone"] == ["HTTP 404", 404]
    assert found["raised"] == "'ours'"


def test_a_stopped_crawl_goes_on_from_its_journal():
    found = run("""
import os, signal, tempfile
from pathlib import Path

class Interrupted:
    def __init__(self, pages):
        self.pages, self.left = pages, 30
    def fetch(self, url):
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGINT)
        return self.pages.fetch(url)
    def is_relevant(self, url, topic):
        return None

with tres_live.serve(FRUIT) as server, tempfile.TemporaryDirectory() as folder:
    journal = Path(folder) / "journal.jsonl"
    try:
        with_scrapy(lambda pages: crawl(Interrupted(pages), checkpoint=journal), SETTINGS,
                    {"proxy": server.proxies["http"]})
    except KeyboardInterrupt:
        lines = journal.read_bytes().count(b"\\n")
    resumed = crawl(FRUIT, checkpoint=journal)
print(json.dumps([lines, course(resumed) == course(crawl(FRUIT)), resumed.stopped]))
""")
    lines, same, stopped = found
    assert 28 <= lines <= 35
    assert same and stopped == "budget spent"


@pytest.mark.skipif(sys.platform != "linux", reason="needs a second loopback address")
def test_private_addresses_are_reached_in_no_way_and_cookies_are_not_kept():
    found = run("""
import socket
from loopback import Loopback, reply
names = {"rebind.example": "127.0.0.2", "own.example": "127.0.0.1"}
socket.gethostbyname = lambda host: names.get(host, host)
said = {}

def work(pages):
    links = pages.fetch(outside.url("/")).links
    for url in [link.url for link in links] + [outside.url(f"/{to}") for to in ROUTES]:
        try:
            said[url.rpartition("/")[2]] = pages.fetch(url).text
        except web.FetchError as error:
            said[url.rpartition("/")[2]] = error.reason
    odd = outside.url("/e").replace("127.", "0x7f.", 1)
    for url in ("file:///etc/passwd", "data:text/html,<p>x", "http://a.example:0x7f/", odd):
        try:
            said[url] = pages.fetch(url).text
        except web.FetchError as error:
            said[url] = error.reason

with Loopback({}, address="127.0.0.2") as inside, Loopback({}) as outside:
    rebind = f"http://rebind.example:{inside.port}"
    ROUTES = {"redirect": reply(status=302, Location=inside.url("/a")),
              "refresh": reply(f"<meta http-equiv=refresh content='0; url={inside.url('/b')}'>"),
              "name": reply(status=302, Location=f"{rebind}/c"),
              "odd": reply(status=302, Location=f"http://2130706434:{inside.port}/d"),
              "port": reply(status=302, Location="http://127.0.0.1:6379/"),
              "file": reply(status=302, Location="file:///etc/passwd"),
              "own": reply(status=302, Location=f"http://own.example:{outside.port}/end"),
              "cookie": reply("<p>c", Set_Cookie="a=b")}
    outside.routes |= {f"/{path}": answer for path, answer in ROUTES.items()}
    outside.routes |= {"/end": reply("<p>end"), "/": reply(
        f"<a href={inside.url('/link')}>a</a><a href={rebind}/named>b</a>")}
    inside.routes |= {f"/{path}": reply("<p>secret") for path in "abcd"}
    with_scrapy(work, SETTINGS, allow_private=["127.0.0.1"])
    cookies = [asked.headers.get("cookie") for asked in outside.asked]
    print(json.dumps([said, inside.paths(), cookies]))
""")
    said, inside, cookies = found
    assert inside == [] and set(cookies) == {None}
    assert said.pop("own") == "end" and said.pop("cookie") == "c"
    assert said.pop("file")  # Scrapy follows redirects to no other scheme
    assert "DNS lookup failed" in said.pop("name") and "DNS lookup failed" in said.pop("named")
    for reason in said.values():
        assert "private address" in reason or "not a URL" in reason or "port 6379" in reason, said


def test_a_proxy_may_be_private_but_not_what_is_asked_of_it():
    found = run("""
import socket
from loopback import Loopback, reply
socket.gethostbyname = lambda host: {"proxy.example": "127.0.0.1"}.get(host, host)
said = []

def work(pages):
    for url in ("http://far.example/", "http://10.0.0.1/", "http://proxy.example:8080/"):
        try:
            said.append(pages.fetch(url).text)
        except web.FetchError as error:
            said.append(error.reason)

with Loopback({"http://far.example/": reply("<p>far")}) as proxy:
    with_scrapy(work, SETTINGS, {"proxy": f"http://proxy.example:{proxy.port}"})
    print(json.dumps([said, proxy.paths()]))
""")
    (far, private, _), asked = found
    assert far == "far" and "private address" in private
    assert not any("10.0.0.1" in url for url in asked)


def test_scrapy_is_not_loaded_with_the_package():
    code = "import sys, tres_lib.focused; assert 'scrapy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=TESTS.parent)
