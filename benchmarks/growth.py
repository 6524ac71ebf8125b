"""How many pages may be in flight while little is known: what one more for each so many rows gives.

    OMP_NUM_THREADS=1 python benchmarks/growth.py

Crawls of the large-site law on development webs, arrivals in random order; `drivers.GROW` was fixed
by them (docs/decisions/ask-and-tell.md).
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from tres_book.crawls.plan import TOPICS
from tres_book.crawls.trial import accepted_seed, classifier_of, open_web
from tres_lib import focused
from tres_lib.focused.drivers import Told, drive
from tres_lib.focused.visit import Visit, fetched
from tres_webs import Web

WEBS, SITES, EPOCHS = (90, 91), 20_000, 20
BUDGET, MOST = 2_000, 64
WAYS = {"one at a time": (1, 0), "all at once": (MOST, 0)}
WAYS |= {f"one more for each {n} rows": (MOST, n) for n in (5, 20, 80)}


class Played:
    """Fetches of which a generator draws the next to arrive."""

    def __init__(self, web: Web, seed: int):
        self.web, self.rng, self.urls = web, np.random.default_rng(seed), []

    def start(self, url: str) -> None:
        self.urls.append(url)

    def next(self) -> Visit:
        url = self.urls.pop(int(self.rng.integers(len(self.urls))))
        return fetched(self.web, url, lambda: 0.0)


def harvest(policy: str, topic: str, seed: int, way: str) -> float:
    """Return the share of truly relevant pages, in per cent."""
    in_flight, grow = WAYS[way]
    web, (classifier, keywords) = (
        open_web("second", seed, SITES),
        classifier_of(topic, EPOCHS, "paper"),
    )
    how = {"classifier": classifier, "keywords": keywords, "errors": "skip", "rng": seed}
    crawl = focused.Crawl(
        [accepted_seed(web, topic, seed, classifier)],
        topic,
        truth=partial(web.is_relevant, topic=topic),
        policy=policy,
        budget=BUDGET,
        in_flight=in_flight,
        **how,
    )
    drive(crawl, Played(web, seed), Told(None), grow=grow)
    return 100 * crawl.result().true_harvest_rate


def main() -> None:
    """Crawl, and print the means and the runs."""
    rows = []
    for seed, topic, policy, way in product(WEBS, TOPICS, ("prospector", "tres"), WAYS):
        rows.append((policy, way, topic, seed, harvest(policy, topic, seed, way)))
        print(*rows[-1], flush=True)
    table = pd.DataFrame(rows, columns=["policy", "way", "topic", "web", "harvest"])
    print(table.pivot_table("harvest", "policy", "way", sort=False).round(1).to_string())


if __name__ == "__main__":
    main()
