"""Chapter 06: what matters in TRES. Table 4, and muted links."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..crawls.plan import ALL_LIMITS, LONG, SECOND, TOPICS, WEBS, Crawlers, Settings, plan
from ..crawls.record import crawls_of
from ..crawls.variants import VARIANTS
from ..study.plan import Study, grid

TABLE_4: Crawlers = {
    "tres-svm": ("10", "5_2"),
    "tres-nh": ("10",),
    "tres-async": ("5", "5_2"),
    "tres": ("10", "5", "5_2"),
}
ABLATIONS: Crawlers = {name: ("10",) for name in VARIANTS if name not in TABLE_4}  # ours
MUTED = (0.5, 0.9, 1.0)  # shares of URLs that say nothing; 0 is in Table 3
OF_MUTED = ("prospector", "tres", "best-first", "linear", "tree-random", "ache-global")
MUTED_SECOND = {
    "muted": (0.9, 1.0),
    "policy": ("prospector", "tres", "best-first", "linear", "ache"),
}


def studies() -> dict[str, Study]:
    """Return the ablations of ``table-4``, less TRES as of Table 3, and the ``muted`` crawls.

    ``second-table-4`` and ``second-muted`` are on five webs of the second law.
    """
    stored = TABLE_4 | ABLATIONS | {"tres": ("10", "5")}  # at 5_2 it is in chapter 05's table-3-5_2
    quiet = grid(topic=TOPICS, web_seed=WEBS[:5], muted=MUTED, policy=OF_MUTED, limit=["none"])
    muted = [setting | LONG for setting in quiet]
    again = plan(
        {name: limits for name, limits in stored.items() if name != "tres"},
        TOPICS,
        WEBS[:5],
        **SECOND,
    )
    quiet = grid(topic=TOPICS, web_seed=WEBS[:5], **MUTED_SECOND, limit=["none"])
    plans = {
        "table-4": plan(stored, TOPICS, WEBS, **LONG),
        "muted": muted,
        "second-table-4": again,
        "second-muted": [setting | SECOND for setting in quiet],
    }
    return {name: crawls_of(name, settings) for name, settings in plans.items()}


def table_4(
    topics: Sequence[str],
    web_seeds: Iterable[int],
    limits: Sequence[str] = ALL_LIMITS,
    **common: Any,
) -> Settings:
    """Plan the ablations of Table 4 and ours, beside TRES at the same limits; see `plan`."""
    return plan(TABLE_4 | ABLATIONS, topics, web_seeds, limits, **common)
