"""Each policy's crawl of 300 fetches is the one recorded before the loop became ask and tell."""

import hashlib
import json
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import pytest

import tres_webs as web
from tres_book.crawls.sb import SleepingBandit
from tres_lib import focused
from tres_lib.focused.baselines.seedfinder import searching
from tres_lib.focused.drivers import GROW, History, drive
from tres_lib.focused.fetching import fetched

GOLDEN = Path(__file__).parents[2] / "golden" / "crawls.json"
RECORDED = json.loads(GOLDEN.read_text())
# With eight pages in flight, of which a fixed generator draws the next to arrive; "bounded": with
# MAX (5, 2), and errors skipped.
IN_FLIGHT = json.loads(GOLDEN.with_name("in_flight.json").read_text())
GROWING = json.loads(GOLDEN.with_name("growing.json").read_text())  # one more for each 20 rows
# Each policy crawls the laboratory; elsewhere and in flight crawl those that differ most.
DIFFER = "tres", "async", "ache", "seedfinder", "prospector"
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
    how = {"policy": named(policy, site), "budget": 300, "progress": False}
    result = focused.crawl(site, seeds, "food", **how)
    return identity(result.log, result.stopped) | {"domains": result.domains}


def named(policy, site):
    """Return the policy of a name in the golden files, some of which are the book's."""
    made = {
        "ache-global": partial(focused.Ache, scheduler="global"),
        "seedfinder": partial(searching(site), scheduler="turns"),
        "seedfinder-global": partial(searching(site), scheduler="global"),
        "sb": SleepingBandit,
    }
    return made.get(policy, policy)


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
@pytest.mark.parametrize("name", [n for n in RECORDED if "vital" in n or n.split()[1] in DIFFER])
def test_a_crawl_is_the_recorded_one(name):
    where, policy = name.split()
    assert record(policy, place(where)) == RECORDED[name]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [n for n in IN_FLIGHT if "bounded" in n and n.split()[0] in DIFFER]
)
def test_a_crawl_with_eight_in_flight_is_the_recorded_one(name):
    policy, *bounded = name.split()
    bounds = {"max_per_domain": (5, 2), "errors": "skip"} if bounded else {}
    site, arrivals, started = place("vital"), np.random.default_rng(8), []
    seeds = site.seeds("food", 3, np.random.default_rng(0))
    settings = {"policy": named(policy, site), "budget": 300, **bounds}
    truth = partial(site.is_relevant, topic="food")
    crawl = focused.Crawl(seeds, "food", truth=truth, **settings)
    while crawl.ending is None:
        while len(started) < 8 and (url := crawl.ask()) is not None:
            started.append(url)
        url = started.pop(int(arrivals.integers(len(started))))
        try:
            crawl.tell(url, site.fetch(url))
        except web.FetchError as error:
            crawl.tell(url, error)
    assert identity(crawl.result().log, crawl.ending) == IN_FLIGHT[name]


class Played:
    """A fetcher: of the pages in flight, a fixed generator draws the next to arrive."""

    def __init__(self, site):
        self.site, self.rng, self.urls = site, np.random.default_rng(8), []

    def start(self, url):
        self.urls.append(url)

    def next(self):
        url = self.urls.pop(int(self.rng.integers(len(self.urls))))
        return fetched(self.site, url, lambda: 0.0)


def grown(policy, site):
    """Return what identifies a crawl whose pages in flight grow, up to eight."""
    seeds = site.seeds("food", 3, np.random.default_rng(0))
    settings = {"policy": named(policy, site), "budget": 300, "in_flight": 8}
    crawl = focused.Crawl(seeds, "food", truth=partial(site.is_relevant, topic="food"), **settings)
    ending = drive(crawl, Played(site), History(None), grow=GROW)
    return identity(crawl.result().log, ending)


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["tres", "prospector"])
def test_a_crawl_whose_pages_in_flight_grow_is_the_recorded_one(policy):
    assert grown(policy, place("vital")) == GROWING[policy]
