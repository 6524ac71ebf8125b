"""Chapter 06: what matters in TRES. Table 4 and muted links: the crawls and what they say."""

from collections.abc import Sequence

import pandas as pd

from ..crawls.comparison import JUDGE, NAMED
from ..crawls.record import crawls_of
from ..crawls.stored import ends as stored_ends, whole_webs
from ..crawls.sweeps import HARDEST, LONG, NO_LIMIT, SECOND, TOPICS, WEBS, Crawlers, plan
from ..crawls.variants import VARIANTS
from ..intervals import best_of, paired, summarise
from ..study.claims import Found
from ..study.study import Study

TABLE_4: Crawlers = {
    "tres-svm": ("10", "5_2"),
    "tres-nh": ("10",),
    "tres-async": ("5", "5_2"),
    "tres": ("10", "5", "5_2"),
}
CRAWLERS: Crawlers = dict.fromkeys([*TABLE_4, *VARIANTS], ("10",)) | TABLE_4  # the others are ours
STUDIES = ("second-table-4", "second-limits", "second-5_2")
TABLE_3, RIVALS = ("second-free", "second-5_2", "second-limits"), ("ache", "seedfinder")
MUTED = (0.9, 1.0)  # shares of URLs that say nothing; 0 is in Table 3
RULES = ("best-first", "linear")  # that learn nothing
QUIET = ("prospector", "tres", "best-first", "linear", "ache")
MEASURES = (JUDGE, "by the truth", "domains")
LENGTH = f"{LONG['budget']:,} fetches"


def studies() -> dict[str, Study]:
    """Return the ablations but TRES itself, at limit 5_2 on ten webs, and the muted crawls."""
    changed = {name: limits for name, limits in CRAWLERS.items() if name != "tres"}
    plans = {
        "second-table-4": plan(changed, TOPICS, WEBS[:5], **SECOND)
        + plan(changed, TOPICS, WEBS[5:], ("5_2",), **SECOND),
        "second-muted": [
            setting
            for share in MUTED
            for setting in plan(
                dict.fromkeys(QUIET, NO_LIMIT), TOPICS, WEBS[:5], **SECOND, muted=share
            )
        ],
    }
    return {name: crawls_of(name, settings) for name, settings in plans.items()}


def ends() -> pd.DataFrame:
    """Return the ends of the crawls by TRES and its ablations."""
    return whole_webs(STUDIES, list(CRAWLERS))


def gains(ends: pd.DataFrame) -> pd.DataFrame:
    """Return how far TRES is ahead of each ablation, paired by web, in points or domains."""
    tables = []
    for name in MEASURES:
        pairs = paired(ends, name, NAMED, {"policy": "tres"})
        columns = {
            "measure": name,
            "gain": pairs["reference"] - pairs[name],
            "ratio": pairs["reference"] / pairs[name].clip(lower=1),
        }
        tables.append(pairs.assign(**columns))
    return pd.concat(tables, ignore_index=True)


def findings(own: pd.DataFrame) -> dict[str, Found]:
    """Return what was found of each claim of the chapter; `own` are the `ends`."""
    others = whole_webs(TABLE_3, RIVALS)
    sync = stored_ends("table-3-sync").assign(hours=lambda table: table["cpu"] / 3_600)
    quiet = stored_ends("second-muted")
    return {
        **table_4(gains(own)),
        **svm(own, others, RIVALS),
        "tres-sync-infeasible": Found.most(summarise(sync, "topic", "hours"), LENGTH),
        "crawlers-where-links-are-silent": silent_links(quiet),
        "crawlers-where-most-links-are-silent": silent_links(quiet, 0.9),
    }


def svm(own: pd.DataFrame, others: pd.DataFrame, rivals: Sequence[str]) -> dict[str, Found]:
    """Return what Section 3.6.2 says of TRES_SVM, by claim; `rivals` are ACHE and SeedFinder."""
    pairs = paired(own, JUDGE, NAMED, {"policy": "tres"}).query("policy == 'tres-svm'")
    pairs = pairs.assign(remains=pairs[JUDGE] / pairs["reference"])[[*NAMED, "remains"]]
    remains = paired(pairs, "remains", ["limit", "web_seed"], {"topic": HARDEST})
    remains["share"] = remains["reference"] / remains["remains"]
    remains = best_of(remains, "share", ["limit"], "topic")  # the topic in which it keeps less

    runs = [own[own["policy"] == "tres-svm"], others[others["policy"].isin(rivals)]]
    runs = pd.concat(runs, ignore_index=True)
    ten = paired(runs[runs["limit"] == "10"], JUDGE, NAMED, {"policy": "tres-svm"})
    ten["lead"] = ten["reference"] - ten[JUDGE]
    last = {"policy": "tres-svm", "limit": "5_2"}
    sites = paired(runs, "domains", ["topic", "web_seed"], last)
    sites["ratio"] = sites["reference"] / sites["domains"].clip(lower=1)
    sites = best_of(sites[sites["policy"].isin(rivals)], "domains", ["topic"], "crawler")
    return {
        "tres-svm-collapses": Found.most(summarise(remains, "limit", "share"), LENGTH),
        "tres-svm-above-rivals": Found.least(
            summarise(best_of(ten, JUDGE, ["topic"]), "topic", "lead"), LENGTH
        ),
        "tres-svm-domains": Found.most(summarise(sites, "topic", "ratio"), LENGTH),
    }


def silent_links(ends: pd.DataFrame, muted: float = 1.0) -> Found:
    """Return the least of `silent_leads`."""
    return Found.least(silent_leads(ends, muted), LENGTH)


def silent_leads(ends: pd.DataFrame, muted: float) -> pd.DataFrame:
    """Return by topic what TRES finds more than the better of `RULES`, of so many muted links."""
    some = ends[(ends["muted"] == muted) & ends["policy"].isin(["tres", *RULES])]
    pairs = paired(some, "by the truth", ["topic", "web_seed"], {"policy": "tres"})
    pairs["lead"] = pairs["reference"] - pairs["by the truth"]
    return summarise(best_of(pairs, "by the truth", ["topic"]), "topic", "lead")


def table_4(gains: pd.DataFrame) -> dict[str, Found]:
    """Return what crawls by TRES and its ablations say of Table 4, by claim."""

    def cells(policy: str, measure: str) -> pd.DataFrame:
        rows = gains[(gains["policy"] == policy) & (gains["measure"] == measure)]
        return summarise(rows, ["topic", "limit"], "ratio" if measure == "domains" else "gain")

    rests_on = {
        "tres-tree-beats-async-harvest": cells("tres-async", JUDGE),
        "tres-tree-beats-async-domains": cells("tres-async", "domains"),
        "tres-bilstm-reward": cells("tres-svm", JUDGE),
        "tres-domain-features-harvest": cells("tres-nh", JUDGE),
        "tres-low-discount": cells("tres-gamma-0.99", JUDGE),
    }
    most = {"tres-domain-features-domains": Found.most(cells("tres-nh", "domains"), LENGTH)}
    return {claim: Found.least(table, LENGTH) for claim, table in rests_on.items()} | most
