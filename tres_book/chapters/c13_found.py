"""Chapter 13: what is claimed of a topic of one's own, and stored runs whose code has left."""

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pandas as pd

from ..study import paired, results, summarise
from ..study.claims import Found
from ..study.findings import of_table
from .c13_left import LEFT
from .c13_real import median, shares

# Lists of a row of results/labels, an item a classifier: what it learns from, its labels, how many
# say yes, relevant and other pages that it takes.
LABELS = ["way", "labels", "positive", "found", "false"]


def findings(table: pd.DataFrame, stored: str) -> Iterator[tuple[str, Found]]:
    """Yield each claim and what was found of it, by `c13_real.scores` of runs that are so long."""
    measures = {"own-precision": ("keywords", "precision"), "own-f1": ("keywords", "f1")}
    for claim, (way, measure) in (measures | {"own-review": ("review", "f1")}).items():
        value, *bounds = median(table.loc[way, measure])
        yield claim, Found(value, (bounds[0], bounds[1]), len(table.loc[way]), stored)
    gain = table.loc["examples", "f1"] - table.loc["keywords", "f1"]
    claimed = table.loc["keywords", "claimed"]
    worst = {"own-examples": (gain, gain.min()), "own-claimed": (claimed, claimed.max())}
    for claim, (topics, value) in worst.items():
        among = [(one, np.nan, np.nan) for one in topics]  # nothing is random
        yield claim, Found(float(value), None, len(topics), stored, among)


def label_scores() -> pd.DataFrame:
    """Return the stored runs of labels, a row a topic and classifier, with `shares`."""
    table = results.stored("labels")[["topic", "of", *LABELS]].explode(LABELS, ignore_index=True)
    return shares(table.astype(dict.fromkeys([*LABELS[1:], "of"], int)))


def coverage() -> pd.DataFrame:
    """Return by policy and fetches how good stored estimates of what is left are.

    ``covered`` is the share of intervals that hold the truth, ``ratio`` the median of (estimate +
    1) / (truth + 1), ``found`` and ``estimated`` median shares of all relevant pages.
    """
    table = results.stored("left")[["policy", *LEFT]].explode(LEFT, ignore_index=True)
    table = table.astype(dict.fromkeys(LEFT, float)).astype({"steps": int})
    true, left, found = (table[name] for name in ("true", "left", "found"))
    measures = {
        "covered": true.between(table["low"], table["high"]),
        "ratio": (left + 1) / (true + 1),
        "found": found / (found + true),
        "estimated": found / (found + left),
    }
    how = {name: "mean" if name == "covered" else "median" for name in measures}
    return table.assign(**measures).groupby(["policy", "steps"], sort=False).agg(how)


def figures() -> dict[str, SimpleNamespace]:
    """Return each measure by the number of labels asked for, as ``_20``, and what they gain."""
    asked = label_scores().query("way == 'active'")
    found = {}
    for name in ("precision", "recall", "f1"):
        found[name] = of_table(summarise(asked, "labels", name, within=(0, 1)), "labels")
        pairs = paired(asked, name, ["topic"], {"labels": 0})
        pairs["gain"] = pairs[name] - pairs["reference"]
        found[f"{name}_gain"] = of_table(summarise(pairs, "labels", "gain"), "labels")
    return found
