"""Stored crawls as tables, by the names of their studies."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..study.results import ORIGIN, stored as stored_runs
from .record import CURVES, points
from .trial import LIMITS


def crawls(*names: str) -> pd.DataFrame:
    """Return stored crawls as `record` made them; ValueError if there are none."""
    tables = [stored_runs(name) for name in names]
    some = [table for table in tables if len(table)]  # an empty one would turn bool into object
    if not some:
        raise ValueError(f"names: there are no runs of {', '.join(names)}; `run` makes them")
    return pd.concat(some, ignore_index=True)


def ends(*names: str) -> pd.DataFrame:
    """Return the ends of stored crawls, as `at_the_end` does."""
    # The last is a list that older code counted.
    return crawls(*names).drop(columns=[*CURVES, *ORIGIN, "stuck"], errors="ignore")


def ends_of(policies: Sequence[str], *names: str) -> pd.DataFrame:
    """Return the ends of some policies' stored crawls, by limit and policy."""
    table = ends(*names)
    order = {"limit": list(LIMITS), "policy": list(policies)}
    table = table[table["policy"].isin(policies)]
    return table.sort_values([*order], key=lambda column: column.map(order[column.name].index))


def true_harvest(crawls: pd.DataFrame, fetches: int) -> pd.Series:
    """Return the share of relevant pages in so many fetches, by the truth, of crawls of one budget.

    A crawl that ended early has fetched the missing pages in vain.
    """
    at = int(np.searchsorted(points(crawls["budget"].iloc[0]), fetches))
    return crawls["truly found"].str[at] / fetches
