"""Chapter 1: tables of the third law's runs, beside Debian's sites and the paper's Random row."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import scipy  # its parts load when they are used

from ..crawls.tables import paper_table
from ..study import results
from ..study.findings import Figure
from .c01_third import TOPICS, debian

FACTOR = 5.0  # by which a median's interval may lie beyond the paper's figure, at most


def figures() -> dict[str, SimpleNamespace]:
    """Return how the third law stands beside Debian's sites, and Random's median row by topic."""
    table = beside_debian(results.stored("third-outside"))
    met = table["within"].value_counts()
    own = table.loc[table["measure"].str.startswith("own pairs a link"), "ratio"].item()
    row = random_medians(results.stored("third-random"))
    harvest = row[row["measure"] == "harvest rate %"].set_index("topic")
    medians = {
        t: Figure(r["median"], r["low"], r["high"], r["webs"]) for t, r in harvest.iterrows()
    }
    debian = {"met": met.get("yes", 0), "missed": met.get("no", 0), "own_by_link": own}
    random = medians | {"beyond": row["beyond"].sum()}
    return {"debian": SimpleNamespace(**debian), "random_row": SimpleNamespace(**random)}


def beside_debian(counts: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of `outside_links` beside Debian's, means over webs, and the verdict.

    Pooled ones weigh the classes by Debian's numbers of sites. ``ratio`` is ours over Debian's.
    """
    known = debian()
    rows = [
        {"measure": entry["says"], "pages": pages, "Debian": value, "here": ours}
        | {"bound": entry.get("bound", np.nan)}
        for name, entry in known["measures"].items()
        for pages, value, ours in _pairs(name, entry["debian"], counts, known)
    ]
    table = pd.DataFrame(rows)
    table["ratio"] = table["here"] / table["Debian"]
    met = (table["ratio"] - 1).abs() <= table["bound"]
    table["within"] = np.where(table["bound"].isna(), "", np.where(met, "yes", "no"))
    return table


def _pairs(name: str, value: Any, counts: pd.DataFrame, known: Any) -> list[tuple[str, Any, float]]:
    """Return a measure's classes, Debian's values and ours: one of each where it is pooled."""
    per = {  # numerator and denominator
        "sites": ("sites", None),
        "leave": ("leaving", "links"),
        "template": ("template pairs", "pairs"),
        "deep_own": ("own deep", "own"),
        "deep_template": ("template deep", "template"),
        "own_pairs": ("own pairs", "pages"),
        "own_by_link": ("own pairs", "links"),
        "with_own": ("with own", "pages"),
        "links": ("links", "pages"),
    }
    counts = counts.assign(**{"own pairs": counts["pairs"] - counts["template pairs"]})
    classes = [counts[counts["least"] == low] for low, _ in known["classes"]]
    heads = [f"{low} to {high:,}" for low, high in known["classes"]]
    above, below = per[name]
    if below is None:
        return list(zip(heads, value, [part[above].mean() for part in classes], strict=True))
    if isinstance(value, list):
        ours = [(part[above] / part[below]).mean() for part in classes]
        return list(zip(heads, value, ours, strict=True))
    if name == "own_by_link":  # of the first class alone
        return [(heads[0], value, float((classes[0][above] / classes[0][below]).mean()))]
    share = [n / part["n"].sum() for n, part in zip(known["n"], classes, strict=True)]
    sums = [
        sum(w * part[column].sum() for w, part in zip(share, classes, strict=True))
        for column in (above, below)
    ]
    return [("pooled", value, float(sums[0] / sums[1]))]


def random_medians(crawls: pd.DataFrame) -> pd.DataFrame:
    """Return medians over webs with 95 % intervals by ranks, beside the paper's means.

    ``beyond``: whether an interval lies wholly beyond a factor of `FACTOR` from the paper's figure.
    """
    paper = paper_table("table 3").query("policy == 'random' and limit == 'none'")
    paper = paper.set_index("topic")
    of = {"random": "harvest rate %", "random_domains": "domains"}
    rows = []
    for topic in [name for name in TOPICS if (crawls["topic"] == name).any()]:
        runs = crawls[crawls["topic"] == topic]
        for column, head in of.items():
            values = runs[column].to_numpy(float) * (100 if column == "random" else 1)
            low, high = scipy.stats.quantile_test(values).confidence_interval()
            printed = float(paper.loc[topic, head])
            beyond = low > FACTOR * printed or high < printed / FACTOR
            row = topic, head, printed, np.median(values), low, high, len(values), beyond
            rows.append(row)
    heads = ["topic", "measure", "paper", "median", "low", "high", "webs", "beyond"]
    return pd.DataFrame(rows, columns=heads)
