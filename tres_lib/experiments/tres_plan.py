"""The sweeps of the study as data: each is a list of settings for `trial`.

The runs of one topic and web follow one another, because a worker keeps its web and classifier.
Where two sweeps hold the same run their settings are equal, so that a cache serves both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .tres import LIMITS

if TYPE_CHECKING:
    import pandas as pd

Settings = list[dict[str, Any]]

NO_LIMIT = ("none",)
ALL_LIMITS = tuple(LIMITS)

# Limits by policy. ACHE and SeedFinder have all, though the paper has blanks where ACHE ran dry.
TABLE_3 = {
    "random": NO_LIMIT,
    "tree-random": NO_LIMIT,
    "ache": ALL_LIMITS,
    "seedfinder": ALL_LIMITS,
    "async": ALL_LIMITS,
    "tres": ALL_LIMITS,
}
CONTROLS = {  # ours
    "best-first": ALL_LIMITS,
    "linear": ALL_LIMITS,
    "oracle": ALL_LIMITS,
    "bfs": NO_LIMIT,
    "sync": NO_LIMIT,
    "tres-async": NO_LIMIT,
}
TABLE_4 = {
    "tres-svm": ("10", "5_2"),
    "tres-nh": ("10",),
    "tres-async": ("5", "5_2"),
    "tres": ("10", "5", "5_2"),
}
ABLATIONS = {  # ours
    "tres-gamma-0": ("10",),
    "tres-gamma-0.6": ("10",),
    "tres-gamma-0.99": ("10",),
    "tres-outlinks": ("10",),
    "tres-best-of-3": ("10",),
    "tres-no-tree": ("10",),
}


def table_3(
    topics: Sequence[str],
    web_seeds: Iterable[int],
    *,
    limits: Sequence[str] = ALL_LIMITS,
    **common: Any,
) -> Settings:
    """Crawlers of Table 3 and our controls, on each topic and web, at their limits (MAX).

    Parameters
    ----------
    topics : sequence of str
    web_seeds : iterable of int
    limits : sequence of str
        Runs at other limits are left out.
    **common
        What all runs share, such as ``budget``; see `trial`.
    """
    return _settings(TABLE_3 | CONTROLS, topics, web_seeds, limits, common)


def table_4(
    topics: Sequence[str],
    web_seeds: Iterable[int],
    *,
    limits: Sequence[str] = ALL_LIMITS,
    **common: Any,
) -> Settings:
    """Ablations of Table 4 and ours, beside TRES at the same limits; parameters as in `table_3`."""
    return _settings(TABLE_4 | ABLATIONS, topics, web_seeds, limits, common)


def wikispeedia(topics: Sequence[str], seeds: Iterable[int], **common: Any) -> Settings:
    """Every crawler of Table 3 and every control on Wikispeedia, where one site has all pages.

    Parameters
    ----------
    topics : sequence of str
    seeds : iterable of int
        Of the seed page and of the crawl's randomness.
    **common
        As in `table_3`.
    """
    policies = dict.fromkeys(TABLE_3 | CONTROLS, NO_LIMIT)
    return _settings(policies, topics, seeds, NO_LIMIT, {"web": "wikispeedia", **common})


def cost(settings: Settings, seconds_a_step: float | Mapping[str, float]) -> pd.DataFrame:
    """What a sweep costs before it is run.

    Parameters
    ----------
    settings : list of dict
        With ``policy`` and ``budget``.
    seconds_a_step : float or mapping of policy to float
        CPU seconds a fetch, as measured. Policies that score the whole frontier get slower as it
        grows, so a step measured in a short crawl is too cheap for them.

    Returns
    -------
    DataFrame
        Columns ``crawls``, ``pages`` and ``CPU hours``, one row a policy and a last one, ``all``.

    Raises
    ------
    ValueError
        If a policy of the sweep was not measured.
    """
    import pandas as pd

    runs = pd.DataFrame(settings, columns=["policy", "budget"]).groupby("policy", sort=False)
    table = runs["budget"].agg(crawls="size", pages="sum")
    seconds = table.index.map(_by_policy(seconds_a_step, list(table.index)))
    table["CPU hours"] = table["pages"] * seconds.astype(float) / 3600
    table.loc["all"] = table.sum()
    return table.astype({"crawls": int, "pages": int})


def _by_policy(seconds: float | Mapping[str, float], policies: list[str]) -> dict[str, float]:
    if not isinstance(seconds, Mapping):
        return dict.fromkeys(policies, float(seconds))
    missing = [policy for policy in policies if policy not in seconds]
    if missing:
        raise ValueError(
            f"seconds_a_step: nothing measured for {', '.join(missing)}; add them or give one float"
        )
    return dict(seconds)


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
