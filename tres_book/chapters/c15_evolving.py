"""Chapter 15: stored runs of the watch on webs that change, whose code left (revision e284eeff).

The watch was developed on webs 0 to 9. All settings, and the claim's rule, were fixed before one of
`WEBS` was drawn.
"""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from ..study.study import Setting, Study

NAME = "evolving"  # of the study
WEBS = range(500, 510)
SPLITS = [  # the simplex in steps of a fifth, a fifteenth at least for each kind
    [round((1 + 3 * part) / 15, 4) for part in (links, pages, 4 - links - pages)]
    for links in range(5)
    for pages in range(5 - links)
]


def studies() -> dict[str, Study]:
    """Return the study ``evolving``: the watch, all `SPLITS` and FIFO on each of `WEBS`."""
    where = {"topic": "sports", "sites": 200, "bandwidth": 50.0, "days": 75.0, "warm_up": 25.0}
    policies = [("watch", []), *(("split", split) for split in SPLITS), ("fifo", [])]
    settings = [
        {"web_seed": web, "policy": policy, "shares": shares, **where}
        for web, (policy, shares) in product(WEBS, policies)
    ]
    return {NAME: Study(NAME, trial, settings, ("web_seed",), repeats=_is_here)}


def _is_here(_: Setting) -> bool:
    return False  # a function of the module, so that another process can have the study


def trial(**setting: Any) -> dict[str, Any]:
    """Raise ValueError: no run can be made again."""
    raise ValueError(f"{setting}: webs that change left; revision e284eeff has them")


def margins(runs: pd.DataFrame) -> pd.DataFrame:
    """Return by web what the watch served over its rivals, less 1.

    Rivals are the best ``split`` of the web in hindsight, which is also the luckiest of many, and
    the split that is best for all webs, ``common``.
    """
    best = runs.pivot_table(index="web_seed", columns="policy", values="served", aggfunc="max")
    splits = runs[runs["policy"] == "split"]
    shares = splits["shares"].map(str)
    each = splits.pivot_table(index="web_seed", columns=shares, values="served")
    best["common"] = each[np.log(each).mean().idxmax()]
    return pd.DataFrame({rival: best["watch"] / best[rival] - 1 for rival in ("split", "common")})
