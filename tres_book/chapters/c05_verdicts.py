"""The claims of Table 3 by stored crawls on webs of the second law."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ..crawls.comparison import JUDGE, NAMED
from ..crawls.stored import whole_webs
from ..crawls.sweeps import HARDEST
from ..intervals import PER_CENT, paired, summarise
from ..study.claims import Found
from .c05_comparison import (
    FAITHFUL,
    TRIVIAL,
    best_others,
    dominated,
    limit_steps,
    orders,
)

FREE, LIMITED = "second-free", ("second-5_2", "second-limits")  # studies
RIVALS = ("ache", "seedfinder", "async")  # the paper's, that learn


def ends() -> pd.DataFrame:
    """Return the ends of the crawls by `FAITHFUL` crawlers, without a limit and with one."""
    return whole_webs([FREE, *LIMITED], list(FAITHFUL))


def of_the_paper(ends: pd.DataFrame) -> pd.DataFrame:
    """Return the crawls by TRES and the paper's other crawlers."""
    return ends[ends["policy"].isin(["tres", "random", "tree-random", *RIVALS])]


def without_limit(ends: pd.DataFrame) -> dict[str, Found]:
    """Return what crawls without a limit say of Table 3, by claim."""
    free = ends[ends["limit"] == "none"]
    rests = f"{int(free['budget'].max()):,} fetches, no limit"
    own = free[free["policy"] == "tres"]
    level = summarise(own, "topic", JUDGE, within=PER_CENT)
    rates = free.pivot(index=["web_seed", "topic"], columns="policy", values=JUDGE)
    gap = rates["tree-random"] - rates[list(RIVALS)].mean(axis=1)
    webs = gap.unstack("topic").dropna().mean(axis=1)  # those in which all topics ran
    return {
        "tres-harvest-best-no-limit": Found.least(margins(of_the_paper(free)), rests),
        "crawlers-controls-no-limit": Found.least(margins(free), rests),
        "tres-harvest-level": Found.least(level, rests),
        "tres-tree-random-on-a-par": Found.mean(webs, rests),
    }


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


def at_limits(ends: pd.DataFrame) -> dict[str, Found]:
    """Return what crawls at all limits say of Table 3 and Figure 3, by claim.

    Comparisons across limits use the webs that ran with all of them.
    """
    whole = with_all_limits(ends)
    limits = list(ends["limit"].unique())
    length = f"{int(ends['budget'].max()):,} fetches"
    at_all = f"{length}, limits {', '.join(limits)}"
    at_most = f"{length}, limits {', '.join(name for name in limits if name != 'none')}"
    n, capped = whole["web_seed"].nunique(), ends[ends["limit"] != "none"]
    gain = ahead_of_async(ends)
    steps = limit_steps(ends)
    means = steps.groupby(["topic", "step"], sort=False)[[JUDGE, "domains"]].mean()
    claimed = (means["domains"] > 0) & (means[JUDGE] < 0)
    own = ends.loc[ends["policy"] == "tres", "complete"]
    few = ends[(ends["policy"] == RIVALS[0]) & ends["limit"].isin(["10", "5", "5_2"])]
    dry = f"{length}, limits {', '.join(few['limit'].unique())}"
    stepped = int(steps.groupby("step")["web_seed"].nunique().min())
    return {
        "tres-harvest-best-at-limits": Found.least(margins(of_the_paper(capped)), at_most),
        "crawlers-controls-at-limits": Found.least(margins(capped), at_most),
        "tres-domains-best": Found.least(domain_ratios(of_the_paper(ends)), at_all),
        "crawlers-controls-domains": Found.least(domain_ratios(ends), at_all),
        "tres-pareto": _pareto(of_the_paper(whole), n, at_all),
        "crawlers-controls-pareto": _pareto(whole, n, at_all),
        "tres-above-async-harvest": Found.least(gain["TRES less it"], at_all),
        "tres-above-async-domains": Found.least(gain["ratio"], at_all),
        "tres-hardware-hardest-to-crawl": Found.least(easier(ends), at_all),
        "tres-limit-trade-off": Found(claimed.mean(), None, stepped, at_all),
        "tres-never-aborts": Found(own.mean(), None, len(own), length),
        "tres-ache-aborts": Found(1 - few["complete"].mean(), None, len(few), dry),
    }


