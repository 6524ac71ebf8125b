"""The laws of VitalWeb on which a claim is judged, and their stored crawls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from ..study import results, runs
from ..study.claims import Found as Found
from .stored import ends as stored_ends
from .trial import LIMITS

JUDGE = "by the classifier"
NAMED = ["topic", "limit", "web_seed"]


@dataclass(frozen=True)
class World:
    """A law of VitalWeb: its crawlers, its studies without a limit and with one."""

    name: str
    free: tuple[str, ...]
    limited: tuple[str, ...]
    rivals: tuple[str, ...]  # ACHE, SeedFinder and Async, as they ran there
    crawlers: tuple[str, ...]


# ACHE, SeedFinder and Async as they ran on each law: by turns over domains, as in the paper, and by
# the best of all links. What these judge says nothing of the paper's crawlers.
RIVALS = {
    "second law": ("ache", "seedfinder", "async"),
    "first law": ("ache-global", "seedfinder-global", "async"),
}
HARDEST = "computing"  # the paper's Hardware
BY_TURNS = {  # claims that ACHE and SeedFinder decide
    *("tres-harvest-best-no-limit", "tres-harvest-best-at-limits", "tres-domains-best"),
    *("tres-pareto", "tres-tree-random-on-a-par", "tres-ache-aborts"),
    *("tres-svm-above-rivals", "tres-svm-domains"),
}


def is_complete(names: Sequence[str]) -> bool:
    """Return whether all planned runs of these studies are stored."""
    return all(results.length_if_stored(results.all_studies()[name], "all") for name in names)


def ends(world: World) -> pd.DataFrame:
    """Return the ends of crawls, by limit, in the webs in which all planned crawls are stored."""
    names = [name for name in [*world.free, *world.limited] if len(results.stored(name))]
    table = pd.concat([_whole_webs(name) for name in names], ignore_index=True)
    table = table[table["policy"].isin(world.crawlers)]
    order = {"limit": list(LIMITS), "policy": list(world.crawlers)}
    return table.sort_values([*order], key=lambda column: column.map(order[column.name].index))


def _whole_webs(name: str) -> pd.DataFrame:
    there = set(results.stored(name)["key"])
    settings = results.all_studies()[name].settings
    part = {setting["web_seed"] for setting in settings if runs.key(setting) not in there}
    table = stored_ends(name)
    return table[~table["web_seed"].isin(part)]
