"""Chapter 05: who finds more. The crawls, and the claims of Table 3 and Figure 3.

Functions take ``ends``, one row a crawl as `at_the_end` makes it.
"""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import scipy  # its parts load when they are used

from ..crawls.comparison import JUDGE, TRUTH, ahead, paper_table
from ..crawls.record import crawls_of
from ..crawls.stored import ends_of
from ..crawls.sweeps import (
    ALL_LIMITS,
    HARDEST,
    LONG,
    NO_LIMIT,
    SECOND,
    TOPICS,
    WEBS,
    Crawlers,
    plan,
)
from ..intervals import PER_CENT, best_of, summarise
from ..study.claims import Found
from ..study.findings import Figure, of_table
from ..study.study import Study

# By the first law and on Wikispeedia; there ACHE and SeedFinder take the best of all links.
PAPER_AND_OURS: Crawlers = dict.fromkeys(
    (
        *("random", "tree-random", "ache-global", "seedfinder-global", "async", "tres"),
        *("prospector", "best-first", "linear", "oracle", "bfs", "tres-async", "sync"),
    ),
    NO_LIMIT,
)
# By the second law ACHE and SeedFinder have all limits, though the paper has blanks where ACHE ran
# dry. They are those of their authors, and *-global controls.
FAITHFUL: Crawlers = {
    **dict.fromkeys(("random", "tree-random"), NO_LIMIT),
    **dict.fromkeys(("ache", "seedfinder", "async", "tres"), ALL_LIMITS),
    "tres-each-step": ("5", "5_2"),
    **dict.fromkeys(("best-first", "prospector"), ALL_LIMITS),
    **dict.fromkeys(("ache-global", "seedfinder-global", "parent", "linear"), NO_LIMIT),
    **dict.fromkeys(("tres-async", "tres-pretrained", "prospector-flat", "bfs"), NO_LIMIT),
    "oracle": NO_LIMIT,
}
SLOW = ("sync",)  # scores the whole frontier at each step: twelve times the cost of tres
REAL: dict[str, Any] = {"web": "wikispeedia", "budget": 4_000, "epochs": LONG["epochs"]}
# No competitors of TRES: the oracle sees the ground truth, Prospector was made after the claims,
# and the others are TRES itself with one thing changed.
APART = ("oracle", "prospector", "prospector-flat", "tres-pretrained", "tres-each-step")
NINE = (  # topics besides the paper's: the first of data/own_topics.yaml
    *("architecture", "astronomy", "chemistry", "christianity", "film", "inland waters"),
    *("law", "literature", "mammals"),
)
OF_NINE = ("tree-random", "ache", "seedfinder", "async", "tres", "best-first", "prospector")
TRIVIAL = ("random", "bfs", "oracle")  # that they come last, or first, says little
FREE, LIMITED = "second-free", ("second-5_2", "second-limits")  # studies
RIVALS = ("ache", "seedfinder", "async")  # the paper's, that learn
OF_PAPER = ("tres", "random", "tree-random", *RIVALS)
LOW = ("10", "5", "5_2")  # limits
POINT = [JUDGE, "domains"]  # the two objectives of Fig. 3


def studies() -> dict[str, Study]:
    """Return the crawls of the paper's length, ``second-topics`` on `NINE` topics.

    ``table-3`` is by the first law, without a limit; ``table-3-sync`` has its slowest policy.
    """
    free = plan(PAPER_AND_OURS, TOPICS, WEBS, **LONG)
    plans = {
        "table-3": [s for s in free if s["policy"] not in SLOW],
        "table-3-sync": [s for s in free if s["policy"] in SLOW],
        "wikispeedia": plan(PAPER_AND_OURS, TOPICS, WEBS, **REAL),
        "second-free": plan(FAITHFUL, TOPICS, WEBS, NO_LIMIT, **SECOND),
        "second-5_2": plan(FAITHFUL, TOPICS, WEBS, ("5_2",), **SECOND),
        "second-topics": plan(
            dict.fromkeys(OF_NINE, NO_LIMIT), NINE, range(5), **SECOND | {"budget": 5_000}
        ),
        "second-limits": plan(FAITHFUL, TOPICS, range(5), ("100", "10", "5"), **SECOND),
    }
    return {name: crawls_of(name, settings) for name, settings in plans.items()}


