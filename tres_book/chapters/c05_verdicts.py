"""The claims of Table 3 by stored crawls, on either law of VitalWeb."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from ..crawls.worlds import (
    BY_TURNS,
    HARDEST,
    JUDGE,
    NAMED,
    RIVALS,
    Found,
    World,
    is_complete,
)
from ..intervals import PER_CENT, paired, summarise
from ..study.claims import FORMER
from .c05_comparison import (
    FAITHFUL,
    PAPER_AND_OURS,
    TRIVIAL,
    best_others,
    dominated,
    limit_steps,
    orders,
)

SECOND = World(
    "second law",
    ("second-free",),
    ("second-5_2", "second-limits"),
    RIVALS["second law"],
    tuple(FAITHFUL),
)
FIRST = World(
    "first law",
    ("table-3", "table-3-sync"),
    ("table-3-5_2", "table-3-limits", "table-4"),
    RIVALS["first law"],
    tuple(PAPER_AND_OURS),
)


# Once the measure of a claim of the paper's, which is now judged by the paper's crawlers alone.
FORMERLY = {
    "crawlers-controls-no-limit": "tres-harvest-best-no-limit",
    "crawlers-controls-at-limits": "tres-harvest-best-at-limits",
    "crawlers-controls-domains": "tres-domains-best",
    "crawlers-controls-pareto": "tres-pareto",
}
Measure = Callable[[pd.DataFrame, World], dict[str, Found]]


def findings(
    ends: Mapping[World, pd.DataFrame], measures: Sequence[tuple[str, Measure]] = ()
) -> Iterator[tuple[str, Found, str]]:
    """Yield each claim, what was found of it, and on which law; "" for the law that judges.

    The second law judges as soon as all crawls of its plan are stored, and the first law till then.
    A measure is of the "free" or "limited" crawls of a `World`; default those of chapter 05. What
    it was `FORMERLY` is found in the world "former measure".
    """
    for part, measure in measures or (("free", without_limit), ("limited", at_limits)):
        whole = [world for world in (SECOND, FIRST) if is_complete(getattr(world, part))]
        for world in whole:
            for claim, found in measure(ends[world], world).items():
                if world is whole[0] or claim not in BY_TURNS:
                    yield claim, found, "" if world is whole[0] else world.name
                if claim in FORMERLY and world is whole[0]:
                    yield FORMERLY[claim], found, FORMER


def of_the_paper(ends: pd.DataFrame, world: World) -> pd.DataFrame:
    """Return the crawls by TRES and the paper's other crawlers, as these ran on a law."""
    return ends[ends["policy"].isin(["tres", "random", "tree-random", *world.rivals])]


def without_limit(ends: pd.DataFrame, world: World) -> dict[str, Found]:
    """Return what crawls without a limit say of Table 3, by claim."""
    free = ends[ends["limit"] == "none"]
    rests = f"{int(free['budget'].max()):,} fetches, no limit"
    own = free[free["policy"] == "tres"]
    level = summarise(own, "topic", JUDGE, within=PER_CENT)
    rates = free.pivot(index=["web_seed", "topic"], columns="policy", values=JUDGE)
    gap = rates["tree-random"] - rates[list(world.rivals)].mean(axis=1)
    webs = gap.unstack("topic").dropna().mean(axis=1)  # those in which all topics ran
    return {
        "tres-harvest-best-no-limit": Found.least(margins(of_the_paper(free, world)), rests),
        "crawlers-controls-no-limit": Found.least(margins(free), rests),
        "tres-harvest-level": Found.least(level, rests),
        "tres-tree-random-on-a-par": Found.mean(webs, rests),
    }


def tree_alone(ends: pd.DataFrame, world: World) -> dict[str, Found]:
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


