"""Chapter 06: what matters in TRES. Table 4, and links that say nothing."""

from ..crawls import plan
from ..crawls.record import crawls_of
from ..study.plan import Study

WEBS = range(5)  # of the muted crawls
MUTED = (0.5, 0.9, 1.0)  # shares of URLs that say nothing; 0 is in Table 3
OF_MUTED = ("prospector", "tres", "best-first", "linear", "tree-random", "ache-global")


def studies() -> dict[str, Study]:
    """Return the ablations of ``table-4``, less the crawls of Table 3, and the ``muted`` crawls."""
    known = plan.limited(plan.TOPICS, plan.WEBS, "5_2")
    ablations = plan.table_4(plan.TOPICS, plan.WEBS, **plan.LONG)
    muted = [
        {"policy": p, "topic": t, "web_seed": web, "limit": "none", **plan.LONG, "muted": share}
        for t in plan.TOPICS
        for web in WEBS
        for share in MUTED
        for p in OF_MUTED
    ]
    plans = {"table-4": [s for s in ablations if s not in known], "muted": muted}
    return {name: crawls_of(name, settings) for name, settings in plans.items()}
