"""Watching: decisions a second and memory at a million known URLs.

    OMP_NUM_THREADS=1 python benchmarks/watch.py --known 1000000

Goals at a million, on one core: 5,000 a second, under 1 GB.
"""

from __future__ import annotations

import argparse
import resource

from tres_book.chapters.c15_endurance import decisions_a_second


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--known", type=int, default=1_000_000)
    parser.add_argument("--links", type=int, default=100_000)
    parser.add_argument("--decisions", type=int, default=20_000)
    args = parser.parse_args()
    found = decisions_a_second(args.known, 0, decisions=args.decisions, links=args.links)
    print(f"all {args.known:,} keyed in {found['keying']:.1f} s")
    for phase in ("at first", "then"):
        print(f"{phase}: {found[phase]:,.0f} decisions a second")
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"price {found['price']:.3f}, memory at most {used:,.0f} MB")


if __name__ == "__main__":
    main()