def at_limits(ends: pd.DataFrame, world: World) -> dict[str, Found]:
    """Return what crawls at all limits say of Table 3 and Figure 3, by claim.

    Limits count at which TRES and its rivals all ran; comparisons across limits use the webs that
    ran with all of them.
    """
    fair, whole = fair_ends(ends, world)
    limits = list(fair["limit"].unique())
    length = f"{int(ends['budget'].max()):,} fetches"
    at_all = f"{length}, limits {', '.join(limits)}"
    at_most = f"{length}, limits {', '.join(name for name in limits if name != 'none')}"
    n, capped = whole["web_seed"].nunique(), fair[fair["limit"] != "none"]
    paper, gain = of_the_paper(fair, world), ahead_of_async(fair)
    steps = limit_steps(ends)
    means = steps.groupby(["topic", "step"], sort=False)[[JUDGE, "domains"]].mean()
    claimed = (means["domains"] > 0) & (means[JUDGE] < 0)
    own = ends.loc[ends["policy"] == "tres", "complete"]
    few = ends[(ends["policy"] == world.rivals[0]) & ends["limit"].isin(["10", "5", "5_2"])]
    dry = f"{length}, limits {', '.join(few['limit'].unique())}"
    stepped = int(steps.groupby("step")["web_seed"].nunique().min())
    return {
        "tres-harvest-best-at-limits": Found.least(margins(of_the_paper(capped, world)), at_most),
        "crawlers-controls-at-limits": Found.least(margins(capped), at_most),
        "tres-domains-best": Found.least(domain_ratios(paper), at_all),
        "crawlers-controls-domains": Found.least(domain_ratios(fair), at_all),
        "tres-pareto": _pareto(of_the_paper(whole, world), n, at_all),
        "crawlers-controls-pareto": _pareto(whole, n, at_all),
        "tres-above-async-harvest": Found.least(gain["TRES less it"], at_all),
        "tres-above-async-domains": Found.least(gain["ratio"], at_all),
        "tres-hardware-hardest-to-crawl": Found.least(easier(fair), at_all),
        "tres-limit-trade-off": Found(claimed.mean(), None, stepped, at_all),
        "tres-never-aborts": Found(own.mean(), None, len(own), length),
        "tres-ache-aborts": Found(1 - few["complete"].mean(), None, len(few), dry),
    }


def fair_ends(ends: pd.DataFrame, world: World) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the crawls at limits at which TRES and its rivals ran, and those in webs with all."""
    webs = ends.groupby(["policy", "limit"], sort=False)["web_seed"].nunique().unstack()
    shared = webs.columns[webs.loc[["tres", *world.rivals]].notna().all()]
    fair = ends[ends["limit"].isin(shared)]
    ran = fair.groupby("web_seed")["limit"].nunique()
    return fair, fair[fair["web_seed"].isin(ran.index[ran == len(shared)])]


def domain_ratios(fair: pd.DataFrame) -> pd.DataFrame:
    """Return by topic TRES's domains at the lowest limit over those of whoever finds most."""
    last = {"policy": "tres", "limit": "5_2"}
    ratio = paired(fair, "domains", ["topic", "web_seed"], last)
    ratio["of TRES's"] = ratio["domains"] / ratio["reference"]
    ratio = best_others(ratio, "of TRES's", ["topic"])
    ratio["ratio"] = ratio["reference"] / ratio["domains"]
    return summarise(ratio, ["topic", "crawler"], "ratio")


def gains(ends: pd.DataFrame, judge: str = JUDGE) -> pd.DataFrame:
    """Return all crawls but TRES's, with the points by which TRES found more: "TRES less it"."""
    pairs = paired(ends, judge, NAMED, {"policy": "tres"})
    return pairs.assign(**{"TRES less it": pairs["reference"] - pairs[judge]})


def over_rivals(free: pd.DataFrame, world: World) -> pd.DataFrame:
    """Return `gains` over the paper's rivals and *linear* by each judge; ``judge`` names it."""
    ends = free[free["policy"].isin(["tres", "tree-random", *world.rivals, "linear"])]
    both = {judge: gains(ends, judge) for judge in ("by the classifier", "by the truth")}
    return pd.concat(both, names=["judge", None]).reset_index("judge").reset_index(drop=True)


def ahead_of_async(fair: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return by topic and limit TRES less Async in points, and over it in domains."""
    pairs, columns = gains(fair[fair["policy"].isin(["tres", "async"])]), ["topic", "limit"]
    domains = paired(fair, "domains", NAMED, {"policy": "tres"}).query("policy == 'async'")
    ratio = domains.assign(ratio=domains["reference"] / domains["domains"].clip(lower=1))
    tables = {"TRES less it": pairs, "ratio": ratio}
    return {name: summarise(table, columns, name) for name, table in tables.items()}


def easier(fair: pd.DataFrame) -> pd.DataFrame:
    """Return by how many points TRES harvests more on each topic than on `HARDEST`, by limit."""
    own = fair[fair["policy"] == "tres"]
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
    best = best_others(gains(of_the_paper(ends, SECOND)), JUDGE, ["topic"])
    rests = f"{int(ends['budget'].max()):,} fetches, no limit"
    return Found.mean(best.groupby("topic")["TRES less it"].mean(), rests)


def on_real_pages(
    ends: Mapping[World, pd.DataFrame], real: pd.DataFrame
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the orders by the truth on VitalWeb and on Wikispeedia, and on what they rest.

    First without `TRIVIAL` crawlers on the second law, then so on the first, then with them.
    """
    some = real[~real["policy"].isin(TRIVIAL)]
    cases = ("", SECOND, some), (FIRST.name, FIRST, some), ("trivial crawlers too", SECOND, real)
    for aside, world, table in cases:
        lab = ends[world][ends[world]["limit"] == "none"]
        yield aside, orders({"VitalWeb": lab, "Wikispeedia": table}, "by the truth")
