"""Runs of the papers' own length, stored in ``results/``.

    python -m tres_lib.experiments.long_runs run [STUDY ...]
    python -m tres_lib.experiments.long_runs verify [STUDY ...] [--runs N] [--seed SEED]

The first makes what is missing, for days; it may be stopped and started again. The second makes
some stored runs again and compares.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm.auto import tqdm

from ..code_hash import RESULTS
from ..study import results
from ..study.results import Study
from . import tres_plan, tres_tables
from .tres_tables import RUN

TOPICS = ("sports", "food", "computing")
WEBS = range(10)
FIRST = 5  # webs on which all studies run before any goes on
LONG: dict[str, Any] = {"budget": 20_000, "sites": 100_000, "epochs": 20}
TOGETHER = ("web_seed", "topic")
MUTED = (0.5, 0.9, 1.0)  # shares of URLs that say nothing; 0 is in Table 3
OF_MUTED = ("prospector", "tres", "best-first", "linear", "tree-random", "ache")
WIKISPEEDIA = 4_000  # fetches, of 4,604 pages
CURVES = {"found": "harvest rate", "truly found": "true harvest rate"}
SLOW = ("sync",)  # scores the whole frontier at each step: too dear at this length


def _table_3(webs: Sequence[int]) -> list[dict[str, Any]]:
    """Return the crawls of Table 3; limits for the paper's crawlers, Prospector and best-first."""
    plan = tres_plan.table_3(TOPICS, webs, **LONG)
    limited = (*tres_plan.TABLE_3, "prospector", "best-first")
    return [
        s
        for s in plan
        if s["policy"] not in SLOW and (s["limit"] == "none" or s["policy"] in limited)
    ]


def _table_4(webs: Sequence[int]) -> list[dict[str, Any]]:
    known = _table_3(webs)
    return [s for s in tres_plan.table_4(TOPICS, webs, **LONG) if s not in known]


def _muted(webs: Sequence[int]) -> list[dict[str, Any]]:
    return [
        {"policy": p, "topic": topic, "web_seed": web, "limit": "none", **LONG, "muted": share}
        for topic in TOPICS
        for web in webs
        for share in MUTED
        for p in OF_MUTED
    ]


def _wikispeedia(webs: Sequence[int]) -> list[dict[str, Any]]:
    return tres_plan.wikispeedia(TOPICS, webs, budget=WIKISPEEDIA, epochs=LONG["epochs"])


PLANS = {
    "table-3": _table_3,
    "table-4": _table_4,
    "wikispeedia": _wikispeedia,
    "muted": _muted,
}


def study(name: str, webs: Sequence[int] = WEBS) -> Study:
    """Return a study, ordered by web, so that an early stop leaves whole webs.

    Parameters
    ----------
    name : str
        A key of `PLANS`.
    webs : sequence of int
        Seeds of the webs to crawl.

    Returns
    -------
    Study
    """
    settings = sorted(PLANS[name](webs), key=lambda setting: setting["web_seed"])
    return Study(name, tres_tables.record, settings, TOGETHER)


def ends(name: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Return the ends of a study's stored crawls, as `tres_tables.at_the_end` returns them.

    Parameters
    ----------
    name : str
        A key of `PLANS`.
    folder : path

    Returns
    -------
    DataFrame
    """
    return results.stored(name, folder).drop(columns=[*CURVES, *results.ORIGIN])


def curves(name: str, folder: Path = RESULTS) -> pd.DataFrame:
    """Return the harvest of a study's stored crawls over time, as `tres_tables.over_time` does.

    A crawl that ended early counts as having fetched the missing pages in vain.

    Parameters
    ----------
    name : str
        A key of `PLANS`.
    folder : path

    Returns
    -------
    DataFrame
        A row for each crawl and point of time: its run, ``step``, ``harvest rate`` (by the
        classifier) and ``true harvest rate``, shares.
    """
    kept = results.stored(name, folder)
    kept["step"] = kept["budget"].map(tres_tables.points)
    long = kept[[*RUN, "step", *CURVES]].explode(["step", *CURVES], ignore_index=True)
    for found, rate in CURVES.items():
        long[rate] = long.pop(found).astype(float) / long["step"].astype(float)
    return long.astype({"step": int})


def run(names: Sequence[str], folder: Path) -> None:
    """Make all runs that are not stored yet: first each study on a few webs, then on all."""
    for webs in (WEBS[:FIRST], WEBS):
        for name in names:
            results.run(study(name, webs), folder)


def verify(names: Sequence[str], runs: int, seed: int, folder: Path) -> pd.DataFrame:
    """Return `results.verify` of the studies that have stored runs, in one table."""
    some = [name for name in names if len(results.stored(name, folder))]
    tables = (results.verify(study(name), runs, seed, folder) for name in tqdm(some, unit="study"))
    return pd.concat([table.assign(study=name) for name, table in zip(some, tables, strict=True)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 unless a stored run came out otherwise."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["run", "verify"])
    parser.add_argument("studies", nargs="*", help=f"of {', '.join(PLANS)}; default: all")
    parser.add_argument("--runs", type=int, default=1, help="how many of each study to make again")
    parser.add_argument("--seed", type=int, default=0, help="decides which")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="default: results/")
    options = parser.parse_args(arguments)
    names = options.studies or list(PLANS)
    if unknown := set(names) - set(PLANS):
        parser.error(f"{', '.join(sorted(unknown))}: the studies are {', '.join(PLANS)}")
    if options.command == "run":
        run(names, options.folder)
        return 0
    total = sum(len(results.stored(name, options.folder)) for name in names)
    if not total:
        print(f"{options.folder} has no runs of {', '.join(names)} yet: nothing to check.")
        return 0
    checked = verify(names, options.runs, options.seed, options.folder)
    for row in checked.itertuples():
        code = "" if row.same_code else "; made by other code than today's"
        outcome = "the same" if row.same else f"DIFFERENT in {row.differs}"
        print(f"{row.study}: {row.run}: {outcome}{code} ({row.cpu:.0f} CPU seconds)")
    print(f"Made again {len(checked)} of {total} stored runs in {options.folder}.")
    return int(not checked["same"].all())


if __name__ == "__main__":
    sys.exit(main())
