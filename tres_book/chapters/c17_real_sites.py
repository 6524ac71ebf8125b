"""Chapter 17: crawlers on real sites: what they found, what half and most of it cost, their orders.

Arguments called ``crawls`` are tables as of `results`, a row a crawl.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from ..crawls.comparison import crawler
from ..crawls.real_sites import BUDGET, LENGTHS, TOPICS, record, survey
from ..crawls.record import points
from ..crawls.stored import curves
from ..crawls.tables import DELAY
from ..study import results as stored_runs, summarise
from ..study.claims import Found
from ..study.findings import Figure, name_of
from ..study.plan import Study, grid

DRAWS = range(10)  # of seed pages
# What they take does not depend on the judge of pages, so one crawl serves both.
BLIND = ("random", "bfs", "best-first", "oracle")
OF_PAPER = ("ache", "seedfinder", "async", "random", "tree-random")  # TRES's rivals
RIVALS = ("linear", "ache", "ache-global", "seedfinder")  # Prospector's
CONTENDERS = (
    *("tres", "ache", "ache-global", "seedfinder", "async", "best-first", "linear", "parent"),
    *("prospector", "prospector-flat", "tree-random", "sb"),
)
LEARNERS = tuple(name for name in CONTENDERS if name not in BLIND)
PLAN = (  # judge, limit, policies; 1.04 CPU hours by the manifest
    ("classifier", "none", (*BLIND, *LEARNERS)),
    ("labels", "none", LEARNERS),
    ("classifier", "20", ("tres",)),
)
WORLDS = {"second law": "second-free", "Wikispeedia": "wikispeedia"}
KEYS = ["judge", "crawler", "policy", "topic", "seed"]
RESAMPLES = 2_000


def studies() -> dict[str, Study]:
    """Return the crawls, and what there is of each topic."""
    every = [
        {"policy": policy, "judge": judge, "limit": limit, "budget": BUDGET, **draw}
        for draw in grid(topic=TOPICS, seed=DRAWS)
        for judge, limit, policies in PLAN
        for policy in policies
    ]
    crawls = Study("real-sites", record, every, ("topic",))
    there = Study("real-sites-topics", survey, grid(topic=TOPICS))
    return {study.name: study for study in (there, crawls)}


def results() -> pd.DataFrame:
    """Return the stored crawls with what was ``reachable``; those of `BLIND` under both judges."""
    runs, topics = (stored_runs.stored(name) for name in ("real-sites", "real-sites-topics"))
    if runs.empty or topics.empty:
        return pd.DataFrame(columns=KEYS)
    blind = runs[runs["policy"].isin(BLIND)]
    blind = blind.assign(judge="labels", found=blind["truly found"])
    crawls = pd.concat([runs, blind], ignore_index=True)
    reach = topics.set_index("topic")["reachable"]
    pairs = zip(crawls["topic"], crawls["seed"], strict=True)
    names = map(crawler, crawls["policy"], crawls["limit"])
    return crawls.assign(crawler=list(names), reachable=[reach[t][s] for t, s in pairs])


def readings(crawls: pd.DataFrame) -> pd.DataFrame:
    """Return each crawl after `LENGTHS` fetches: ``harvest`` and ``share``, in per cent.

    By the truth: relevant pages of those fetched, and of those that links reach from its seeds.
    """
    parts = []
    for length in LENGTHS:
        at = int(np.searchsorted(points(BUDGET), length))
        found = 100 * crawls["truly found"].str[at]
        share = found / crawls["reachable"]
        parts.append(crawls[KEYS].assign(fetches=length, harvest=found / length, share=share))
    return pd.concat(parts, ignore_index=True)


def needs(crawls: pd.DataFrame, share: float) -> pd.DataFrame:
    """Return what it took each crawl to find a share of what links reach; infinite if it never did.

    ``requests``, to the next 20; and ``polite seconds``, at least: the busiest host is asked every
    `DELAY` seconds.
    """
    needed = []
    for found, busiest, all_ in crawls[["truly found", "busiest", "reachable"]].itertuples(False):
        done = np.flatnonzero(np.asarray(found) >= share * all_)
        cost = (points(BUDGET)[done[0]], DELAY * busiest[done[0]]) if len(done) else (np.inf,) * 2
        needed.append(cost)
    columns = ["requests", "polite seconds"]
    return crawls[KEYS].join(pd.DataFrame(needed, crawls.index, columns))


def costs(crawls: pd.DataFrame) -> pd.DataFrame:
    """Return by judge and crawler, for a half and nine tenths: medians of `needs`, how many never.

    A crawl that never did counts as beyond all others, so that a median may be infinite.
    """
    parts = {}
    for share in (0.5, 0.9):
        by = needs(crawls, share).groupby(["judge", "crawler"], sort=False)
        table = by[["requests", "polite seconds"]].median()
        table["never"] = by["requests"].agg(lambda all_: f"{np.isinf(all_).sum()}/{len(all_)}")
        parts[f"{share:.0%}"] = table
    return pd.concat(parts, axis=1)


def resampled(values: np.ndarray, rng: int = 0) -> np.ndarray:
    """Return means of bootstrap samples of values (..., topics, seeds), (RESAMPLES, ...).

    Topics are drawn with replacement, then seeds within each draw: both are sources of spread.
    """
    draw, (n, m) = np.random.default_rng(rng), values.shape[-2:]
    topics = draw.integers(n, size=(RESAMPLES, n, 1))
    sample = values[..., topics, draw.integers(m, size=(RESAMPLES, n, m))]
    return np.moveaxis(sample.mean(axis=(-2, -1)), -1, 0)


def interval(values: np.ndarray) -> tuple[float, float, float]:
    """Return the mean of values (topics, seeds) and its 95 % interval over both."""
    low, high = np.quantile(resampled(values), [0.025, 0.975])
    return float(values.mean()), float(low), float(high)


def table(crawls: pd.DataFrame, value: str = "harvest") -> pd.DataFrame:
    """Return "mean [low, high]" of a column of `readings` by crawler; heads: judge and fetches."""
    cells = {names: f"{cell:.1f|ci}" for names, cell in means(crawls, value).items()}
    return pd.Series(cells).unstack([1, 2], "").sort_index(axis=1)


def means(crawls: pd.DataFrame, value: str) -> dict[tuple, Figure]:
    """Return the mean of a column of `readings` by crawler, judge and fetches."""
    cells = {}
    for names, part in readings(crawls).groupby(["crawler", "judge", "fetches"]):
        whole = part.pivot(index="topic", columns="seed", values=value).dropna()
        cells[names] = Figure(*interval(whole.to_numpy()), whole.size)
    return cells


def by_policy(crawls: pd.DataFrame, fetches: int, judge: str = "classifier") -> pd.DataFrame:
    """Return the harvest without a limit, a row a topic and seed, a column a policy.

    Topics of which a crawl is not stored yet are left out.
    """
    at = readings(crawls[(crawls["judge"] == judge) & (crawls["limit"] == "none")])
    at = at[at["fetches"] == fetches]
    wide = at.pivot(index=["topic", "seed"], columns="policy", values="harvest")
    return wide.groupby("topic").filter(lambda part: part.notna().all(axis=None))


def choice(crawls: pd.DataFrame) -> pd.DataFrame:
    """Return which crawler by links alone finds most, and its lead over others in points."""
    rows = {}
    for judge, fetches in product(("classifier", "labels"), LENGTHS):
        here = by_policy(crawls, fetches, judge)
        first = here[[*CONTENDERS, "bfs"]].drop(columns="seedfinder").mean().idxmax()
        row = {"take": first, "harvest": f"{here[first].mean():.1f}"}
        for other in ("linear", "ache", "best-first", "seedfinder"):
            ahead = (here[first] - here[other]).unstack("seed").to_numpy()
            row[f"over {other}"] = "{:.1f} [{:.1f}, {:.1f}]".format(*interval(ahead))
        rows[judge, fetches] = row
    return pd.DataFrame.from_dict(rows, "index").rename_axis(["judge", "fetches"])


def orders(crawls: pd.DataFrame, fetches: int) -> pd.DataFrame:
    """Return the true harvest of each contender, mean over topics, here and in `WORLDS`."""
    columns = {"real sites": by_policy(crawls, fetches).mean()}
    for world, study in WORLDS.items():
        there = curves(study)
        there = there[(there["step"] == fetches) & (there["limit"] == "none")]
        means = there.groupby(["policy", "topic"])["true harvest rate"].mean()
        columns[world] = 100 * means.groupby("policy").mean()
    return pd.DataFrame(columns).reindex(CONTENDERS).dropna(subset="real sites")


def agreement(crawls: pd.DataFrame, fetches: int) -> pd.DataFrame:
    """Return Kendall's tau-b of the order here and in each of `WORLDS`, of the policies in both.

    Its 95 % interval is over topics and seeds here.
    """
    means, here = orders(crawls, fetches), by_policy(crawls, fetches)
    rows = {}
    for world in WORLDS:
        both = means[world].dropna()
        values = np.array([here[name].unstack("seed").to_numpy() for name in both.index])
        taus = [kendalltau(drawn, both).statistic for drawn in resampled(values)]
        tau = kendalltau(means.loc[both.index, "real sites"], both).statistic
        rows[world] = (tau, *np.quantile(taus, [0.025, 0.975]), len(both))
    return pd.DataFrame.from_dict(rows, "index", columns=["tau", "low", "high", "policies"])


def lead(fetches: int, mine: str, others: Sequence[str], crawls: pd.DataFrame) -> Found:
    """Return by how many points one finds more than that of the others which finds most."""
    here = by_policy(crawls, fetches)
    best = here[list(others)].mean().idxmax()
    return _found(here[mine] - here[best], fetches)


def least_lead(mine: str, other: str, crawls: pd.DataFrame) -> Found:
    """Return the least lead, mean over seeds, of all topics, lengths and judges."""
    wide = {
        (n, judge): by_policy(crawls, n, judge)
        for n in LENGTHS
        for judge in ("classifier", "labels")
    }
    leads = {cell: here[mine] - here[other] for cell, here in wide.items()}
    every = pd.concat(leads, names=["fetches", "judge"]).rename("lead").reset_index()
    cells = summarise(every, ["fetches", "judge", "topic"], "lead")
    return Found.least(cells, f"{BUDGET:,} fetches")


def sooner(share: float, mine: str, other: str, crawls: pd.DataFrame) -> Found:
    """Return in what share of pairs one needs fewer requests, less that in which it needs more."""
    needed = needs(crawls[crawls["judge"] == "labels"], share)
    wide = needed.pivot(index=["topic", "seed"], columns="policy", values="requests")
    won = (wide[mine] < wide[other]).astype(float) - (wide[mine] > wide[other])
    return _found(won, BUDGET)


def _found(values: pd.Series, fetches: int) -> Found:
    """Return the mean of values by topic and seed, with its interval."""
    mean, low, high = interval(values.unstack("seed").to_numpy())
    return Found(mean, (low, high), len(values), f"{fetches:,} fetches")


def order_by_law(crawls: pd.DataFrame) -> Found:
    """Return tau of the contenders' order here and on VitalWeb's second law."""
    row = agreement(crawls, BUDGET).loc["second law"]
    n = len(by_policy(crawls, BUDGET))
    return Found(row["tau"], (row["low"], row["high"]), n, f"{BUDGET:,} fetches")


CLAIMS: dict[str, Callable[[pd.DataFrame], Found]] = {
    "real-best-first": partial(lead, 1_000, "best-first", ("bfs",)),
    "real-tres": partial(lead, BUDGET, "tres", OF_PAPER),
    "real-law-order": order_by_law,
    "real-prospector-400": partial(lead, 400, "prospector", RIVALS),
    "real-prospector-4000": partial(lead, BUDGET, "prospector", RIVALS),
    "real-prospector-bfs": partial(least_lead, "prospector", "bfs"),
    "real-sb": partial(sooner, 0.9, "sb", "tres"),
}


def findings(crawls: pd.DataFrame) -> Iterator[tuple[str, Found]]:
    """Yield each claim and what was found of it, once all planned crawls are stored."""
    if all(stored_runs.length_if_stored(study, "all") for study in studies().values()):
        yield from ((claim, measure(crawls)) for claim, measure in CLAIMS.items())


def figures() -> dict[str, Any]:
    """Return what the chapter's sentences say beside its claims: leads, shares, agreement."""
    crawls = results()
    if crawls.empty:
        return {}
    pairs = {"best-first": "bfs", "tres": "linear", "prospector": "linear"}
    leads = {
        name_of(f"{mine}_{length}"): _figure(lead(length, mine, (other,), crawls))
        for mine, other in pairs.items()
        for length in LENGTHS
    }
    leads["flat_400"] = _figure(lead(400, "prospector-flat", ("prospector",), crawls))
    judged = crawls[crawls["judge"] == "classifier"]
    part = judged[judged["crawler"].isin(["TRES", "Oracle", "TRES_20"])]
    share = {name: cell for (name, _, n), cell in means(part, "share").items() if n == BUDGET}
    missed = np.isinf(needs(part[part["crawler"] == "TRES"], 0.9)["requests"])
    order = agreement(crawls, 400).loc["second law"]
    return leads | {
        "share": SimpleNamespace(**share),
        "missed": int(missed.sum()),
        "of": len(missed),
        "tau_400": Figure(*order[["tau", "low", "high"]]),
    }


def _figure(found: Found) -> Figure:
    low, high = found.interval or (np.nan, np.nan)
    return Figure(found.value, low, high, found.n)
