"""Long crawls and kills at random moments: `make fuzz`, not part of the suite.

FETCHES (default 20,000) over a quarter as many names, and KILLS (default 30) of a crawl over HTTP.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from fakes import TOPIC, CountingClassifier
from loopback import Loopback, live, reply

from tres_lib import focused

FETCHES = int(os.environ.get("FETCHES", "20000"))
KILLS = int(os.environ.get("KILLS", "30"))
BUDGET = 120


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


def crawl(port: int, path: str, in_flight: int):
    """Crawl the server on a port, with a journal."""
    how = {"policy": "best-first", "budget": BUDGET, "classifier": CountingClassifier()}
    start = [f"http://127.0.0.1:{port}/{i}" for i in range(3)]
    return focused.crawl(
        live(), start, TOPIC, checkpoint=path, in_flight=in_flight, progress=False, **how
    )


@pytest.mark.parametrize("in_flight", [1, 8])
def test_kills_at_random_moments(tmp_path, in_flight):
    rng = random.Random(in_flight)
    tests = str(Path(__file__).parent)
    search = os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])
    with Loopback(Pages()) as server:
        whole = crawl(server.port, str(tmp_path / "whole.jsonl"), in_flight)
        for kill in range(KILLS // 2):
            path = tmp_path / f"{kill}.jsonl"
            script = f"import soak; soak.crawl({server.port}, {str(path)!r}, {in_flight})"
            process = subprocess.Popen(
                [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": search}
            )
            until = rng.randrange(2, BUDGET)  # lines of the journal
            while process.poll() is None and _lines(path) < until:
                time.sleep(rng.random() / 500)
            process.send_signal(signal.SIGKILL)
            process.wait()
            kept = _lines(path)
            result = crawl(server.port, str(path), in_flight)
            assert len(result.log) == BUDGET + 3 and result.stopped == "budget spent"
            assert result.log["url"].is_unique and _lines(path) >= kept
            if in_flight == 1:
                assert result.log["url"].tolist() == whole.log["url"].tolist()


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0
