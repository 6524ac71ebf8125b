"""What is stored of a crawl."""

import hashlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tres_lib.focused.tres.crawlers import TresSettings

from ..study.study import Setting, Study
from .comparison import at_the_end
from .trial import trial

POINTS = 200  # of a stored curve
MADE_OF = "sites", "handmade"  # a web, beside its seed
STUCK = 20  # irrelevant pages of a site in a row


def crawls_of(
    name: str,
    settings: Sequence[Setting],
    together: tuple[str, ...] = ("web_seed", "topic"),
    under_way: bool = False,
) -> Study:
    """Return a study of `record`, web by web: what crawls of a web share is loaded once."""
    ordered = sorted(settings, key=lambda s: [s.get(n, 0) for n in ("web_seed", *MADE_OF)])
    return Study(name, record, ordered, together, repeats=_same_everywhere, under_way=under_way)


def _same_everywhere(setting: Setting) -> bool:
    """Return whether a crawl has the same bits on every processor.

    Those of ACHE and SeedFinder had not, before there were webs of the second law: their SVM was
    then fitted by a solver that rounds as the processor likes (results/README.md).
    """
    return "errors" in setting or not setting["policy"].startswith(("ache", "seedfinder"))


def record(policy: str, topic: str, **setting: Any) -> dict[str, Any]:
    """Return what is stored of a crawl by `trial`: its row of `at_the_end`, `counted`, and more.

    ``stuck`` counts pages that were, see there, and were irrelevant.
    """
    start = time.process_time()
    log = trial(policy, topic, **setting)
    cpu = time.process_time() - start
    budget, errors = setting["budget"], setting.get("errors", "count")
    named = log.assign(topic=topic, policy=policy, web_seed=setting.get("web_seed", 0))
    ends = at_the_end(named, TresSettings().exploration(budget), budget, errors)
    steps = log[(log["step"] > 0) & ~(log["error"] & (errors == "skip"))]
    idle = (stuck(steps) & (steps["reward"] == 0)).cumsum()
    strict = in_all_fetches(named, budget) if errors == "skip" else {}
    return {
        **ends.iloc[0].to_dict(),
        **counted(steps, budget, stuck=idle),
        **strict,
        "queries": int(log["queries"].max()),
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


def in_all_fetches(log: pd.DataFrame, budget: int) -> dict[str, Any]:
    """Return what a crawl found in its first `budget` fetches, each of which counts.

    ``articles`` are those behind its relevant pages by the truth; ``busiest`` is the most fetches
    of one domain: at five seconds each they bound the time of a polite crawl from below.
    """
    fetched = log["step"] > 0
    first = log[~fetched | (fetched.cumsum() <= budget)]
    end = at_the_end(first, budget=budget).iloc[0]
    of_truth = first["step"].gt(0) & first["relevant_true"].fillna(False).astype(bool)
    return {
        "strictly by the classifier": end["by the classifier"],
        "strictly by the truth": end["by the truth"],
        "strict domains": int(end["domains"]),
        "articles": first.loc[of_truth, "article"].nunique(),
        "busiest": int(log.loc[fetched, "domain"].value_counts().max()),
    }


def points(budget: int) -> np.ndarray:
    """Return the steps at which a stored curve has its points, (POINTS,) int64."""
    return np.arange(1, POINTS + 1) * budget // POINTS


def stuck(steps: pd.DataFrame) -> pd.Series:
    """Return whether the `STUCK` pages of a step's domain before it were all without reward."""
    before = steps.groupby("domain")["reward"].cumsum() - steps["reward"]
    return before - before.groupby(steps["domain"]).shift(STUCK) == 0
