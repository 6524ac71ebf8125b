"""One run as a row of a table, and the split of the bandwidth that is best in hindsight."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from itertools import permutations
from typing import Any

import numpy as np

from tres_lib.watching.bound import Parameters, relaxation
from tres_lib.watching.rules import POLICIES, Rule

from .simulation import Run, realised_bound, simulate
from .world import World

STEPS = (0.03, 0.015)  # by which shares move in the search for the best split
LEAST = 0.01  # a share of the bandwidth that a kind of fetch keeps


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

    best = _begin(world, bandwidth)
    for step in STEPS:
        before = None
        while best != before:
            before = best
            best = max([best, *_near(best, step)], key=lambda shares: run(shares).served)
    return replace(rule, shares=best), run(best)


def _begin(world: World, bandwidth: float) -> tuple[float, float, float]:
    """Return the split of the relaxed problem."""
    split = np.maximum(np.array(relaxation(world, bandwidth).split) / bandwidth, LEAST)
    links, _, hubs = (round(float(share), 4) for share in split / split.sum())
    return links, round(1 - links - hubs, 4), hubs


def _near(shares: tuple[float, float, float], step: float) -> Iterator[tuple[float, float, float]]:
    """Yield the splits in which one kind of fetch has given a share to another."""
    for taker, giver in permutations(range(3), 2):
        moved = np.array(shares)
        moved[[taker, giver]] += step, -step
        links, pages, hubs = moved.round(4).tolist()
        if min(links, pages, hubs) >= LEAST:
            yield links, pages, hubs
