"""Chapter 05 on webs of the third law: Tables 3 and 4 where outside links are as on Debian's sites.

The plan and the rules of data/third_law_rules.yaml were committed before any learner ran on this
law. Webs 30 to 39 serve it alone.
"""

import pandas as pd

from ..crawls.comparison import JUDGE, TRUTH, ahead, paper_table
from ..crawls.record import crawls_of
from ..crawls.sweeps import ALL_LIMITS, NO_LIMIT, THIRD, TOPICS, Crawlers, plan
from ..intervals import summarise
from ..study.claims import Found
from ..study.study import Study
from .c05_comparison import LOW, OF_PAPER, at_limits, without_limit

WEBS = range(30, 40)
SWEPT_WEBS = WEBS[:3]
SHARES = (0.25, 0.5, 1.0)  # of the small sites written by hand; 0 is Table 3's run
OTHER_SITES = (1_000_000, 10_000_000)
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

    Other methods are the paper's own. ``ends`` are the whole `OF_TABLE_3`.
    """
    papers, lengths = ends[ends["policy"].isin(OF_PAPER)], f"{int(ends['budget'].max()):,} fetches"
    own = ends[ends["policy"] == "tres"]
    known = of_best_known(ends[ends["limit"] == "5_2"])
    coded = ends[ends["policy"].isin(["tres", "tres-as-coded"])]
    more = ahead(coded, JUDGE, policy="tres-as-coded")
    tables = {
        "tres-level-at-limits": of_papers_level(own[own["limit"].isin(LOW)]),
        "tres-of-best-known": known[known["policy"] == "tres"],
        "tres-settings-as-coded": summarise(more, ["topic", "limit"], "lead"),
    }
    found = without_limit(papers) | at_limits(papers)
    found |= {claim: Found.least(table, lengths) for claim, table in tables.items()}
    return {f"{claim}-third-law": value for claim, value in found.items()}


def of_papers_level(ends: pd.DataFrame) -> pd.DataFrame:
    """Return the harvest rates of crawlers over the paper's, by topic, policy and limit."""
    printed = paper_table("table 3").drop(columns=["crawler", "domains"])
    both = ends.merge(printed, on=["topic", "policy", "limit"])
    both["of the paper's"] = both[JUDGE] / both["harvest rate %"]
    return summarise(both, ["topic", "policy", "limit"], "of the paper's")


def of_best_known(ends: pd.DataFrame) -> pd.DataFrame:
    """Return true harvest over the best known, the highest mean of a crawler, by topic and limit.

    Those that know the truth count, too.
    """
    cells = ["topic", "limit"]
    means = ends.groupby([*cells, "policy"], sort=False)[TRUTH].mean()
    best = means.groupby(cells).max().rename("best known").reset_index()
    both = ends.merge(best, on=cells)
    both["of the best known"] = both[TRUTH] / both["best known"]
    return summarise(both, [*cells, "policy"], "of the best known")


def by_hand(ends: pd.DataFrame) -> pd.DataFrame:
    """Return the mean harvest rates of TRES_5_2 by the share of small sites written by hand.

    A row a topic, a column a share, then the paper's level and whether it lies ``between`` the
    least and the greatest. Webs count in which TRES ran at all shares.
    """
    own = ends[(ends["policy"] == "tres") & (ends["limit"] == "5_2")].fillna({"handmade": 0.0})
    rates = own.pivot(index=["topic", "web_seed"], columns="handmade", values=JUDGE).dropna()
    table = rates.groupby("topic").mean()
    low, high = table.min(axis=1), table.max(axis=1)
    printed = paper_table("table 3").query("policy == 'tres' and limit == '5_2'")
    table["paper"] = printed.set_index("topic")["harvest rate %"]
    return table.assign(between=table["paper"].between(low, high))
