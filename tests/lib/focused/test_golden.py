"""Each policy's crawl of 300 fetches is the one recorded before the loop became ask and tell."""

import hashlib
import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from tres_lib import focused, web
from tres_lib.focused.crawl import open_crawl
from tres_lib.focused.fetcher import Fetcher
from tres_lib.focused.result import make_log
from tres_lib.focused.settings import CrawlSettings

GOLDEN = Path(__file__).parents[2] / "golden" / "crawls.json"
RECORDED = json.loads(GOLDEN.read_text())
# With eight pages in flight, of which a fixed generator draws the next to arrive; "bounded": with
# MAX (5, 2), and errors skipped.
IN_FLIGHT = json.loads(GOLDEN.with_name("in_flight.json").read_text())
COLUMNS = ("step", "url", "parent", "domain", "reward", "depth", "frontier", "leaves")


@lru_cache
def place(name):
    if name == "vital":
        return web.VitalWeb(seed=0, law="first")
    if web.wikispeedia_folder() is None:
        pytest.skip("Wikispeedia's archives are not at hand")
    return web.ReplayWeb.from_wikispeedia()


def record(policy, site):
    """Return what identifies a crawl: a hash of its log with q to six digits, and totals."""
    seeds = site.seeds("food", 3, np.random.default_rng(0))
    result = focused.crawl(site, seeds, "food", policy=policy, budget=300, progress=False)
    return identity(result.log, result.stopped) | {"domains": result.domains}


def identity(log, stopped):
    digest = hashlib.sha256()
    for column in COLUMNS:
        digest.update("\n".join(map(str, log[column].tolist())).encode())
    q = log["q"].fillna(-1).to_numpy(float)
    digest.update("\n".join(f"{value:.6g}" for value in q).encode())
    return {
        "log": digest.hexdigest()[:24],
        "rows": len(log),
        "relevant": int(log["reward"].iloc[3:].sum()),
        "stopped": str(stopped),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_a_crawl_is_the_recorded_one(name):
    where, policy = name.split()
    assert record(policy, place(where)) == RECORDED[name]


class Played(Fetcher):
    """Of the pages in flight, a fixed generator draws the next to arrive."""

    def __init__(self, site):
        super().__init__(site)
        self.rng = np.random.default_rng(8)

    def _arrival(self):
        return self._visit(self._asked.pop(int(self.rng.integers(len(self._asked)))))


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_FLIGHT)
def test_a_crawl_with_eight_in_flight_is_the_recorded_one(name):
    policy, *bounded = name.split()
    bounds = {"max_per_domain": (5, 2), "errors": "skip"} if bounded else {}
    site = place("vital")
    seeds = site.seeds("food", 3, np.random.default_rng(0))
    settings = {"policy": policy, "budget": 300, "in_flight": 8, **bounds}
    crawler = open_crawl(site, CrawlSettings.of(seeds, "food", **settings))
    crawler.fetcher = Played(site)
    ending = crawler.run(progress=False)
    assert identity(make_log(crawler.rows), ending) == IN_FLIGHT[name]
