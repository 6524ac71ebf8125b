"""Stored runs as the tables that chapters draw."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from tres_lib.code_hash import RESULTS
from tres_lib.focused.tres.crawlers import TresSettings

from ..chapters import c15_one_crawler as one_crawler
from ..crawls.tables import RUN, points
from ..study import paired, results
from .studies import LABELS, ONE_CRAWLER, SHARDS

CURVES = {"found": "harvest rate", "truly found": "true harvest rate", "stuck": "stuck"}
WENT = (  # where a crawl's pages went
    *("relevant", "while TRES explores", "on stuck sites", "elsewhere", "not fetched"),
    *("taken wrongly", "missed"),
)


def ends(*names: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Return the ends of stored crawls of these studies, as `tres_tables.at_the_end` does."""
    return _stored(names, folder).drop(columns=[*CURVES, *results.ORIGIN])


def curves(*names: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Return the harvest of stored crawls over time, as `tres_tables.over_time` does.

    One row is a crawl and point of time: its run, ``step``, ``harvest rate`` (by the classifier),
    ``true harvest rate`` and ``stuck`` (see `tres_tables.record`), shares. A crawl that ended early
    counts as having fetched the missing pages in vain.
    """
    kept = _stored(names, folder)
    kept["step"] = kept["budget"].map(points)
    long = kept[[*RUN, "step", *CURVES]].explode(["step", *CURVES], ignore_index=True)
    for found, rate in CURVES.items():
        long[rate] = long.pop(found).astype(float) / long["step"].astype(float)
    return long.astype({"step": int})


def losses(*names: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Return where the pages of stored crawls went, in per cent of the budget.

    Columns: the run's; ``relevant`` by the classifier; irrelevant pages ``while TRES explores``,
    later ``on stuck sites`` (see `tres_tables.record`) and ``elsewhere``; ``not fetched``, after a
    crawl ran out of URLs: these five make 100. And ``taken wrongly`` and ``missed``, the
    classifier's errors: relevant pages by it that are not, and the reverse.
    """
    kept = _stored(names, folder)
    rows = []
    for crawl in kept.to_dict("records"):
        budget = crawl["budget"]
        relevant, truth, stuck = (np.append(0, crawl[name]) for name in CURVES)
        explored = min(TresSettings().exploration(budget), crawl["pages"])
        at = int(np.searchsorted(np.append(0, points(budget)), explored))
        exploring = explored - relevant[at]
        later = stuck[-1] - stuck[at]
        elsewhere = crawl["pages"] - relevant[-1] - exploring - later
        wasted = exploring, later, elsewhere, budget - crawl["pages"]
        errors = relevant[-1] - crawl["both"], truth[-1] - crawl["both"]
        rows.append(100 * np.array([relevant[-1], *wasted, *errors]) / budget)
    return pd.concat([kept[RUN], pd.DataFrame(rows, columns=list(WENT))], axis=1)


def overtakes(curves: pd.DataFrame, value: str, policy: str = "tres") -> pd.DataFrame:
    """Return from which step on a policy stays ahead of each other one, in the same surroundings.

    Parameters
    ----------
    curves : DataFrame
        As `curves` returns them.
    value : str
        The column to compare.
    policy : str

    Returns
    -------
    DataFrame
        A row a crawl of another policy: its run, and ``from step``, nan if the policy is not ahead
        at the end, and the first step if it always is.
    """
    alike = [name for name in RUN if name != "policy"]
    pairs = paired(curves, value, [*alike, "step"], {"policy": policy})
    behind = pairs["step"].where(pairs["reference"] <= pairs[value])
    runs = [pairs[name] for name in RUN]
    after = pairs["step"].where(pairs["step"] > behind.groupby(runs, sort=False).transform("max"))
    always = behind.isna().groupby(runs, sort=False).transform("all")
    first = after.where(~always, pairs["step"]).groupby(runs, sort=False).min()
    return first.rename("from step").reset_index()


def served(name: str = ONE_CRAWLER, folder: Path = RESULTS) -> pd.DataFrame:
    """Return stored runs of the one crawler or of its sizes, a row a run; see `named_trial`."""
    return _stored([name], folder)


def served_ratios(table: pd.DataFrame, name: str, over: str, grounds: str = "steady") -> pd.Series:
    """Return what one policy serves over what another does, by world.

    Parameters
    ----------
    table : DataFrame
        As `served` returns it.
    name, over : str
        Of policies; "practice" or "any", the best of `runs.PRACTICE` or of all policies in each
        world; or "bound", the realised bound.
    grounds : str
    """
    there = table[table["grounds"] == grounds]
    served = there.pivot(index="world", columns="name", values="served")
    every = served.copy()
    every["any"] = served.max(axis=1)
    every["practice"] = served.reindex(columns=list(one_crawler.PRACTICE)).max(axis=1)
    every["bound"] = there.groupby("world")["bound"].first()
    return (every[name] / every[over]).dropna()


def sharded_crawls(folder: Path = RESULTS) -> pd.DataFrame:
    """Return the stored crawls of many shards, a row a crawl; see `sharded.trials.trial`."""
    counts = ["web_seed", "shards", "rounds", "budget"]
    return _stored([SHARDS], folder).astype(dict.fromkeys(counts, int))


def label_scores(folder: Path = RESULTS) -> pd.DataFrame:
    """Return the results of `classifier.label_trial`, a row a topic and classifier.

    Columns: ``topic``, ``way``, ``labels``, ``positive``, ``found``, ``false``, ``of``,
    ``precision`` (1 if nothing is taken), ``recall`` and ``f1``.
    """
    lists = ["way", "labels", "positive", "found", "false"]
    table = _stored([LABELS], folder)[["topic", "of", *lists]].explode(lists, ignore_index=True)
    table = table.astype(dict.fromkeys([*lists[1:], "of"], int))
    took = table["found"] + table["false"]
    table["precision"] = (table["found"] / took).where(took > 0, 1.0)
    table["recall"] = table["found"] / table["of"]
    table["f1"] = 2 * table["found"] / (took + table["of"])
    return table


def _stored(names: Sequence[str], folder: Path) -> pd.DataFrame:
    """Return the stored runs of these studies; ValueError if there are none."""
    tables = [results.stored(name, folder) for name in names]
    some = [table for table in tables if len(table)]  # an empty one would turn bool into object
    if not some:
        raise ValueError(f"names: {folder} has no runs of {', '.join(names)}; `run` makes them")
    return pd.concat(some, ignore_index=True)
