"""The claims of chapter 14 by stored crawls, on either law of VitalWeb."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import pandas as pd

from ..crawls.stored import curves
from ..crawls.trial import LIMITS
from ..crawls.variants import VARIANTS
from ..crawls.worlds import Found, is_complete
from ..study import results
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
    yield "prospector-real", lead(test.results("wikispeedia")), ""
    yield "prospector-real-long", lead(test.shares(curves("wikispeedia"))), ""


def lead(table: pd.DataFrame, muted: float = 0.0) -> Found:
    """Return the lead over the best other policy, mean of the topics."""
    return Found.mean(test.lead(_linked(table, muted))[1], _fetches(table))


def level(short: pd.DataFrame) -> Found:
    """Return how far the harvest is above 95 % with telling links, and 80 % with silent ones."""
    mine = short[short["policy"] == test.MINE]
    above = [_linked(mine, muted)["true"].mean() - goal for muted, goal in test.GOALS.items()]
    return Found(min(above), None, mine["web_seed"].nunique(), _fetches(mine))


def learns(short: pd.DataFrame, without: pd.DataFrame) -> Found:
    """Return what the fits gain where all links are silent."""
    lost = _linked(test.losses(pd.concat([without, short])), 1.0)
    return Found.mean(lost.loc[lost["without"] == "fits", "loss"], _fetches(short))


def never_behind(*tables: pd.DataFrame) -> Found:
    """Return the largest lead of another policy over cells of topic, limit, links and length."""
    cells = test.cells(*tables)
    return Found(-cells["lead"].min(), None, cells["n"].min(), _fetches(cells))


def domains(*tables: pd.DataFrame) -> Found:
    """Return in which share of cells with telling links no other policy finds more domains."""
    cells = _linked(test.cells(*tables, value="domains"), 0.0)
    return Found((cells["lead"] >= 0).mean(), None, cells["n"].min(), _fetches(cells))


def least(table: pd.DataFrame, muted: float = 0.0) -> Found:
    """Return the least lead of all topics over the best other policy."""
    return Found.least(test.least_leads(_linked(table, muted)), _fetches(table))


CLAIMS: dict[str, tuple[Callable[..., Found], Sequence[str]]] = {  # measure, parts that it takes
    "prospector-short": (lead, ["short"]),
    "prospector-silent": (partial(lead, muted=1.0), ["short"]),
    "prospector-level": (level, ["short"]),
    "prospector-learns": (learns, ["short", "without"]),
    "prospector-never-behind": (never_behind, ["short", "limits", "long"]),
    "prospector-domains": (domains, ["short", "limits"]),
    "prospector-long": (least, ["one web"]),
    "prospector-table-3": (least, ["free"]),
    "prospector-table-3-never-behind": (never_behind, ["free", "limited"]),
    "prospector-table-3-domains": (domains, ["free", "limited"]),
    "prospector-muted-long": (partial(least, muted=1.0), ["muted"]),
}


def _linked(table: pd.DataFrame, muted: float) -> pd.DataFrame:
    """Return the crawls with this share of muted links, of a table that names it."""
    return table[table["muted"] == muted] if "muted" in table else table


def _fetches(table: pd.DataFrame) -> str:
    """Return how long crawls are, and their limits on the pages of a domain if several."""
    lengths = " and ".join(f"{budget:,.0f}" for budget in sorted(table["budget"].unique()))
    limits = [name for name in LIMITS if "limit" in table and name in set(table["limit"])]
    return f"{lengths} fetches" + (f", limits {', '.join(limits)}" if len(limits) > 1 else "")
