"""Sweeps of the TRES study as data, lists of settings for `trial`.

The runs of one topic and web follow one another, because a worker keeps its web and classifier.
Where two sweeps hold the same run their settings are equal, so that a cache serves both.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .trial import LIMITS, VARIANTS

Settings = list[dict[str, Any]]
Limits = dict[str, tuple[str, ...]]  # by policy

TOPICS = ("sports", "food", "computing")
WEBS = range(10)  # of the paper's length
LONG: dict[str, Any] = {"budget": 20_000, "sites": 100_000, "epochs": 20}
NO_LIMIT = ("none",)
ALL_LIMITS = tuple(LIMITS)

# ACHE and SeedFinder have all, though the paper has blanks where ACHE ran dry. The stored crawls
# are older than turns over domains, so they are by the best link of all.
TABLE_3: Limits = {
    **dict.fromkeys(("random", "tree-random"), NO_LIMIT),
    **dict.fromkeys(("ache-global", "seedfinder-global", "async", "tres"), ALL_LIMITS),
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


def limited(topics: Sequence[str], webs: Iterable[int], *limits: str) -> Settings:
    """Plan the paper's crawlers and two of ours at these limits, in crawls of its length."""
    plan = table_3(topics, webs, limits=limits, **LONG)
    return [s for s in plan if s["policy"] in {*TABLE_3, "prospector", "best-first"}]


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
