"""Signed addresses that die: of which page to take the files now, by the index and by queues.

    OMP_NUM_THREADS=1 python benchmarks/expiring.py

A laboratory. Each of 40 pages announces files, as a Poisson process, under addresses that work for
a time the page is known for. A visit takes all files of a page whose addresses still work. Rates
are log-uniform from .1 to 10 an epoch and lifetimes from 1 to 30 epochs, drawn by seed. Lifetimes
are as stated in an address (*fixed*) or exponential with that mean, as the index supposes.

Orders, by what the crawler knows of each page:

    index    Theorem 1 of the files that work now, decay 1 / lifetime
    by age   the same of the number expected after so many epochs without a visit
    fixed    R - (n + 1) (R' - R), where R and R' are expected now and an epoch later, for lifetimes
             that do not vary: 0 until a first address dies, then all that the page holds
    most     the page with the most files that work
    fifo     the page with the oldest file that works
    newest   the page with the newest file
    edf      the page of which an address dies soonest (earliest deadline first)

Question: does the index get more files than fifo, newest and edf? Rule, written before the first
run: it does where the 95 % interval of the paired difference, in percentage points of all files
announced, is above 0 for all three; n counts seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import pandas as pd

from tres_lib import ephemeral
from tres_lib.intervals import mean_interval

PAGES, WARM = 40, 100
RATES, LIVES = (0.1, 10.0), (1.0, 30.0)
LAWS = ("fixed", "exponential")


class Pages:
    """The pages of a seed, and the files that wait there."""

    def __init__(self, seed: int):
        rng = np.random.default_rng(seed)
        self.rate = np.exp(rng.uniform(*np.log(RATES), PAGES))
        self.life = np.exp(rng.uniform(*np.log(LIVES), PAGES))
        self.sources = ephemeral.source(1.0, 1 / self.life, self.rate)
        self.age = np.zeros(PAGES, int)
        self.at = np.empty(0, int)  # page of each file that works and was not taken
        self.born = self.dies = np.empty(0)

    def count(self) -> np.ndarray:
        """Number of files that wait, by page."""
        return np.bincount(self.at, minlength=PAGES)

    def extreme(self, times: np.ndarray, best: np.ufunc) -> np.ndarray:
        """The least or largest time of the files that wait, by page; empty pages come last."""
        last = np.inf if best is np.minimum else -np.inf
        found = np.full(PAGES, last)
        best.at(found, self.at, times)
        return -found if best is np.minimum else found


def fixed(pages: Pages) -> np.ndarray:
    """Index by age for lifetimes that do not vary."""
    n = pages.age
    now, later = (pages.rate * np.minimum(n + k, pages.life) for k in (1, 2))
    return now - (n + 1) * (later - now)


ORDERS: dict[str, Callable[[Pages], np.ndarray]] = {
    "index": lambda p: ephemeral.whittle_index(p.count(), p.sources.alpha, p.sources.u),
    "by age": lambda p: ephemeral.orbit_index(p.age, p.sources.alpha, p.sources.u),
    "fixed": fixed,
    "most": lambda p: p.count().astype(float),
    "fifo": lambda p: p.extreme(p.born, np.minimum),
    "newest": lambda p: p.extreme(p.born, np.maximum),
    "edf": lambda p: p.extreme(p.dies, np.minimum),
}


def taken(order: str, law: str, visits: int, epochs: int, seed: int) -> float:
    """Files taken, in % of those announced, after the first epochs; the same files for all."""
    pages, rng = Pages(seed), np.random.default_rng([seed, 1])
    got = announced = 0
    for t in range(epochs):
        at = np.repeat(np.arange(PAGES), rng.poisson(pages.rate))
        born = t + rng.random(len(at))
        life = pages.life[at] * (rng.exponential(size=len(at)) if law == "exponential" else 1.0)
        works = np.concatenate([pages.dies, born + life]) > t + 1
        pages.at = np.concatenate([pages.at, at])[works]
        pages.born = np.concatenate([pages.born, born])[works]
        pages.dies = np.concatenate([pages.dies, born + life])[works]
        visited = np.zeros(PAGES, bool)
        visited[np.argsort(-ORDERS[order](pages), kind="stable")[:visits]] = True
        found = visited[pages.at]
        if t >= WARM:
            got += int((pages.born[found] >= WARM).sum())  # not those announced before
            announced += len(at)
        pages.at, pages.born, pages.dies = pages.at[~found], pages.born[~found], pages.dies[~found]
        pages.age = np.where(visited, 0, pages.age + 1)
    return 100 * got / announced


def main() -> None:
    """Print the table and the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--epochs", type=int, default=600)
    parser.add_argument("--visits", type=int, nargs="+", default=[2, 8])
    options = parser.parse_args()
    rows = [
        (law, visits, order, seed, taken(order, law, visits, options.epochs, seed))
        for law in LAWS
        for visits in options.visits
        for order in ORDERS
        for seed in range(options.seeds)
    ]
    runs = pd.DataFrame(rows, columns=["lifetimes", "visits", "order", "seed", "taken"])
    print(f"Files taken, % of those announced; mean [95 %] over n = {options.seeds} seeds.")
    print("Difference: index less the other, percentage points, paired by seed.")
    for (law, visits), part in runs.groupby(["lifetimes", "visits"], sort=False):
        by = part.pivot(index="seed", columns="order", values="taken")
        print(f"\nlifetimes {law}, {visits} of {PAGES} pages an epoch")
        better = []
        for order in ORDERS:
            share = "{:5.1f} [{:.1f}, {:.1f}]".format(*mean_interval(by[order], within=(0, 100)))
            lead = mean_interval(by["index"] - by[order])
            better += [lead[1] > 0] if order in ("fifo", "newest", "edf") else []
            more = "" if order == "index" else "   {:+5.1f} [{:.1f}, {:.1f}]".format(*lead)
            print(f"  {order:7} {share}{more}")
        print("  the index gets more than all three queues:", "yes" if all(better) else "no")


if __name__ == "__main__":
    main()
