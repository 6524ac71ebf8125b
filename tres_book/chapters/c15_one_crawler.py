"""Chapter 15: which policies serve how much, in which simulated worlds."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from tres_webs.checks import one_of

from ..study.plan import Setting, Study
from ..world import Run, World, realised_bound, simulate
from ..world.bound import Parameters, relaxation
from ..world.rules import POLICIES, Rule

WORLDS, SIZED = range(200, 230), range(230, 235)
LEARNT = 0.1  # where rates are learnt, the last digit of an exponential can change what is fetched
POWER = 1.5  # exponent of the power law in the test of robustness; sources give .6 to 3.2
COMMON = (0.60, 0.28, 0.12)  # a split near the best in the prototype's worlds
MISJUDGED = (0.25, 0.5, 2.0, 4.0)  # half-lives, as multiples of the true ones
BEST = "best split"
LEARNT_SPLIT = "best split, learnt"
RUNS: dict[str, tuple[str, dict[str, Any]]] = {  # by name: a policy and what is changed in it
    "one index": ("one-index-known", {}),
    "tracked price": ("one-index-tracked", {}),
    "learnt": ("one-index", {}),
    "learnt, Last-Modified": ("one-index", {"modified": True}),
    "learnt, gamma arrivals": ("one-index", {"levels": False, "memory": 0.8}),
    "learnt, epsilon": ("one-index", {"explore": "epsilon"}),
    "learnt, no exploration": ("one-index", {"explore": "none"}),
    "learnt, Thompson": ("thompson", {}),
    BEST: ("best-split", {}),
    "thirds": ("thirds", {}),
    "FIFO": ("fifo", {}),
    "half and half": ("half", {}),
    "Nutch": ("nutch", {}),
    "Nutch, from one day": ("nutch-daily", {}),
    "discovery only": ("discovery", {}),
    "refresh only": ("refresh", {}),
    "taken for exponential": ("one-index-known", {"exponential": True}),
    **{f"half-life x {n:g}": ("one-index-known", {"half_life": n}) for n in MISJUDGED},
}
PRACTICE = ("FIFO", "half and half", "Nutch", "Nutch, from one day", "discovery only")
IN_BURSTS = ("one index", "tracked price", "learnt", "learnt, Last-Modified", BEST)
SIZES = {"steady": 1, "x 10": 10, "x 100": 100}  # of worlds and bandwidths, by grounds
AT_SIZES = ("one index", "tracked price", "learnt", BEST, "thirds")
GROUNDS: dict[str, tuple[str, dict[str, Any], Sequence[str]]] = {  # kind, parameters, who runs
    "steady": ("steady", {}, (*(n for n in RUNS if n != "taken for exponential"), LEARNT_SPLIT)),
    "bursts": ("bursts", {}, IN_BURSTS),
    "power law": ("steady", {"power": POWER}, ("one index", "taken for exponential")),
    "x 10": ("steady", {"hubs": 400}, AT_SIZES),
    "x 100": ("steady", {"hubs": 4_000}, AT_SIZES),
}
STEPS = (0.03, 0.015)  # by which shares move in the search for the best split
LEAST = 0.01  # a share of the bandwidth that a kind of fetch keeps


def studies() -> dict[str, Study]:
    """Return the runs in worlds, and at ``one-crawler-sizes`` a hundred times as large."""
    worlds = plan(WORLDS)
    sized = plan(SIZED, 180.0, 90.0, names=AT_SIZES, grounds=SIZES)  # large worlds take long
    studies = [
        Study("one-crawler", named_trial, worlds, ("world",), tolerance=_tolerance),
        Study("one-crawler-sizes", named_trial, sized, ("world", "grounds"), tolerance=_tolerance),
    ]
    return {study.name: study for study in studies}


def _tolerance(setting: Setting) -> float:
    return LEARNT if "learnt" in setting["name"] else 1e-9


def plan(
    worlds: Iterable[int],
    horizon: float = 300.0,
    warm_up: float = 120.0,
    names: Sequence[str] | None = None,
    grounds: Iterable[str] = ("steady", "bursts", "power law"),
) -> list[dict[str, Any]]:
    """Return the settings of `named_trial`, of all names if none are given."""
    length = {"horizon": horizon, "warm_up": warm_up}
    return [
        {"world": w, "grounds": ground, "name": name, **length}
        | {"bandwidth": 100.0 * SIZES.get(ground, 1)}
        for w in worlds
        for ground in grounds
        for name in GROUNDS[ground][2]
        if names is None or name in names
    ]


def named_trial(world: int, grounds: str, name: str, **length: float) -> dict[str, Any]:
    """Run a policy of `RUNS` in a world; return what `trial` does.

    "best split, learnt" is the better of two with the learner of "learnt": that which is best with
    known rates in this world, and a common one.
    """
    kind, parameters, named = GROUNDS[one_of("grounds", grounds, [*GROUNDS])]
    where: dict[str, Any] = {"kind": kind, "parameters": parameters, **length}
    if one_of("name", name, named) != LEARNT_SPLIT:
        policy, changes = RUNS[name]
        return trial(world, policy, changes=changes, **where)
    splits = (trial(world, "best-split", **where)["shares"], COMMON)
    rules = [{"shares": shares, "price": "solved"} for shares in splits]
    rows = [trial(world, "one-index", changes=rule, **where) for rule in rules]
    return max(rows, key=lambda row: row["served"])


def trial(
    world: int,
    policy: str = "one-index",
    kind: str = "steady",
    bandwidth: float = 100.0,
    horizon: float = 300.0,
    warm_up: float = 120.0,
    changes: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what a `Run` of one policy in one world measured, and the realised bound.

    The policy is a name of `POLICIES`, or "best-split", which is searched for in this world. Fields
    of its `Rule` and of `Parameters` may be changed. All arguments are of types that JSON has.
    """
    own, drawn_from = _hashable(changes), Parameters(**_hashable(parameters))
    drawn, bound = _grounds(world, kind, bandwidth, horizon, warm_up, drawn_from)
    if policy == "best-split":
        rule, run = best_split(drawn, bandwidth, horizon, warm_up, **own)
    else:
        rule = replace(POLICIES[policy], **own)
        run = simulate(drawn, rule, bandwidth, horizon, warm_up=warm_up)
    links, pages, hubs = run.fetches
    return {
        **{"served": run.served, "of_items": run.of_items, "of_pages": run.of_pages},
        **{"links": links, "pages": pages, "hubs": hubs, "price": run.price, "bound": bound},
        "shares": None if rule.shares is None else [float(share) for share in rule.shares],
    }


