"""Chapter 05 on webs of the third law: Tables 3 and 4 where outside links are as on Debian's sites.

The plan and the rules of data/third_law_rules.yaml were committed before any learner ran on this
law. Webs 30 to 39 serve it alone.
"""

import pandas as pd

from ..crawls.comparison import JUDGE
from ..crawls.record import crawls_of
from ..crawls.sweeps import ALL_LIMITS, NO_LIMIT, THIRD, TOPICS, Crawlers, plan
from ..crawls.tables import paper_table
from ..intervals import summarise
from ..study.claims import Found
from ..study.study import Study
from .c05_verdicts import at_limits, without_limit

WEBS = range(30, 40)
SWEPT_WEBS = WEBS[:3]
SHARES = (0.25, 0.5, 1.0)  # of the small sites written by hand; 0 is Table 3's run
OTHER_SITES = (1_000_000, 10_000_000)
SIX = ("random", "tree-random", "ache", "seedfinder", "async", "tres")  # the paper's crawlers
KNOWING = ("oracle", "oracle-ahead")
# What looks ahead fetches a page for each link: at limits alone, where it says more than `oracle`.
AT_LIMITS = ALL_LIMITS[1:]
TABLE_3: Crawlers = {
    **dict.fromkeys(("random", "tree-random", "tree-random-as-coded"), NO_LIMIT),
    **dict.fromkeys(("tres", "tres-as-coded", "ache", "seedfinder", "async"), ALL_LIMITS),
    **dict.fromkeys(("linear", "best-first", "prospector", "oracle"), ALL_LIMITS),
    "oracle-ahead": AT_LIMITS,
}
TABLE_4: Crawlers = {  # at the paper's limits
    "tres-nh": ("10",),
    "tres-async": ("5", "5_2"),
    "tres-svm": ("10", "5_2"),
}
SWEPT = dict.fromkeys(("tres", "linear", "prospector", "ache", *KNOWING), ("5_2",))
OF_TABLE_3 = ("third-none", "third-5_2", "third-10", "third-rest")  # studies


def studies() -> dict[str, Study]:
    """Return the crawls in the order in which they are made; each web is built once a study.

    ``third-sites`` are TRES on one web of other numbers of sites, ``third-handmade`` the sweep.
    """
    by_hand = [
        setting
        for share in SHARES
        for setting in plan(SWEPT, TOPICS, SWEPT_WEBS, **THIRD, handmade=share)
    ]
    sized = [
        setting
        for sites in OTHER_SITES
        for setting in plan({"tres": ("5_2",)}, TOPICS, WEBS[:1], **THIRD | {"sites": sites})
    ]
    plans = {
        "third-none": plan(TABLE_3, TOPICS, WEBS, NO_LIMIT, **THIRD),
        "third-5_2": plan(TABLE_3, TOPICS, WEBS, ("5_2",), **THIRD),
        "third-10": plan(TABLE_3, TOPICS, WEBS, ("10",), **THIRD),
        "third-table-4": plan(TABLE_4, TOPICS, WEBS, **THIRD),
        "third-rest": plan(TABLE_3, TOPICS, WEBS, ("100", "5"), **THIRD),
        "third-handmade": by_hand,
        "third-sites": sized,
    }
    web = ("web_seed", "sites")  # takes gigabytes, so that its runs share a process
    return {n: crawls_of(n, settings, web, under_way=True) for n, settings in plans.items()}


def findings(ends: pd.DataFrame) -> dict[str, Found]:
    """Return what the crawls of Table 3 say, by the claims of data/third_law_rules.yaml.

    Other methods are the paper's own. ``ends`` has a row a crawl, as `whole_webs` of `OF_TABLE_3`.
    """
    papers = ends[ends["policy"].isin(SIX)]
    found = without_limit(papers) | at_limits(papers)
    lengths = f"{int(ends['budget'].max()):,} fetches"
    low = ends[(ends["policy"] == "tres") & ends["limit"].isin(["10", "5", "5_2"])]
    found["tres-level-at-limits"] = Found.least(of_papers_level(low), lengths)
    last = of_best_known(ends[ends["limit"] == "5_2"])
    found["tres-of-best-known"] = Found.least(last[last["policy"] == "tres"], lengths)
    found["tres-settings-as-coded"] = Found.least(as_coded(ends), lengths)
    return {f"{claim}-third-law": value for claim, value in found.items()}


def of_papers_level(ends: pd.DataFrame) -> pd.DataFrame:
    """Return the harvest rates of crawlers over the paper's, by topic, policy and limit."""
    printed = paper_table("table 3").drop(columns=["crawler", "domains"])
    both = ends.merge(printed, on=["topic", "policy", "limit"])
    both["of the paper's"] = both[JUDGE] / both["harvest rate %"]
    return summarise(both, ["topic", "policy", "limit"], "of the paper's")


def of_best_known(ends: pd.DataFrame, judge: str = "by the truth") -> pd.DataFrame:
    """Return the harvest rates of crawlers over the best known, by topic, policy and limit.

    That is the highest mean of all crawlers over a topic's webs, those that know the truth too.
    """
    cells = ["topic", "limit"]
    means = ends.groupby([*cells, "policy"], sort=False)[judge].mean()
    best = means.groupby(cells).max().rename("best known").reset_index()
    both = ends.merge(best, on=cells)
    both["of the best known"] = both[judge] / both["best known"]
    return summarise(both, ["topic", "policy", "limit"], "of the best known")


def by_hand(ends: pd.DataFrame) -> pd.DataFrame:
    """Return the mean harvest rates of TRES_5_2 by the share of small sites written by hand.

    A row a topic, a column a share, then the paper's level and whether it lies ``between`` the
    least and the greatest. Webs count in which TRES ran at all shares.
    """
    own = ends[(ends["policy"] == "tres") & (ends["limit"] == "5_2")]
    own = own.assign(handmade=own["handmade"].fillna(0.0)) if "handmade" in own else own
    rates = own.pivot(index=["topic", "web_seed"], columns="handmade", values=JUDGE).dropna()
    table = rates.groupby("topic").mean()
    low, high = table.min(axis=1), table.max(axis=1)
    printed = paper_table("table 3").query("policy == 'tres' and limit == '5_2'")
    table["paper"] = printed.set_index("topic")["harvest rate %"]
    return table.assign(between=table["paper"].between(low, high))


def as_coded(ends: pd.DataFrame) -> pd.DataFrame:
    """Return what TRES finds more with the authors' settings, in points, by topic and limit."""
    named = ["topic", "limit", "web_seed"]
    rates = ends.pivot(index=named, columns="policy", values=JUDGE)
    rates["more"] = rates["tres-as-coded"] - rates["tres"]
    return summarise(rates.dropna(subset="more").reset_index(), ["topic", "limit"], "more")
