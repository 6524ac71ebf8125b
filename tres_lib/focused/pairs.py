"""A policy less each other one, paired: crawls of one web, topic and limit are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

PAIR = ["topic", "limit", "web_seed"]
MEASURES = ["by the classifier", "by the truth", "domains"]


def against(ends: pd.DataFrame, policy: str = "tres") -> pd.DataFrame:
    """What a policy finds more than each other one in the same surroundings.

    Parameters
    ----------
    ends : DataFrame
        One row a crawl, from `at_the_end`.
    policy : str

    Returns
    -------
    DataFrame
        One row a crawl of another policy whose topic, limit and web the policy crawled too:
        ``topic``, ``limit``, ``web_seed``, ``policy`` and ``crawler`` of the other, the
        differences of the harvest rates (points) and of ``domains``, and ``domain ratio``, the
        policy's domains over the other's.
    """
    own = ends.loc[ends["policy"] == policy, [*PAIR, *MEASURES]]
    others = ends[ends["policy"] != policy]
    both = others.merge(own, on=PAIR, suffixes=(" of it", ""))
    gains = both[[*PAIR, "policy", "crawler"]].copy()
    for measure in MEASURES:
        gains[measure] = both[measure] - both[f"{measure} of it"]
    gains["domain ratio"] = both["domains"] / both["domains of it"].clip(lower=1)
    return gains
