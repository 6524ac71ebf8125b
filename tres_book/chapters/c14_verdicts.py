"""The claims of chapter 14 by stored crawls, on either law of VitalWeb."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import pandas as pd

from ..crawls.stored import curves
from ..crawls.trial import LIMITS
from ..crawls.variants import VARIANTS
from ..crawls.worlds import Found, is_complete
from ..study import paired, results, summarise
from ..study.claims import FORMER
from ..study.findings import Figure, name_of, of_table
from ..study.plan import Study
from ..study.results import all_studies
from . import c14_prospector as test

LAWS: dict[str, Mapping[str, Sequence[str]]] = {  # studies of a law by what they are
    "second law": {
        **{part: (f"prospector-second-{part}",) for part in ("short", "without", "limits")},
        **dict.fromkeys(("free", "long"), ("second-free",)),
        "limited": ("second-5_2", "second-limits"),
        "muted": ("second-muted",),
    },
    "first law": {
        **{part: (f"prospector-{part}",) for part in ("short", "without", "limits", "long")},
        **{"without, long": ("prospector-without-long",), "one web": ("prospector-long",)},
        "free": ("table-3", "table-3-sync"),
        "limited": ("table-3-5_2", "table-3-limits", "table-4"),
        "muted": ("muted",),
    },
}

# Of chapter 06's sweep, the webs whose sites are small.
SMALL = ("sites to 300", "sites to 3,000", "small sites, a fifth leaves", "small sites, muted")


def plans() -> dict[str, Study]:
    """Return the studies that the chapter reads: its own, and of chapters 05 and 06."""
    read = {name for parts in LAWS.values() for names in parts.values() for name in names}
    return test.studies() | {name: all_studies()[name] for name in sorted(read)}


def complete(*parts: str) -> list[str]:
    """Return the laws on which all planned crawls of these parts are stored, the second first."""
    return [
        law
        for law, studies in LAWS.items()
        if all(part in studies and is_complete(studies[part]) for part in parts)
    ]


def crawls(law: str, *parts: str) -> pd.DataFrame:
    """Return the stored crawls of these parts but those of TRES's ablations; see `test.renamed`."""
    tables = [results.stored(name) for part in parts for name in LAWS[law][part]]
    table = test.renamed(pd.concat(tables, ignore_index=True))
    return table[~table["policy"].isin(VARIANTS)]


def findings() -> Iterator[tuple[str, Found, str]]:
    """Yield each claim, what was found of it, and on which law; "" for the law that judges.

    That is the second once all crawls are stored that the claim rests on, till then the first.
    """
    for claim, (measure, parts) in CLAIMS.items():
        whole = complete(*parts)
        for law in whole:
            found = measure(*[crawls(law, part) for part in parts])
            yield claim, found, "" if law == whole[0] else law
    yield "prospector-long", least(crawls("first law", "one web")), FORMER
    yield "prospector-real", lead(test.results("wikispeedia")), ""
    yield "prospector-real-long", lead(test.shares(curves("wikispeedia"))), ""


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


CLAIMS: dict[str, tuple[Callable[..., Found], Sequence[str]]] = {  # measure, parts that it takes
    "prospector-short": (lead, ["short"]),
    "prospector-silent": (partial(lead, muted=1.0), ["short"]),
    "prospector-level": (level, ["short"]),
    "prospector-learns": (learns, ["short", "without"]),
    "prospector-never-behind": (never_behind, ["short", "limits", "long"]),
    "prospector-domains": (domains, ["short", "limits"]),
    "prospector-long": (partial(least, of=test.FOUR), ["free"]),
    "prospector-table-3": (least, ["free"]),
    "prospector-table-3-never-behind": (never_behind, ["free", "limited"]),
    "prospector-table-3-domains": (domains, ["free", "limited"]),
    "prospector-muted-long": (partial(least, muted=1.0), ["muted"]),
}


def figures() -> dict[str, Any]:
    """Return what the chapter's sentences say beside its claims, most of it of the second law."""
    second = partial(crawls, "second law")
    free, limited = second("free"), second("limited")
    worth = test.twins(second("short", "free"))
    tables = {
        "short": test.cells(second("short"), second("limits")),
        "long": test.cells(free, limited),
        "starts": summarise(worth, ["policy", "muted", "budget", "topic"], "worth"),
        "over_seedfinder": where_small("seedfinder", "by the truth"),
        "over_tres": where_small("tres", "by the classifier"),
    }
    rows = limited["policy"].isin([test.MINE, "tres"]) & (limited["limit"] == "10")
    rows &= limited["topic"] == "computing"
    ten = {name: test.cells(limited[rows], value=name) for name in ("true", "domains")}
    lost = {law: test.losses(crawls(law, "short", "without")) for law in LAWS}
    lost = {name_of(law): summarise(_linked(t, 0.0), "without", "loss") for law, t in lost.items()}
    return {
        **{name: _decided(table) for name, table in tables.items()},
        "at_ten": SimpleNamespace(**{name: _decided(table).least for name, table in ten.items()}),
        "lost": SimpleNamespace(**{law: of_table(table, "without") for law, table in lost.items()}),
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
