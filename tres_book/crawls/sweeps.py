"""Sweeps of crawls as data: topics, webs, lengths and limits, and lists of settings for `trial`.

Where two plans hold the same run their settings are equal, so that a cache serves both.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .trial import LIMITS

Settings = list[dict[str, Any]]
Crawlers = dict[str, tuple[str, ...]]  # limits by policy

TOPICS = ("sports", "food", "computing")
HARDEST = "computing"  # the paper's Hardware
WEBS = range(10)  # of the paper's length
LONG: dict[str, Any] = {"budget": 20_000, "sites": 100_000, "epochs": 20}
# Webs with the Web's structure, and the books of TRES's authors: errors are no steps.
SECOND = LONG | {"web": "second", "errors": "skip"}
# Webs of the third law, with outside links as on Debian's sites; see `chapters.c05_third`.
THIRD = SECOND | {"web": "third", "sites": 3_000_000}
NO_LIMIT = ("none",)
ALL_LIMITS = tuple(LIMITS)


def plan(
    crawlers: Mapping[str, Sequence[str]],
    topics: Sequence[str],
    web_seeds: Iterable[int],
    limits: Sequence[str] = ALL_LIMITS,
    **common: Any,
) -> Settings:
    """Plan crawlers on each topic and web, each at those of its limits that are asked for.

    All runs share `common`, such as ``budget``. Those of one topic and web follow one another,
    because a worker keeps its web and classifier.
    """
    return [
        {"policy": policy, "topic": topic, "web_seed": seed, "limit": limit, **common}
        for topic in topics
        for seed in list(web_seeds)
        for policy, own in crawlers.items()
        for limit in own
        if limit in limits
    ]
