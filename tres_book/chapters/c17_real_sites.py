"""Chapter 17: crawlers on real sites: what they found, and their orders.

Arguments called ``crawls`` are tables as of `results`, a row a crawl.
"""

from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from ..crawls.comparison import crawler
from ..crawls.real_sites import BUDGET, LENGTHS, TOPICS, record, survey
from ..crawls.record import points
from ..crawls.stored import crawls as stored_crawls, true_harvest
from ..study import results as stored_runs, summarise
from ..study.claims import Found
from ..study.findings import Figure
from ..study.study import Study, grid

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
    blind = runs[runs["policy"].isin(BLIND)]
    blind = blind.assign(judge="labels", found=blind["truly found"])
    crawls = pd.concat([runs, blind], ignore_index=True)
    reach = topics.set_index("topic")["reachable"]
    names = map(crawler, crawls["policy"], crawls["limit"])
    pages = [reach[t][s] for t, s in zip(crawls["topic"], crawls["seed"], strict=True)]
    return crawls.assign(crawler=list(names), reachable=pages)


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


def needs(crawls: pd.DataFrame, share: float) -> pd.Series:
    """Return each crawl's requests, to the next 20, until it found a share of what links reach.

    They are infinite if it never did.
    """
    pairs = zip(crawls["truly found"], share * crawls["reachable"], strict=True)
    enough = [np.flatnonzero(np.asarray(found) >= least) for found, least in pairs]
    needed = [points(BUDGET)[done[0]] if len(done) else np.inf for done in enough]
    return pd.Series(needed, crawls.index, float)


def resampled(values: np.ndarray, rng: int = 0) -> np.ndarray:
    """Return means of bootstrap samples of values (..., topics, seeds), (RESAMPLES, ...).

    Topics are drawn with replacement, then seeds within each draw: both are sources of spread.
    """
    draw, (n, m) = np.random.default_rng(rng), values.shape[-2:]
    topics = draw.integers(n, size=(RESAMPLES, n, 1))
    sample = values[..., topics, draw.integers(m, size=(RESAMPLES, n, m))]
    return np.moveaxis(sample.mean(axis=(-2, -1)), -1, 0)


def interval(values: np.ndarray) -> Figure:
    """Return the mean of values (topics, seeds) and its 95 % interval over both."""
    low, high = np.quantile(resampled(values), [0.025, 0.975])
    return Figure(float(values.mean()), float(low), float(high), values.size)


def table(crawls: pd.DataFrame, value: str = "harvest") -> pd.DataFrame:
    """Return "mean [low, high]" of a column of `readings` by crawler; heads: judge and fetches."""
    cells = {names: f"{cell:.1f|ci}" for names, cell in means(crawls, value).items()}
    return pd.Series(cells).unstack([1, 2], "").sort_index(axis=1)


def means(crawls: pd.DataFrame, value: str) -> dict[tuple, Figure]:
    """Return the mean of a column of `readings` by crawler, judge and fetches."""
    cells = {}
    for names, part in readings(crawls).groupby(["crawler", "judge", "fetches"]):
        cells[names] = interval(part.pivot(index="topic", columns="seed", values=value).to_numpy())
    return cells


def by_policy(crawls: pd.DataFrame, fetches: int) -> pd.DataFrame:
    """Return harvests by the classifier, without a limit, a row a topic and seed, by policy."""
    at = readings(crawls[(crawls["judge"] == "classifier") & (crawls["limit"] == "none")])
    at = at[at["fetches"] == fetches]
    return at.pivot(index=["topic", "seed"], columns="policy", values="harvest")


def orders(crawls: pd.DataFrame, fetches: int) -> pd.DataFrame:
    """Return the true harvest of each contender, mean over topics, here and on the second law."""
    there = stored_crawls("second-free").query("limit == 'none'")
    means = true_harvest(there, fetches).groupby([there["policy"], there["topic"]]).mean()
    columns = {"real sites": by_policy(crawls, fetches).mean()}
    columns["second law"] = 100 * means.groupby("policy").mean()
    return pd.DataFrame(columns).reindex(CONTENDERS).dropna(subset="real sites")


