"""Long crawls and watches: `make fuzz`, not part of the suite.

FETCHES (default 20,000) over a quarter as many names; DAYS (default 60) of a watch of which every
tenth host is hostile.
"""

from __future__ import annotations

import os
import random
import socket
import tempfile
from functools import cache
from pathlib import Path

import psutil
import pytest
from fakes import TOPIC
from loopback import Loopback, live, reply
from watching_web import DAY, ZERO, says_apple, spelt

from tres_live import DatedLink, VirtualClock, watch
from tres_webs import FetchError, Link, Page

FETCHES = int(os.environ.get("FETCHES", "20000"))
DAYS = float(os.environ.get("DAYS", "60"))


def body(path: str) -> bytes:
    """Return a page of 12 links, half of them on apples, that its path decides."""
    rng = random.Random(path)
    links = "".join(
        f"<a href='/{rng.randrange(10_000)}'>{rng.choice(('apple', 'stone'))}</a>"
        for _ in range(12)
    )
    return reply(f"<title>{rng.choice(('apple', 'stone'))}</title>{path}{links}")


class Pages(dict):
    """Answers for every path but robots.txt."""

    def get(self, path, default=None):
        return default if path == "/robots.txt" else body(path)


def test_memory_and_descriptors_stay_flat(monkeypatch):
    real = socket.getaddrinfo
    here = [(socket.AF_INET, socket.SOCK_STREAM, 6, "")]

    def look_up(host, port, *args, **kwargs):
        if not str(host).endswith(".example"):
            return real(host, port, *args, **kwargs)
        return [(*here[0], ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    process, seen = psutil.Process(), []
    with Loopback(Pages()) as server:
        pages = live()
        for i in range(FETCHES):
            name = f"n{i % (FETCHES // 4)}.example"
            assert pages.fetch(f"http://{name}:{server.port}/{i}").text
            server.asked.clear()
            if i % (FETCHES // 20) == 0:
                memory = process.memory_info().rss / 2**20
                seen.append((i, round(memory), process.num_fds(), process.num_threads()))
        pages.close()
    print("\nfetches, MiB, descriptors, threads:", *seen, sep="\n")
    warm, last = seen[len(seen) // 2], seen[-1]  # by then each name was met once
    assert last[1] - warm[1] < 50 and last[2] - warm[2] < 20 and last[3] - warm[3] < 20


class WithHostileHosts:
    """Hubs with two news a day; and hosts that want all fetches, each in another way."""

    KINDS = ("farm", "trap", "redirects", "dates", "huge")

    def __init__(self, clock: VirtualClock):
        self.clock, self.n = clock, 0

    def fetch(self, url: str) -> Page:
        self.n += 1
        host = url.split("/")[2].removesuffix(".example")
        kind = host.rpartition(".")[2]
        return getattr(self, f"_{kind}", self._honest)(url)

    def _honest(self, url: str) -> Page:
        day = int((self.clock.now() - ZERO) / DAY * 2)
        name = spelt(int.from_bytes(url.encode()))
        if not url.endswith("/"):
            return Page(url, 200, "An apple", f"The one apple of {name} and no other.", ())
        links = [Link(f"{url}{k}", "apple") for k in range(max(day - 9, 0), day + 1)]
        return Page(url, 200, "Apples", f"The apples of {name}, {spelt(day)} so far.", (*links,))

    def _hostile(self, url: str, links: list[Link], text: str = "") -> Page:
        title = f"Apple {spelt(self.n)}"
        return Page(url, 200, title, f"The best apple of all, {spelt(self.n)} {text}", (*links,))

    def _farm(self, url: str) -> Page:
        new = [f"http://n{self.n}.farm.example/{i}" for i in range(50)]
        return self._hostile(url, [Link(link, "apple news") for link in new])

    def _trap(self, url: str) -> Page:
        ways = (f"{url}a/", f"{url}?day={self.n}", f"http://trap.example/{self.n}/apple")
        return self._hostile(url, [Link(way[:1_900], "apple") for way in ways])

    def _redirects(self, url: str) -> Page:
        if self.n % 2:
            raise FetchError(url, "more than 10 redirects")
        news = [Link(f"{url}{self.n}-{i}", "apple") for i in range(9)]
        return self._hostile(f"http://redirects.example/{self.n}", news)

    def _dates(self, url: str) -> Page:
        if not url.endswith("/"):
            return Page(url, 200, "Apple", f"An old apple, {url[-3:]}, that never changes.", ())
        at, own = self.clock.now(), "http://dates.example"
        return self._hostile(
            url, [DatedLink(f"{own}/{i:03}", "apple", time=at) for i in range(200)]
        )

    def _huge(self, url: str) -> Page:
        new = [f"http://huge.example/{self.n}/{i}" for i in range(1_000)]
        return self._hostile(url, [Link(link, "apple") for link in new], "apple pie " * 30_000)


def watched(path: Path, hubs: int, kinds: tuple[str, ...]):
    """Return the news of honest hubs that a watch finds, its log, and its memory in MiB by day."""
    clock, memory, process = VirtualClock(ZERO), {}, psutil.Process()
    seeds = [f"http://{name}.example/" for name in (*(f"h{i}" for i in range(hubs)), *kinds)]

    def on_look(row):
        memory[int((row.time - ZERO) / DAY)] = process.memory_info().rss / 2**20

    how = {"bandwidth": 4 * hubs, "until": DAYS, "classifier": says_apple, "clock": clock}
    with watch(WithHostileHosts(clock), seeds, TOPIC, store=path, **how) as watching:
        log = watching.run(on_look).log()
    honest = ~log["url"].str.contains("|".join(WithHostileHosts.KINDS))
    log["kind"] = log["url"].str.extract(f"({'|'.join(WithHostileHosts.KINDS)})")[0].fillna("")
    return (honest & (log["arm"] == "link") & (log["failure"] == "")).sum(), log, memory


@cache
def alone(hubs: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        found, log, _ = watched(Path(folder, "a.sqlite"), hubs, ())
    print(f"\n{hubs} hubs without hostile hosts: {found} news, {len(log)} fetches")
    return found


PAIRS = ("farm", "dates"), ("trap", "huge"), ("redirects", "farm")


@pytest.mark.parametrize(
    ("hubs", "kinds"), [*((18, pair) for pair in PAIRS), (45, WithHostileHosts.KINDS)]
)
def test_a_watch_of_which_every_tenth_host_is_hostile(tmp_path, hubs, kinds):
    found, log, memory = watched(tmp_path / "a.sqlite", hubs, kinds)
    late = log[log["time"] > ZERO + 4 * DAY]["kind"].value_counts(normalize=True).round(2)
    kept = found / alone(hubs)
    print(f"\nof {hubs} hubs with {kinds}: {found} news, {kept:.0%}, from day 4 on", late.to_dict())
    warm, last = memory[int(DAYS / 3)], memory[int(DAYS) - 1]
    print(f"memory: {warm:.0f} MiB after a third, {last:.0f} at the end")
    assert kept > 0.8 and last - warm < 50
