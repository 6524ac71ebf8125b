"""Watching: decisions a second and memory at a million known URLs; bytes and time of a store.

    OMP_NUM_THREADS=1 python benchmarks/watch.py --known 1000000

Decisions are timed without fetches and without the store, by CPU time: choose, take in a look,
work out the next one. Goals at a million: 5,000 a second, under 1 GB.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from tres_lib.watching.beliefs import RATES
from tres_lib.watching.live.calendar import Calendar
from tres_lib.watching.live.frontier import Frontier, Waiting
from tres_lib.watching.live.memory import Memory
from tres_lib.watching.live.records import BINS, PAGE, new_common

YEAR = 365.0
PIECE = 10_000


def many_pages(n: int, rng: np.random.Generator) -> np.ndarray:
    """Random pages, drawn piece by piece so that the draw takes no memory to speak of."""
    pages = np.zeros(n, PAGE)
    for start in range(0, n, PIECE):
        piece = pages[start : start + PIECE]
        piece[:] = random_pages(len(piece), rng)
    pages["id"] = np.arange(n)
    return pages


def random_pages(n: int, rng: np.random.Generator) -> np.ndarray:
    """Pages in mid-watch: looked at in the past 30 days, with beliefs of two bits each."""
    pages = np.zeros(n, PAGE)
    pages["host"] = rng.integers(0, 1_000, n)
    pages["looks"] = 2
    pages["look"] = YEAR - 30 * rng.random(n)
    pages["rest"] = pages["look"]
    pages["born"] = np.nan
    pages["importance"] = rng.lognormal(-1, 1, n) * (rng.random(n) < 0.5)
    pages["zeta"] = 0.2 * pages["importance"]
    pages["factor"] = 1.0
    pages["arrivals"] = rng.poisson(0.3, n)
    pages["watched"] = 20.0
    seen = rng.exponential(30, (n, 1))
    same = np.exp(-RATES * seen)
    pages["likelihood"] = np.where(rng.random((n, 1)) < 0.5, same, 1 - same).clip(1e-12)
    pages["seen"] = rng.random((n, BINS))
    return pages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--known", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, default=100_000)
    parser.add_argument("--decisions", type=int, default=20_000)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    common = new_common(1.5, 0.2)
    common["price"] = 0.5
    common["page"] = 2.0
    common["winners"] = 1_000
    memory = Memory(common)
    calendar, frontier = Calendar(common), Frontier()
    calendar.load(random_pages(2_000, rng))  # compiles
    calendar.load(many_pages(args.known, rng))
    begin = time.process_time()
    calendar.put_all(common)
    print(f"all {args.known:,} keyed in {time.process_time() - begin:.1f} s")
    busy = np.zeros(1_000)
    for id in range(args.links):
        born = YEAR - 30 * rng.random()
        frontier.add(Waiting(-born, id, id % 1_000, int(rng.integers(BINS)), id % 2 == 0))
    step = 30 / args.known  # days: what keeps up with all of them in a month
    for phase, name in enumerate(("while the price is found", "then")):
        begin = time.process_time()
        due = []
        for k in range(args.decisions):
            day = YEAR + step * (k + phase * args.decisions)
            due.append(decide(calendar, frontier, memory, day, busy, k))
        seconds = time.process_time() - begin
        rate = args.decisions / seconds
        price = common["price"][0]
        print(f"{name}: {rate:,.0f} decisions a second, price {price:.3f}, {max(due)} due")
    memory_used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"memory at most {memory_used:,.0f} MB")


def decide(
    calendar: Calendar, frontier: Frontier, memory: Memory, day: float, busy: np.ndarray, k: int
) -> int:
    """Choose, and take in a look at what was chosen; return how many pages are due."""
    common = memory.common
    page = calendar.best(common, day, busy)
    link = frontier.best(common, day, busy)
    if link is not None and (page is None or link[1] >= page.worth):
        frontier.take(link[0])
        if (worth := min(link[1], frontier.best_old(common, day))) > common["price"][0]:
            memory.follow(worth)
        memory.see_link(link[0].bin, link[0].news, k % 3 == 0)
    elif page is not None:
        memory.follow(page.worth)
        record = calendar.pages[page.row : page.row + 1]
        memory.see(record, float(record["importance"][0]), k % 2 == 0, day)
        calendar.put(np.array([page.row]), common)
    return len(calendar._due)


if __name__ == "__main__":
    main()
