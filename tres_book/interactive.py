"""Figures that a reader can turn: their data, from the library and from stored runs, and pages.

`write` embeds the data of each in a page of its own, which needs neither network nor Python.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from tres_lib import ours

from .intervals import summarise
from .study import results, workspace
from .study.chapters import Book

WORLDS = {  # the stored comparisons of crawlers in each world
    "second law": ("second-free", "second-limits", "second-5_2", "second-muted"),
    "Wikispeedia": ("wikispeedia",),
}
AGES = np.linspace(0, 30, 91)  # days
RATES = np.geomspace(0.01, 2, 24)
FIELDS = "id paper place claim value measured verdict rule rule_came permalink"  # of a claim


def winners() -> dict[str, Any]:
    """Return each crawler's mean true harvest, its interval and n by world, case and topic."""
    cells: dict[str, Any] = {}
    for world, names in WORLDS.items():
        table = pd.concat(map(results.stored, names), ignore_index=True)
        table["case"] = _cases(table)
        means = summarise(table, ["case", "topic", "policy"], "by the truth")
        cells[world] = {
            case: {topic: _rows(part) for topic, part in rows.groupby("topic", sort=False)}
            for case, rows in means.groupby("case", sort=False)
        }
    return {"cells": cells}


def _cases(table: pd.DataFrame) -> pd.Series:
    limits = table["limit"].str.replace("_", " to ") + " pages of a site"
    limits = limits.mask(table["limit"] == "none", "no limit")
    muted = pd.Series(table.get("muted", 0.0), table.index, float).fillna(0.0)
    return limits.mask(muted > 0, muted.map("{:.0%} of the links say nothing".format))


def _rows(part: pd.DataFrame) -> list[list[Any]]:
    best = part.sort_values("mean", ascending=False)[["policy", "mean", "low", "high", "n"]]
    return best.round(2).replace({np.nan: None}).to_numpy().tolist()


def index() -> dict[str, Any]:
    """Return the Whittle index of a page, a hub and a link by age, for a range of their rates."""
    each = RATES[:, None]
    curves = {
        "a known page: changes a day": ours.refresh_index(AGES, 1.0, each),
        "a hub: new links a day": ours.hub_index(AGES, each, [3.0], [0.46]),
        "a link to news: loss of interest a day": ours.link_index(0.5, 4.0, each, AGES),
    }
    return {"ages": AGES, "rates": RATES, "curves": curves}


FIGURES: dict[str, tuple[str, str]] = {  # title and chapter
    "ledger": ("The ledger, claim by claim", "ledger"),
    "winners": ("Who wins where", "06-ablations"),
    "index": ("When is a fetch due? The Whittle index against age", "15-one-crawler"),
}


def write(
    book: Book, pages: Collection[str], claims: Sequence[Mapping[str, Any]]
) -> dict[str, tuple[str, str]]:
    """Write the figures of the chapters shown; return their titles and chapters by name."""
    folder = book.reports / "interactive"
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.html"):
        stale.unlink()
    fields = [{field: claim[field] for field in FIELDS.split()} for claim in claims]
    makers = {"ledger": lambda: {"claims": fields}, "winners": winners, "index": index}
    chosen = {name: about for name, about in FIGURES.items() if about[1] in pages}
    for name, (title, chapter) in chosen.items():
        data = json.dumps(makers[name](), default=_plain, separators=(",", ":"))
        values = {"title": title, "chapter": chapter, "revision": workspace.revision()}
        values["data"] = Markup(data.replace("<", "\\u003c"))  # so that no text ends the script
        page = book.template(f"interactive/{name}").render(**values)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return chosen


def _plain(value: Any) -> Any:
    return np.round(value, 4).tolist() if isinstance(value, np.ndarray) else str(value)
