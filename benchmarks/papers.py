"""CPU seconds of the papers' problems, each beside its goal.

    OMP_NUM_THREADS=1 python benchmarks/papers.py [refresh] [whittle] [foragers] [deepweb]

The best of some repetitions counts, which other load disturbs least; the first call compiles. The
comparison of indices needs the package markovianbandit-pkg, which computes those of any finite arm.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from tres_book import dynamic_programming as dynamic
from tres_book.chapters.c10_whittle import random_sources
from tres_book.chapters.c12_laboratory import sample_documents
from tres_lib import deepweb, ephemeral, foragers, refresh


def cpu(call: Callable[[], object], repeats: int = 3) -> float:
    """Return the least CPU seconds of some calls."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return min(seconds)


def of_refresh(scale: float) -> None:
    """Best rates of ten million pages, estimates from ten million bits, and runs of 1e5 days."""
    for kind, n, goal in (("poisson", 10_000_000, 0.6), ("uniform", 1_000_000, 2.0)):
        pages = refresh.sample_pages(int(scale * n), 0)
        for share in (0.01, 0.2, 5.0):  # little, middling and much bandwidth
            total = share * len(pages[0])
            spent = cpu(lambda p=pages, t=total, k=kind: refresh.optimal_rates(*p, t, k))
            print(
                f"best rates, {kind}, {len(pages[0]):,} pages, {share} refreshes a page: ", end=""
            )
            print(f"{spent:.2f} s (goal {goal:g})", flush=True)
    rng = np.random.default_rng(0)
    change, _ = refresh.sample_pages(int(scale * 100_000), rng)
    gaps = rng.exponential(5, (len(change), 100))
    changed = rng.random(gaps.shape) < -np.expm1(-change[:, None] * gaps)
    for how in ("mle", "moments"):
        spent = cpu(lambda m=how: refresh.estimate_change_rates(changed, gaps, method=m))
        print(f"estimates, {how}, {gaps.size:,} bits: {spent:.2f} s", flush=True)
    pages = refresh.sample_pages(1_000, 0)
    for policy in ("uniform", "explore-commit", "epsilon-decay"):
        spent = cpu(lambda p=policy: refresh.simulate(p, *pages, 100, scale * 1e5, 0), 1)
        print(f"simulation, {policy}, 1,000 pages: {spent:.2f} s (goal: a few)", flush=True)


def of_whittle(scale: float) -> None:
    """Choose among a million sources; the index of random sources, by us and by a package."""
    sources = random_sources(int(scale * 1_000_000), 0)
    x = sources.limit * np.random.default_rng(1).random(len(sources))

    def epochs(n: int) -> float:
        return cpu(lambda: ephemeral.simulate(sources, 1_000, n))

    decision = (epochs(21) - epochs(1)) / 20  # index, choice and the states' update
    index = cpu(lambda: ephemeral.whittle_index(x, sources.alpha, sources.u), 5)
    print(f"a decision over {len(x):,} sources: {1e3 * decision:.1f} ms (goal 20), ", end="")
    print(f"of which the index {1e3 * index:.1f} ms", flush=True)
    # With a small alpha the 40th state is x* but for rounding, where the package gives up.
    for states, alphas in ((6, (0.1, 0.9)), (40, (0.9, 0.99))):
        print(against_package(int(scale * 10_000), states, alphas), flush=True)


def against_package(arms: int, states: int, alphas: tuple[float, float]) -> str:
    """One line: both packages' indices of all states but x* of random arms of so many states."""
    import markovianbandit

    rng = np.random.default_rng(0)
    alpha, u = rng.uniform(*alphas, arms), 10 ** rng.uniform(-2, 2, arms)
    x = ephemeral.orbit(np.arange(states - 1), alpha[:, None], u[:, None])
    packaged, worst = 0.0, 0.0
    for i in range(-1, arms):  # the first compiles
        orbit = dynamic.orbit_states(alpha[i], u[i], [u[i]], states - 1)
        model = dynamic.chain(orbit, alpha[i], u[i])
        arm = model.passive, np.tile(model.reset, (states, 1)), np.zeros(states), model.states
        start = time.process_time()
        found = markovianbandit.restless_bandit_from_P0P1_R0R1(*arm).whittle_indices()
        packaged += (time.process_time() - start) * (i >= 0)
        closed = ephemeral.whittle_index(model.states[:-1], alpha[i], u[i])
        inside = model.states[:-1] < 0.99 * u[i] / (1 - alpha[i])
        worst = max(worst, float(np.abs(found[:-1] - closed)[inside].max()) / u[i])
    ours = cpu(lambda: ephemeral.whittle_index(x, alpha[:, None], u[:, None]), 5)
    return (
        f"{arms:,} random sources of {states} states: markovianbandit {packaged:.1f} s, closed "
        f"form {ours:.4f} s, {packaged / ours:,.0f} times; differ by {worst:.1e} u at most"
    )


def of_foragers(scale: float) -> None:
    """A fleet for 18 days, some 600,000 downloads, by kind."""
    newsweb = foragers.NewsWeb.generate(0, 18 * scale)
    foragers.run_fleet(foragers.NewsWeb.generate(0, 0.125), "WL", 1)
    for kind in foragers.KINDS:
        spent = cpu(lambda k=kind: foragers.run_fleet(newsweb, k, 1))
        print(f"fleet {kind}, {len(newsweb):,} URLs: {spent:.2f} s (goal 2)", flush=True)


def of_deepweb(scale: float) -> None:
    """Ask 300 queries of 10,000 documents, by policy; the first holds the site's own work."""
    site = deepweb.SearchSite(sample_documents("en-us", int(scale * 10_000), rng=0), "fulltext")
    for name in ("rl", "rl-printed", "random", "frequency", "harvest", "tfidf", "oracle"):
        spent = cpu(lambda n=name: deepweb.surface(site, n, 300, rng=0, first_term="river"), 2)
        print(f"300 queries, {name}: {spent:.2f} s (goal 20)", flush=True)


PROBLEMS = {
    "refresh": of_refresh,
    "whittle": of_whittle,
    "foragers": of_foragers,
    "deepweb": of_deepweb,
}


def main() -> None:
    """Measure, and print a line a problem."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problems", nargs="*", choices=[*PROBLEMS, []], metavar="PROBLEM")
    parser.add_argument("--scale", type=float, default=1.0, help="a smaller one tries it out")
    given = parser.parse_args()
    for name in given.problems or PROBLEMS:
        PROBLEMS[name](given.scale)


if __name__ == "__main__":
    main()
