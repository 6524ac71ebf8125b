"""Chapter 15: which policies serve how much, in simulated worlds."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from tres_webs.checks import one_of

from ..study.study import Setting, Study, grid
from ..world import KNOWN, Rule, Run, World, realised_bound, relaxation, simulate

WORLDS = range(200, 230)
LEARNT = 0.1  # where rates are learnt, the last digit of an exponential can change what is fetched
BEST = "best split"
RUNS: dict[str, Rule] = {
    "one index": KNOWN,
    "learnt": Rule(),
    "learnt, Last-Modified": Rule(modified=True),
    BEST: KNOWN,  # its shares are searched for in each world
    "half and half": Rule("half", known=True),
    "discovery only": Rule("discovery", known=True),
}
PRACTICE = ("half and half", "discovery only")
LEFT = {  # whose code has left (docs/decisions/what-left.md), and whose runs are stored
    "steady": (
        *("learnt, gamma arrivals", "learnt, epsilon", "learnt, no exploration"),
        *("learnt, Thompson", "best split, learnt", "thirds", "FIFO", "Nutch"),
        *("Nutch, from one day", "refresh only", "tracked price", "half-life x 0.25"),
        *("half-life x 0.5", "half-life x 2", "half-life x 4"),
    ),
    "bursts": ("one index", "tracked price", "learnt", "learnt, Last-Modified", BEST),
    "power law": ("one index", "taken for exponential"),
}
STEPS = (0.03, 0.015)  # by which shares move in the search for the best split
LEAST = 0.01  # a share of the bandwidth that a kind of fetch keeps


def studies() -> dict[str, Study]:
    """Return the runs in worlds; those of `RUNS` in steady ones can be made again."""
    length = {"horizon": [300.0], "warm_up": [120.0], "bandwidth": [100.0]}
    settings = grid(world=WORLDS, grounds=["steady"], name=RUNS, **length)
    for grounds, names in LEFT.items():
        settings += grid(world=WORLDS, grounds=[grounds], name=names, **length)
    study = Study("one-crawler", trial, settings, ("world",), (), _tolerance, repeats=_is_here)
    return {study.name: study}


def _tolerance(setting: Setting) -> float:
    return LEARNT if "learnt" in setting["name"] else 1e-9


def _is_here(setting: Setting) -> bool:
    return setting["grounds"] == "steady" and setting["name"] in RUNS


def trial(
    world: int,
    grounds: str,
    name: str,
    horizon: float,
    warm_up: float,
    bandwidth: float,
    shares: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Return what a `Run` of one of `RUNS` in one world measured, and the realised bound.

    The shares are those of links, pages and hubs in the bandwidth; None: those of the rule.
    """
    one_of("grounds", grounds, ["steady"])
    rule = RUNS[one_of("name", name, [*RUNS])]
    drawn, bound = _grounds(world, bandwidth, horizon, warm_up)
    if name == BEST:
        rule, run = best_split(drawn, bandwidth, horizon, warm_up)
    else:
        if shares is not None:
            rule = replace(rule, shares=tuple(shares))
        run = simulate(drawn, rule, bandwidth, horizon, warm_up)
    links, pages, hubs = run.fetches
    return {
        **{"served": run.served, "of_items": run.of_items, "of_pages": run.of_pages},
        **{"links": links, "pages": pages, "hubs": hubs, "price": run.price, "bound": bound},
        "shares": None if rule.shares is None else [float(share) for share in rule.shares],
    }


@lru_cache(maxsize=4)
def _grounds(seed: int, bandwidth: float, horizon: float, warm_up: float) -> tuple[World, float]:
    world = World.sample(seed)
    return world, realised_bound(world, bandwidth, horizon, warm_up)


def best_split(world: World, bandwidth: float, horizon: float, warm_up: float) -> tuple[Rule, Run]:
    """Search the fixed split of the bandwidth that serves most in this very world; run it.

    Shares move from one kind of fetch to another while that serves more, by `STEPS`, from the split
    of the relaxed problem on; rates are known.
    """

    @cache
    def run(shares: tuple[float, float, float]) -> Run:
        return simulate(world, replace(KNOWN, shares=shares), bandwidth, horizon, warm_up)

    relaxed = np.maximum(np.array(relaxation(world, bandwidth).split) / bandwidth, LEAST)
    links, _, hubs = (round(float(share), 4) for share in relaxed / relaxed.sum())
    best = links, round(1 - links - hubs, 4), hubs
    for step in STEPS:
        before = None
        while best != before:
            before = best
            best = max([best, *_near(best, step)], key=lambda shares: run(shares).served)
    return replace(KNOWN, shares=best), run(best)


def _near(shares: tuple[float, float, float], step: float) -> Iterator[tuple[float, float, float]]:
    """Yield the splits in which one kind of fetch has given a share to another."""
    for taker, giver in permutations(range(3), 2):
        moved = np.array(shares)
        moved[[taker, giver]] += step, -step
        links, pages, hubs = moved.round(4).tolist()
        if min(links, pages, hubs) >= LEAST:
            yield links, pages, hubs


def served_ratios(table: pd.DataFrame, name: str, over: str) -> pd.Series:
    """Return by steady world what a policy serves over another, all "practice", or the "bound".

    The name "any" stands for the best policy of all.
    """
    there = table[table["grounds"] == "steady"]
    served = there.pivot(index="world", columns="name", values="served")
    every = served.assign(any=served.max(axis=1), practice=served[list(PRACTICE)].max(axis=1))
    every["bound"] = there.groupby("world")["bound"].first()
    return (every[name] / every[over]).dropna()
