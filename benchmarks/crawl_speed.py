"""How fast a crawl is, and the memory of its frontier; a profiler says what its steps spend it on.

    OMP_NUM_THREADS=1 python benchmarks/crawl_speed.py --budget 20000 --topic sports

Goals for tres at 20,000 fetches: 15 CPU seconds on a quiet machine, the last third at most 1.2
times slower than the first, a peak of 1.5 GB with 800,000 frontier entries.
"""

from __future__ import annotations

import argparse
import resource
import time
import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np

import tres_webs as web
from tres_lib import focused, topics
from tres_lib.focused.frontier import Frontier

ENTRIES = 800_000  # in the authors' frontier after 20,000 fetches


def crawl_speed(run: Callable[..., focused.CrawlResult], pages: web.Web, policy: str) -> str:
    """One line on a crawl's speed."""
    ticks = [time.process_time()]
    result = run(pages, policy=policy, on_row=lambda row: ticks.append(time.process_time()))
    steps = np.diff(ticks)[result.log.step > 0]
    third = len(steps) // 3
    last = result.log.iloc[-1]
    return (
        f"{policy:12} {steps.sum():.0f} CPU s, {1 / steps.mean():.0f} steps a second   "
        f"last third / first {steps[-third:].sum() / steps[:third].sum():.2f}   "
        f"harvest {result.harvest_rate:.3f}   true {result.true_harvest_rate:.3f}   "
        f"leaves {last.leaves} ({last.nonempty_leaves} non-empty)   frontier {last.frontier:,}"
    )


def filled(pool: list[web.Link], links: int = 40) -> tuple[Frontier, focused.TreeFrontier]:
    """A frontier and its tree with ENTRIES entries, of the links of a pool in turn."""
    rng = np.random.default_rng(0)
    frontier, tree = Frontier(), focused.TreeFrontier(8, rng)
    for start in range(0, ENTRIES, links):
        new = [pool[i % len(pool)] for i in range(start, start + links)]
        ids = frontier.add(0, new, rng.random((links, 3), np.float32).round(1))
        x = frontier.features(ids)
        tree.add(ids, x)
        if start % 4_000 == 0:
            tree.add_experience(x[0], float(x[0, 5] > rng.random()))
    return frontier, tree


def link_pool(urls_an_entry: float) -> list[web.Link]:
    """Links to distinct URLs, so many an entry, on 20,000 sites whose domains are known."""
    n = int(ENTRIES * urls_an_entry)
    pool = [web.Link(f"http://site{i % 20_000}.example/{i}", "") for i in range(n)]
    for link in pool:
        web.domain(link.url)  # the cache of domains belongs to no frontier
    return pool


def bytes_an_entry(urls_an_entry: float) -> float:
    """Bytes that frontier and tree hold for an entry, all told except the URLs' strings.

    Measured by tracemalloc, so arrays with their slack, lists and hash tables are all in it.
    """
    pool = link_pool(urls_an_entry)
    tracemalloc.start()
    _, tree = filled(pool)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(tree) == ENTRIES
    return held / ENTRIES


def main() -> None:
    """Run the measurements and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topic", default="sports")
    parser.add_argument("--budget", type=int, default=20_000)
    parser.add_argument("--policies", nargs="+", default=["tres"])
    options = parser.parse_args()
    pages = web.VitalWeb(seed=0)
    classifier = topics.classifier(options.topic)
    run = partial(
        focused.crawl,
        seeds=pages.seeds(options.topic, 1, 0),
        topic=options.topic,
        classifier=classifier,
        progress=False,
    )
    run(pages, policy="tres", budget=200)  # imports and compiled code
    for policy in options.policies:
        print(crawl_speed(partial(run, budget=options.budget), pages, policy), flush=True)
    frontier, tree = filled(link_pool(1.0))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    print(f"peak {peak:.0f} MB, with {len(frontier):,} entries after these crawls")
    for share in (0.6, 1.0):  # VitalWeb's at 3,000 fetches, and the worst case
        print(f"{bytes_an_entry(share):.0f} bytes a frontier entry, of {share} URLs an entry")


if __name__ == "__main__":
    main()
