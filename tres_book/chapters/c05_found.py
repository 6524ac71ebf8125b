"""What chapter 05's sentences name: figures of stored crawls."""

from types import SimpleNamespace
from typing import Any

import pandas as pd

from ..crawls.comparison import JUDGE
from ..crawls.tables import paper_table
from ..intervals import PER_CENT, summarise
from ..study.findings import Figure, name_of, of_table
from . import c05_verdicts as verdicts

TRUTH = "by the truth"
LOW = ("10", "5", "5_2")  # limits


def figures() -> dict[str, Any]:
    """Return what TRES and others reach, by topic; `dry` counts crawls by crawler and limit."""
    runs = verdicts.ends()
    free = runs[runs["limit"] == "none"]
    own = free[free["policy"] == "tres"]
    level, shares = beside_paper(runs), beside_paper(runs, divided=True)
    shares = shares[shares["limit"].isin(LOW)]["here"]
    medians = own.groupby("topic")[TRUTH].median()
    leads = {judge: verdicts.gains(free, judge) for judge in (JUDGE, TRUTH)}

    def lead(policy: str, judge: str = JUDGE) -> Any:
        gains = leads[judge][leads[judge]["policy"] == policy]
        return of_table(summarise(gains, "topic", "TRES less it"), "topic")

    return {
        "tres": reached(own, JUDGE),
        "tres_true": reached(own, TRUTH),
        "tres_median": SimpleNamespace(**medians.map(Figure)),
        "from_paper": Figure(level.query("limit == 'none'")["here"].abs().max()),
        **{f"over_{name}_true": lead(name, TRUTH) for name in verdicts.RIVALS},
        "over_linear": lead("linear"),
        "over_best_first": lead("best-first"),
        "over_best_first_limited": at_limits(runs),
        "dry": dry(runs),
        "share": SimpleNamespace(least=Figure(shares.min()), most=Figure(shares.max())),
    }


def reached(crawls: pd.DataFrame, judge: str) -> SimpleNamespace:
    """Return the mean harvest of crawls by topic."""
    return of_table(summarise(crawls, "topic", judge, within=PER_CENT), "topic")


def beside_paper(runs: pd.DataFrame, *, divided: bool = False) -> pd.DataFrame:
    """Return TRES's mean harvest by topic and limit less the paper's, or over it: ``here``."""
    cells = ["topic", "limit"]
    own = runs[runs["policy"] == "tres"].groupby(cells, sort=False)[JUDGE].mean().rename("here")
    table = paper_table("table 3").query("policy == 'tres'").merge(own.reset_index(), on=cells)
    there = table["harvest rate %"]
    return table.assign(here=table["here"] / there if divided else table["here"] - there)


def at_limits(runs: pd.DataFrame) -> SimpleNamespace:
    """Return in how many cells of topic and limit TRES is ahead of best-first, and of how many."""
    some = runs[(runs["limit"] != "none") & runs["policy"].isin(["tres", "best-first"])]
    table = summarise(verdicts.gains(some), ["topic", "limit"], "TRES less it")
    return SimpleNamespace(ahead=Figure((table["low"] > 0).sum()), cells=Figure(len(table)))


def ran_dry(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how many crawls of ACHE and SeedFinder ran out of URLs, and what they had fetched."""
    some = runs[runs["policy"].isin(verdicts.RIVALS[:2])]
    some = some.assign(dry=~some["complete"]).groupby(["policy", "limit"], sort=False)
    parts = {"dry": ("dry", "sum"), "crawls": ("dry", "size")}
    return some.agg(**parts, fewest=("pages", "min"), most=("pages", "max"))


def dry(runs: pd.DataFrame) -> SimpleNamespace:
    """Return how many crawls ran out of URLs, of n, e.g. ``ache._100``."""
    found = {}
    for policy, table in ran_dry(runs).reset_index("policy").groupby("policy"):
        counts = table[["dry", "crawls"]].itertuples()
        counts = {name_of(limit): Figure(int(m), n=int(n)) for limit, m, n in counts}
        found[str(policy)] = SimpleNamespace(**counts)
    return SimpleNamespace(**found)