def tau(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return Kendall's tau-b of orders (..., policies), as `scipy.stats` has it for one pair."""
    i, j = np.triu_indices(np.shape(one)[-1], 1)
    signs = [np.sign(values[..., i] - values[..., j]) for values in (one, other)]
    untied = [np.abs(sign).sum(axis=-1) for sign in signs]
    return (signs[0] * signs[1]).sum(axis=-1) / np.sqrt(untied[0] * untied[1])


def agreement(crawls: pd.DataFrame, fetches: int) -> Found:
    """Return Kendall's tau-b of both `orders`; its 95 % interval is over topics and seeds here."""
    both, here = orders(crawls, fetches).dropna(), by_policy(crawls, fetches)
    values = np.array([here[name].unstack("seed").to_numpy() for name in both.index])
    there = both["second law"].to_numpy()
    low, high = np.quantile(tau(resampled(values), there), [0.025, 0.975])
    value = float(tau(both["real sites"].to_numpy(), there))
    return Found(value, (low, high), len(here), f"{fetches:,} fetches")


def lead(fetches: int, mine: str, others: Sequence[str], crawls: pd.DataFrame) -> Found:
    """Return by how many points one finds more than that of the others which finds most."""
    here = by_policy(crawls, fetches)
    best = here[list(others)].mean().idxmax()
    return _found(here[mine] - here[best], fetches)


def least_lead(mine: str, other: str, crawls: pd.DataFrame) -> Found:
    """Return the least lead, mean over seeds, of all topics, lengths and judges."""
    every, cells = readings(crawls[crawls["limit"] == "none"]), ["fetches", "judge", "topic"]
    wide = every.pivot(index=[*cells, "seed"], columns="policy", values="harvest")
    leads = (wide[mine] - wide[other]).rename("lead").reset_index()
    return Found.least(summarise(leads, cells, "lead"), f"{BUDGET:,} fetches")


def sooner(share: float, mine: str, other: str, crawls: pd.DataFrame) -> Found:
    """Return in what share of pairs one needs fewer requests, less that in which it needs more."""
    by_labels = crawls[crawls["judge"] == "labels"]
    wide = by_labels.assign(requests=needs(by_labels, share)).pivot(
        index=["topic", "seed"], columns="policy", values="requests"
    )
    won = (wide[mine] < wide[other]).astype(float) - (wide[mine] > wide[other])
    return _found(won, BUDGET)


def _found(values: pd.Series, fetches: int) -> Found:
    """Return the mean of values by topic and seed, with its interval."""
    mean, low, high, _ = interval(values.unstack("seed").to_numpy())
    return Found(mean, (low, high), len(values), f"{fetches:,} fetches")


CLAIMS: dict[str, Callable[[pd.DataFrame], Found]] = {
    "real-best-first": partial(lead, 1_000, "best-first", ("bfs",)),
    "real-tres": partial(lead, BUDGET, "tres", OF_PAPER),
    "real-law-order": partial(agreement, fetches=BUDGET),
    "real-prospector-400": partial(lead, 400, "prospector", RIVALS),
    "real-prospector-4000": partial(lead, BUDGET, "prospector", RIVALS),
    "real-prospector-bfs": partial(least_lead, "prospector", "bfs"),
    "real-sb": partial(sooner, 0.9, "sb", "tres"),
}


def findings(crawls: pd.DataFrame) -> dict[str, Found]:
    """Return what was found of each claim."""
    return {claim: measure(crawls) for claim, measure in CLAIMS.items()}


def figures() -> dict[str, Any]:
    """Return what the chapter's sentences say beside its claims: leads, shares, agreement."""
    crawls = results()
    found = {
        f"{mine}_{n}": lead(n, mine, ("linear",), crawls)
        for mine in ("tres", "prospector")
        for n in LENGTHS
    }
    found["flat_400"] = lead(400, "prospector-flat", ("prospector",), crawls)
    found["tau_400"] = agreement(crawls, 400)
    cells = means(crawls[crawls["crawler"].isin(["TRES", "Oracle"])], "share")
    share = {name: cells[name, "classifier", BUDGET] for name in ("TRES", "Oracle")}
    named = {
        name: Figure(one.value, *one.interval or (np.nan, np.nan), one.n)
        for name, one in found.items()
    }
    return named | {"share": SimpleNamespace(**share)}
