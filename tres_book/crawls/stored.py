"""Stored crawls as tables, by the names of their studies: ends, and harvest over time."""

from collections.abc import Sequence

import pandas as pd

from ..study import runs
from ..study.results import ORIGIN, all_studies, stored as stored_runs
from .comparison import RUN
from .record import points
from .trial import LIMITS

CURVES = ["found", "truly found", "stuck"]  # columns of lists, see `record`


def crawls(*names: str) -> pd.DataFrame:
    """Return stored crawls as `record` made them; ValueError if there are none."""
    tables = [stored_runs(name) for name in names]
    some = [table for table in tables if len(table)]  # an empty one would turn bool into object
    if not some:
        raise ValueError(f"names: there are no runs of {', '.join(names)}; `run` makes them")
    return pd.concat(some, ignore_index=True)


def ends(*names: str) -> pd.DataFrame:
    """Return the ends of stored crawls, as `at_the_end` does."""
    return crawls(*names).drop(columns=[*CURVES, *ORIGIN])


def whole_webs(names: Sequence[str], policies: Sequence[str]) -> pd.DataFrame:
    """Return the ends of some policies, by limit, in webs of which all crawls are stored."""
    tables = []
    for name in names:
        there = set(stored_runs(name)["key"])
        settings = all_studies()[name].settings
        part = {setting["web_seed"] for setting in settings if runs.key(setting) not in there}
        table = ends(name)
        tables.append(table[~table["web_seed"].isin(part)])
    table = pd.concat(tables, ignore_index=True)
    table = table[table["policy"].isin(policies)]
    order = {"limit": list(LIMITS), "policy": list(policies)}
    return table.sort_values([*order], key=lambda column: column.map(order[column.name].index))


def curves(*names: str) -> pd.DataFrame:
    """Return the true harvest of stored crawls over time, a row a crawl and point of time.

    A crawl that ended early has fetched the missing pages in vain.
    """
    table = crawls(*names)
    table["step"] = table["budget"].map(points)
    long = table[[*RUN, "step", "truly found"]].explode(["step", "truly found"], ignore_index=True)
    long = long.astype({"step": int, "truly found": float})
    return long.assign(**{"true harvest rate": long.pop("truly found") / long["step"]})
