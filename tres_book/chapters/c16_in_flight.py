"""Chapter 16: what a crawl finds with many pages in flight, against one at a time.

The plan, its webs and data/in_flight_rules.yaml were fixed before any of these crawls ran.
"""

import hashlib
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.focused.drivers import crawl
from tres_lib.focused.fetching import Visit, fetched
from tres_webs import Web, Wrapper

from ..crawls.sweeps import LONG, TOPICS
from ..crawls.trial import begin, open_web
from ..intervals import mean_interval
from ..study import results
from ..study.claims import Found
from ..study.findings import Figure
from ..study.study import Study, grid

NAME = "in-flight"
WEBS = range(410, 420)
LAWS = {"second": "large-site web", "vital": "small-site web"}
IN_FLIGHT = (1, 256)
LENGTHS = (5_000, LONG["budget"])  # fetches at which a crawl is read, the last its budget


class AnyOrder(Wrapper):
    """A web whose pages in flight arrive in random order, as a fetcher for `focused.crawl`."""

    def __init__(self, web: Web, rng: np.random.Generator):
        super().__init__(web)
        self._rng, self._n = rng, 0
        self._urls: list[str] = []

    def start(self, url: str) -> None:
        """Put a URL on its way."""
        self._urls.append(url)

    def next(self) -> Visit:
        """Return any of those on their way; the clock counts arrivals."""
        self._n += 1
        url = self._urls.pop(int(self._rng.integers(len(self._urls))))
        return fetched(self.web, url, lambda: float(self._n))


def studies() -> dict[str, Study]:
    """Return the pairs of crawls, with one page at a time and with many in flight."""
    settings = grid(web=LAWS, web_seed=WEBS, topic=TOPICS, in_flight=IN_FLIGHT)
    settings = [s | {"sites": LONG["sites"], "budget": LENGTHS[-1]} for s in settings]
    return {NAME: Study(NAME, trial, settings, ("web", "web_seed", "topic"))}


def trial(
    web: str, web_seed: int, topic: str, in_flight: int, sites: int, budget: int
) -> dict[str, Any]:
    """Crawl a VitalWeb by Prospector, with so many pages in flight once it has grown to them.

    On the "second" law errors are no steps, and the classifier accepts the seed page. ``true`` and
    ``harvest`` are lists: relevant pages in per cent of the fetches after each of `LENGTHS`, by the
    truth and by the classifier. ``log`` is a hash of the URLs fetched.
    """
    place, errors = open_web(web, web_seed, sites), "skip" if web == "second" else "count"
    how = begin(place, web, topic, web_seed, 20, errors)
    shuffled = AnyOrder(place, np.random.default_rng([web_seed, in_flight]))
    result = crawl(shuffled, policy="prospector", budget=budget, in_flight=in_flight, **how)
    steps = result.log[result.log["step"] > 0]
    step, truth = steps["step"], steps["relevant_true"].fillna(False).astype(bool)
    lengths = [min(n, budget) for n in LENGTHS]
    return {
        "true": [float(100 * truth[step <= n].sum() / n) for n in lengths],
        "harvest": [float(100 * steps["reward"][step <= n].sum() / n) for n in lengths],
        "domains": result.domains,
        "log": hashlib.sha256("\n".join(steps["url"]).encode()).hexdigest()[:16],
    }


def runs() -> pd.DataFrame:
    """Return the stored crawls, a row a length in ``fetches``."""
    table = results.stored(NAME)
    both = table.assign(fetches=[list(LENGTHS)] * len(table))
    long = both.explode(["fetches", "true", "harvest"], ignore_index=True)
    return long.astype({"fetches": int, "true": float, "harvest": float})


def losses(runs: pd.DataFrame, law: str, fetches: int) -> pd.Series:
    """Return by web what many in flight find more than one at a time, points, mean of topics."""
    some = runs[(runs["web"] == law) & (runs["fetches"] == fetches)]
    wide = some.pivot(index=["web_seed", "topic"], columns="in_flight", values="true")
    return (wide[IN_FLIGHT[-1]] - wide[1]).groupby("web_seed").mean()


def findings() -> dict[str, Found]:
    """Return what was found of each claim."""
    table = runs()
    return {
        f"in-flight-{n}": Found.mean(losses(table, "second", n), f"{n:,} fetches") for n in LENGTHS
    }


def figures() -> dict[str, Figure]:
    """Return what the chapter's sentences say of the small-site web."""
    small = {n: losses(runs(), "vital", n) for n in LENGTHS}
    return {f"small_{n}": Figure(*mean_interval(x), len(x)) for n, x in small.items()}
