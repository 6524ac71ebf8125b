"""Chapter 17: the laboratory under the real sites' conditions, and which condition moves its order.

The webs, the judge and the rules of data/matched_rules.yaml were fixed before any crawl of these
studies ran.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

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
HALVES = "halves of the real topics"
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
    return harvests if order == ORDERS[0] else -rankdata(-harvests, axis=-1)


def agreement(real: pd.DataFrame, arm: str, fetches: int, order: str = ORDERS[0]) -> Found:
    """Return Kendall's tau of the policies' order on the real sites and under an arm's conditions.

    The 95 % interval is over topics and seeds there, and over webs and topics here. ``real`` are
    crawls as of `c17_real_sites.results`.
    """
    here = harvests(arm, fetches)
    value, taus = _taus(_sites(real, fetches, order), _cube(here, order))
    low, high = np.quantile(taus, [0.025, 0.975])
    return Found(value, (float(low), float(high)), len(here), f"{fetches:,} fetches")


def moved(real: pd.DataFrame) -> pd.DataFrame:
    """Return by arm and length its tau less that of matched webs, "mean [low, high]".

    Orders are by mean harvest. Of an arm on the same webs as these, draws are of the same webs.
    """
    cells: dict[tuple[str, str], str] = {}
    for (head, fetches), arm in product(zip(HEADS, LENGTHS, strict=True), list(ARMS)[1:]):
        sites, own = _sites(real, fetches), harvests(arm, fetches)
        like = harvests(WHOLE[0], fetches)
        like = like.loc[own.index] if own.index.isin(like.index).all() else like
        (value, taus), (base, bases) = (_taus(sites, _cube(lab)) for lab in (own, like))
        low, high = np.quantile(taus - bases, [0.025, 0.975])
        cells[arm, head] = f"{Figure(value - base, low, high):+.2f|ci}"
    return pd.Series(cells).unstack(sort=False).rename_axis("less matched webs")


def _taus(sites: np.ndarray, lab: np.ndarray) -> tuple[float, np.ndarray]:
    """Return tau of both orders' means, and of draws of both."""
    value = tau(sites.mean(axis=(-2, -1)), lab.mean(axis=(-2, -1)))
    return float(value), tau(resampled(sites, 0), resampled(lab, 1))


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
    counts = {arm: len(harvests(arm, LENGTHS[0])) for arm in ARMS}
    columns: dict[tuple[str, str], dict[str, Any]] = {COUNTED: counts}
    for order, (head, n) in product(ORDERS, zip(HEADS, LENGTHS, strict=True)):
        split, found = halves(real, n, order), {arm: agreement(real, arm, n, order) for arm in ARMS}
        cells = {arm: Figure(one.value, *one.interval or ()) for arm, one in found.items()}
        cells[HALVES] = Figure(split.mean(), *np.quantile(split, [0.05, 0.95]))
        columns[order, head] = {arm: f"{cell:.2f|ci}" for arm, cell in cells.items()}
        counts[HALVES] = len(split)
    return pd.DataFrame(columns)


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
    columns = {
        head: {name: f"{_mean(gain):.1f|ci}" for name, gain in gains(real, fetches).items()}
        for head, fetches in zip(HEADS, LENGTHS, strict=True)
    }
    return pd.DataFrame(columns).rename_axis("points of harvest")


def _mean(gain: pd.Series) -> Figure:
    """Return the mean of a column by topic and draw, with its interval over both."""
    return interval(_cube(gain.to_frame())[0])


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
    """Return in how many cells of `choice`, of how many, another surely leads one."""
    lows = []
    for *_, part in by_supply(real):
        ahead = part.sub(part[mine], axis=0).drop(columns=mine)
        lows.append(_mean(ahead[ahead.mean().idxmax()]).low)
    return sum(low > 0 for low in lows), len(lows)


def _first(harvests: pd.DataFrame) -> str:
    first, second = harvests.mean().nlargest(2).index
    lead = _mean(harvests[first] - harvests[second])
    return f"{first}, {harvests[first].mean():.1f} %; {lead:.1f|ci} over {second}"


def findings(real: pd.DataFrame) -> dict[str, Found]:
    """Return what was found of each claim on the matched laboratory."""
    return {f"real-matched-{n}": agreement(real, WHOLE[0], n) for n in LENGTHS}


def figures() -> dict[str, Any]:
    """Return what the chapter's sentences say of the matched laboratory beside its claims."""
    real = real_crawls()
    found: dict[str, Any] = {f"halves_{n}": Figure(float(halves(real, n).mean())) for n in LENGTHS}
    _, reached, unreached, *_ = map(_mean, gains(real, LENGTHS[-1]).values())
    found |= {"seedfinder_reached": reached, "by_unreached": unreached}
    found["behind"], found["cells"] = behind(real)
    return found
