"""Figures that a reader can turn: their data, from the library and from stored runs, and pages.

`write` embeds the data of each in a page of its own, which needs neither network nor Python.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup

import tres_webs as web
from tres_lib import focused, ours, refresh, topics
from tres_lib.focused.result import CrawlResult

from .code_hash import code_hash
from .crawls.variants import NAMES
from .intervals import summarise
from .plots import colours
from .study import results, workspace
from .study.chapters import Book

WORLDS = {  # the stored comparisons of crawlers in each world
    "second law": ("second-free", "second-limits", "second-5_2", "second-muted"),
    "second law, one thing changed": ("second-structure",),
    "Wikispeedia": ("wikispeedia",),
}
MEASURES = {"true harvest, %": "by the truth", "harvest by the classifier, %": "by the classifier"}
MEASURES |= {"domains": "true domains"}
STEPS = 120  # fetches of the crawl that is opened up
CHANGES = np.geomspace(0.01, 10, 121)  # a day
LOOKS = np.geomspace(0.02, 5, 25)  # refreshes a page and day
AGES = np.linspace(0, 30, 91)  # days
RATES = np.geomspace(0.01, 2, 24)
FIELDS = "id paper place claim value measured verdict rule rule_came permalink"  # of a claim


def winners() -> dict[str, Any]:
    """Return each crawler's mean, interval and n by measure, world, case and topic."""
    cells: dict[str, Any] = {measure: {} for measure in MEASURES}
    for world, names in WORLDS.items():
        table = pd.concat(map(results.stored, names), ignore_index=True)
        table["case"] = _cases(table)
        for measure, column in MEASURES.items():
            means = summarise(table.dropna(subset=[column]), ["case", "topic", "policy"], column)
            cells[measure][world] = {
                case: {topic: _rows(part) for topic, part in rows.groupby("topic", sort=False)}
                for case, rows in means.groupby("case", sort=False)
            }
    return {"cells": cells, "colours": colours(list(NAMES))}


def _cases(table: pd.DataFrame) -> pd.Series:
    if "point" in table:
        return table["point"]
    limits = table["limit"].str.replace("_", " to ") + " pages of a site"
    limits = limits.mask(table["limit"] == "none", "no limit")
    muted = pd.Series(table.get("muted", 0.0), table.index, float).fillna(0.0)
    return limits.mask(muted > 0, muted.map("{:.0%} of the links say nothing".format))


def _rows(part: pd.DataFrame) -> list[list[Any]]:
    best = part.sort_values("mean", ascending=False)[["policy", "mean", "low", "high", "n"]]
    return best.round(2).replace({np.nan: None}).to_numpy().tolist()


@cache
def crawl() -> CrawlResult:
    """Return a short crawl by Prospector, with a classifier that takes seconds to train."""
    lab = web.VitalWeb(0, 20_000)
    how: dict[str, Any] = {"policy": "prospector", "budget": STEPS, "rng": 0}
    how["classifier"] = topics.classifier("sports", "svm")
    return focused.crawl(lab, lab.seeds("sports", 1, rng=0), "sports", **how)


def why() -> dict[str, Any]:
    """Return of each fetch of `crawl` its page, its estimate and the evidence for that."""
    result, steps = crawl(), []
    for row in result.log[result.log["step"] > 0].itertuples():
        table = result.explain(row.url).table[["evidence", "effect"]].round(2)
        page = {"title": row.title, "url": row.url, "relevant": bool(row.relevant_true)}
        page |= {"p": round(row.q, 3), "links": int(row.frontier)}
        steps.append(page | {"evidence": table[table["effect"] != 0].head(10).to_numpy().tolist()})
    return {"steps": steps}


def rates() -> dict[str, Any]:
    """Return the best refresh rates by kind of refresh, bandwidth and change rate."""
    pages, ones = len(CHANGES), np.ones(len(CHANGES))
    curves = {
        kind: [refresh.optimal_rates(CHANGES, ones, looks * pages, kind) for looks in LOOKS]
        for kind in ("poisson", "uniform")
    }
    return {"changes": CHANGES, "looks": LOOKS, "curves": curves}


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
    "rates": ("How often to refresh what changes how often", "09-refresh-scheduling"),
    "why": ("Why this link was chosen", "14-prospector"),
    "index": ("When is a fetch due? The Whittle index against age", "15-one-crawler"),
}
MAKERS: dict[str, Callable[[], Any]] = {f.__name__: f for f in (winners, rates, why, index)}


def write(
    book: Book, shown: Collection[str], claims: Sequence[Mapping[str, Any]]
) -> dict[str, tuple[str, str]]:
    """Write the figures of the chapters shown; return their titles and chapters by name."""
    folder = book.reports / "interactive"
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.html"):
        stale.unlink()
    loader = jinja2.FileSystemLoader(book.root / "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True)
    chosen = {name: about for name, about in FIGURES.items() if about[1] in shown}
    for name, (title, chapter) in chosen.items():
        fields = [{field: claim[field] for field in FIELDS.split()} for claim in claims]
        data = _kept(name) if name in MAKERS else json.dumps({"claims": fields}, default=str)
        values = {"title": title, "chapter": chapter, "revision": workspace.revision()}
        values["data"] = Markup(data.replace("</", "<\\/"))
        page = environment.get_template(f"interactive/{name}.html.j2").render(**values)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return chosen


def _kept(name: str) -> str:
    """Return a figure's data, which are made again when the code or the stored runs change."""
    state = code_hash(__name__) + json.dumps(results.manifest(results.RESULTS))
    key = hashlib.sha256(state.encode()).hexdigest()[:16]
    file = workspace.build_dir() / "interactive" / f"{name}-{key}.json"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        short: dict[str, Any] = {"default": lambda numbers: np.round(numbers, 4).tolist()}
        data = json.dumps(MAKERS[name](), **short, separators=(",", ":"))
        file.write_text(data, encoding="utf-8")
    return file.read_text(encoding="utf-8")
