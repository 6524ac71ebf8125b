"""Long crawls and watches: `make fuzz`, not part of the suite.

FETCHES (default 20,000) over a quarter as many names; DAYS (default 60) of a watch of which every
tenth host is hostile.
"""

from __future__ import annotations

import os

import psutil
import pytest
from fakes import TOPIC
from loopback import Loopback, live, reply, resolve_to
from watching_web import DAY, ZERO, says_apple, spelt

from tres_live import DatedLink, VirtualClock, watch
from tres_webs import FetchError, Link, Page

FETCHES = int(os.environ.get("FETCHES", "20000"))
DAYS = float(os.environ.get("DAYS", "60"))
KINDS = ("farm", "trap", "redirects", "dates", "huge")


class Pages(dict):
    """Answers for every path but robots.txt."""

    def get(self, path, default=None):
        return default if path == "/robots.txt" else reply(f"<p>{path}<a href=/{len(path)}>a</a>")


def test_memory_and_descriptors_stay_flat(monkeypatch):
    names = [f"n{i}.example" for i in range(FETCHES // 4)]
    resolve_to(monkeypatch, dict.fromkeys(names, ["127.0.0.1"]))
    process, seen = psutil.Process(), []
    with Loopback(Pages()) as server:
        pages = live()
        for i in range(FETCHES):
            assert pages.fetch(f"http://{names[i % len(names)]}:{server.port}/{i}").text
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

    def __init__(self, clock: VirtualClock):
        self.clock, self.n = clock, 0

    def fetch(self, url: str) -> Page:
        self.n += 1
        kind = url.split("/")[2].removesuffix(".example").rpartition(".")[2]
        if kind not in KINDS:
            return self.honest(url)
        n, own = self.n, f"http://{kind}.example"
        links = {
            "farm": [f"http://n{n}.farm.example/{i}" for i in range(50)],
            "trap": [f"{url}a/"[:1_900], f"{url}?day={n}"[:1_900], f"{own}/{n}/apple"],
            "redirects": [f"{own}/{n}-{i}" for i in range(9)],
            "dates": [f"{own}/{i:03}" for i in range(200)],
            "huge": [f"{own}/{n}/{i}" for i in range(1_000)],
        }[kind]
        found = tuple(Link(link, "apple news") for link in links)
        if kind == "redirects" and n % 2:
            raise FetchError(url, "more than 10 redirects")
        if kind == "dates":
            found = tuple(DatedLink(link, "apple", time=self.clock.now()) for link in links)
            if not url.endswith("/"):
                return Page(url, 200, "Apple", f"An old apple, {url[-3:]}, never changes.", ())
        at = f"{own}/{n}" if kind == "redirects" else url
        text = f"The best apple of all, {spelt(n)}" + " apple pie" * 30_000 * (kind == "huge")
        return Page(at, 200, f"Apple {spelt(n)}", text, found)

    def honest(self, url: str) -> Page:
        day, name = int((self.clock.now() - ZERO) / DAY * 2), spelt(int.from_bytes(url.encode()))
        if not url.endswith("/"):
            return Page(url, 200, "An apple", f"The one apple of {name} and no other.", ())
        links = [Link(f"{url}{k}", "apple") for k in range(max(day - 9, 0), day + 1)]
        return Page(url, 200, "Apples", f"The apples of {name}, {spelt(day)} so far.", (*links,))


def watched(path, hubs, kinds):
    """Return the news of honest hubs that a watch finds, its log, and its memory in MiB by day."""
    clock, memory, process = VirtualClock(ZERO), {}, psutil.Process()
    seeds = [f"http://{name}.example/" for name in (*(f"h{i}" for i in range(hubs)), *kinds)]

    def on_look(row):
        memory[int((row.time - ZERO) / DAY)] = process.memory_info().rss / 2**20

    how = {"bandwidth": 4 * hubs, "until": DAYS, "classifier": says_apple, "clock": clock}
    with watch(WithHostileHosts(clock), seeds, TOPIC, store=path, **how) as watching:
        log = watching.run(on_look).log()
    log["kind"] = log["url"].str.extract(f"({'|'.join(KINDS)})")[0].fillna("")
    return (
        ((log["kind"] == "") & (log["arm"] == "link") & (log["failure"] == "")).sum(),
        log,
        memory,
    )


PAIRS = ("farm", "dates"), ("trap", "huge"), ("redirects", "farm")


@pytest.mark.parametrize(("hubs", "kinds"), [*((18, pair) for pair in PAIRS), (45, KINDS)])
def test_a_watch_of_which_every_tenth_host_is_hostile(tmp_path, hubs, kinds):
    alone = watched(tmp_path / "alone.sqlite", hubs, ())[0]
    found, log, memory = watched(tmp_path / "a.sqlite", hubs, kinds)
    late = log[log["time"] > ZERO + 4 * DAY]["kind"].value_counts(normalize=True).round(2)
    print(f"\n{hubs} hubs, {kinds}: {found} of {alone} news, from day 4 on", late.to_dict())
    warm, last = memory[int(DAYS / 3)], memory[int(DAYS) - 1]
    print(f"memory: {warm:.0f} MiB after a third, {last:.0f} at the end")
    assert found > 0.8 * alone and last - warm < 50
