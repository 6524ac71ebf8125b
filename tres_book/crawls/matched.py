"""Crawls of the laboratory under the conditions of chapter 17's real sites.

What is set comes from the real sites' own figures: pages in all, relevant pages that links reach,
seeds, budget, errors, and the judge's precision and recall. The rest is the law's.
"""

import time
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.focused.drivers import crawl
from tres_lib.topics import CachedScorer, SvmClassifier, topic_keywords, training_corpus
from tres_webs import LAWS, VitalWeb
from tres_webs.files import DATA

from ..study import results
from .conditions import Cut, entries_on, quality, sampled, survey
from .latest import latest
from .record import counted, hash_of
from .trial import SCORES, remembering
from .variants import policy_of

PAGES = 126_000  # of the 697 sites
BUDGET, SEEDS = 4_000, 10
WEBS = DATA / "matched_webs.csv"
EVERY = (1, 2, 4, 8)  # articles, of which one is learnt
CUTS = (0.02, 0.05, *(n / 20 for n in range(2, 20)), 0.98)  # of the probabilities


@dataclass(frozen=True)
class Arm:
    """The conditions of a crawl; the defaults are those of the real sites."""

    law: str = "second"
    pages: int = PAGES
    seeds: int = SEEDS
    budget: int = BUDGET
    own_shares: bool = False  # whether a topic has as many pages as the second law gives it


ARMS = {
    "matched": Arm(),
    "third law": Arm(law="third"),
    "one seed": Arm(seeds=1),
    "20,000 fetches": Arm(budget=20_000),
    "the law's shares": Arm(own_shares=True),
    "2,000,000 pages": Arm(pages=2_000_000),
}


def record(arm: str, policy: str, topic: str, web_seed: int) -> dict[str, Any]:
    """Return what is stored of a crawl under an arm's conditions; a failed fetch is a step."""
    start = time.process_time()
    at, web, judge = ARMS[arm], web_of(arm, topic, web_seed), judge_of(topic)
    run = crawl(
        web,
        web.seeds(topic, at.seeds, web_seed),
        topic,
        policy=policy_of(policy, web),
        budget=at.budget,
        classifier=judge,
        keywords=topic_keywords(topic).keywords,
        rng=web_seed,
        progress=False,
    )
    steps = run.log[run.log["step"] > 0]
    return {
        **counted(steps, at.budget),
        "failed": int(steps["error"].sum()),
        "pages": len(steps),
        "budget": at.budget,
        "cpu": time.process_time() - start,
        "log": hash_of(steps["url"], (steps["reward"] > 0).to_numpy().tobytes()),
    }


def conditions(arm: str, topic: str, web_seed: int) -> dict[str, Any]:
    """Return what there is of a topic under an arm's conditions, see `conditions.survey`."""
    web = web_of(arm, topic, web_seed)
    return survey(web, topic, judge_of(topic), web.seeds(topic, ARMS[arm].seeds, web_seed))


@latest
def web_of(arm: str, topic: str, web_seed: int) -> Any:
    """Return the web of an arm, with the topic's share of `WEBS`; its pages are kept."""
    at = ARMS[arm]
    share = None if at.own_shares else float(webs(topic, at.pages)["share"][web_seed])
    return remembering(web_with(share, topic, web_seed, n_sites(at.pages), at.law))


def judge_of(topic: str) -> Cut:
    """Return the topic's judge by the rule of `judges`."""
    every, cut = judges().loc[topic]
    return Cut(svm(topic, int(every)), float(cut))


@lru_cache(maxsize=1)
def judges() -> pd.DataFrame:
    """Return how each topic's judge is made: it learns one in ``every`` article, its cut is ``at``.

    That is what brings its mean precision and recall on the development webs nearest to the real
    judges' means, by the square of the distance.
    """
    tried, real = results.stored("matched-judges"), results.stored("real-sites-topics")
    at_cuts = tried.explode(["at", "precision", "recall"])
    at_cuts = at_cuts.astype({"precision": float, "recall": float})
    means = at_cuts.groupby(["topic", "every", "at"])[["precision", "recall"]].mean()
    off = ((means - real[["precision", "recall"]].mean()) ** 2).sum(axis=1)
    best = off.groupby("topic").idxmin()
    return pd.DataFrame(best.tolist(), columns=["topic", "every", "at"]).set_index("topic")


def judge_trial(topic: str, web_seed: int, every: int) -> dict[str, list[float]]:
    """Return the precision and recall of a judge at each of `CUTS`, on a development web."""
    share = float(webs(topic, PAGES, "judge")["share"][web_seed])
    web = web_with(share, topic, web_seed, n_sites(PAGES))
    precision, recall = quality(web, sampled(web, topic), svm(topic, every), CUTS)
    return {"at": list(CUTS), "precision": precision.tolist(), "recall": recall.tolist()}


@lru_cache(maxsize=12)
def svm(topic: str, every: int) -> Any:
    """Return an SVM, as on the real sites, that learns one in so many articles of the leads."""
    corpus = training_corpus(topic)
    groups = np.asarray(corpus.groups)
    some = np.flatnonzero(groups % every == 0)
    texts, labels = [corpus.texts[i] for i in some], np.asarray(corpus.labels)[some]
    fitted = SvmClassifier().fit(texts, labels, groups[some])
    # Last bits differ between processors, and would decide between links.
    return CachedScorer(lambda texts: fitted.proba(texts).round(6), SCORES)


@lru_cache(maxsize=8)
def webs(topic: str, pages: int, use: str = "study") -> pd.DataFrame:
    """Return the webs of `WEBS` by their seed: the real topic, the share, the relevant pages."""
    table = pd.read_csv(WEBS, index_col="web_seed", comment="#")
    fit = (table["topic"] == topic) & (table["pages"] == pages) & (table["use"] == use)
    return table[fit]


@lru_cache(maxsize=1)
def real_topics() -> dict[str, float]:
    """Return by real topic how many relevant pages links reach, the mean of ten draws of seeds."""
    table = results.stored("real-sites-topics").set_index("topic")["reachable"]
    return {topic: float(np.mean(draws)) for topic, draws in table.items()}


def n_sites(pages: int, law: str = "second") -> int:
    """Return the greatest number of sites that have fewer pages than these."""
    sizes = LAWS[law].sites.sizes
    return bisect_left(range(1, pages), pages, key=lambda sites: sizes(sites).sum())


def web_with(share: float | None, topic: str, seed: int, sites: int, law: str = "second") -> Any:
    """Return a web in which a topic has this share; None: the law's own."""
    shares = LAWS[law].topic_shares
    if share is not None:
        shares = tuple((name, share if name == topic else own) for name, own in shares)
    return VitalWeb(seed, sites, law=replace(LAWS[law], topic_shares=shares))


def relevant_pages(web: VitalWeb, topic: str) -> int:
    """Return how many article pages are on a topic, those that are gone among them."""
    return int(web.table.count[entries_on(web, topic)].sum())