def ends() -> pd.DataFrame:
    """Return the ends of the crawls by `FAITHFUL` crawlers, without a limit and with one."""
    return ends_of(list(FAITHFUL), FREE, *LIMITED)


def of_paper(ends: pd.DataFrame) -> pd.DataFrame:
    """Return the crawls by TRES and the paper's other crawlers."""
    return ends[ends["policy"].isin(OF_PAPER)]


def best_others(ends: pd.DataFrame, value: str, group: Sequence[str]) -> pd.DataFrame:
    """Return the runs of the crawler that competes best with TRES in each group; see `best_of`."""
    others = ends[~ends["policy"].isin(["tres", *APART])]
    return best_of(others, value, group, "crawler")


def margins(ends: pd.DataFrame) -> pd.DataFrame:
    """Return by topic and limit TRES's ``lead`` over the best other crawler, in points."""
    best = best_others(ahead(ends, JUDGE), JUDGE, ["topic", "limit"])
    return summarise(best, ["topic", "limit", "crawler"], "lead")


def without_limit(ends: pd.DataFrame) -> dict[str, Found]:
    """Return what crawls without a limit say of Table 3, by claim."""
    free = ends[ends["limit"] == "none"]
    rests = f"{int(free['budget'].max()):,} fetches, no limit"
    level = summarise(free[free["policy"] == "tres"], "topic", JUDGE, within=PER_CENT)
    rates = free.pivot(index=["web_seed", "topic"], columns="policy", values=JUDGE)
    gap = rates["tree-random"] - rates[list(RIVALS)].mean(axis=1)
    webs = gap.unstack("topic").dropna().mean(axis=1)  # those in which all topics ran
    return {
        "tres-harvest-best-no-limit": Found.least(margins(of_paper(free)), rests),
        "crawlers-controls-no-limit": Found.least(margins(free), rests),
        "tres-harvest-level": Found.least(level, rests),
        "tres-tree-random-on-a-par": Found.mean(webs, rests),
    }


def at_limits(ends: pd.DataFrame) -> dict[str, Found]:
    """Return what crawls at all limits say of Table 3 and Figure 3, by claim.

    Comparisons across limits use the webs that ran with all of them.
    """
    whole, capped = with_all_limits(ends), ends[ends["limit"] != "none"]
    length, limits = f"{int(ends['budget'].max()):,} fetches", list(ends["limit"].unique())
    at_all = f"{length}, limits {', '.join(limits)}"
    at_most = f"{length}, limits {', '.join(name for name in limits if name != 'none')}"
    with_async = ends[ends["policy"].isin(["tres", "async"])]
    gain, ratio = ahead(with_async, JUDGE), ahead(with_async, "domains")
    own = ends[ends["policy"] == "tres"]
    easier = ahead(own, JUDGE, ["limit", "web_seed"], topic=HARDEST)
    easier = easier.assign(lead=-easier["lead"])
    runs = own.pivot(index=["topic", "web_seed"], columns="limit", values=POINT)
    steps = {name: runs[name][limits].diff(axis=1).iloc[:, 1:] for name in POINT}
    change = {name: step.groupby("topic").mean() for name, step in steps.items()}
    claimed = (change["domains"] > 0) & (change[JUDGE] < 0)
    few = ends[(ends["policy"] == "ache") & ends["limit"].isin(LOW)]
    dry = f"{length}, limits {', '.join(few['limit'].unique())}"
    cells, n = ["topic", "limit"], whole["web_seed"].nunique()
    stepped = int(steps[JUDGE].groupby("topic").count().to_numpy().min())
    return {
        "tres-harvest-best-at-limits": Found.least(margins(of_paper(capped)), at_most),
        "crawlers-controls-at-limits": Found.least(margins(capped), at_most),
        "tres-domains-best": Found.least(domain_ratios(of_paper(ends)), at_all),
        "crawlers-controls-domains": Found.least(domain_ratios(ends), at_all),
        "tres-pareto": Found(dominated(of_paper(whole))["dominated"].mean(), None, n, at_all),
        "crawlers-controls-pareto": Found(dominated(whole)["dominated"].mean(), None, n, at_all),
        "tres-above-async-harvest": Found.least(summarise(gain, cells, "lead"), at_all),
        "tres-above-async-domains": Found.least(summarise(ratio, cells, "ratio"), at_all),
        "tres-hardware-hardest-to-crawl": Found.least(summarise(easier, cells, "lead"), at_all),
        "tres-limit-trade-off": Found(claimed.to_numpy().mean(), None, stepped, at_all),
        "tres-never-aborts": Found(own["complete"].mean(), None, len(own), length),
        "tres-ache-aborts": Found(1 - few["complete"].mean(), None, len(few), dry),
    }


