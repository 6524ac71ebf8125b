"""What 18 simulated days of a fleet cost.

    OMP_NUM_THREADS=1 python benchmarks/foragers.py

The goal is 2 CPU seconds for about 600,000 downloads; the best of three fleets counts. The first
call of compiled code takes some seconds more, which are shown apart.
"""

from __future__ import annotations

import argparse
import time

from tres_lib import foragers


def cpu_seconds(newsweb: foragers.NewsWeb, kind: str) -> float:
    """CPU time of one fleet."""
    start = time.process_time()
    foragers.run_fleet(newsweb, kind, 1)
    return time.process_time() - start


def main() -> None:
    """Time each kind of fleet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=float, default=18)
    parser.add_argument("--kinds", nargs="+", default=list(foragers.KINDS))
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    start = time.process_time()
    newsweb = foragers.NewsWeb.generate(0, options.days)
    print(f"generate {len(newsweb):,} URLs: {time.process_time() - start:.2f} s", flush=True)
    first = cpu_seconds(foragers.NewsWeb.generate(0, 0.125), "WL")
    print(f"import and compile: {first:.1f} s", flush=True)
    for kind in options.kinds:
        best = min(cpu_seconds(newsweb, kind) for _ in range(options.repeats))
        print(f"{kind:10} {best:.2f} s; goal for 18 days: 2 s", flush=True)


if __name__ == "__main__":
    main()
