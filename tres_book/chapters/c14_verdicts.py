"""The claims of chapter 14 by stored crawls on webs of the second law."""

from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import pandas as pd

from ..crawls.stored import curves
from ..crawls.trial import LIMITS
from ..study import paired, results, summarise
from ..study.claims import Found
from ..study.findings import Figure
from . import c14_prospector as test

SHORT, WITHOUT = "prospector-second-short", "prospector-second-without"  # studies
CAPPED = "prospector-second-limits"
FREE, LIMITED, MUTED = "second-free", ("second-5_2", "second-limits"), "second-muted"
# Of chapter 06's sweep, the webs whose sites are small.
SMALL = ("sites to 300", "sites to 3,000", "small sites, a fifth leaves", "small sites, muted")


def findings() -> dict[str, Found]:
    """Return what was found of each claim."""
    found = {name: measure(*map(test.crawls, names)) for name, (measure, names) in CLAIMS.items()}
    found["prospector-real"] = lead(test.crawls("prospector-wikispeedia"))
    return found | {"prospector-real-long": lead(test.shares(curves("wikispeedia")))}


def lead(table: pd.DataFrame, muted: float = 0.0) -> Found:
    """Return the lead over the best other policy, mean of the topics."""
    return Found.mean(test.lead(_linked(table, muted))[1], _fetches(table))


def level(short: pd.DataFrame) -> Found:
    """Return how far the harvest is above `test.GOALS`, with or without text in links."""
    mine = short[short["policy"] == test.MINE]
    above = mine.assign(above=mine["true"] - mine["muted"].map(test.GOALS))
    webs = above.groupby(["muted", "web_seed"])["above"].mean().reset_index()
    return Found.least(summarise(webs, "muted", "above"), _fetches(mine))


def learns(short: pd.DataFrame, without: pd.DataFrame) -> Found:
    """Return what the fits gain where no link has text."""
    lost = _linked(test.losses(pd.concat([without, short])), 1.0)
    return Found.mean(lost.loc[lost["without"] == "fits", "loss"], _fetches(short))


def never_behind(*tables: pd.DataFrame) -> Found:
    """Return the largest lead of another policy over cells of topic, limit, links and length."""
    cells = test.cells(*tables)
    others = {"mean": -cells["lead"], "low": -cells["high"], "high": -cells["low"]}
    return Found.most(cells[["n"]].assign(**others), _fetches(cells))


def domains(*tables: pd.DataFrame) -> Found:
    """Return in which share of cells of links with text no other policy finds more domains."""
    cells = _linked(test.cells(*tables, value="domains"), 0.0)
    return Found((cells["lead"] >= 0).mean(), None, cells["n"].min(), _fetches(cells))


def least(table: pd.DataFrame, muted: float = 0.0, of: Sequence[str] = ()) -> Found:
    """Return the least lead of all topics over the best other policy, or the best of some."""
    table = table[table["policy"].isin(of)] if of else table
    return Found.least(test.least_leads(_linked(table, muted)), _fetches(table))


CLAIMS: dict[str, tuple[Callable[..., Found], Sequence[str]]] = {  # measure, studies it takes
    "prospector-short": (lead, [SHORT]),
    "prospector-silent": (partial(lead, muted=1.0), [SHORT]),
    "prospector-level": (level, [SHORT]),
    "prospector-learns": (learns, [SHORT, WITHOUT]),
    "prospector-never-behind": (never_behind, [SHORT, CAPPED, FREE]),
    "prospector-domains": (domains, [SHORT, CAPPED]),
    "prospector-long": (partial(least, of=test.FOUR), [FREE]),
    "prospector-table-3": (least, [FREE]),
    "prospector-table-3-never-behind": (never_behind, [FREE, *LIMITED]),
    "prospector-table-3-domains": (domains, [FREE, *LIMITED]),
    "prospector-muted-long": (partial(least, muted=1.0), [MUTED]),
}


def figures() -> dict[str, Any]:
    """Return what the chapter's sentences say beside its claims."""
    free, limited = test.crawls(FREE), test.crawls(*LIMITED)
    tables = {
        "short": test.cells(test.crawls(SHORT, CAPPED)),
        "long": test.cells(free, limited),
        "over_seedfinder": where_small("seedfinder", "by the truth"),
        "over_tres": where_small("tres", "by the classifier"),
    }
    rows = limited["policy"].isin([test.MINE, "tres"]) & (limited["limit"] == "10")
    rows &= limited["topic"] == "computing"
    ten = {name: test.cells(limited[rows], value=name) for name in ("true", "domains")}
    return {
        **{name: _decided(table) for name, table in tables.items()},
        "at_ten": SimpleNamespace(**{name: _decided(table).least for name, table in ten.items()}),
    }


def where_small(rival: str, judge: str) -> pd.DataFrame:
    """Return Prospector's ``lead`` over a rival at each of `SMALL`, pairs of topic and web."""
    runs = results.stored("second-structure")
    runs = runs[runs["policy"].isin([test.MINE, rival]) & runs["point"].isin(SMALL)]
    pairs = paired(runs, judge, ["point", "topic", "web_seed"], {"policy": test.MINE})
    pairs["lead"] = pairs["reference"] - pairs[judge]
    return summarise(pairs, "point", "lead")


def _decided(table: pd.DataFrame) -> SimpleNamespace:
    """Return how many cells there are, how many leads are decided, and the least and the most."""
    means = table.get("mean", table.get("lead"))
    rows = zip(means, table["low"], table["high"], table["n"], strict=True)
    every = sorted(Figure(*row) for row in rows)
    ahead, behind = int((table["low"] > 0).sum()), int((table["high"] < 0).sum())
    ends = {"least": every[0], "most": every[-1]}
    return SimpleNamespace(cells=len(table), ahead=ahead, behind=behind, **ends)


def _linked(table: pd.DataFrame, muted: float) -> pd.DataFrame:
    """Return the crawls with this share of muted links, of a table that names it."""
    return table[table["muted"] == muted] if "muted" in table else table


def _fetches(table: pd.DataFrame) -> str:
    """Return how long crawls are, and their limits on the pages of a domain if several."""
    lengths = " and ".join(f"{budget:,.0f}" for budget in sorted(table["budget"].unique()))
    limits = [name for name in LIMITS if "limit" in table and name in set(table["limit"])]
    return f"{lengths} fetches" + (f", limits {', '.join(limits)}" if len(limits) > 1 else "")
