"""What 18 simulated days of a fleet cost: compiled by numba, and the same functions as they are.

    OMP_NUM_THREADS=1 python benchmarks/foragers.py

The limits are 2 and 10 CPU seconds for about 600,000 downloads. The first call of compiled code
in a process takes some seconds more, which are shown apart.
"""

from __future__ import annotations

import argparse
import time

from tres_lib import foragers


def cpu_seconds(newsweb: foragers.NewsWeb, kind: str, compiled: bool) -> tuple[float, int]:
    """CPU time and relevant documents of one fleet."""
    start = time.process_time()
    result = foragers.run_fleet(newsweb, kind, 1, compiled=compiled)
    return time.process_time() - start, result.relevant


def main() -> None:
    """Time each kind of fleet both ways, and say whether both find the same number."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--days", type=float, default=18)
    parser.add_argument("--kinds", nargs="+", default=list(foragers.KINDS))
    options = parser.parse_args()
    start = time.process_time()
    newsweb = foragers.NewsWeb.generate(0, options.days)
    print(f"generate {len(newsweb):,} URLs: {time.process_time() - start:.2f} s", flush=True)
    first, _ = cpu_seconds(foragers.NewsWeb.generate(0, 0.125), "WL", compiled=True)
    print(f"import and compile: {first:.1f} s", flush=True)
    for kind in options.kinds:
        (quick, found), (plain, same) = (cpu_seconds(newsweb, kind, way) for way in (True, False))
        agree = "same finds" if found == same else f"{found} and {same} finds"
        print(f"{kind:10} compiled {quick:.2f} s, plain {plain:.2f} s, {agree}", flush=True)


if __name__ == "__main__":
    main()
