"""Chapter 17: the laboratory under the real sites' conditions, and which condition moves its order.

The webs, the judge and the rules of data/matched_rules.yaml were fixed before any crawl of these
studies ran.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd

from ..crawls import matched
from ..crawls.matched import ARMS, EVERY, PAGES
from ..crawls.real_sites import LENGTHS, REACHED, TOPICS as REAL_TOPICS, record
from ..crawls.record import points
from ..crawls.sweeps import TOPICS
from ..study import results
from ..study.claims import Found
from ..study.findings import Figure
from ..study.study import Study, grid
from .c17_real_sites import (
    CONTENDERS,
    DRAWS,
    by_policy,
    interval,
    readings,
    resampled,
    results as real_crawls,
    tau,
)

POLICIES = tuple(name for name in CONTENDERS if name != "sb")
BY_LINKS = [name for name in POLICIES if name != "seedfinder"]
LIMITED = "real-sites-reached"
WHOLE = ("matched", "third law")  # arms on all webs; the others run on a third of them
THIRD = 8
ORDERS = ("mean harvest", "mean rank")
# Relevant pages that links reach over the 4,000 fetches: of two, three and three real topics.
SUPPLIES = {"under .08": (0.0, 0.08), ".08 to .15": (0.08, 0.15), "over .15": (0.15, np.inf)}
COUNTED = ("", "webs x topics, or splits")
HEADS = tuple(f"{n:,} fetches" for n in LENGTHS)


def studies() -> dict[str, Study]:
    """Return the trial of judges, the crawls by arm, and what there is under their conditions."""
    tried = [
        {"topic": topic, "web_seed": int(seed), "every": every}
        for topic in TOPICS
        for seed in matched.webs(topic, PAGES, "judge").index
        for every in EVERY
    ]
    webs = [
        {"arm": arm, "topic": topic, "web_seed": int(seed)}
        for arm in ARMS
        for topic in TOPICS
        for seed in _webs(arm, topic)
    ]
    crawls = [web | {"policy": policy} for web in webs for policy in POLICIES]
    there = [web for web in webs if web["arm"] not in ("one seed", "20,000 fetches")]
    together = ("arm", "topic", "web_seed")
    reached = grid(topic=REAL_TOPICS, seed=DRAWS, policy=[REACHED], judge=["classifier"])
    every = (
        Study(LIMITED, record, reached, ("topic",)),
        Study("matched-judges", matched.judge_trial, tried, ("topic", "every")),
        Study("matched-crawls", matched.record, crawls, together),
        Study("matched-webs", matched.conditions, there, together),
    )
    return {study.name: study for study in every}


def _webs(arm: str, topic: str) -> Sequence[int]:
    there = matched.webs(topic, ARMS[arm].pages).index
    return there if arm in WHOLE else there[:THIRD]


def harvests(arm: str, fetches: int) -> pd.DataFrame:
    """Return the true harvest in per cent, a row a topic and web, a column a policy."""
    crawls = results.stored("matched-crawls")
    crawls = crawls[crawls["arm"] == arm]
    at = int(np.searchsorted(points(ARMS[arm].budget), fetches))
    found = 100 * crawls["truly found"].str[at] / fetches
    wide = crawls.assign(harvest=found).pivot(
        index=["topic", "web_seed"], columns="policy", values="harvest"
    )
    return wide[list(POLICIES)]


def ranked(harvests: np.ndarray, order: str) -> np.ndarray:
    """Return what policies are ordered by, harvests (..., policies): these, or less their ranks."""
    if order == ORDERS[0]:
        return harvests
    above = harvests[..., None, :] > harvests[..., :, None]
    equal = harvests[..., None, :] == harvests[..., :, None]
    return -(above.sum(axis=-1) + (equal.sum(axis=-1) + 1) / 2)


def agreement(real: pd.DataFrame, arm: str, fetches: int, order: str = ORDERS[0]) -> Found:
    """Return Kendall's tau of the policies' order on the real sites and under an arm's conditions.

    The 95 % interval is over topics and seeds there, and over webs and topics here. ``real`` are
    crawls as of `c17_real_sites.results`.
    """
    here = harvests(arm, fetches)
    sites, lab = _sites(real, fetches, order), _cube(here, order)
    bounds = np.quantile(tau(resampled(sites, 0), resampled(lab, 1)), [0.025, 0.975])
    value = float(tau(sites.mean(axis=(-2, -1)), lab.mean(axis=(-2, -1))))
    return Found(value, (float(bounds[0]), float(bounds[1])), len(here), f"{fetches:,} fetches")


def moved(real: pd.DataFrame) -> pd.DataFrame:
    """Return by arm and length its tau less that of matched webs, "mean [low, high]".

    Orders are by mean harvest. Of an arm on the same webs as these, draws are of the same webs.
    """
    columns: dict[str, dict[str, str]] = {}
    for head, fetches in zip(HEADS, LENGTHS, strict=True):
        sites, matching = _sites(real, fetches), harvests(WHOLE[0], fetches)
        mean, drawn = sites.mean(axis=(-2, -1)), resampled(sites, 0)
        column = columns[head] = {}
        for arm in list(ARMS)[1:]:
            own = harvests(arm, fetches)
            like = matching.loc[own.index] if own.index.isin(matching.index).all() else matching
            labs = _cube(own), _cube(like)
            value, base = (tau(mean, lab.mean(axis=(-2, -1))) for lab in labs)
            taus, bases = (tau(drawn, resampled(lab, 1)) for lab in labs)
            bounds = np.quantile(taus - bases, [0.025, 0.975])
            column[arm] = f"{Figure(value - base, *bounds):+.2f|ci}"
    return pd.DataFrame(columns).rename_axis("less matched webs")


def _sites(real: pd.DataFrame, fetches: int, order: str = ORDERS[0]) -> np.ndarray:
    return _cube(by_policy(real, fetches)[list(POLICIES)], order)


def _cube(wide: pd.DataFrame, order: str = ORDERS[0]) -> np.ndarray:
    """Return what policies are ordered by, (policies, topics, n of each topic)."""
    parts = [part.to_numpy() for _, part in wide.groupby("topic", sort=False)]
    least = min(map(len, parts))
    return np.moveaxis(ranked(np.stack([part[:least] for part in parts]), order), -1, 0)


def halves(real: pd.DataFrame, fetches: int, order: str = ORDERS[0]) -> np.ndarray:
    """Return tau between the halves of the real topics, (35,): what a laboratory may reach."""
    topics = _sites(real, fetches, order).mean(axis=-1)
    every = range(topics.shape[1])
    ones = [list(half) for half in combinations(every, len(every) // 2) if 0 in half]
    others = [[i for i in every if i not in half] for half in ones]
    return tau(*(topics[:, half].mean(axis=-1).T for half in (ones, others)))


def table(real: pd.DataFrame) -> pd.DataFrame:
    """Return "tau [low, high]" by arm, with the number of webs, by both orders at each length."""
    rows: dict[str, dict[tuple[str, str], Any]] = {}
    for arm in ARMS:
        cells = rows[arm] = {COUNTED: len(harvests(arm, LENGTHS[0]))}
        for order, (head, n) in product(ORDERS, zip(HEADS, LENGTHS, strict=True)):
            found = agreement(real, arm, n, order)
            cells[order, head] = f"{Figure(found.value, *found.interval or ()):.2f|ci}"
    for order, (head, n) in product(ORDERS, zip(HEADS, LENGTHS, strict=True)):
        split = halves(real, n, order)
        cells = rows.setdefault("halves of the real topics", {COUNTED: len(split)})
        cells[order, head] = f"{Figure(split.mean(), *np.quantile(split, [0.05, 0.95])):.2f|ci}"
    return pd.DataFrame.from_dict(rows, "index")


def places(real: pd.DataFrame, fetches: int, arm: str = WHOLE[0]) -> pd.DataFrame:
    """Return each policy's mean harvest and place on the real sites and under an arm."""
    means = pd.DataFrame(
        {
            "real sites": by_policy(real, fetches)[list(POLICIES)].mean(),
            arm: harvests(arm, fetches).mean(),
        }
    )
    ranks = means.rank(ascending=False).astype(int)
    both = pd.concat({"harvest %": means.round(1), "place": ranks}, axis=1)
    return both.sort_values(("place", "real sites"))


