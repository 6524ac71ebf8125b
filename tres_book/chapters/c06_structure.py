"""Chapter 06: where each crawler wins. Webs around VitalWeb's second law, one thing changed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import yaml

from tres_lib.focused.drivers import crawl
from tres_lib.topics import Scorer
from tres_webs import LAWS, VitalWeb, domain
from tres_webs.files import DATA

from ..crawls.comparison import at_the_end
from ..crawls.muted import MutedWeb
from ..crawls.trial import begin, remembering
from ..crawls.variants import policy_of
from ..intervals import best_of, paired, summarise
from ..study import results
from ..study.study import Study, grid

POLICIES = (
    *("tres", "ache", "seedfinder", "async", "tree-random"),
    *("best-first", "linear", "prospector", "ache-global"),
)
RIVALS = ("ache", "seedfinder", "async", "tree-random")  # the paper's
JUDGES = ("by the classifier", "by the truth")
TOPICS = ("sports", "computing")
WEBS = range(20, 25)  # no other study has them
SITES = 20_000
SAMPLE = 300  # pages whose links are counted


@dataclass(frozen=True)
class Point:
    """What differs from the second law: of the web, its sites, anchors, classifier or seeds."""

    axis: str
    web: Mapping[str, Any] = field(default_factory=dict)
    sites: Mapping[str, Any] = field(default_factory=dict)
    muted: float = 0.0  # share of links without anchor and words in the URL
    flipped: float = 0.0  # share of texts that the classifier judges the wrong way round
    seeds: int = 1
    like: str = ""  # the web that has such links or sites (data/real_webs.yaml; chapter 01)


CLOSED_NAMES = (0.97, 0.01, 0.01, 0.01)  # nearly all pages are called as their article
FIFTH, SMALL = {"related": 12, "across": 9}, {"size_max": 300, "largest": 300}
WITHIN = "links within the site"
POINTS = {
    "second law": Point("base"),
    "a fifth leaves": Point(WITHIN, FIFTH),
    "two fifths leave": Point(WITHIN, {"related": 3, "across": 20}, like="WebKB"),
    "almost none leaves": Point(WITHIN, {"across": 0, "popular": 0}, like="Debian"),
    "sites to 300": Point("site size", sites=SMALL),
    "sites to 3,000": Point("site size", sites={"size_max": 3_000, "largest": 3_000}),
    "impure": Point("purity", sites={"strictness": 1.0}),
    "mixed": Point("purity", sites={"strictness": 1.0, "background": 0.3}),
    "pure": Point("purity", sites={"strictness": 30.0, "background": 0.0}),
    "closed names": Point("names", {"headlines": CLOSED_NAMES}),
    "half muted": Point("names", muted=0.5),
    "nine tenths muted": Point("names", muted=0.9),
    "all muted": Point("names", muted=1.0),
    "flips .05": Point("classifier", flipped=0.05),
    "flips .1": Point("classifier", flipped=0.1),
    "flips .2": Point("classifier", flipped=0.2),
    "five seeds": Point("seeds", seeds=5),
    "twenty seeds": Point("seeds", seeds=20),
    "small sites, a fifth leaves": Point("two together", FIFTH, SMALL, like="the first law"),
    "small sites, muted": Point("two together", sites=SMALL, muted=0.9),
    "impure, flips .1": Point("two together", sites={"strictness": 1.0}, flipped=0.1),
}
REAL = Point("real web")
SMALL_SITES = tuple(name for name, at in POINTS.items() if at.sites.get("largest", 9e9) <= 3_000)
MAPPED = (  # points at which links and sizes of sites alone differ
    *("second law", "a fifth leaves", "two fifths leave", "almost none leaves"),
    *("sites to 300", "sites to 3,000", "small sites, a fifth leaves"),
)


def studies() -> dict[str, Study]:
    """Return the sweep ``second-structure``: 5,000 fetches at each of the `POINTS`."""
    settings = grid(point=POINTS, web_seed=WEBS, topic=TOPICS, policy=POLICIES, budget=[5_000])
    together = ("point", "web_seed")
    return {"second-structure": Study("second-structure", structure, settings, together)}


def structure(
    point: str, policy: str, topic: str, *, web_seed: int, budget: int, sites: int = SITES
) -> dict[str, Any]:
    """Return the end of one crawl at a point, and the share of links ``within`` their site."""
    at, place = POINTS[point], _web(point, web_seed, sites)
    how = begin(place, "second", topic, web_seed)
    if at.flipped:
        wrong = Flipped(how["classifier"], at.flipped)
        how |= {"classifier": wrong, "anchor_classifier": wrong}
    if at.seeds > 1:
        how["seeds"] = place.seeds(topic, at.seeds, web_seed)
    return end_of(place, policy, budget, how) | {"within": share_within(place, web_seed)}


def end_of(place: Any, policy: str, budget: int, how: Mapping[str, Any]) -> dict[str, Any]:
    """Return the end of a crawl by options as of `begin`, as of `at_the_end`."""
    run = crawl(place, policy=policy_of(policy, place), budget=budget, **how)
    named = {"topic": how["topic"], "policy": policy, "web_seed": how["rng"], "limit": "none"}
    log = run.log.assign(**named, stopped=run.stopped)
    return at_the_end(log, budget=budget, errors="skip").iloc[0].to_dict()


def outcomes(ends: pd.DataFrame, judge: str = JUDGES[0]) -> pd.DataFrame:
    """Return what TRES harvests more than the paper's best other crawler, a row a point.

    That is the ``rival``, the best on the same runs, which favours it. Points are by the judge,
    pairs are of a topic and a web. The ``winner`` is by the rule of results/README.md; ``first`` is
    the best of all `POLICIES`.
    """
    some = ends[ends["policy"].isin(["tres", *RIVALS])]
    pairs = paired(some, judge, ["point", "topic", "web_seed"], {"policy": "tres"})
    pairs["more"] = pairs["reference"] - pairs[judge]
    best = best_of(pairs, judge, ["point"]).rename(columns={"policy": "rival"})
    table = summarise(best, ["point", "rival"], "more")
    table.insert(0, "axis", [POINTS.get(point, REAL).axis for point in table["point"]])
    table.insert(2, "like", [POINTS.get(point, REAL).like for point in table["point"]])
    signs = [(table["low"] > 0), (table["high"] < 0)]
    table["winner"] = np.select(signs, ["tres", table["rival"]], "open")
    every = ends[ends["policy"].isin(POLICIES)].pivot_table(judge, "point", "policy")
    return table.join(every.idxmax(axis=1).rename("first"), on="point")


def landscape(ends: pd.DataFrame) -> pd.DataFrame:
    """Return `outcomes` by each judge, in ``within`` and ``pages``, at `MAPPED` and on real webs.

    These are the share of links within the site, and the pages of the site of the median page.
    """
    swept = ends[ends["point"].isin(MAPPED)].copy()
    for point in MAPPED:
        sizes = replace(LAWS["second"].sites, **POINTS[point].sites).sizes(SITES)
        swept.loc[swept["point"] == point, "pages"] = np.median(np.repeat(sizes, sizes))
    runs = pd.concat([swept, *_real_crawls()], ignore_index=True)
    tables = [outcomes(runs, judge).assign(judge=judge) for judge in JUDGES]
    places = runs.groupby("point")[["within", "pages"]].mean()
    return pd.concat(tables, ignore_index=True).join(places, on="point")


def _real_crawls() -> Iterator[pd.DataFrame]:
    """Yield crawls of 4,000 fetches on chapter 17's web, and of 400 on Wikispeedia, one site.

    There turns over domains take the best of all links, so that ``ache-global`` is ``ache``.
    """
    measures = yaml.safe_load((DATA / "real_webs.yaml").read_text(encoding="utf-8"))
    for web, study in (("Debian", "real-sites"), ("Wikispeedia", "prospector-wikispeedia")):
        runs = results.stored(study).assign(point=web)
        for column, measure in (("within", "within"), ("pages", "site_of_page")):
            runs[column] = float(measures[measure][web.lower()])
        if "seed" in runs:
            runs = runs.query("judge == 'classifier' and limit == 'none'")
            runs = runs.rename(columns={"seed": "web_seed"})
            for judge, found in zip(JUDGES, ("found", "truly found"), strict=True):
                runs[judge] = 100 * runs[found].str[-1] / runs["budget"]
        yield runs.assign(policy=runs["policy"].str.removesuffix("-global"))


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


@lru_cache(maxsize=1)
def share_within(place: Any, seed: int) -> float:
    """Return which share of the links of some pages, drawn at random, stay on their site."""
    urls = place.random_article_pages(SAMPLE, seed)
    stays = [domain(k.url) == domain(url) for url in urls for k in place.fetch(url).links]
    return float(np.mean(stays))