def with_all_limits(ends: pd.DataFrame) -> pd.DataFrame:
    """Return the crawls in the webs that ran with all limits."""
    ran = ends.groupby("web_seed")["limit"].transform("nunique")
    return ends[ran == ends["limit"].nunique()]


def domain_ratios(ends: pd.DataFrame) -> pd.DataFrame:
    """Return by topic TRES's domains at the lowest limit over those of whoever finds most."""
    pairs = ahead(ends, "domains", ["topic", "web_seed"], policy="tres", limit="5_2")
    pairs["share"] = pairs["domains"] / pairs["reference"]
    return summarise(best_others(pairs, "share", ["topic"]), ["topic", "crawler"], "ratio")


def dominated(ends: pd.DataFrame) -> pd.DataFrame:
    """Return each competitor, and whether a mean point of TRES dominates its own (Fig. 3).

    A point dominates others that are not better in harvest or domains, and worse in one.
    """
    keys = ["topic", "policy", "limit", "crawler"]
    points = ends[~ends["policy"].isin(APART)].groupby(keys, sort=False)[POINT].mean().reset_index()
    tres = points["policy"] == "tres"

    def beaten(other: pd.Series) -> bool:
        own = points[tres & (points["topic"] == other["topic"])]
        ahead = own[POINT].to_numpy() - other[POINT].to_numpy(float)
        return bool(((ahead >= 0).all(axis=1) & (ahead > 0).any(axis=1)).any())

    others = points[~tres]
    return others.assign(dominated=others.apply(beaten, axis=1))


def tree_alone(ends: pd.DataFrame) -> dict[str, Found]:
    """Return what crawls without a limit say of the tree and of learning, the claims of chapter 04.

    TRES less tree-random in points, and tree-random over random: the smallest of the topics.
    """
    free = ends[ends["limit"] == "none"]
    rates = free.pivot(index=["topic", "web_seed"], columns="policy", values=JUDGE)
    rates["gain"] = rates["tres"] - rates["tree-random"]
    # In logarithms: on the second law a random crawl may find fifty times as much in one web as in
    # another.
    rates["log"] = np.log(rates["tree-random"] / rates["random"])
    rests = f"{int(free['budget'].max()):,} fetches"
    gain, times = (
        Found.least(summarise(rates.reset_index(), "topic", name), rests)
        for name in ("gain", "log")
    )
    low, high = np.exp(times.interval or (np.nan, np.nan))
    mean = rates.groupby("topic").mean()
    ratio = (mean["tree-random"] / mean["random"]).min()
    return {
        "tres-beats-tree-random": gain,
        "tres-tree-random-beats-random": times._replace(
            value=ratio, interval=(low, high), among=np.exp(times.among).tolist()
        ),
    }


