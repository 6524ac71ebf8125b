"""How fast a crawl is: steps a CPU second, its last third against its first, split checks, memory.

    OMP_NUM_THREADS=1 python benchmarks/crawl_speed.py --budget 5000 --topic sports

Goals: 100 steps a CPU second, last third at most 1.5 times slower than the first, a
split check at 3,000 experiences in 2 ms, 120 bytes a frontier entry besides its URL.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc

import numpy as np

from tres_lib import focused, topics, web
from tres_lib.focused.frontier import Frontier


class Clock:
    """A web that notes the CPU time of each fetch."""

    def __init__(self, pages: web.Web):
        self._pages, self.ticks = pages, []

    def fetch(self, url: str) -> web.Page:
        self.ticks.append(time.process_time())
        return self._pages.fetch(url)

    def is_relevant(self, url: str, topic: object) -> bool | None:
        return self._pages.is_relevant(url, topic)


def crawl_speed(
    pages: web.Web, seeds: list[str], classifier, topic: str, policy: str, budget: int
) -> str:
    """One line on a crawl's speed."""
    clock = Clock(pages)
    result = focused.crawl(
        clock, seeds, topic, policy=policy, budget=budget, classifier=classifier, progress=False
    )
    ticks = np.array(clock.ticks[len(seeds) :])
    third = len(ticks) // 3
    first, last = ticks[third] - ticks[0], ticks[-1] - ticks[-1 - third]
    return (
        f"{policy:12} {len(ticks) / (ticks[-1] - ticks[0]):6.0f} steps/CPU s   "
        f"last third / first {last / first:.2f}   harvest {result.harvest_rate:.3f}   "
        f"true {result.true_harvest_rate:.3f}   leaves {result.log.leaves.iloc[-1]} "
        f"({result.log.nonempty_leaves.iloc[-1]} non-empty)   "
        f"frontier {result.log.frontier.iloc[-1]:,}"
    )


def split_check_ms(n: int = 3_000, repeats: int = 20) -> float:
    """Milliseconds of one experience in a leaf of n that tries all splits and finds none."""
    rng = np.random.default_rng(0)
    x, rewards = rng.random((n, 8)).astype(np.float32), rng.integers(2, size=n).astype(float)
    start = time.process_time()
    for _ in range(repeats):
        focused.best_split(x, rewards)
    return 1e3 * (time.process_time() - start) / repeats


def bytes_an_entry(urls_an_entry: float, entries: int = 800_000, links: int = 40) -> float:
    """Bytes that frontier and tree hold for an entry, all told except the URLs' strings.

    Measured by tracemalloc, so arrays with their slack, lists and hash tables are all in it.
    """
    rng = np.random.default_rng(0)
    pool = [f"http://site{i % 20_000}.example/{i}" for i in range(int(entries * urls_an_entry))]
    names = {web.domain(url) for url in pool}  # the cache of domains belongs to no frontier
    tracemalloc.start()
    frontier, tree = Frontier(), focused.TreeFrontier(8, rng)
    for start in range(0, entries, links):
        urls = [pool[i % len(pool)] for i in range(start, start + links)]
        ids = frontier.add(0, urls, rng.random((links, 3), np.float32).round(1))
        x = frontier.features(ids)
        tree.add(ids, x)
        if start % 4_000 == 0:
            tree.add_experience(x[0], float(x[0, 5] > rng.random()))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(tree) == entries and len(frontier.domains) == len(names)
    return held / entries


def main() -> None:
    """Run the measurements and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topic", default="sports")
    parser.add_argument("--budget", type=int, default=5_000)
    parser.add_argument("--policies", nargs="+", default=["tres", "tree-random", "best-first"])
    options = parser.parse_args()
    print(f"split check at 3,000 experiences: {split_check_ms():.2f} ms")
    for share in (0.6, 1.0):  # VitalWeb's at 3,000 fetches, and the worst case
        print(f"{bytes_an_entry(share):.0f} bytes a frontier entry, of {share} URLs an entry")
    pages = web.VitalWeb(seed=0)
    seeds = pages.seeds(options.topic, 1, 0)
    classifier = topics.default_classifier(options.topic)
    crawl_speed(pages, seeds, classifier, options.topic, "tres", 200)  # imports and caches
    for policy in options.policies:
        print(crawl_speed(pages, seeds, classifier, options.topic, policy, options.budget))


if __name__ == "__main__":
    main()
