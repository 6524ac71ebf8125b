"""Watching: decisions a second and memory at a million known URLs.

    OMP_NUM_THREADS=1 python benchmarks/watch.py --known 1000000

A decision is to choose, take in a look and work out the next one, as a watch does. Fetches, the
store and what it learns once a day are left out. Goals at a million, on one core: 5,000 a second,
under 1 GB.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from tres_lib.topics import as_classifier
from tres_live.watching.beliefs import BINS, RATES
from tres_live.watching.judging import Judge
from tres_live.watching.links import OpenLink
from tres_live.watching.pages import PAGE, Pages
from tres_live.watching.store import State, Store
from tres_live.watching.watch import Watch
from tres_webs import Web

YEAR = 365.0  # days that the watch was at work
PIECE = 10_000  # pages drawn at once, so that the draw takes no memory to speak of
HOSTS = 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--known", type=int, default=1_000_000)
    known, rng = parser.parse_args().known, np.random.default_rng(0)
    decisions = known // 50  # timed, after as many in which all is compiled and the price is found
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder, "watch"))
        state = store.load("none", 1.5, 0.2, 1.0, 0.0)
        prepare(state, known // 10, rng)
        state.pages = Pages(state.common, state.hosts, None, random_pages(known, rng))
        state.pages.put_all()
        watch = Watch(store, state, Web(), Judge(as_classifier(len)))
        for k in range(2 * decisions):
            if k == decisions:
                begin = time.process_time()
            decide(watch, YEAR + 30 / known * k, k)  # at a pace that keeps up with all in a month
        spent = time.process_time() - begin
        watch.close()
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"{decisions / spent:,.0f} decisions a second, memory at most {used:,.0f} MB")


def prepare(state: State, links: int, rng: np.random.Generator) -> None:
    """Let a watch have been at work for a year, with new links; what it learns daily is known."""
    common = state.common
    common["price"], common["page"], common["winners"], common["day"] = 0.5, 2.0, 1_000, 10 * YEAR
    for host in range(HOSTS):
        state.hosts.of(f"{host}.example")
    for n in range(links):
        born, bin = YEAR - 30 * rng.random(), int(rng.integers(BINS))
        state.links.add([OpenLink(-born, n, f"{n % HOSTS}.example", bin, n % 2 == 0)])


def random_pages(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw pages in mid-watch: looked at in the past 30 days, with beliefs of two bits each."""
    pages = np.zeros(n, PAGE)
    pages["id"], pages["visits"], pages["born"] = np.arange(n), 2, np.nan
    pages["factor"], pages["watched"] = 1.0, 20.0
    for start in range(0, n, PIECE):
        part = pages[start : start + PIECE]
        size = len(part)
        part["host"] = rng.integers(0, HOSTS, size)
        part["look"] = part["rest"] = YEAR - 30 * rng.random(size)
        part["importance"] = rng.lognormal(-1, 1, size) * (rng.random(size) < 0.5)
        part["zeta"] = 0.2 * part["importance"]
        part["arrivals"] = rng.poisson(0.3, size)
        same = np.exp(-RATES * rng.exponential(30, (size, 1)))
        part["likelihood"] = np.where(rng.random((size, 1)) < 0.5, same, 1 - same).clip(1e-12)
        part["seen"] = rng.random((size, BINS))
    return pages


def decide(watch: Watch, day: float, k: int) -> None:
    """Choose, and take in a look at what was chosen."""
    state, choice = watch.state, watch.choose(day)
    assert choice is not None
    target = choice.target
    if isinstance(target, OpenLink):
        state.links.take(target)
        state.links.see(target, state.hosts.of(target.host), k % 3 == 0)
    else:
        record = state.pages.records[target]
        state.pages.see(target, float(record["importance"]), k % 2 == 0, day)
        state.pages.put(np.array([target]))
    watch.settle_price("", choice.value, not isinstance(target, OpenLink), day)


if __name__ == "__main__":
    main()
