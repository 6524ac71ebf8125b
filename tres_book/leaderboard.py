"""True harvest on the pinned web of real sites, a row a policy; one command adds yours.

    python -m tres_book.leaderboard module:Class

It crawls from the first seeds of the study of chapter 17, pages judged by the classifier, and adds
a row to build/leaderboard.tsv. A policy of the library has its bare name.
"""

import hashlib
import pkgutil
import sys
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from tres_webs.files import build_dir

from .crawls.real_sites import BUDGET, LENGTHS, TOPICS, is_here, record, web_hash
from .crawls.record import points
from .study.results import stored

SEEDS = 3  # draws of seed pages of each topic


def table() -> pd.DataFrame:
    """Return the leaderboard, best at the last length first: what is stored, and what was added.

    True harvest is in per cent after each of `LENGTHS` fetches; ``web`` and ``logs`` are hashes.
    Rows of another web have a ``note``, and come last.
    """
    runs = stored("real-sites")
    rows = []
    if len(runs):
        chosen = runs.query("judge == 'classifier' and limit == 'none' and seed < @SEEDS")
        rows = [row(str(name), part) for name, part in chosen.groupby("policy")]
    heads = ["policy", *map(str, LENGTHS), "crawls", "web", "logs", "note"]
    both = pd.concat([pd.DataFrame(rows, columns=heads), _added()], ignore_index=True)
    both["note"] = both["note"].fillna("").where(both["web"] == web_hash(), "another web")
    order, up = ["note", str(LENGTHS[-1])], [True, False]
    return both.sort_values(order, ascending=up, ignore_index=True)


def _added() -> pd.DataFrame:
    file = build_dir() / "leaderboard.tsv"
    kinds = dict.fromkeys(("web", "logs", "note"), str)
    return pd.read_csv(file, sep="\t", dtype=kinds) if file.exists() else pd.DataFrame()


def row(name: str, crawls: pd.DataFrame) -> dict[str, Any]:
    """Return a policy's row, of its crawls as `record` returns them, with their topic and seed."""
    crawls = crawls.sort_values(["topic", "seed"])
    steps, found = points(BUDGET), np.stack(crawls["truly found"].to_list())
    at = {str(n): 100 * found[:, np.searchsorted(steps, n)].mean() / n for n in LENGTHS}
    logs = hashlib.sha256("".join(crawls["log"]).encode()).hexdigest()[:12]
    return {"policy": name, **at, "crawls": len(crawls), "web": web_hash(), "logs": logs}


def main(arguments: Sequence[str]) -> int:
    """Run the command line; 1 if the web is not on this machine, or no policy is named."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 1
    if not is_here():
        print("The web is not on this machine: `tres fetch-web debian-docs` obtains it.")
        return 1
    (named,) = arguments
    policy = pkgutil.resolve_name(named) if ":" in named else named
    crawls = [
        {"topic": topic, "seed": seed} | record(policy, topic, seed, "classifier", budget=BUDGET)
        for topic, seed in tqdm([*product(TOPICS, range(SEEDS))], unit="crawl")
    ]
    file = build_dir() / "leaderboard.tsv"
    file.parent.mkdir(parents=True, exist_ok=True)
    new = pd.DataFrame([row(named, pd.DataFrame(crawls))])
    pd.concat([_added(), new]).to_csv(file, sep="\t", index=False)
    print(table().round(1).to_string(index=False))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
