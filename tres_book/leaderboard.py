"""True harvest on the pinned web of real sites, a row a policy; one command adds yours.

    python -m tres_book.leaderboard module:Class [--topics TOPIC ...] [--seeds N] [--budget N]

It crawls from the first seeds of the study of chapter 17, pages judged by the classifier, and adds
a row to build/leaderboard.tsv. A policy of the library has its bare name.
"""

import argparse
import hashlib
import pkgutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from tres_webs.files import build_dir

from .crawls.real_sites import BUDGET, LENGTHS, TOPICS, is_here, record, web_hash
from .crawls.record import points
from .study.results import stored

SEEDS = 3  # draws of seed pages of each topic


def table(file: Path | None = None) -> pd.DataFrame:
    """Return the leaderboard, best at the last length first: what is stored, and what was added.

    True harvest is in per cent after each of `LENGTHS` fetches; ``web`` and ``logs`` are hashes;
    ``note`` sets a row apart from those of all topics, draws and fetches, which come first.
    """
    runs = stored("real-sites")
    rows = []
    if len(runs):
        runs = runs[(runs["judge"] == "classifier") & (runs["limit"] == "none")]
        runs = runs[runs["seed"] < SEEDS]
        rows = [row(str(name), part) for name, part in runs.groupby("policy")]
    file = file or build_dir() / "leaderboard.tsv"
    kinds = dict.fromkeys(("web", "logs", "note"), str)
    added = [pd.read_csv(file, sep="\t", dtype=kinds)] if file.exists() else []
    heads = ["policy", *map(str, LENGTHS), "crawls", *kinds]
    both = pd.concat([pd.DataFrame(rows, columns=heads), *added], ignore_index=True)
    both["note"] = both["note"].fillna("").where(both["web"] == web_hash(), "another web")
    order, up = ["note", str(LENGTHS[-1])], [True, False]
    return both.sort_values(order, ascending=up, ignore_index=True)


def row(name: str, crawls: pd.DataFrame) -> dict[str, Any]:
    """Return a policy's row, of its crawls as `record` returns them, with their topic and seed."""
    crawls = crawls.sort_values(["topic", "seed"])
    steps, found = points(crawls["budget"].iloc[0]), np.stack(crawls["truly found"].to_list())
    lengths = [length for length in LENGTHS if length <= steps[-1]]
    at = {str(n): 100 * found[:, np.searchsorted(steps, n)].mean() / n for n in lengths}
    logs = hashlib.sha256("".join(crawls["log"]).encode()).hexdigest()[:12]
    budget, topics, draws = (crawls[name].unique() for name in ("budget", "topic", "seed"))
    unlike = {
        f"{budget[0]:,} fetches": budget[0] != BUDGET,
        f"{len(topics)} of {len(TOPICS)} topics": set(topics) != set(TOPICS),
        f"{len(draws)} draws": len(draws) != SEEDS,
    }
    note = ", ".join(text for text, differs in unlike.items() if differs)
    own = {"crawls": len(crawls), "web": web_hash(), "logs": logs, "note": note}
    return {"policy": name, **at, **own}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; 1 if the web is not on this machine."""
    parser = argparse.ArgumentParser("python -m tres_book.leaderboard", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("policy", help="module:Class, or the name of one of the library's")
    parser.add_argument("--topics", nargs="+", choices=TOPICS, default=TOPICS)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of each topic")
    parser.add_argument("--budget", type=int, default=BUDGET, help="fetches of a crawl")
    options = parser.parse_args(arguments)
    if not is_here():
        print("The web is not on this machine: `tres fetch-web debian-docs` obtains it.")
        return 1
    named = options.policy
    policy = pkgutil.resolve_name(named) if ":" in named else named
    pairs = [(topic, seed) for topic in options.topics for seed in range(options.seeds)]
    crawls = [
        {"topic": topic, "seed": seed, "budget": options.budget}
        | record(policy, topic, seed, "classifier", budget=options.budget)
        for topic, seed in tqdm(pairs, unit="crawl")
    ]
    file = build_dir() / "leaderboard.tsv"
    file.parent.mkdir(parents=True, exist_ok=True)
    new = pd.DataFrame([row(named, pd.DataFrame(crawls))])
    old = [pd.read_csv(file, sep="\t", dtype=str)] if file.exists() else []
    pd.concat([*old, new]).to_csv(file, sep="\t", index=False)
    print(table().round(1).to_string(index=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
