"""Chapter 16: stored crawls in shards, whose code has left (tag archive-0.2): what they lost."""

import hashlib
from typing import Any

import pandas as pd

from ..crawls.sweeps import SECOND, TOPICS
from ..crawls.trial import begin, open_web, single_seed_crawl
from ..crawls.variants import Variant
from ..study import results
from ..study.claims import Found
from ..study.study import Setting, Study

STUDY, LENGTH = "second-shards", 5_000
SIZE = {name: SECOND[name] for name in ("sites", "epochs", "web")} | {"budget": LENGTH}
WEBS = range(400, 403)
MANY, USUAL = 16, 20  # shards of the runs in which rounds vary, and rounds of those in which not
JUDGED = ((0, 0), (MANY, 5), (MANY, USUAL), (MANY, 80), (256, USUAL))  # shards and rounds


def studies() -> dict[str, Study]:
    """Return crawls without and with shards, by rounds."""
    settings = [
        {"topic": topic, "web_seed": web, "shards": shards, "rounds": rounds, **SIZE}
        for web in WEBS
        for topic in TOPICS
        for shards, rounds in JUDGED
    ]
    return {STUDY: Study(STUDY, trial, settings, ("web_seed", "topic"), repeats=_is_one_crawl)}


def _is_one_crawl(setting: Setting) -> bool:
    return not setting["shards"]


def trial(
    topic: str,
    web_seed: int,
    shards: int,
    rounds: int,
    budget: int,
    sites: int,
    epochs: int,
    web: str,
) -> dict[str, Any]:
    """Crawl a VitalWeb by Prospector without shards; ValueError with them.

    ``true`` and ``harvest`` are relevant pages in per cent of the budget, by the truth and by the
    classifier. ``sent`` is links to other shards' sites, ``bytes`` of these and of examples, both a
    page fetched; ``imbalance`` is the most pages of a shard over the mean.
    """
    if shards:
        raise ValueError(f"shards={shards}: the code of shards left; git's tag archive-0.2 has it")
    place = open_web(web, web_seed, sites)
    classifier, keywords, how = begin(place, web, topic, web_seed, epochs, "skip")
    prospector, how = Variant("prospector"), how | {"budget": budget}
    result = single_seed_crawl(place, prospector, topic, web_seed, classifier, keywords, **how)
    log = result.log[result.log["step"] > 0]
    return {
        "true": 100 * log["relevant_true"].fillna(False).astype(bool).sum() / budget,
        "harvest": 100 * log["reward"].sum() / budget,
        "domains": result.domains,
        "sent": 0.0,
        "bytes": 0.0,
        "imbalance": 1.0,
        "played": 1,
        "log": hashlib.sha256("\n".join(log["url"]).encode()).hexdigest()[:16],  # of URLs fetched
    }


def losses(runs: pd.DataFrame) -> pd.DataFrame:
    """Return by web the true harvest less that of one crawl, a column of shards and rounds.

    It is the mean of the topics, as crawls of one web are not independent.
    """
    wide = runs.pivot(index=["web_seed", "topic"], columns=["shards", "rounds"], values="true")
    return wide.sub(wide[0, 0], axis=0).groupby("web_seed").mean()


def measures() -> dict[str, pd.Series]:
    """Return by web what each claim is about, by its id."""
    runs = results.stored(STUDY)
    lost, usual = losses(runs), runs[(runs["shards"] == MANY) & (runs["rounds"] == USUAL)]
    return {
        "shards-harvest": lost[MANY, USUAL],
        "shards-many": lost[256, USUAL],
        "shards-stale": lost[MANY, 80] - lost[MANY, 5],
        "shards-balance": usual.groupby("web_seed")["imbalance"].mean(),
    }


def findings() -> dict[str, Found]:
    """Return what was found of each claim."""
    return {claim: Found.mean(x, f"{LENGTH:,} fetches") for claim, x in measures().items()}
