"""Chapter 06: who leads by supply, the relevant pages that links reach over a crawl's budget.

The second law with another share of the topic, all else as at the first point of
`c06_structure`. The plan and webs 25 to 29 were fixed before any of these crawls ran.
"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from tres_webs import LAWS

from ..crawls.comparison import FOUND, TRUTH, ahead
from ..crawls.latest import latest
from ..crawls.matched import relevant_pages, web_with
from ..crawls.sweeps import TOPICS
from ..crawls.trial import begin, remembering
from ..intervals import summarise
from ..study import results
from ..study.findings import Figure
from ..study.study import Study, grid
from .c06_structure import POLICIES, SITES, by_judge, end_of

WEBS = range(25, 30)
BUDGET = 5_000
OF_PAPER = 0.94  # TRES found that share of 20,000 fetches in its paper, so no less was to be found
PLENTY, PLENTY_SITES = "plenty", 100_000  # with the law's own shares
# Odd pages alone, which any site has, put 200 to 1,700 of 20,000 sites' pages on a topic: too many.
FEWER_SITES = {"0.1": 2_000, "0.3": 5_000}
SUPPLIES = ("0.1", "0.3", "1", "3", "10", PLENTY)
NEAR = np.geomspace(0.2, 5.0, 40)  # times the share expected, from which that of a web is taken
# That web has seven pages from which `accepted_seed` may choose, not ten. The plan had no rule for
# it, so none was taken in its place.
WITHOUT_SEEDS = {"supply": "0.1", "web_seed": 27, "topic": "food"}


def studies() -> dict[str, Study]:
    """Return the crawls by supply, those of `POLICIES` and of the oracle."""
    settings = grid(
        supply=SUPPLIES, web_seed=WEBS, topic=TOPICS, policy=(*POLICIES, "oracle"), budget=[BUDGET]
    )
    settings = [crawl for crawl in settings if not WITHOUT_SEEDS.items() <= crawl.items()]
    together, columns = ("supply", "web_seed", "topic"), (*FOUND, "on topic")
    return {"second-supply": Study("second-supply", supplied, settings, together, columns)}


def supplied(
    supply: str, policy: str, topic: str, *, web_seed: int, budget: int, sites: int | None = None
) -> dict[str, Any]:
    """Return the end of one crawl where a topic is so rare, and how many pages are ``on topic``.

    Links reach nearly all of these; `matched-webs` has their share on smaller webs.
    """
    sites = sites or FEWER_SITES.get(supply, SITES)
    place, relevant = _web(supply, topic, web_seed, budget, sites)
    how = begin(place, "second", topic, web_seed)
    return end_of(place, policy, budget, how) | {"on topic": relevant}


@latest
def _web(supply: str, topic: str, seed: int, budget: int, sites: int) -> tuple[Any, int]:
    """Return the web, and how many of its pages are on the topic."""
    if supply == PLENTY:
        web = web_with(None, topic, seed, max(sites, PLENTY_SITES))
        return remembering(web), relevant_pages(web, topic)
    wanted = float(supply) * budget
    shares = NEAR * wanted / LAWS["second"].sites.sizes(sites).sum()
    counts = [relevant_pages(web_with(x, topic, seed, sites), topic) for x in shares.tolist()]
    best = int(np.abs(np.log(np.maximum(counts, 1) / wanted)).argmin())
    return remembering(web_with(float(shares[best]), topic, seed, sites)), counts[best]


def ends() -> pd.DataFrame:
    """Return the stored crawls with their ``at``: the mean supply of their group as it came out."""
    runs = results.stored("second-supply")
    met = (runs["on topic"] / runs["budget"]).groupby(runs["supply"]).transform("mean")
    return runs.assign(at=met)


def of_best_known(ends: pd.DataFrame) -> pd.DataFrame:
    """Return the crawls with their ``share`` by the truth of the best known, in per cent.

    That is the best crawl of a web and topic, the oracle's among them.
    """
    best = ends.groupby(["supply", "topic", "web_seed"])[TRUTH].transform("max")
    share = 100 * (ends[TRUTH] / best.where(best > 0))
    return ends.assign(share=share).dropna(subset="share").sort_values("at", kind="stable")


def leads(ends: pd.DataFrame) -> pd.DataFrame:
    """Return `by_judge` of each supply: TRES's lead over the best of its paper's rivals."""
    at = ends.groupby("supply")["at"].first()
    table = by_judge(ends.assign(point=ends["supply"])).rename(columns={"point": "supply"})
    return table.assign(at=table["supply"].map(at)).sort_values("at", kind="stable")


def figures() -> dict[str, SimpleNamespace]:
    """Return what sentences name: Prospector's shares, TRES over it, and how many firsts are sure.

    At a supply the first is surely so if it is ahead of each other crawler.
    """
    known = of_best_known(ends()).query("policy != 'oracle'")
    first = known.pivot_table("share", "policy", "supply").idxmax()

    def over_others(supply: str, policy: str) -> pd.DataFrame:
        some = known[known["supply"] == supply]
        pairs = ahead(some, "share", ["topic", "web_seed"], policy=policy)
        return summarise(pairs, "policy", "lead").set_index("policy")

    sure = sum((over_others(*pair)["low"] > 0).all() for pair in first.items())
    mine = known[
        (known["policy"] == "prospector") & known["supply"].isin(first.index[first == "prospector"])
    ]
    shares = mine.groupby("supply")["share"].mean()
    found = {
        "sure": int(sure),
        "tres_ahead": Figure(
            *over_others("0.3", "tres").loc["prospector", ["mean", "low", "high"]]
        ),
        "most_from_3": int({*shares.index} == {"3", "10", PLENTY}),
        "least": shares.min(),
        "most": shares.max(),
    }
    return {"supply": SimpleNamespace(**found)}
