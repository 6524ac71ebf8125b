"""Chapter 16: stored crawls in shards, whose code has left (tag archive-0.2): what they lost."""

import pandas as pd

from ..study import results
from ..study.claims import Found

STUDY, LENGTH = "second-shards", 5_000
MANY, USUAL = 16, 20  # shards of the runs in which rounds vary, and rounds of those in which not


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
