"""Pages a second of one frontier by the workers of a Dask cluster on this machine, and their CPU.

    OMP_NUM_THREADS=1 python benchmarks/cluster.py --workers 1 2 4 8

Pages of 2 kB with 20 links are made at once, or after 50 ms; best-first, 16 pages in flight a
worker from the start. CPU is of the crawl's process, of that which speaks Dask, of the scheduler
and of the workers, ms a page. The goal is 1,000 pages a second by 8 workers.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from dask_cluster import cluster_of  # noqa: E402

from tres_lib import focused  # noqa: E402
from tres_live import ClusterWeb  # noqa: E402
from tres_webs import Link, Page, Topic, Web  # noqa: E402

SITES, PAGES, LINKS, THREADS = 400, 200, 20, 16
TOPIC = Topic("fruit", keywords=("apple", "ripe fruit"))
SEED = "http://site0.example/page-1"


class Made(Web):
    """Pages made of their URLs; every fourth site is on the topic."""

    def __init__(self, seconds: float = 0.0):
        self.seconds = seconds

    def fetch(self, url: str) -> Page:
        time.sleep(self.seconds)
        site, page = map(int, url.removeprefix("http://site").split(".example/page-"))
        rng = np.random.default_rng([site, page])
        sites, pages = rng.integers(SITES, size=LINKS), rng.integers(PAGES, size=LINKS)
        pairs = zip(sites.tolist(), pages.tolist(), strict=True)
        urls = dict.fromkeys(f"http://site{s}.example/page-{p}" for s, p in pairs)
        words = "stone wall " if site % 4 else "apple tree "
        links = tuple(Link(target, "read more") for target in urls)
        return Page(url, 200, f"page {page}", words * 200, links)


class Apples:
    """A classifier that costs nothing."""

    def proba(self, texts: list[str]) -> np.ndarray:
        return np.array([0.9 if "apple" in text else 0.1 for text in texts])


def cpu(*processes: int) -> float:
    """Return the CPU seconds of processes so far."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in processes]
    return sum(int(f[11]) + int(f[12]) for f in fields) / os.sysconf("SC_CLK_TCK")


def crawl(web: Web, in_flight: int, budget: int) -> None:
    """Crawl to the end of the budget."""
    how = {"policy": "best-first", "classifier": Apples(), "in_flight": in_flight, "grow": 0}
    focused.crawl(web, [SEED], TOPIC, budget=budget, progress=False, **how)


def measure(workers: int, seconds: float, budget: int) -> dict[str, float]:
    """Return the figures of a crawl; 0 workers: by threads in this process."""
    row = {"number": workers, "ms a page": 1_000 * seconds}
    if not workers:
        begun, used = time.perf_counter(), time.process_time()
        crawl(Made(seconds), 128, budget)
        row["pages/s"] = budget / (time.perf_counter() - begun)
        return row | {"crawl": 1_000 * (time.process_time() - used) / budget}
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster_of(workers, Path(folder)) as cluster,
    ):
        opened = partial(Made, seconds)
        with ClusterWeb(
            cluster.address, opened, Apples(), TOPIC.keywords, threads=THREADS, plain=True
        ) as web:
            crawl(web, THREADS * workers, 200)  # all have begun
            parts = {"crawl": [os.getpid()], "gateway": [web._process.pid]}
            parts |= {"scheduler": [cluster.scheduler.pid]}
            parts |= {"workers": [each.pid for each in cluster.workers]}
            begun, used = time.perf_counter(), {name: cpu(*pids) for name, pids in parts.items()}
            crawl(web, THREADS * workers, budget)
            row["pages/s"] = budget / (time.perf_counter() - begun)
            return row | {n: 1_000 * (cpu(*pids) - used[n]) / budget for n, pids in parts.items()}


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2, 4, 8])
    parser.add_argument("--budget", type=int, default=3_000)
    given = parser.parse_args()
    rows = [measure(n, s, given.budget) for s in (0.0, 0.05) for n in given.workers]
    print(pd.DataFrame(rows).round(2).to_string(index=False), f"\nload: {os.getloadavg()}")


if __name__ == "__main__":
    main()