def gains(real: pd.DataFrame, fetches: int) -> dict[str, pd.Series]:
    """Return what two explanations are worth, in points of harvest by topic and draw, or web.

    What SeedFinder loses on real sites without the pages of its engine that links do not reach,
    and how far it leads the best by links with and without them; what ACHE loses by its turns
    among sites, there and on matched webs.
    """
    there, here = by_policy(real, fetches), harvests(WHOLE[0], fetches)
    best = there[there[BY_LINKS].mean().idxmax()]
    limited = readings(results.stored(LIMITED).assign(crawler=REACHED, reachable=np.nan))
    at = limited[limited["fetches"] == fetches].set_index(["topic", "seed"])["harvest"]
    return {
        "SeedFinder over the best by links": there["seedfinder"] - best,
        "the same, its engine without what links do not reach": at - best,
        "SeedFinder by such pages": there["seedfinder"] - at,
        "ACHE, best link of all over turns among sites": there["ache-global"] - there["ache"],
        "the same on matched webs": here["ache-global"] - here["ache"],
    }


def why(real: pd.DataFrame) -> pd.DataFrame:
    """Return the means of `gains`, "mean [low, high]", by length."""
    columns = {}
    for fetches in LENGTHS:
        cubes = {
            name: _cube(gain.to_frame(), ORDERS[0])[0]
            for name, gain in gains(real, fetches).items()
        }
        texts = {n: "{:.1f} [{:.1f}, {:.1f}]".format(*interval(cube)) for n, cube in cubes.items()}
        columns[f"{fetches:,} fetches"] = texts
    return pd.DataFrame(columns).rename_axis("points of harvest")


