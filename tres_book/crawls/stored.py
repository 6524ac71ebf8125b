"""Stored crawls as tables, by the names of their studies: ends, curves, where pages went."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from tres_lib.focused.tres.crawlers import TresSettings
from tres_webs.files import RESULTS

from ..study import runs
from ..study.results import ORIGIN, all_studies, stored as stored_runs
from .comparison import RUN
from .record import points
from .trial import LIMITS

CURVES = {"found": "harvest rate", "truly found": "true harvest rate", "stuck": "stuck"}
WENT = (  # where a crawl's pages went
    *("relevant", "while TRES explores", "on stuck sites", "elsewhere", "not fetched"),
    *("taken wrongly", "missed"),
)


def crawls(*names: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Return stored crawls as `record` made them; ValueError if there are none."""
    tables = [stored_runs(name, folder) for name in names]
    some = [table for table in tables if len(table)]  # an empty one would turn bool into object
    if not some:
        raise ValueError(f"names: {folder} has no runs of {', '.join(names)}; `run` makes them")
    return pd.concat(some, ignore_index=True)


def ends(*names: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Return the ends of stored crawls, as `at_the_end` does."""
    return crawls(*names, folder=folder).drop(columns=[*CURVES, *ORIGIN])


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


def curves(*names: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Return the harvest of stored crawls over time, a row a crawl and point of time.

    A crawl that ended early has fetched the missing pages in vain.
    """
    table = crawls(*names, folder=folder)
    table["step"] = table["budget"].map(points)
    long = table[[*RUN, "step", *CURVES]].explode(["step", *CURVES], ignore_index=True)
    for name, rate in CURVES.items():
        long[rate] = long.pop(name).astype(float) / long["step"].astype(float)
    return long.astype({"step": int})


def losses(*names: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Return where the pages of stored crawls went, in per cent of the budget, by `WENT`.

    The first five make 100; the other two are the classifier's errors.
    """
    table = crawls(*names, folder=folder)
    rows = []
    for crawl in table.to_dict("records"):
        budget, pages = crawl["budget"], crawl["pages"]
        relevant, truth, stuck = (np.append(0, crawl[name]) for name in CURVES)
        explored = min(TresSettings().exploration(budget), pages)
        at = int(np.searchsorted(np.append(0, points(budget)), explored))
        exploring, after = explored - relevant[at], stuck[-1] - stuck[at]
        elsewhere = pages - relevant[-1] - exploring - after
        parts = relevant[-1], exploring, after, elsewhere, budget - pages
        errors = relevant[-1] - crawl["both"], truth[-1] - crawl["both"]
        rows.append(100 * np.array([*parts, *errors]) / budget)
    return pd.concat([table[RUN], pd.DataFrame(rows, columns=list(WENT))], axis=1)
