"""Chapter 1: the conditions of the stored crawls, a row a web and topic."""

from typing import Any

import numpy as np
import pandas as pd

from tres_lib.topics import page_text
from tres_webs import ReplayWeb

from ..crawls import matched
from ..crawls.conditions import reached, survey
from ..crawls.real_sites import BUDGET, NAME, SEEDS, SITES
from ..crawls.sweeps import LONG, THIRD, TOPICS
from ..crawls.trial import accepted_seed, amount_of, classifier_of, open_web
from ..study import results
from ..study.study import Study, grid

LAWS = {"vital": LONG["sites"], "second": LONG["sites"], "third": THIRD["sites"]}  # sites
WEBS = range(3)
SAYS = {"vital": "small-site web", "second": "large-site web", "third": "third law"}
SMALL = "wikispeedia"
COLUMNS = [
    *("pages in all", "sites in all", "relevant", "reachable", "seeds", "budget", "supply"),
    *("precision", "recall"),
]


def studies() -> dict[str, Study]:
    """Return what there is of each topic on the laboratory's webs and on Wikispeedia."""
    settings = [
        {"web": web, "sites": sites, **draw}
        for web, sites in LAWS.items()
        for draw in grid(web_seed=WEBS, topic=TOPICS)
    ]
    small = grid(web=[SMALL], topic=TOPICS)
    study = Study("conditions", conditions, settings + small, ("web", "web_seed"))
    return {study.name: study}


def conditions(topic: str, web: str, web_seed: int = 0, sites: int = 0) -> dict[str, Any]:
    """Return the conditions of a crawl, as of `conditions.survey`, with its classifier as judge."""
    judge = classifier_of(topic, 20, amount_of(web))[0]
    place: Any = open_web(web, web_seed, sites)
    if web == SMALL:
        return _of_recording(place, topic, judge)
    return survey(place, topic, judge, [accepted_seed(place, topic, web_seed, judge)])


def _of_recording(web: ReplayWeb, topic: str, judge: Any) -> dict[str, Any]:
    """Return the same of a recorded web, all of whose pages are judged."""
    urls = list(web.urls())
    truth = np.array([bool(web.is_relevant(url, topic)) for url in urls])
    taken = judge.proba([page_text(web.fetch(url)) for url in urls]) >= 0.5
    seeds = web.seeds(topic, SEEDS, 0)
    met = reached(seeds, lambda url: {k.url for k in web.fetch(url).links if k.url in web})
    return {
        "pages in all": len(urls),
        "sites in all": 1,
        "relevant": int(truth.sum()),
        "reachable": sum(bool(web.is_relevant(url, topic)) for url in met) - len(seeds),
        "seeds": len(seeds),
        "precision": float(truth[taken].mean()),
        "recall": float(taken[truth].mean()),
    }


def table() -> pd.DataFrame:
    """Return the conditions by web and topic, means over webs or draws of seeds.

    The supply is what links reach, where that is not known all relevant pages, over the budget.
    """
    lab, real, there = map(results.stored, ("conditions", "real-sites-topics", "matched-webs"))
    known = {"pages in all": matched.PAGES, "sites in all": SITES, "seeds": SEEDS}
    reach = real["reachable"].map(np.mean)
    lab["budget"] = np.where(lab["web"] == SMALL, BUDGET, LONG["budget"])
    there["budget"] = there["arm"].map(lambda arm: matched.ARMS[arm].budget)
    parts = [
        lab.assign(web=lab["web"].replace(SAYS)),
        real.assign(**known, reachable=reach, budget=BUDGET, web=f"{NAME}, real"),
        there.assign(web="17: " + there["arm"]),
    ]
    every = pd.concat(parts, ignore_index=True)
    reached = every["reachable"].astype(float).fillna(every["relevant"].astype(float))
    every["supply"] = reached / every["budget"]
    numbers = every[COLUMNS].astype(float).rename(columns=lambda name: name.removesuffix(" in all"))
    return numbers.groupby([every["web"], every["topic"].str.replace("_", " ")], sort=False).mean()


def short(value: float) -> str:
    """Return a number of the table as text: three digits, millions as M, thousands as k."""
    if value >= 1e6:
        return f"{value / 1e6:.3g}\N{NO-BREAK SPACE}M"
    if value >= 1e4:
        return f"{value / 1e3:.3g}\N{NO-BREAK SPACE}k"
    return f"{value:,.0f}" if value >= 2 or value == 1 else f"{value:.2f}"
