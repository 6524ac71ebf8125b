"""Runs of the papers' own length, and those of our own chapters, stored in ``results/``.

    python -m tres_book.long_runs run [STUDY ...]
    python -m tres_book.long_runs verify [STUDY ...] [--runs N] [--seed SEED]

The first makes what is missing, all in some 20 CPU hours; it may be stopped and started again. The
second makes some stored runs again and compares.
"""

from .chapters import classifiers, deep_web, ephemeral, foragers, refresh, theory
from .studies import CHAPTERS, LARGER, NAMES, ORDER, PLANS, study
from .tables import (
    WENT,
    curves,
    ends,
    label_scores,
    losses,
    overtakes,
    served,
    served_ratios,
    sharded_crawls,
)

__all__ = [
    "CHAPTERS",
    "LARGER",
    "NAMES",
    "ORDER",
    "PLANS",
    "WENT",
    "classifiers",
    "curves",
    "deep_web",
    "ends",
    "ephemeral",
    "foragers",
    "label_scores",
    "losses",
    "overtakes",
    "refresh",
    "served",
    "served_ratios",
    "sharded_crawls",
    "study",
    "theory",
]