def _hashable(values: Mapping[str, Any] | None) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in (values or {}).items()}


@lru_cache(maxsize=4)
def _grounds(
    seed: int, kind: str, bandwidth: float, horizon: float, warm_up: float, parameters: Parameters
) -> tuple[World, float]:
    world = World.sample(seed, kind, parameters)
    solved = relaxation(world, bandwidth)
    return world, realised_bound(world, bandwidth, solved, horizon, warm_up)


@lru_cache(maxsize=4)  # a search takes many runs
def best_split(
    world: World, bandwidth: float, horizon: float, warm_up: float, **changes: Any
) -> tuple[Rule, Run]:
    """Search the fixed split of the bandwidth that serves most in this very world; run it.

    Shares move from one kind of fetch to another while that serves more, by `STEPS`, from the split
    of the relaxed problem on. `changes` are fields of its `Rule`; rates are known by default.
    """
    rule = Rule(**{"rates": "known", "price": "solved", **changes})

    @cache
    def run(shares: tuple[float, float, float]) -> Run:
        split = replace(rule, shares=shares)
        return simulate(world, split, bandwidth, horizon, warm_up=warm_up)

    relaxed = np.maximum(np.array(relaxation(world, bandwidth).split) / bandwidth, LEAST)
    links, _, hubs = (round(float(share), 4) for share in relaxed / relaxed.sum())
    best = links, round(1 - links - hubs, 4), hubs
    for step in STEPS:
        before = None
        while best != before:
            before = best
            best = max([best, *_near(best, step)], key=lambda shares: run(shares).served)
    return replace(rule, shares=best), run(best)


def _near(shares: tuple[float, float, float], step: float) -> Iterator[tuple[float, float, float]]:
    """Yield the splits in which one kind of fetch has given a share to another."""
    for taker, giver in permutations(range(3), 2):
        moved = np.array(shares)
        moved[[taker, giver]] += step, -step
        links, pages, hubs = moved.round(4).tolist()
        if min(links, pages, hubs) >= LEAST:
            yield links, pages, hubs


def served_ratios(table: pd.DataFrame, name: str, over: str, grounds: str = "steady") -> pd.Series:
    """Return by world what one policy serves over another, over all "practice" or over "any"."""
    there = table[table["grounds"] == grounds]
    served = there.pivot(index="world", columns="name", values="served")
    every = served.copy()
    every["any"] = served.max(axis=1)
    every["practice"] = served.reindex(columns=list(PRACTICE)).max(axis=1)
    every["bound"] = there.groupby("world")["bound"].first()
    return (every[name] / every[over]).dropna()
