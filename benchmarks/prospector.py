"""What Prospector costs: CPU milliseconds of its own a step, and bytes a URL.

    OMP_NUM_THREADS=1 python benchmarks/prospector.py --budgets 5000 20000 --topic sports

Its own is what its methods take, the second reading of pages by the trap guard included and told
apart. Goals: 2 ms a step at 5,000 and at 20,000 fetches, flat, and 300 bytes a URL.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import numpy as np
import pandas as pd

import tres_webs as web
from tres_lib import focused, topics
from tres_lib.ours.prospector.prospector import Prospector

PARTS = ("choose", "take", "learn", "add", "drop")


class Timed(Prospector):
    """Prospector with the CPU seconds of each of its methods, by step."""

    def __init__(self, context):
        self.seconds: list[dict[str, float]] = [{}]
        super().__init__(context)
        self._lines._proba = self._timed("guard", self._lines._proba)
        self.model.fit = self._timed("fits", self.model.fit)
        for part in PARTS:
            setattr(self, part, self._timed(part, getattr(self, part)))

    def _timed(self, part, function):
        def call(*arguments):
            start = time.process_time()
            try:
                return function(*arguments)
            finally:
                if part == "choose":
                    self.seconds.append({})
                spent = time.process_time() - start
                self.seconds[-1][part] = self.seconds[-1].get(part, 0.0) + spent

        return call


def report(result: focused.CrawlResult) -> None:
    """Print what a crawl cost."""
    ms = 1000 * pd.DataFrame(result.policy.seconds[1:]).fillna(0.0)
    ms["own"] = ms[list(PARTS)].sum(axis=1)
    fifth = np.minimum(np.arange(len(ms)) * 5 // len(ms) + 1, 5)
    print(ms.groupby(fifth).mean().rename_axis("fifth").round(2).to_string())
    print(
        f"mean: {ms['own'].mean():.2f} ms a step of its own, {ms['guard'].mean():.2f} in the guard"
    )
    evidence = result.policy.evidence
    tables = sum(table.nbytes for table in evidence.tables) + result.policy._score.nbytes
    n = evidence.n_urls
    print(
        f"{tables / n:.0f} bytes a URL in tables ({n:,} URLs, {result.frontier.n_actions:,} links)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budgets", type=int, nargs="+", default=[5_000, 20_000])
    parser.add_argument("--topic", default="sports")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    place = web.VitalWeb(given.seed)
    seeds = place.seeds(given.topic, 1, given.seed)
    options = {"classifier": topics.classifier(given.topic), "rng": given.seed}
    crawl = partial(focused.crawl, place, seeds, given.topic, policy=Timed, **options)
    crawl(budget=20)  # compiles
    for budget in given.budgets:
        print(f"{budget:,} fetches")
        report(crawl(budget=budget))


if __name__ == "__main__":
    main()