def with_all_limits(ends: pd.DataFrame) -> pd.DataFrame:
    """Return the crawls in the webs that ran with all limits."""
    ran = ends.groupby("web_seed")["limit"].nunique()
    return ends[ends["web_seed"].isin(ran.index[ran == ends["limit"].nunique()])]


def domain_ratios(ends: pd.DataFrame) -> pd.DataFrame:
    """Return by topic TRES's domains at the lowest limit over those of whoever finds most."""
    last = {"policy": "tres", "limit": "5_2"}
    ratio = paired(ends, "domains", ["topic", "web_seed"], last)
    ratio["of TRES's"] = ratio["domains"] / ratio["reference"]
    ratio = best_others(ratio, "of TRES's", ["topic"])
    ratio["ratio"] = ratio["reference"] / ratio["domains"]
    return summarise(ratio, ["topic", "crawler"], "ratio")


def gains(ends: pd.DataFrame, judge: str = JUDGE) -> pd.DataFrame:
    """Return all crawls but TRES's, with the points by which TRES found more: "TRES less it"."""
    pairs = paired(ends, judge, NAMED, {"policy": "tres"})
    return pairs.assign(**{"TRES less it": pairs["reference"] - pairs[judge]})


def over_rivals(free: pd.DataFrame) -> pd.DataFrame:
    """Return `gains` over the paper's rivals and *linear* by each judge; ``judge`` names it."""
    ends = free[free["policy"].isin(["tres", "tree-random", *RIVALS, "linear"])]
    both = {judge: gains(ends, judge) for judge in ("by the classifier", "by the truth")}
    return pd.concat(both, names=["judge", None]).reset_index("judge").reset_index(drop=True)


def ahead_of_async(ends: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return by topic and limit TRES less Async in points, and over it in domains."""
    pairs, columns = gains(ends[ends["policy"].isin(["tres", "async"])]), ["topic", "limit"]
    domains = paired(ends, "domains", NAMED, {"policy": "tres"}).query("policy == 'async'")
    ratio = domains.assign(ratio=domains["reference"] / domains["domains"].clip(lower=1))
    tables = {"TRES less it": pairs, "ratio": ratio}
    return {name: summarise(table, columns, name) for name, table in tables.items()}


def easier(ends: pd.DataFrame) -> pd.DataFrame:
    """Return by how many points TRES harvests more on each topic than on `HARDEST`, by limit."""
    own = ends[ends["policy"] == "tres"]
    pairs = paired(own, JUDGE, ["limit", "web_seed"], {"topic": HARDEST})
    pairs["more"] = pairs[JUDGE] - pairs["reference"]
    return summarise(pairs, ["topic", "limit"], "more")


def _pareto(whole: pd.DataFrame, n: int, stored: str) -> Found:
    return Found(dominated(whole)["dominated"].mean(), None, n, stored)


def margins(ends: pd.DataFrame) -> pd.DataFrame:
    """Return by topic and limit TRES less the best other crawler, in points."""
    best = best_others(gains(ends), JUDGE, ["topic", "limit"])
    return summarise(best, ["topic", "limit", "crawler"], "TRES less it")


def on_other_topics(ends: pd.DataFrame) -> Found:
    """Return TRES less the paper's best other crawler on each topic, in points; n counts topics."""
    best = best_others(gains(of_the_paper(ends)), JUDGE, ["topic"])
    rests = f"{int(ends['budget'].max()):,} fetches, no limit"
    return Found.mean(best.groupby("topic")["TRES less it"].mean(), rests)


def on_real_pages(ends: pd.DataFrame, real: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the orders by the truth on VitalWeb and on Wikispeedia, and on what they rest.

    First without `TRIVIAL` crawlers, then with them.
    """
    lab = ends[ends["limit"] == "none"]
    some = real[~real["policy"].isin(TRIVIAL)]
    for aside, table in ("", some), ("trivial crawlers too", real):
        yield aside, orders({"VitalWeb": lab, "Wikispeedia": table}, "by the truth")
