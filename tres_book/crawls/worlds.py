"""The laws of VitalWeb on which a claim is judged, and their stored crawls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from tres_lib.intervals import mean_interval

from ..study import results, runs
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


class Found(NamedTuple):
    """What was measured for a claim, as `Claims.record` takes it."""

    value: float
    interval: tuple[float, float] | None
    n: int
    stored: str
    among: Sequence[Sequence[float]] = ()  # value and interval of all whose worst this is

    @classmethod
    def mean(cls, values: pd.Series, stored: str) -> Found:
        """Return the mean of independent runs, with its interval."""
        value, *bounds = mean_interval(values)
        return cls(value, (bounds[0], bounds[1]), len(values), stored)

    @classmethod
    def least(cls, table: pd.DataFrame, stored: str) -> Found:
        """Return the smallest mean of `summarise`, on which a claim for all its rows rests."""
        return cls._one(table, table["mean"].idxmin(), stored)

    @classmethod
    def most(cls, table: pd.DataFrame, stored: str) -> Found:
        """Return the largest mean of `summarise`, on which a claim for all its rows rests."""
        return cls._one(table, table["mean"].idxmax(), stored)

    @classmethod
    def _one(cls, table: pd.DataFrame, index: int, stored: str) -> Found:
        row, several = table.loc[index], table[["mean", "low", "high"]].to_numpy().tolist()
        ends = row["low"], row["high"]
        return cls(row["mean"], ends, int(row["n"]), stored, several if len(table) > 1 else ())


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
