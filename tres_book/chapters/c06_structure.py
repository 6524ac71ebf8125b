"""Chapter 06: where each crawler wins. Webs around VitalWeb's second law, one thing changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from tres_lib.focused.drivers import crawl
from tres_lib.topics import Scorer
from tres_webs import LAWS, VitalWeb

from ..crawls.comparison import FOUND, JUDGE, RATES, TRUTH, ahead, at_the_end
from ..crawls.muted import MutedWeb
from ..crawls.trial import begin, remembering
from ..crawls.variants import policy_of
from ..intervals import best_of, summarise
from ..study import results
from ..study.study import Study, grid
from .c06_ablations import extremes

POLICIES = (
    *("tres", "ache", "seedfinder", "async", "tree-random"),
    *("best-first", "linear", "prospector", "ache-global"),
)
RIVALS = ("ache", "seedfinder", "async", "tree-random")  # the paper's
TOPICS = ("sports", "computing")
WEBS = range(20, 25)  # no other study has them
SITES = 20_000


@dataclass(frozen=True)
class Point:
    """What differs from the second law: of the web, its sites, anchors, classifier or seeds."""

    web: Mapping[str, Any] = field(default_factory=dict)
    sites: Mapping[str, Any] = field(default_factory=dict)
    muted: float = 0.0  # share of links without anchor and words in the URL
    flipped: float = 0.0  # share of texts that the classifier judges the wrong way round
    seeds: int = 1


CLOSED_NAMES = (0.97, 0.01, 0.01, 0.01)  # nearly all pages are called as their article
FIFTH, SMALL = {"related": 12, "across": 9}, {"size_max": 300, "largest": 300}
POINTS = {
    "second law": Point(),
    "a fifth leaves": Point(FIFTH),
    "two fifths leave": Point({"related": 3, "across": 20}),
    "almost none leaves": Point({"across": 0, "popular": 0}),
    "sites to 300": Point(sites=SMALL),
    "sites to 3,000": Point(sites={"size_max": 3_000, "largest": 3_000}),
    "impure": Point(sites={"strictness": 1.0}),
    "mixed": Point(sites={"strictness": 1.0, "background": 0.3}),
    "pure": Point(sites={"strictness": 30.0, "background": 0.0}),
    "closed names": Point({"headlines": CLOSED_NAMES}),
    "half muted": Point(muted=0.5),
    "nine tenths muted": Point(muted=0.9),
    "all muted": Point(muted=1.0),
    "flips .05": Point(flipped=0.05),
    "flips .1": Point(flipped=0.1),
    "flips .2": Point(flipped=0.2),
    "five seeds": Point(seeds=5),
    "twenty seeds": Point(seeds=20),
    "small sites, a fifth leaves": Point(FIFTH, SMALL),
    "small sites, muted": Point(sites=SMALL, muted=0.9),
    "impure, flips .1": Point(sites={"strictness": 1.0}, flipped=0.1),
}
SMALL_SITES = tuple(name for name, at in POINTS.items() if at.sites.get("largest", 9e9) <= 3_000)


def studies() -> dict[str, Study]:
    """Return the sweep ``second-structure``: 5,000 fetches at each of the `POINTS`."""
    settings = grid(point=POINTS, web_seed=WEBS, topic=TOPICS, policy=POLICIES, budget=[5_000])
    study = Study("second-structure", structure, settings, ("point", "web_seed"), FOUND)
    return {study.name: study}


def structure(
    point: str, policy: str, topic: str, *, web_seed: int, budget: int, sites: int = SITES
) -> dict[str, Any]:
    """Return the end of one crawl at a point."""
    at, place = POINTS[point], _web(point, web_seed, sites)
    how = begin(place, "second", topic, web_seed)
    if at.flipped:
        wrong = Flipped(how["classifier"], at.flipped)
        how |= {"classifier": wrong, "anchor_classifier": wrong}
    if at.seeds > 1:
        how["seeds"] = place.seeds(topic, at.seeds, web_seed)
    return end_of(place, policy, budget, how)


def end_of(place: Any, policy: str, budget: int, how: Mapping[str, Any]) -> dict[str, Any]:
    """Return the end of a crawl by options as of `begin`, as of `at_the_end`."""
    run = crawl(place, policy=policy_of(policy, place), budget=budget, **how)
    named = {"topic": how["topic"], "policy": policy, "web_seed": how["rng"], "limit": "none"}
    log = run.log.assign(**named, stopped=run.stopped)
    return at_the_end(log, budget=budget, errors="skip").iloc[0].to_dict()


def outcomes(ends: pd.DataFrame, judge: str = JUDGE) -> pd.DataFrame:
    """Return what TRES harvests more than the paper's best other crawler, a row a point.

    That is the ``rival``, the best on the same runs, which favours it. Points are by the judge,
    pairs are of a topic and a web. The ``winner`` is by the rule of results/README.md; ``first`` is
    the best of all `POLICIES`.
    """
    some = ends[ends["policy"].isin(["tres", *RIVALS])]
    pairs = ahead(some, judge, ["point", "topic", "web_seed"])
    best = best_of(pairs, judge, ["point"]).rename(columns={"policy": "rival"})
    table = summarise(best, ["point", "rival"], "lead")
    signs = [(table["low"] > 0), (table["high"] < 0)]
    table["winner"] = np.select(signs, ["tres", table["rival"]], "open")
    every = ends[ends["policy"].isin(POLICIES)].pivot_table(judge, "point", "policy")
    return table.join(every.idxmax(axis=1).rename("first"), on="point")


def by_judge(ends: pd.DataFrame) -> pd.DataFrame:
    """Return `outcomes` by each ``judge``, with the lead in words."""
    table = pd.concat([outcomes(ends, judge).assign(judge=judge) for judge in RATES])
    return table.assign(
        lead=table.apply("{0[mean]:.0f} [{0[low]:.0f}, {0[high]:.0f}]".format, axis=1)
    )


def figures() -> dict[str, Any]:
    """Return at how many points TRES leads, and what it and Prospector lose where sites are small.

    That is true harvest less SeedFinder's, at points of small sites.
    """
    runs = results.stored("second-structure")
    names = {"by_classifier": JUDGE, "by_truth": TRUTH}
    won = {n: (outcomes(runs, judge)["winner"] == "tres").sum() for n, judge in names.items()}
    some = runs[runs["point"].isin(SMALL_SITES)]
    pairs = ahead(some, TRUTH, ["point", "topic", "web_seed"], policy="seedfinder")
    behind = summarise(pairs.assign(lead=-pairs["lead"]), ["policy", "point"], "lead")
    by = dict(iter(behind.groupby("policy")))
    return {
        "points": SimpleNamespace(all=len(POINTS), **won),
        "small_sites": SimpleNamespace(**{n: extremes(by[n]) for n in ("tres", "prospector")}),
    }


@dataclass(frozen=True)
class Flipped:
    """A classifier that judges a share of all texts, always the same ones, the wrong way round."""

    right: Scorer
    share: float

    def proba(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability that each text is relevant, (n,), flipped for some."""
        p = self.right.proba(texts)
        wrong = np.array([crc32(text.encode()) for text in texts]) < self.share * 2**32
        return np.where(wrong, 1 - p, p)


@lru_cache(maxsize=1)
def _web(point: str, seed: int, sites: int) -> Any:
    at, law = POINTS[point], LAWS["second"]
    law = replace(law, sites=replace(law.sites, **at.sites), **at.web)
    web = VitalWeb(seed, sites, law=law)
    return remembering(MutedWeb(web, at.muted) if at.muted else web)
