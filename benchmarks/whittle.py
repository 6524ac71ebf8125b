"""CPU time of the Whittle index: a decision over a million sources, and one source's whole table.

    OMP_NUM_THREADS=1 python benchmarks/whittle.py

Goal: 50 ms for a decision, the update of the states included. The comparison needs the package
markovianbandit-pkg, which computes the indices of any finite arm from its matrices.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from tres_book.chapters.c10_whittle import sources as chapter
from tres_lib import ephemeral

ALPHA, U = 0.9, 1.0
STATES = (50, 100, 200)


def milliseconds(call: Callable[[], object], repeats: int) -> float:
    """Least CPU time of a call, in ms, after one to warm up."""
    call()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return 1e3 * min(times)


def decision_ms(sources: ephemeral.Sources, crawls: int, epochs: int) -> float:
    """Mean CPU time of an epoch of `simulate`, in ms: index, choice and the states' update."""

    def spent(n: int) -> float:
        start = time.process_time()
        ephemeral.simulate(sources, crawls, n)
        return time.process_time() - start

    spent(1)
    return 1e3 * (spent(epochs + 1) - spent(1)) / epochs


def compare(states: int, repeats: int) -> str:
    """One line: both packages' index of the same finite arm."""
    import markovianbandit

    orbit = ephemeral.orbit_states(ALPHA, U, [U], states - 1)
    model = ephemeral.chain(orbit, ALPHA, U)

    def theirs() -> np.ndarray:
        return markovianbandit.restless_bandit_from_P0P1_R0R1(*model.arm()).whittle_indices()

    def ours() -> np.ndarray:
        return ephemeral.whittle_index(model.states, ALPHA, U)

    at = model.states < 0.99 * U / (1 - ALPHA)
    difference = np.abs(theirs() - ours())[at].max()
    packaged, closed = milliseconds(theirs, repeats), milliseconds(ours, repeats)
    return (
        f"one source of {states} states: markovianbandit {packaged:8.2f} ms, "
        f"closed form {closed:6.3f} ms, {packaged / closed:,.0f} times; "
        f"differ by {difference:.1e} at most"
    )


def main() -> None:
    """Run the measurements and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sources", type=int, default=1_000_000)
    parser.add_argument("--crawls", type=int, default=1_000)
    parser.add_argument("--epochs", type=int, default=20)
    options = parser.parse_args()
    sources = chapter.random_sources(options.sources, 0)
    x = sources.limit * np.random.default_rng(1).random(len(sources))
    n = f"{options.sources:,} sources"
    index = milliseconds(lambda: ephemeral.whittle_index(x, sources.alpha, sources.u), 5)
    bound = milliseconds(lambda: ephemeral.lagrangian_bound(sources, options.crawls), 1)
    print(f"a decision over {n}: {decision_ms(sources, options.crawls, options.epochs):.1f} ms")
    print(f"of which the index: {index:.1f} ms;  their Lagrangian bound: {bound / 1e3:.1f} s")
    for crawls in (1, 2, 3):
        spent = milliseconds(lambda m=crawls: ephemeral.exact_optimum(chapter.table_1(), m), 3)
        print(
            f"exact optimum of the paper's four sources, {crawls} of them crawled: {spent:.1f} ms"
        )
    for states in STATES:
        print(compare(states, 5))


if __name__ == "__main__":
    main()
