"""Chapter 16: what stored crawls by many shards lost."""

import pandas as pd

from ..study import mean_interval
from ..study.findings import Figure
from ..study.results import stored
from .c16_shards import MANY, USUAL


def short(name: str = "shards") -> pd.DataFrame:
    """Return the stored crawls of a study that are short."""
    runs = stored(name)
    return runs[runs["budget"] == runs["budget"].min()]


def losses(runs: pd.DataFrame) -> pd.DataFrame:
    """Return by web the true harvest less that of one crawl, a column of shards and rounds.

    It is the mean of the topics, as crawls of one web are not independent.
    """
    wide = runs.pivot(index=["web_seed", "topic"], columns=["shards", "rounds"], values="true")
    return wide.sub(wide[0, 0], axis=0).groupby("web_seed").mean()


def figures() -> dict[str, Figure]:
    """Return what the chapter's sentences say beside its claims; "large" is the second law."""
    first, large = (losses(short(name)) for name in ("shards", "second-shards"))
    usual = short().query(f"rounds == {USUAL}")
    by_shards = usual.pivot_table(["imbalance", "bytes"], "web_seed", "shards")
    values = {
        "first_80": first[MANY, 80],
        "large_80_less_20": large[MANY, 80] - large[MANY, USUAL],
        "busiest_256": by_shards["imbalance", 256],
        "kilobytes": by_shards["bytes", MANY] / 1_000,
    }
    return {name: Figure(*mean_interval(x), len(x)) for name, x in values.items()}
