"""The watch on webs that evolve, beside fixed splits of its bandwidth: requests served.

The watch was developed on webs 0 to 9. All settings, and the claim's rule, were fixed before one of
`WEBS` was drawn.
"""

import tempfile
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.topics import CachedScorer, classifier
from tres_live.watching.beliefs import rank
from tres_live.watching.clock import DAY, VirtualClock
from tres_live.watching.judging import Judge
from tres_live.watching.links import Choice, Shares
from tres_live.watching.pages import highest
from tres_live.watching.store import State, Store
from tres_live.watching.watch import Watch
from tres_webs import VitalWeb
from tres_webs.checks import one_of

from ..study.study import Setting, Study
from ..world import EvolvingWeb
from ..world.simulation import choose

NAME = "evolving"  # of the study
WEBS = range(500, 510)
SPLITS = [  # the simplex in steps of a fifth, a fifteenth at least for each kind
    [round((1 + 3 * part) / 15, 4) for part in (links, pages, 4 - links - pages)]
    for links in range(5)
    for pages in range(5 - links)
]
ARMS = ("link", "page", "hub")
HAD = "SELECT time, arm, url.url FROM look JOIN url USING (row) WHERE reason = '' ORDER BY look"
_web = lru_cache(maxsize=1)(partial(VitalWeb, law="first"))
MODEL = 1.5, 0.2  # the half-life and what lasts: the defaults of `watch`


class Split(Watch):
    """Gives each kind of fetch a fixed share; within a kind it ranks as the watch does."""

    def __init__(self, shares: Sequence[float], store: Store, state: State, *how: Any):
        super().__init__(store, state, *how)
        state.shares = Free(state.common, 1.0)
        self._shares = np.array(shares)
        self._credit = np.zeros(len(ARMS))

    def choose(self, day: float) -> Choice | None:
        state, pages = self.state, self.state.pages
        pages.renew(day)
        self._credit += self._shares
        roles = rank(pages.records, np.arange(len(pages)), state.common, day, state.hosts.busy())
        link = state.links.best(day, state.shares.over)
        best = [link, *map(highest, roles)]
        able = np.array([float(one is not None) for one in best])
        arm = choose(able, np.arange(len(ARMS)), self._shares, self._credit)
        if arm < 0:
            return None
        self._credit[arm] -= 1.0
        return best[arm]


class Free(Shares):
    """No domain is held back."""

    def charge(self, url: str) -> None:
        pass


def studies() -> dict[str, Study]:
    """Return the study ``evolving``: the watch and all `SPLITS` on each of `WEBS`.

    FIFO's code has left; its runs are stored.
    """
    where = {"topic": "sports", "sites": 200, "bandwidth": 50.0, "days": 75.0, "warm_up": 25.0}
    policies = [("watch", []), *(("split", split) for split in SPLITS), ("fifo", [])]
    settings = [
        {"web_seed": web, "policy": policy, "shares": shares, **where}
        for web, (policy, shares) in product(WEBS, policies)
    ]
    return {NAME: Study(NAME, trial, settings, ("web_seed",), repeats=_is_here)}


def _is_here(setting: Setting) -> bool:
    return setting["policy"] != "fifo"


def trial(
    web_seed: int,
    policy: str,
    shares: Sequence[float],
    topic: str,
    sites: int,
    bandwidth: float,
    days: float,
    warm_up: float,
) -> dict[str, Any]:
    """Watch an `EvolvingWeb` with the default classifier of a topic, on a virtual clock.

    Policies are "watch" and "split", with these shares of links, known pages and hubs. The
    bandwidth is in fetches a day; in the warm-up nothing counts. ``served`` is requests a day for
    relevant pages, by the truth, that a current copy served, ``of_news`` those for what was
    published meanwhile; ``link``, ``page`` and ``hub`` are fetches a day by their higher value.
    """
    make: dict[str, Callable[..., Watch]] = {"watch": Watch, "split": partial(Split, shares)}
    one_of("policy", policy, [*make])
    clock = VirtualClock(0.0)
    web = EvolvingWeb(_web(web_seed, sites), lambda: clock.now() / DAY)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder, "w"))
        state = store.load(topic, *MODEL, bandwidth, 0.0)
        judge = Judge(_classifier(topic))
        with make[policy](store, state, web, judge, None, clock, days) as watch:
            watch.add_seeds(web.seeds(topic, 3, web_seed))
            price = watch.run().price
            if watch.stopped:  # by a signal: no result
                raise KeyboardInterrupt
            had = store.rows(HAD)
    fetches = pd.DataFrame(had, columns=["day", "arm", "url"])
    fetches["day"] /= DAY
    counts = fetches["arm"][fetches["day"] >= warm_up].value_counts()
    served = requests_served(web, fetches, topic, days, warm_up)
    return {
        "served": sum(served.values()) / (days - warm_up),
        "of_news": served["news"] / (days - warm_up),
        **{arm: float(counts.get(arm, 0.0)) / (days - warm_up) for arm in ARMS},
        "price": price,
    }


def requests_served(
    web: EvolvingWeb, fetches: pd.DataFrame, topic: str, until: float, since: float = 0.0
) -> dict[str, float]:
    """Return the requests, for ``news`` and for ``old`` pages, that a copy still true served.

    They count from day `since` to `until`, for pages on the topic; `fetches` are in order of time.
    """
    served = dict.fromkeys(("news", "old"), 0.0)
    for url, days in fetches.groupby("url", sort=False)["day"]:
        if not web.at(until).is_relevant(url, topic):
            continue
        ends = [*days[1:], until]
        total = sum(
            web.served(url, day, end) - web.served(url, day, min(end, since))
            for day, end in zip(days, ends, strict=True)
        )
        served["old" if web.at(until).born(url) is None else "news"] += total
    return served


def margins(runs: pd.DataFrame) -> pd.DataFrame:
    """Return by web what the watch served over its rivals, less 1.

    Rivals are the best ``split`` of the web in hindsight, which is also the luckiest of many, and
    the split that is best for all webs, ``common``.
    """
    best = runs.pivot_table(index="web_seed", columns="policy", values="served", aggfunc="max")
    splits = runs[runs["policy"] == "split"]
    shares = splits["shares"].map(str)
    each = splits.pivot_table(index="web_seed", columns=shares, values="served")
    best["common"] = each[np.log(each).mean().idxmax()]
    return pd.DataFrame({rival: best["watch"] / best[rival] - 1 for rival in ("split", "common")})


@lru_cache(maxsize=1)
def _classifier(topic: str) -> CachedScorer:
    """Return a topic's KwBiLSTM; the runs of a process share its scores."""
    return CachedScorer(classifier(topic))
