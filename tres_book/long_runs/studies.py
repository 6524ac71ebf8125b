"""Which runs are stored: the papers' lengths, and those of chapters 03 and 07 to 16."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..chapters import (
    c03_classifier as classifier,
    c14_prospector as prospector,
    c15_evolving as evolving,
    c15_one_crawler as one_crawler,
    c16_shards as sharded,
)
from ..crawls import plan as tres_plan, tables as tres_tables
from ..study.results import Study
from .chapters import TOPICS, classifiers, deep_web, ephemeral, foragers, refresh, theory

WEBS = range(10)
FEWER = range(5)  # webs of the studies that the paper has no column of, or a minor one
LONG: dict[str, Any] = {"budget": 20_000, "sites": 100_000, "epochs": 20}
SHORTER = {**LONG, "budget": 5_000}
TOGETHER = ("web_seed", "topic")
LIMITED = (*tres_plan.TABLE_3, "prospector", "best-first")  # the paper's crawlers, and two of ours
MUTED = (0.5, 0.9, 1.0)  # shares of URLs that say nothing; 0 is in Table 3
OF_MUTED = ("prospector", "tres", "best-first", "linear", "tree-random", "ache")
WIKISPEEDIA = 4_000  # fetches, of 4,604 pages
SLOW = ("sync",)  # scores the whole frontier at each step: twelve times the cost of tres
Settings = list[dict[str, Any]]


def _table_3(webs: Sequence[int]) -> Settings:
    plan = tres_plan.table_3(TOPICS, webs, limits=["none"], **LONG)
    return [s for s in plan if s["policy"] not in SLOW]


def _slow(webs: Sequence[int]) -> Settings:
    plan = tres_plan.table_3(TOPICS, webs, limits=["none"], **LONG)
    return [s for s in plan if s["policy"] in SLOW]


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
    "table-3-sync": (_slow, WEBS),
}
LABELS = "labels"  # how good classifiers are by what they learn from; small
ONE_CRAWLER = "one-crawler"  # policies of the one crawler in simulated worlds
LARGER = "one-crawler-sizes"  # worlds and bandwidths a hundred times as large
WORLDS, SIZED = range(200, 230), range(230, 235)
SHARDS = "shards"  # of one crawl: numbers of them, and of rounds
SHARDED = range(400, 405)  # webs
LEARNT = 0.1  # where rates are learnt, the last digit of an exponential can change what is fetched
PROSPECTOR = {prospector.study_name(part): part for part in prospector.PARTS}  # chapter 14
CHAPTERS = {  # the sweeps of chapters 03 and 07 to 12
    study.name: study
    for plan in (classifiers, theory, refresh, ephemeral, foragers, deep_web)
    for study in plan().values()
}
NAMES = (*PLANS, *PROSPECTOR, LABELS, ONE_CRAWLER, LARGER, evolving.NAME, SHARDS, *CHAPTERS)
# Studies of a line run side by side, web by web: what crawls of a web share is loaded once.
ORDER = (
    ("table-3", "table-3-5_2", "table-4"),
    ("table-3-limits", "muted"),
    tuple(PROSPECTOR),
    ("table-3-sync",),
    *((name,) for name in ("wikispeedia", LABELS, ONE_CRAWLER, LARGER, evolving.NAME, SHARDS)),
    *((name,) for name in CHAPTERS),
)


def study(name: str) -> Study:
    """Return a study by its name, in order of webs: an early stop leaves whole webs."""
    if name in CHAPTERS:
        return CHAPTERS[name]
    if name in PROSPECTOR:
        settings = prospector.plan(PROSPECTOR[name])
        return Study(name, tres_tables.record, settings, TOGETHER)
    if name == LABELS:
        return Study(LABELS, classifier.label_trial, classifier.label_plan(), ("topic",))
    if name == ONE_CRAWLER:
        worlds = one_crawler.plan(WORLDS)
        return Study(name, one_crawler.named_trial, worlds, ("world",), tolerance=_tolerance)
    if name == LARGER:
        sized = one_crawler.plan_of_sizes(SIZED)
        together = ("world", "grounds")
        return Study(name, one_crawler.named_trial, sized, together, tolerance=_tolerance)
    if name == evolving.NAME:
        return Study(name, evolving.trial, evolving.plan(), ("web_seed",))
    if name == SHARDS:
        settings = sharded.plan(TOPICS, SHARDED, **SHORTER)
        return Study(name, sharded.trial, settings, TOGETHER)
    plan, webs = PLANS[name]
    settings = sorted(plan(webs), key=lambda setting: setting["web_seed"])
    return Study(name, tres_tables.record, settings, TOGETHER)


def _tolerance(setting: Mapping[str, Any]) -> float:
    return LEARNT if "learnt" in setting["name"] else 1e-9
