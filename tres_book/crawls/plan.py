"""Sweeps of the TRES study as data, lists of settings for `trial`; and what their crawls cost.

The runs of one topic and web follow one another, because a worker keeps its web and classifier.
Where two sweeps hold the same run their settings are equal, so that a cache serves both.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from tres_lib.checks import count
from tres_lib.focused.baselines.search_engine import search_engine
from tres_lib.topics import KwBiLstmSettings, default_classifier, topic_keywords
from tres_lib.web import VitalWeb
from tres_lib.web.page import Page

from .trial import LIMITS, VARIANTS, cap_of, single_seed_crawl, variant

Settings = list[dict[str, Any]]
Limits = dict[str, tuple[str, ...]]  # by policy

NO_LIMIT = ("none",)
ALL_LIMITS = tuple(LIMITS)

# ACHE and SeedFinder have all, though the paper has blanks where ACHE ran dry.
TABLE_3: Limits = {
    **dict.fromkeys(("random", "tree-random"), NO_LIMIT),
    **dict.fromkeys(("ache", "seedfinder", "async", "tres"), ALL_LIMITS),
}
CONTROLS: Limits = {  # ours
    **dict.fromkeys(("prospector", "best-first", "linear", "oracle"), ALL_LIMITS),
    **dict.fromkeys(("bfs", "sync", "tres-async"), NO_LIMIT),
}
TABLE_4: Limits = {
    "tres-svm": ("10", "5_2"),
    "tres-nh": ("10",),
    "tres-async": ("5", "5_2"),
    "tres": ("10", "5", "5_2"),
}
ABLATIONS: Limits = {name: ("10",) for name in VARIANTS if name not in TABLE_4}  # ours


def table_3(
    topics: Sequence[str],
    web_seeds: Iterable[int],
    *,
    limits: Sequence[str] = ALL_LIMITS,
    **common: Any,
) -> Settings:
    """Plan the crawlers of Table 3 and our controls, on each topic and web, at their limits.

    Runs at other limits than those given are left out. All runs share `common`, such as
    ``budget``; see `trial`.
    """
    return _settings(TABLE_3 | CONTROLS, topics, web_seeds, limits, common)


def table_4(
    topics: Sequence[str],
    web_seeds: Iterable[int],
    *,
    limits: Sequence[str] = ALL_LIMITS,
    **common: Any,
) -> Settings:
    """Plan the ablations of Table 4 and ours, beside TRES at the same limits, as `table_3` does."""
    return _settings(TABLE_4 | ABLATIONS, topics, web_seeds, limits, common)


def wikispeedia(topics: Sequence[str], seeds: Iterable[int], **common: Any) -> Settings:
    """Plan all crawlers of `table_3` on Wikispeedia, where one site has all pages."""
    policies: Limits = dict.fromkeys(TABLE_3 | CONTROLS, NO_LIMIT)
    return _settings(policies, topics, seeds, NO_LIMIT, {"web": "wikispeedia", **common})


def _settings(
    crawlers: Mapping[str, Sequence[str]],
    topics: Sequence[str],
    web_seeds: Iterable[int],
    limits: Sequence[str],
    common: Mapping[str, Any],
) -> Settings:
    unknown = [limit for limit in limits if limit not in LIMITS]
    if unknown:
        raise ValueError(f"limits={list(limits)!r}: use some of {', '.join(LIMITS)}")
    return [
        {"policy": policy, "topic": topic, "web_seed": seed, "limit": limit, **common}
        for topic in topics
        for seed in list(web_seeds)
        for policy, own in crawlers.items()
        for limit in own
        if limit in limits
    ]


def cost(settings: Settings, seconds_a_step: float | Mapping[str, float]) -> pd.DataFrame:
    """Estimate what a sweep costs before it is run, a row a policy and a last one, ``all``.

    CPU seconds a fetch, of all policies or of each, are as measured (ValueError if a policy was
    not). Policies that score the whole frontier get slower as it grows, so a step measured in a
    short crawl is too cheap for them.
    """
    runs = pd.DataFrame(settings, columns=["policy", "budget"]).groupby("policy", sort=False)
    table = runs["budget"].agg(crawls="size", pages="sum")
    if isinstance(seconds_a_step, Mapping):
        seconds = pd.Series(seconds_a_step, dtype=float).reindex(table.index)
    else:
        seconds = pd.Series(float(seconds_a_step), table.index)
    missing = table.index[seconds.isna()]
    if len(missing):
        raise ValueError(f"seconds_a_step: nothing measured for {', '.join(missing)}; add them")
    table["CPU hours"] = table["pages"] * seconds / 3600
    table.loc["all"] = table.sum()
    return table.astype({"crawls": int, "pages": int})


class Clock:
    """A web that notes CPU seconds, of its own fetches and of the crawler between them."""

    def __init__(self, web: Any):
        self._web = web
        self.between: list[float] = []
        self.fetching: list[float] = []
        self._last = time.process_time()

    def fetch(self, url: str) -> Page:
        """Return the page of the web behind."""
        self.between.append(self._since_last())
        try:
            return self._web.fetch(url)
        finally:
            self.fetching.append(self._since_last())

    def is_relevant(self, url: str, topic: object) -> bool | None:
        """Return the ground truth of the web behind."""
        return self._web.is_relevant(url, topic)

    def seeds(self, topic: str, n: int, rng: int) -> list[str]:
        """Return seed pages of the web behind."""
        return self._web.seeds(topic, n, rng)

    def _since_last(self) -> float:
        last = self._last
        self._last = time.process_time()
        return self._last - last


def timed_trial(
    policy: str,
    topic: str,
    *,
    web_seed: int = 0,
    limit: str = "none",
    budget: int = 1_000,
    sites: int = 20_000,
    epochs: int = 20,
) -> pd.DataFrame:
    """Return the log of one single-seed crawl on VitalWeb, with CPU seconds.

    Arguments are as of `trial`. Column ``cpu`` is the crawler's time since the fetch before:
    classifying that page, learning from it, taking in its links, choosing. ``fetching`` is the
    web's time for the page chosen. Each crawl pays for its own scores.
    """
    cap = cap_of(limit)
    web = VitalWeb(web_seed, sites)  # not open_web's, which remembers pages
    classifier = default_classifier(topic, KwBiLstmSettings(max_epochs=epochs))
    keywords = topic_keywords(topic).keywords
    options: dict[str, Any] = {"budget": budget, "max_per_domain": cap}
    if policy == "seedfinder":
        options["search"] = search_engine(web)  # built off the clock
    changed = variant(policy)
    clock = Clock(web)
    result = single_seed_crawl(clock, changed, topic, web_seed, classifier, keywords, **options)
    return result.log.assign(cpu=clock.between, fetching=clock.fetching)


def seconds_a_step(policy: str, topic: str, *, budget: int = 200, **setting: Any) -> float:
    """Measure CPU seconds a step of a short crawl, fetches included, for `cost`.

    The first step is left out, for libraries load in it; so the budget is 2 at least. Longer
    crawls cost somewhat more a step. The other arguments are those of `timed_trial`.
    """
    log = timed_trial(policy, topic, budget=count("budget", budget, 2), **setting)
    return float(log.loc[log["step"] > 1, ["cpu", "fetching"]].sum(axis=1).mean())
