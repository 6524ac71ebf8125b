"""Chapter 06: what matters in TRES. Table 4, and muted links."""

from ..crawls.plan import LONG, SECOND, TOPICS, WEBS, Crawlers, plan
from ..crawls.record import crawls_of
from ..crawls.variants import VARIANTS
from ..study.plan import Study, grid

TABLE_4: Crawlers = {
    "tres-svm": ("10", "5_2"),
    "tres-nh": ("10",),
    "tres-async": ("5", "5_2"),
    "tres": ("10", "5", "5_2"),
}
CRAWLERS: Crawlers = dict.fromkeys([*TABLE_4, *VARIANTS], ("10",)) | TABLE_4  # the others are ours
MUTED = {  # shares of URLs that say nothing; 0 is in Table 3
    "muted": (0.5, 0.9, 1.0),
    "policy": ("prospector", "tres", "best-first", "linear", "tree-random", "ache-global"),
}
MUTED_SECOND = {
    "muted": (0.9, 1.0),
    "policy": ("prospector", "tres", "best-first", "linear", "ache"),
}


def studies() -> dict[str, Study]:
    """Return the ablations of ``table-4``, less TRES as of Table 3, and the ``muted`` crawls.

    ``second-muted`` is on five webs of the second law, ``second-table-4`` on ten at limit 5_2.
    """
    stored = CRAWLERS | {"tres": ("10", "5")}  # at 5_2 it is in chapter 05's table-3-5_2
    less_tres = {name: limits for name, limits in CRAWLERS.items() if name != "tres"}
    quiet = {"topic": TOPICS, "web_seed": WEBS[:5], "limit": ["none"]}
    plans = {
        "table-4": plan(stored, TOPICS, WEBS, **LONG),
        "muted": [setting | LONG for setting in grid(**quiet, **MUTED)],
        "second-table-4": plan(less_tres, TOPICS, WEBS[:5], **SECOND)
        + plan(less_tres, TOPICS, WEBS[5:], ("5_2",), **SECOND),
        "second-muted": [setting | SECOND for setting in grid(**quiet, **MUTED_SECOND)],
    }
    return {name: crawls_of(name, settings) for name, settings in plans.items()}
