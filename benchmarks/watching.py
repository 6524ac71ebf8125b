"""One crawler: CPU seconds of a run by policy, and what it serves, as a share of the bound.

    OMP_NUM_THREADS=1 python benchmarks/watching.py --world 300 --names "one index" learnt

What the policies serve in many worlds is a stored study (see ``results/README.md``). Goal: 300
days, 40 hubs and 100 fetches a day with known rates in 2 CPU seconds.
"""

from __future__ import annotations

import argparse
import time

from tres_book.chapters import c15_one_crawler as runs


def main() -> None:
    """Run the measurements and print them."""
    names = [name for name in runs.GROUNDS["steady"][2] if not name.startswith("half-life")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--world", type=int, default=300)
    parser.add_argument("--names", nargs="+", default=names, choices=names, metavar="NAME")
    args = parser.parse_args()
    runs.named_trial(args.world, "steady", "one index")  # compiles, and keeps the bound
    for name in args.names:
        begin = time.process_time()
        row = runs.named_trial(args.world, "steady", name)
        cpu = time.process_time() - begin
        print(f"{name:24}{cpu:6.1f} CPU s{row['served'] / row['bound']:8.1%} of the bound")


if __name__ == "__main__":
    main()
