"""Chapter 06: what matters in TRES. Table 4 and muted links: the crawls and what they say."""

from types import SimpleNamespace
from typing import Any

import pandas as pd

from ..crawls.comparison import JUDGE, NAMED, TRUTH, ahead
from ..crawls.record import crawls_of
from ..crawls.stored import ends as stored_ends, ends_of
from ..crawls.sweeps import HARDEST, LONG, NO_LIMIT, SECOND, TOPICS, WEBS, Crawlers, plan
from ..crawls.variants import VARIANTS
from ..intervals import best_of, summarise
from ..study.claims import Found
from ..study.findings import Figure, of_table
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
MOST, ALL = MUTED = (0.9, 1.0)  # shares of URLs that say nothing; 0 is in Table 3
RULES = ("best-first", "linear")  # that learn nothing
QUIET = ("prospector", "tres", "best-first", "linear", "ache")
MEASURES = (JUDGE, TRUTH, "domains")
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
    return ends_of(list(CRAWLERS), *STUDIES)


def gains(ends: pd.DataFrame) -> pd.DataFrame:
    """Return by measure how far TRES is ahead of each ablation, paired by web; see `ahead`."""
    return pd.concat([ahead(ends, name).assign(measure=name) for name in MEASURES])


def worth(gains: pd.DataFrame, policies: list[str], measure: str = JUDGE) -> pd.DataFrame:
    """Return TRES's lead over ablations by limit and topic, of domains how many times as many."""
    rows = gains[gains["policy"].isin(policies) & (gains["measure"] == measure)]
    value = "ratio" if measure == "domains" else "lead"
    return summarise(rows, ["policy", "topic", "limit"], value)


def findings(own: pd.DataFrame) -> dict[str, Found]:
    """Return what was found of each claim of the chapter; `own` are the `ends`."""
    sync = stored_ends("table-3-sync").assign(hours=lambda table: table["cpu"] / 3_600)
    quiet = stored_ends("second-muted")
    return {
        **table_4(gains(own)),
        **svm(own, ends_of(RIVALS, *TABLE_3)),
        "tres-sync-infeasible": Found.most(summarise(sync, "topic", "hours"), LENGTH),
        "crawlers-where-links-are-silent": Found.least(silent_leads(quiet, ALL), LENGTH),
        "crawlers-where-most-links-are-silent": Found.least(silent_leads(quiet, MOST), LENGTH),
    }


def svm(own: pd.DataFrame, others: pd.DataFrame) -> dict[str, Found]:
    """Return what Section 3.6.2 says of TRES_SVM, by claim; others are ACHE's and SeedFinder's."""
    by_svm = own[own["policy"] == "tres-svm"]
    pairs = ahead(own[own["policy"].isin(["tres", "tres-svm"])], JUDGE)
    pairs = pairs.assign(remains=pairs[JUDGE] / pairs["reference"])[[*NAMED, "remains"]]
    remains = ahead(pairs, "remains", ["limit", "web_seed"], topic=HARDEST)
    remains["share"] = remains["reference"] / remains["remains"]
    remains = best_of(remains, "share", ["limit"], "topic")  # the topic in which it keeps less

    runs = pd.concat([by_svm, others], ignore_index=True)
    ten = ahead(runs[runs["limit"] == "10"], JUDGE, policy="tres-svm")
    sites = ahead(runs, "domains", ["topic", "web_seed"], policy="tres-svm", limit="5_2")
    sites = best_of(sites[sites["policy"] != "tres-svm"], "domains", ["topic"], "crawler")
    ten = best_of(ten, JUDGE, ["topic"])
    return {
        "tres-svm-collapses": Found.most(summarise(remains, "limit", "share"), LENGTH),
        "tres-svm-above-rivals": Found.least(summarise(ten, "topic", "lead"), LENGTH),
        "tres-svm-domains": Found.most(summarise(sites, "topic", "ratio"), LENGTH),
    }


def silent_leads(ends: pd.DataFrame, muted: float) -> pd.DataFrame:
    """Return by topic what TRES finds more than the better of `RULES`, of so many muted links."""
    some = ends[(ends["muted"] == muted) & ends["policy"].isin(["tres", *RULES])]
    pairs = ahead(some, TRUTH, ["topic", "web_seed"])
    return summarise(best_of(pairs, TRUTH, ["topic"]), "topic", "lead")


def table_4(gains: pd.DataFrame) -> dict[str, Found]:
    """Return what crawls by TRES and its ablations say of Table 4, by claim."""
    cells = {
        "tres-tree-beats-async-harvest": ("tres-async", JUDGE),
        "tres-tree-beats-async-domains": ("tres-async", "domains"),
        "tres-bilstm-reward": ("tres-svm", JUDGE),
        "tres-domain-features-harvest": ("tres-nh", JUDGE),
        "tres-low-discount": ("tres-gamma-0.99", JUDGE),
    }
    found = {
        claim: Found.least(worth(gains, [policy], measure), LENGTH)
        for claim, (policy, measure) in cells.items()
    }
    fewer = worth(gains, ["tres-nh"], "domains")
    return found | {"tres-domain-features-domains": Found.most(fewer, LENGTH)}


def figures() -> dict[str, Any]:
    """Return what parts of TRES are worth, and what it finds without text, for its sentences."""
    own = gains(ends())
    parts = worth(own, ["tres-svm", "tres-nh"])
    food = parts["topic"] == "food"
    decided = (parts["low"] > 0) | (parts["high"] < 0)
    runs = stored_ends("table-3", "table-3-sync").query("policy in ('tres', 'sync')")
    cpu = runs.groupby("policy")["cpu"].mean()
    over_sync = summarise(ahead(runs, JUDGE), "topic", "lead")
    quiet = stored_ends("second-muted").query("muted == @MOST")
    rules = best_of(quiet[quiet["policy"].isin(RULES)], TRUTH, ["topic"])
    tables = {
        "tres": summarise(quiet[quiet["policy"] == "tres"], "topic", TRUTH),
        "rule": summarise(rules, "topic", TRUTH),
        "lead": silent_leads(quiet, MOST),
    }
    return {
        "tree": extremes(worth(own, ["tres-no-tree"])),
        "once": extremes(worth(own, ["tres-async"])),
        "paying": extremes(parts[~food]),
        "decided_in_food": decided[food].sum(),
        "sync_times": cpu["sync"] / cpu["tres"],
        "over_sync": of_table(over_sync, "topic"),
        "quiet": SimpleNamespace(**{name: of_table(t, "topic") for name, t in tables.items()}),
    }


def extremes(table: pd.DataFrame) -> SimpleNamespace:
    """Return the rows of `summarise` with the smallest and the largest mean, and the lowest end."""
    rows = table.sort_values("mean")[["mean", "low", "high"]].itertuples(index=False)
    least, *_, most = (Figure(*row) for row in rows)
    return SimpleNamespace(least=least, most=most, lowest=table["low"].min())