def choice(real: pd.DataFrame) -> pd.DataFrame:
    """Return by supply and length which crawler by links alone finds most, and its lead in points.

    The lead is over the next; 95 % intervals are over topics and draws, or topics and webs.
    """
    rows: dict[tuple[str, int], dict[str, str]] = {}
    for name, fetches, where, part in by_supply(real):
        rows.setdefault((name, fetches), {})[where] = _first(part)
    return pd.DataFrame.from_dict(rows, "index").rename_axis(["supply", "fetches"])


def by_supply(real: pd.DataFrame) -> Iterator[tuple[str, int, str, pd.DataFrame]]:
    """Yield harvests by links alone: the supply, the fetches, where, a row a topic and draw."""
    supply = pd.Series(matched.real_topics()) / matched.BUDGET
    for (name, (low, high)), fetches in product(SUPPLIES.items(), LENGTHS):
        topics = supply[(supply >= low) & (supply < high)].index
        there, here = by_policy(real, fetches)[BY_LINKS], harvests(WHOLE[0], fetches)[BY_LINKS]
        like = [matched.webs(topic, PAGES)["like"][seed] for topic, seed in here.index]
        yield name, fetches, "real sites", there[there.index.isin(topics, level="topic")]
        yield name, fetches, "matched webs", here[np.isin(like, topics)]


def behind(real: pd.DataFrame, mine: str = "prospector") -> tuple[int, int]:
    """Return in how many cells of `advice`, of how many, another surely leads one."""
    lows = []
    for *_, part in by_supply(real):
        ahead = part.sub(part[mine], axis=0).drop(columns=mine)
        lows.append(interval(_cube(ahead[[ahead.mean().idxmax()]], ORDERS[0])[0])[1])
    return int(sum(low > 0 for low in lows)), len(lows)


def _first(harvests: pd.DataFrame) -> str:
    first, second = harvests.mean().nlargest(2).index
    ahead = _cube(harvests[[first]] - harvests[[second]].to_numpy(), ORDERS[0])[0]
    lead = "{:.1f} [{:.1f}, {:.1f}]".format(*interval(ahead))
    return f"{first}, {harvests[first].mean():.1f} %; {lead} over {second}"


def findings(real: pd.DataFrame) -> Iterator[tuple[str, Found]]:
    """Yield each claim on the matched laboratory."""
    for fetches in LENGTHS:
        yield f"real-matched-{fetches}", agreement(real, WHOLE[0], fetches)


def figures() -> dict[str, Any]:
    """Return what the chapter's sentences say of the matched laboratory beside its claims."""
    real, fetches = real_crawls(), LENGTHS[-1]
    if real.empty:
        return {}
    found: dict[str, Any] = {f"halves_{n}": Figure(float(halves(real, n).mean())) for n in LENGTHS}
    names = {"seedfinder_reached": 1, "by_unreached": 2, "turns": 3}
    values = list(gains(real, fetches).values())
    for name, k in names.items():
        cube = _cube(values[k].to_frame(), ORDERS[0])[0]
        found[name] = Figure(*interval(cube), cube.size)
    here = results.stored("matched-crawls").query("arm == @WHOLE[0]")
    dry = {"on_sites": real.query("judge == 'classifier'"), "in_lab": here}
    for name, runs in dry.items():
        found[f"ache_{name}"] = Figure(float(runs.query("policy == 'ache'")["pages"].median()))
    found["behind"], found["cells"] = behind(real)
    return found
