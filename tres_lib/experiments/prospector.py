"""The test of Prospector on webs that nobody had seen when its settings were frozen.

    python -m tres_lib.experiments.prospector results

runs what is missing, some two hours of CPU, and writes one small Parquet file a part.
"""

import sys
from pathlib import Path
from typing import Any

from ..study import run_sweep
from .tres import WITHOUT, trial

TOPICS = ("sports", "food", "computing")
OTHERS = ("best-first", "linear", "tres", "tres-async", "ache", "seedfinder")
FRESH = range(300, 310)  # webs; development used 100 to 119, chapters 04 to 06 use 0 to 3
MUTED = (0.0, 1.0)
LIMITS = ("10", "5", "5_2")
Settings = list[dict[str, Any]]


def plan(part: str) -> Settings:
    """Return the settings of `score` for a part of the test.

    "short" is 600 fetches, of telling and of silent links, "without" the same for Prospector less
    one of its parts, "limits" has limits on the pages of a domain, "long" is the paper's length,
    "wikispeedia" the real web of 4,604 pages.
    """
    mine = "prospector"
    if part == "short":
        return _settings((mine, *OTHERS), FRESH, [{"muted": share} for share in MUTED])
    if part == "without":
        return _settings(tuple(WITHOUT), FRESH, [{"muted": share} for share in MUTED])
    if part == "limits":
        return _settings((mine, *OTHERS), FRESH[:4], [{"limit": limit} for limit in LIMITS])
    if part == "long":
        four = (mine, "tres", "linear", "best-first")
        return _settings(four, [0], [{"budget": 20_000}])
    if part == "wikispeedia":
        real = {"web": "wikispeedia", "budget": 400}
        return _settings((mine, *OTHERS), FRESH[:5], [real])
    raise ValueError(f"part={part!r}: use one of {', '.join(PARTS)}")


PARTS = ("long", "short", "wikispeedia", "without", "limits")


def _settings(policies: tuple[str, ...], seeds: Any, ways: Settings) -> Settings:
    return [
        {"policy": policy, "topic": topic, "web_seed": seed, "budget": 600, **way}
        for seed in seeds
        for topic in TOPICS
        for way in ways
        for policy in policies
    ]


def score(policy: str, topic: str, **setting: Any) -> dict[str, float]:
    """Return what a crawl found, in per cent of its budget, and on how many domains.

    Arguments are those of `tres.trial`. ``true`` is by the web's ground truth, where a page
    without one counts as irrelevant; ``harvest`` by the classifier; ``first`` is ``true`` after
    100 fetches. A crawl that ends early has found nothing in what is left.
    """
    log = trial(policy, topic, **setting)
    steps = log[log["step"] > 0]
    relevant = steps["relevant_true"].fillna(False).astype(bool)
    budget = setting["budget"]
    found = log[(log["reward"] > 0) & log["relevant_true"].fillna(False).astype(bool)]
    return {
        "true": 100 * relevant.sum() / budget,
        "harvest": 100 * steps["reward"].sum() / budget,
        "first": 100 * relevant[:100].mean(),
        "domains": found["domain"].nunique(),
        "fetched": len(steps),
    }


def main(folder: Path) -> None:
    """Run all parts and write their tables into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        table = run_sweep(score, plan(part), together=["web_seed", "topic"])
        table.to_parquet(folder / f"prospector-{part}.parquet", index=False)
        print(part, len(table))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
