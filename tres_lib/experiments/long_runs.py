"""Runs of the papers' own length, and those of chapters 13, 15 and 16, stored in ``results/``.

    python -m tres_lib.experiments.long_runs run [STUDY ...]
    python -m tres_lib.experiments.long_runs verify [STUDY ...] [--runs N] [--seed SEED]

The first makes what is missing, for days; it may be stopped and started again. The second makes
some stored runs again and compares.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from ..code_hash import RESULTS
from ..focused.sharded import trials as sharded
from ..focused.tres.policies import TresSettings
from ..study import paired, results
from ..study.results import Study
from ..watching import evolving
from ..watching.simulated import runs as one_crawler
from . import classifier, tres_plan, tres_tables
from .tres_tables import RUN

TOPICS = ("sports", "food", "computing")
WEBS = range(10)
FEWER = range(5)  # webs of the studies that the paper has no column of, or a minor one
LONG: dict[str, Any] = {"budget": 20_000, "sites": 100_000, "epochs": 20}
SHORTER = {**LONG, "budget": 5_000}
TOGETHER = ("web_seed", "topic")
LIMITED = (*tres_plan.TABLE_3, "prospector", "best-first")  # the paper's crawlers, and two of ours
MUTED = (0.5, 0.9, 1.0)  # shares of URLs that say nothing; 0 is in Table 3
OF_MUTED = ("prospector", "tres", "best-first", "linear", "tree-random", "ache")
WIKISPEEDIA = 4_000  # fetches, of 4,604 pages
CURVES = {"found": "harvest rate", "truly found": "true harvest rate", "stuck": "stuck"}
WENT = (  # where a crawl's pages went
    *("relevant", "while TRES explores", "on stuck sites", "elsewhere", "not fetched"),
    *("taken wrongly", "missed"),
)
SLOW = ("sync",)  # scores the whole frontier at each step: too dear at this length
Settings = list[dict[str, Any]]


def _table_3(webs: Sequence[int]) -> Settings:
    plan = tres_plan.table_3(TOPICS, webs, limits=["none"], **LONG)
    return [s for s in plan if s["policy"] not in SLOW]


def _limited(webs: Sequence[int], *limits: str) -> Settings:
    """Return the crawls of Table 3 with these limits."""
    plan = tres_plan.table_3(TOPICS, webs, limits=limits, **LONG)
    return [s for s in plan if s["policy"] in LIMITED]


def _last_limit(webs: Sequence[int]) -> Settings:
    return _limited(webs, "5_2")


def _table_4(webs: Sequence[int]) -> Settings:
    known = _last_limit(webs)
    return [s for s in tres_plan.table_4(TOPICS, webs, **LONG) if s not in known]


def _limits(webs: Sequence[int]) -> Settings:
    known = _table_4(webs)
    return [s for s in _limited(webs, "100", "10", "5") if s not in known]


def _muted(webs: Sequence[int]) -> Settings:
    return [
        {"policy": p, "topic": topic, "web_seed": web, "limit": "none", **LONG, "muted": share}
        for topic in TOPICS
        for web in webs
        for share in MUTED
        for p in OF_MUTED
    ]


def _wikispeedia(webs: Sequence[int]) -> Settings:
    return tres_plan.wikispeedia(TOPICS, webs, budget=WIKISPEEDIA, epochs=LONG["epochs"])


PLANS: dict[str, tuple[Callable[[Sequence[int]], Settings], Sequence[int]]] = {
    "table-3": (_table_3, WEBS),
    "table-3-5_2": (_last_limit, WEBS),
    "table-4": (_table_4, WEBS),
    "wikispeedia": (_wikispeedia, WEBS),
    "table-3-limits": (_limits, FEWER),
    "muted": (_muted, FEWER),
}
LABELS = "labels"  # how good classifiers are by what they learn from; small
ONE_CRAWLER = "one-crawler"  # policies of the one crawler in simulated worlds
LARGER = "one-crawler-sizes"  # worlds and bandwidths a hundred times as large
WORLDS, SIZED = range(200, 230), range(230, 235)
SHARDS = "shards"  # of one crawl: numbers of them, and of rounds
SHARDED = range(400, 405)  # webs
NAMES = (*PLANS, LABELS, ONE_CRAWLER, LARGER, evolving.NAME, SHARDS)
# Studies of a line run side by side, web by web: what crawls of a web share is loaded once.
ORDER = (
    ("table-3", "table-3-5_2", "table-4"),
    ("table-3-limits", "muted"),
    *((name,) for name in ("wikispeedia", LABELS, ONE_CRAWLER, LARGER, evolving.NAME, SHARDS)),
)


def study(name: str) -> Study:
    """Return a study by its name, in order of webs: an early stop leaves whole webs."""
    if name == LABELS:
        return Study(LABELS, classifier.label_trial, classifier.label_plan(), ("topic",))
    if name == ONE_CRAWLER:
        return Study(name, one_crawler.named_trial, one_crawler.plan(WORLDS), ("world",))
    if name == LARGER:
        sized = one_crawler.plan_of_sizes(SIZED)
        return Study(name, one_crawler.named_trial, sized, ("world", "grounds"))
    if name == evolving.NAME:
        return Study(name, evolving.trial, evolving.plan(), ("web_seed",))
    if name == SHARDS:
        settings = sharded.plan(TOPICS, SHARDED, **SHORTER)
        return Study(name, sharded.trial, settings, TOGETHER)
    plan, webs = PLANS[name]
    settings = sorted(plan(webs), key=lambda setting: setting["web_seed"])
    return Study(name, tres_tables.record, settings, TOGETHER)


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
    kept["step"] = kept["budget"].map(tres_tables.points)
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
        at = int(np.searchsorted(np.append(0, tres_tables.points(budget)), explored))
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


def verify(names: Sequence[str], runs: int, seed: int, folder: Path) -> pd.DataFrame:
    """Return `results.verify` of the studies that have stored runs, in one table."""
    some = [name for name in names if len(results.stored(name, folder))]
    tables = (results.verify(study(name), runs, seed, folder) for name in tqdm(some, unit="study"))
    return pd.concat([table.assign(study=name) for name, table in zip(some, tables, strict=True)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 unless a stored run came out otherwise."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["run", "verify"])
    parser.add_argument("studies", nargs="*", help=f"of {', '.join(NAMES)}; default: all")
    parser.add_argument("--runs", type=int, default=1, help="how many of each study to make again")
    parser.add_argument("--seed", type=int, default=0, help="decides which")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="default: results/")
    parser.add_argument("--note", action="store_true", help="write the outcome into the manifest")
    options = parser.parse_args(arguments)
    names = options.studies or list(NAMES)
    if unknown := set(names) - set(NAMES):
        parser.error(f"{', '.join(sorted(unknown))}: the studies are {', '.join(NAMES)}")
    if options.command == "run":
        for batch in ORDER:
            if chosen := [study(name) for name in batch if name in names]:
                results.run(*chosen, folder=options.folder)
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
    if options.note:
        for name, part in checked.groupby("study"):
            results.note(study(str(name)), part, options.folder)
    print(f"Made again {len(checked)} of {total} stored runs in {options.folder}.")
    return int(not checked["same"].all())


if __name__ == "__main__":
    sys.exit(main())