def on_other_topics(ends: pd.DataFrame) -> Found:
    """Return TRES less the paper's best other crawler on each topic, in points; n counts topics."""
    best = best_others(ahead(of_paper(ends), JUDGE), JUDGE, ["topic"])
    rests = f"{int(ends['budget'].max()):,} fetches, no limit"
    return Found.mean(best.groupby("topic")["lead"].mean(), rests)


def agreement(ends: pd.DataFrame, real: pd.DataFrame) -> pd.DataFrame:
    """Return by topic Kendall's tau-b of the crawlers' orders by the truth on two webs.

    Crawls without a limit count, of policies that crawled on both.
    """
    both = [table[table["limit"] == "none"] for table in (ends, real)]
    means = [t.pivot_table(TRUTH, "policy", "topic", sort=False) for t in both]
    one, other = (m.loc[means[0].index.intersection(means[1].index)] for m in means)
    rows = {topic: scipy.stats.kendalltau(one[topic], other[topic]) for topic in one}
    table = pd.DataFrame(rows, index=["tau", "p"]).T.rename_axis("topic")
    return table.assign(policies=len(one))


def over_rivals(free: pd.DataFrame) -> pd.DataFrame:
    """Return TRES's ``lead`` over the paper's rivals and *linear* by each ``judge``."""
    ends = free[free["policy"].isin(["tres", "tree-random", *RIVALS, "linear"])]
    return pd.concat([ahead(ends, judge).assign(judge=judge) for judge in (JUDGE, TRUTH)])


def figures() -> dict[str, Any]:
    """Return what TRES and others reach, by topic, and how many crawls did not run dry."""
    runs = ends()
    free = runs[runs["limit"] == "none"]
    own = free[free["policy"] == "tres"]
    level, shares = beside_paper(runs), beside_paper(runs[runs["limit"].isin(LOW)], divided=True)
    capped = runs[(runs["limit"] != "none") & runs["policy"].isin(["tres", "best-first"])]
    behind = summarise(ahead(capped, JUDGE), ["topic", "limit"], "lead")
    few = runs[runs["policy"].isin(RIVALS[:2]) & runs["limit"].isin(LOW)]

    def lead(policy: str, judge: str) -> Any:
        gains = ahead(free[free["policy"].isin(["tres", policy])], judge)
        return of_table(summarise(gains, "topic", "lead"), "topic")

    found = {
        "tres": of_table(summarise(own, "topic", JUDGE), "topic"),
        "tres_true": of_table(summarise(own, "topic", TRUTH), "topic"),
        "from_paper": level.loc[level["limit"] == "none", "here"].abs().max(),
        "over_linear": lead("linear", JUDGE),
        "over_best_first": lead("best-first", JUDGE),
        "cells": len(behind),
        "ahead": (behind["low"] > 0).sum(),
        "not_dry": few["complete"].sum(),
        "share": SimpleNamespace(
            least=Figure(shares["here"].min()), most=Figure(shares["here"].max())
        ),
    }
    return found | {f"over_{name}_true": lead(name, TRUTH) for name in RIVALS}


def beside_paper(runs: pd.DataFrame, *, divided: bool = False) -> pd.DataFrame:
    """Return TRES's mean harvest by topic and limit less the paper's, or over it: ``here``."""
    cells = ["topic", "limit"]
    own = runs[runs["policy"] == "tres"].groupby(cells, sort=False)[JUDGE].mean().rename("here")
    table = paper_table("table 3").query("policy == 'tres'").merge(own.reset_index(), on=cells)
    there = table["harvest rate %"]
    return table.assign(here=table["here"] / there if divided else table["here"] - there)


def ran_dry(runs: pd.DataFrame) -> pd.DataFrame:
    """Return how many crawls of ACHE and SeedFinder ran out of URLs, and what they had fetched."""
    some = runs[runs["policy"].isin(RIVALS[:2])]
    some = some.assign(dry=~some["complete"]).groupby(["policy", "limit"], sort=False)
    parts = {"ran out of URLs": ("dry", "sum"), "crawls": ("dry", "size")}
    return some.agg(**parts, fewest=("pages", "min"), most=("pages", "max"))
