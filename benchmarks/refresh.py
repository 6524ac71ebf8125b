"""How fast scheduling is: CPU seconds of the optimum, the estimators and a simulation.

    OMP_NUM_THREADS=1 python benchmarks/refresh.py

Goals, in CPU seconds: .6 for 10 million pages (Poisson refresh), 2 for 1 million (even intervals),
a few for a run of 1,000 pages over 1e5 days. Optima and estimates are the best of three.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tres_lib import refresh


def cpu_seconds(function: Callable, *arguments: Any, repeats: int = 3, **more: Any) -> float:
    """The least CPU time of a few calls, which other load disturbs least."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        function(*arguments, **more)
        seconds.append(time.process_time() - start)
    return min(seconds)


GOALS = {"poisson": 0.6, "uniform": 2.0}  # CPU seconds of an optimum, at full scale


def optimum(n: int, kind: str) -> None:
    """Print a line for little, middling and much bandwidth."""
    pages = refresh.sample_pages(n, 0)
    for share in (0.01, 0.2, 5.0):
        seconds = cpu_seconds(refresh.optimal_rates, *pages, share * n, kind)
        off = refresh.optimal_rates(*pages, share * n, kind).sum() / (share * n) - 1
        line = f"optimum, {kind}, {n:,} pages, {share} refreshes a page: {seconds:.2f} s"
        print(f"{line} (goal {GOALS[kind]:g}), budget off by {off:+.1e}", flush=True)


def estimates(pages: int, bits: int) -> None:
    """Print a line a method, for random gaps."""
    rng = np.random.default_rng(0)
    change, _ = refresh.sample_pages(pages, rng)
    gaps = rng.exponential(5, (pages, bits // pages))
    changed = rng.random(gaps.shape) < -np.expm1(-change[:, None] * gaps)
    for method in ("mle", "moments"):
        seconds = cpu_seconds(refresh.estimate_change_rates, changed, gaps, method=method)
        print(f"estimates, {method}, {pages:,} pages, {bits:,} bits: {seconds:.2f} s", flush=True)


def runs(horizon: float) -> None:
    """Print a line for a policy that never learns and for two that do."""
    pages = refresh.sample_pages(1_000, 0)
    for policy in ("uniform", "explore-commit", "epsilon-decay"):
        seconds = cpu_seconds(refresh.simulate, policy, *pages, 100, horizon, 0, repeats=1)
        print(
            f"simulation, {policy}, 1,000 pages, {horizon:,.0f} days: {seconds:.2f} s", flush=True
        )


def main() -> None:
    """Print all figures; a smaller scale is for trying the script out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0)
    scale = parser.parse_args().scale
    optimum(int(10_000_000 * scale), "poisson")
    optimum(int(1_000_000 * scale), "uniform")
    estimates(int(100_000 * scale), int(10_000_000 * scale))
    runs(1e5 * scale)


if __name__ == "__main__":
    main()
