"""Chapter 06: who leads by supply, the relevant pages that links reach over a crawl's budget.

The second law with another share of the topic, all else as at the map's first point. The plan and
webs 25 to 29 were fixed before any of these crawls ran.
"""

from typing import Any

import numpy as np
import pandas as pd

from tres_lib.intervals import summarise
from tres_lib.web import LAWS

from ..crawls.latest import latest
from ..crawls.matched import nearest_share, relevant_pages, web_with
from ..crawls.plan import TOPICS
from ..crawls.trial import accepted_seed, classifier_of, remembering
from ..study.plan import Study, grid
from .c06_structure import POLICIES, SITES, end_of

WEBS = range(25, 30)
BUDGET = 5_000
PLENTY, PLENTY_SITES = "plenty", 100_000  # with the law's own shares
# Odd pages alone, which any site has, put 200 to 1,700 of 20,000 sites' pages on a topic: too many.
FEWER_SITES = {"0.1": 2_000, "0.3": 5_000}
SUPPLIES = ("0.1", "0.3", "1", "3", "10", PLENTY)
NEAR = np.geomspace(0.2, 5.0, 40)  # times the share expected, from which that of a web is taken


def studies() -> dict[str, Study]:
    """Return the crawls by supply, those of `POLICIES` and of the oracle."""
    settings = grid(
        supply=SUPPLIES, web_seed=WEBS, topic=TOPICS, policy=(*POLICIES, "oracle"), budget=[BUDGET]
    )
    together = ("supply", "web_seed", "topic")
    study = Study("second-supply", supplied, settings, together, under_way=True)
    return {study.name: study}


def supplied(
    supply: str, policy: str, topic: str, *, web_seed: int, budget: int, sites: int | None = None
) -> dict[str, Any]:
    """Return the end of one crawl where a topic is so rare, and how many pages are ``on topic``.

    Links reach nearly all of these; `matched-webs` has their share on smaller webs.
    """
    sites = sites or FEWER_SITES.get(supply, SITES)
    place, relevant = _web(supply, topic, web_seed, budget, sites)
    classifier, keywords = classifier_of(topic, 20, "paper")
    seeds = [accepted_seed(place, topic, web_seed, classifier)]
    end = end_of(policy, topic, place, web_seed, seeds, classifier, keywords, budget)
    return end | {"on topic": relevant}


@latest
def _web(supply: str, topic: str, seed: int, budget: int, sites: int) -> tuple[Any, int]:
    """Return the web, and how many of its pages are on the topic."""
    if supply == PLENTY:
        web = web_with(None, topic, seed, max(sites, PLENTY_SITES))
        return remembering(web), relevant_pages(web, topic)
    wanted = float(supply) * budget
    shares = NEAR * wanted / LAWS["second"].sites.sizes(sites).sum()
    share, relevant = nearest_share(topic, seed, sites, wanted, shares.tolist())
    return remembering(web_with(share, topic, seed, sites)), relevant


def of_best_known(ends: pd.DataFrame) -> pd.DataFrame:
    """Return what crawlers find by the truth over the best known, by supply and policy.

    That is the best crawl of a web and topic, the oracle's among them.
    """
    cells = ["supply", "topic", "web_seed"]
    best = ends.groupby(cells)["by the truth"].transform("max")
    share = ends.assign(share=ends["by the truth"] / best.where(best > 0))
    table = summarise(share.dropna(subset="share"), ["supply", "policy"], "share")
    order = {name: i for i, name in enumerate(SUPPLIES)}
    return table.sort_values("supply", key=lambda column: column.map(order), kind="stable")
