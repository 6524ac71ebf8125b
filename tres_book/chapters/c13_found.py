"""Chapter 13: what is claimed of a topic of one's own, and what its sentences say beside it."""

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pandas as pd

from ..crawls.worlds import Found
from ..study import paired, results, summarise
from ..study.findings import of_table
from .c13_labels import label_scores
from .c13_real import median


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


def figures() -> dict[str, SimpleNamespace]:
    """Return each measure by the number of labels asked for, as ``_20``, and what they gain."""
    asked = label_scores(results.stored("labels")).query("way == 'active'")
    found = {}
    for name in ("precision", "recall", "f1"):
        found[name] = of_table(summarise(asked, "labels", name, within=(0, 1)), "labels")
        pairs = paired(asked, name, ["topic"], {"labels": 0})
        pairs["gain"] = pairs[name] - pairs["reference"]
        found[f"{name}_gain"] = of_table(summarise(pairs, "labels", "gain"), "labels")
    return found
