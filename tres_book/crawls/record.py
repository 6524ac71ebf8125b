"""What is stored of a crawl."""

import hashlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..study.study import Setting, Study
from .comparison import FOUND, at_the_end
from .trial import trial

POINTS = 200  # of a stored curve
CURVES = ("found", "truly found")
MADE_OF = "sites", "handmade"  # a web, beside its seed


def crawls_of(
    name: str,
    settings: Sequence[Setting],
    together: tuple[str, ...] = ("web_seed", "topic"),
    under_way: bool = False,
) -> Study:
    """Return a study of `record`, web by web: what crawls of a web share is loaded once."""
    ordered = sorted(settings, key=lambda s: [s.get(n, 0) for n in ("web_seed", *MADE_OF)])
    columns = (*FOUND, *CURVES, "both", "stopped", "log")
    how: dict[str, Any] = {"columns": columns, "repeats": _same_everywhere, "under_way": under_way}
    return Study(name, record, ordered, together, **how)


def _same_everywhere(setting: Setting) -> bool:
    """Return whether a crawl has the same bits on every processor.

    Those of ACHE and SeedFinder had not, before there were webs of the second law: their SVM was
    then fitted by a solver that rounds as the processor likes (results/README.md).
    """
    return "errors" in setting or not setting["policy"].startswith(("ache", "seedfinder"))


def record(policy: str, topic: str, **setting: Any) -> dict[str, Any]:
    """Return what is stored of a crawl by `trial`: its end, and what is `counted` along it."""
    start = time.process_time()
    log = trial(policy, topic, **setting)
    cpu = time.process_time() - start
    budget, errors = setting["budget"], setting.get("errors", "count")
    named = log.assign(topic=topic, policy=policy, web_seed=setting.get("web_seed", 0))
    steps = log[(log["step"] > 0) & ~(log["error"] & (errors == "skip"))]
    return {
        **at_the_end(named, budget, errors).iloc[0].to_dict(),
        **counted(steps, budget),
        "stopped": log["stopped"].iloc[0],
        "cpu": cpu,
        "log": hash_of(log["url"], log[["reward", "p"]].to_numpy(float).tobytes()),
    }


def counted(steps: pd.DataFrame, budget: int, **others: pd.Series) -> dict[str, Any]:
    """Return how many pages are ``found`` by the classifier, ``truly found``, and ``both``.

    The first two, and others that count along the steps, are lists: after each 200th part of the
    budget.
    """
    taken, truth = steps["reward"] > 0, steps["relevant_true"].fillna(False).astype(bool)
    at = points(budget).clip(max=len(steps))
    curves = {"found": taken.cumsum(), "truly found": truth.cumsum(), **others}
    lists = {name: np.append(0, curve)[at].tolist() for name, curve in curves.items()}
    return {**lists, "both": int((taken & truth).sum())}


def hash_of(urls: pd.Series, values: bytes = b"") -> str:
    """Return a hash of a log's URLs, and of other values of it."""
    return hashlib.sha256("\n".join(urls).encode() + values).hexdigest()[:16]


def points(budget: int) -> np.ndarray:
    """Return the steps at which a stored curve has its points, (POINTS,) int64."""
    return np.arange(1, POINTS + 1) * budget // POINTS
