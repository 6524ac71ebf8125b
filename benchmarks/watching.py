"""One crawler: what each policy serves, as a share of the realised bound, and CPU time a run.

    OMP_NUM_THREADS=1 python benchmarks/watching.py --first 100 --worlds 10 --out rows.jsonl

Runs that the file has already are not repeated. Intervals are 95 % by the t-distribution, paired
by world. The CPU time of a world's first run has that of its bound in it. Goal: 300 days, 40 hubs
and 100 fetches a day with known rates in 2 CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from tres_lib import study, watching

HINTS = {"modified": True}
RUNS = {  # by name: the policy and what is changed in it
    "known": ("one-index-known", {}),
    "tracked": ("one-index-tracked", {}),
    "learnt": ("one-index", {}),
    "learnt, Last-Modified": ("one-index", HINTS),
    "learnt, gamma arrivals": ("one-index", {"levels": False, "memory": 0.8}),
    "learnt, epsilon": ("one-index", {"explore": "epsilon"}),
    "learnt, no exploration": ("one-index", {"explore": "none"}),
    "thompson": ("thompson", {}),
    "best split, known": ("best-split", {}),
    "thirds": ("thirds", {}),
    "fifo": ("fifo", {}),
    "half": ("half", {}),
    "nutch": ("nutch", {}),
    "nutch-daily": ("nutch-daily", {}),
    "discovery": ("discovery", {}),
    "refresh": ("refresh", {}),
}
IN_BURSTS = (
    "known",
    "tracked",
    "learnt",
    "learnt, Last-Modified",
    "learnt, gamma arrivals",
    "best split, known",
)
PRACTICE = ("fifo", "half", "nutch", "nutch-daily", "discovery")
RATIOS = [
    ("known", "bound"),
    ("known", "best split, known"),
    ("tracked", "known"),
    ("known", "thirds"),
    ("known", "practice"),
    ("learnt", "known"),
    ("learnt, Last-Modified", "known"),
    ("learnt, Last-Modified", "learnt"),
    ("learnt", "learnt, gamma arrivals"),
    ("learnt", "learnt, epsilon"),
    ("learnt", "learnt, no exploration"),
    ("thompson", "learnt, epsilon"),
    ("learnt", "best split, known"),
    ("learnt, Last-Modified", "best split, known"),
    ("learnt", "split, same learner"),
    ("learnt", "thirds"),
]


def row(world: int, kind: str, name: str, **more: object) -> dict:
    """One run, with its CPU time."""
    policy, changes = RUNS[name]
    begin = time.process_time()
    found = watching.trial(world, policy, kind, changes={**changes, **more})
    return {**found, "name": name, "cpu": time.process_time() - begin}


def measure(world: int, kind: str, done: set, out: Path) -> None:
    """Add the runs of a world to the file."""
    shares = None
    for name in RUNS if kind == "steady" else IN_BURSTS:
        if (world, kind, name) in done:
            continue
        runs = [row(world, kind, name)]
        shares = runs[0]["shares"]
        if name == "best split, known":  # the same split, and a common one, with the learner
            for other in (shares, [0.6, 0.28, 0.12]):
                learnt = row(world, kind, "learnt", shares=other, price="solved")
                runs.append({**learnt, "name": "split, same learner"})
        with out.open("a") as file:
            file.writelines(json.dumps(r) + "\n" for r in runs)


def table(runs: list[dict], kind: str) -> None:
    """Print the shares of the bound and the ratios with their intervals."""
    served: dict[str, dict[int, float]] = {}
    for r in runs:
        if r["kind"] == kind:
            by_world = served.setdefault(r["name"], {})
            by_world[r["world"]] = max(r["served"], by_world.get(r["world"], 0.0))
            served.setdefault("bound", {})[r["world"]] = r["bound"]
    if all(name in served for name in PRACTICE):
        served["practice"] = {
            w: max(served[name].get(w, 0.0) for name in PRACTICE) for w in served["bound"]
        }
    for name in served:
        print(f"{kind:7}{name:28} of the bound  {interval(served[name], served['bound'], 0)}")
    for first, second in RATIOS:
        if first in served and second in served:
            print(f"{kind:7}{first:24} over {second:24}{interval(served[first], served[second])}")


def interval(first: dict[int, float], second: dict[int, float], less: float = 1.0) -> str:
    """Mean of the ratios, less 1 or 0, in percent, with its interval."""
    worlds = sorted(first.keys() & second.keys())
    ratios = np.array([first[w] / second[w] - less for w in worlds])
    if len(ratios) < 2:
        return f"{100 * ratios.mean():7.2f} %  n={len(ratios)}"
    mean, low, high = (100 * x for x in study.mean_interval(ratios))
    return f"{mean:7.2f} % [{low:6.2f}, {high:6.2f}]  n={len(ratios)}"


def rows(path: Path) -> list[dict]:
    """Runs so far."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--worlds", type=int, default=10)
    parser.add_argument("--kinds", nargs="+", default=["steady", "bursts"])
    parser.add_argument("--out", type=Path, default=Path("build/watching.jsonl"))
    args = parser.parse_args()
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.touch()
    for world in range(args.first, args.first + args.worlds):
        for kind in args.kinds:
            done = {(r["world"], r["kind"], r["name"]) for r in rows(args.out)}
            measure(world, kind, done, args.out)
    for kind in args.kinds:
        table(rows(args.out), kind)
    cpu = {
        name: np.median([r["cpu"] for r in rows(args.out) if r["name"] == name]) for name in RUNS
    }
    print("CPU seconds a run:", {name: round(float(s), 1) for name, s in cpu.items()})


if __name__ == "__main__":
    main()
