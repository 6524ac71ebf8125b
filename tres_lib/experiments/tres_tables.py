"""Crawls side by side: tables from the logs of a sweep of `trial`, and the TRES paper's own.

Functions take ``logs``, the rows of many crawls' logs with the columns ``topic``, ``policy``,
``limit`` and ``web_seed`` that name each crawl; ``ends``, which `at_the_end` makes of them; or
the ``log`` of one crawl.
"""

import hashlib
import time
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
import yaml

from ..code_hash import DATA
from ..focused.features import FEATURES
from ..focused.loop import SPENT
from ..focused.tres.policies import TresSettings
from ..focused.tres.tree_frontier import TreeFrontier
from .tres import trial

POINTS = 200  # of a stored curve
STUCK = 20  # irrelevant pages of a site in a row
RUN = ["topic", "policy", "limit", "web_seed"]
STRAIGHT = (  # do not explore first
    *("oracle", "prospector", "best-first", "linear", "bfs", "ache", "seedfinder"),
)
POINT = ["by the classifier", "domains"]  # the two objectives of Fig. 3
PRINTED = {  # as the paper's tables call them; ours in the same manner
    "random": "Random",
    "tree-random": "Tree-Random",
    "ache": "ACHE",
    "seedfinder": "SeedFinder",
    "async": "Async",
    "tres": "TRES",
    "tres-async": "TRES_Async",
    "tres-svm": "TRES_SVM",
    "tres-nh": "TRES_NH",
    "tres-gamma-0": "TRES_Gamma-0",
    "tres-gamma-0.6": "TRES_Gamma-.6",
    "tres-gamma-0.99": "TRES_Gamma-.99",
    "tres-outlinks": "TRES_Outlinks",
    "tres-best-of-3": "TRES_Best-of-3",
    "tres-no-tree": "TRES_No-Tree",
    "sync": "Sync",
    "prospector": "Prospector",
    "best-first": "Best-First",
    "linear": "Linear",
    "bfs": "BFS",
    "oracle": "Oracle",
}


def crawler(policy: str, limit: str) -> str:
    """Return a policy with its limit as the paper writes it, such as TRES_5_2."""
    name = PRINTED.get(policy, policy)
    return name if limit == "none" else f"{name}_{limit}"


def over_time(logs: pd.DataFrame, points: int = 40) -> pd.DataFrame:
    """Return the harvest so far at about ``points`` steps of each crawl.

    The rows are those of the logs, with the columns ``harvest rate`` (by the classifier),
    ``true harvest rate`` (by the ground truth) and ``relevant found`` (number, by the truth).
    """
    steps = logs[logs["step"] > 0].copy()
    runs = [steps[column] for column in RUN]
    truth = steps["relevant_true"].astype(float)
    steps["harvest rate"] = steps.groupby(RUN, sort=False)["reward"].cumsum() / steps["step"]
    steps["relevant found"] = truth.groupby(runs, sort=False).cumsum()
    steps["true harvest rate"] = steps["relevant found"] / steps["step"]
    return steps[steps["step"] % max(int(steps["step"].max()) // points, 1) == 0]


def at_the_end(logs: pd.DataFrame, exploration: int = 0, budget: int | None = None) -> pd.DataFrame:
    """Return how much each crawl found, one row a crawl.

    TRES explores in the first `exploration` steps. With a `budget`, pages asked for, a crawl that
    ended early counts as having fetched the missing pages in vain, so that it cannot shine by a
    good start; the paper leaves such crawls blank. Without, a rate is over the pages fetched
    (Eq. 6).

    Columns: those of the run, ``crawler`` (policy and limit), harvest rates in per cent
    ``by the classifier``, ``by the truth`` and ``after exploring`` (by the classifier, without the
    first steps), ``domains`` and ``true domains`` (relevant ones by either; Eq. 7), ``pages``
    fetched and ``complete`` (the crawl did not run out of URLs).
    """
    taken = logs["step"] > 0
    relevant = logs["relevant_true"].astype(float)
    steps = logs.assign(found=logs["reward"].where(taken), truth=relevant.where(taken))
    steps["later"] = steps["found"].where(steps["step"] > exploration)
    runs = steps.groupby(RUN, sort=False)
    pages = runs["step"].max()
    means = 100 * runs[["found", "truth", "later"]].mean()
    rates = means[["found", "truth"]].mul(pages / pages.clip(lower=budget or 0), axis=0)
    table = rates.where(pages > 0, 0.0).set_axis(["by the classifier", "by the truth"], axis=1)
    table = table.assign(**{"after exploring": means["later"], "pages": pages})
    for name, column in {"domains": "found", "true domains": "truth"}.items():
        found = steps[steps[column] > 0].groupby(RUN, sort=False)["domain"].nunique()
        table[name] = found.reindex(table.index, fill_value=0)
    table["complete"] = runs["stopped"].first() == SPENT
    table = table.reset_index()
    names = [crawler(*pair) for pair in zip(table["policy"], table["limit"], strict=True)]
    return table.assign(crawler=names)


def record(policy: str, topic: str, **setting: Any) -> dict[str, Any]:
    """Return what is stored of a crawl: its ends, its curves, its cost and a hash of its log.

    Arguments are as of `trial`. Stored are the row of `at_the_end`; ``queries`` and ``stopped``;
    after each 200th part of the budget, lists: ``found`` and ``truly found``, relevant pages by the
    classifier and by the truth, and ``stuck``, irrelevant pages of sites whose last 20 pages before
    were irrelevant too; ``both``, pages relevant by the two; ``cpu``, seconds; ``log``, a hash of
    its URLs, rewards and scores.
    """
    start = time.process_time()
    log = trial(policy, topic, **setting)
    cpu = time.process_time() - start
    named = log.assign(topic=topic, policy=policy, web_seed=setting.get("web_seed", 0))
    ends = at_the_end(named, TresSettings().exploration(setting["budget"]), setting["budget"])
    steps = log[log["step"] > 0]
    reached = points(setting["budget"]).clip(max=len(steps))
    found, truth = steps["reward"] > 0, steps["relevant_true"].fillna(False).astype(bool)
    counted = {"found": found, "truly found": truth, "stuck": _stuck(steps) & ~found}
    totals = {name: np.append(0, np.cumsum(kept)) for name, kept in counted.items()}
    curves = {name: total[reached].tolist() for name, total in totals.items()}
    digest = hashlib.sha256("\n".join(log["url"]).encode())
    digest.update(log[["reward", "p"]].to_numpy(float).tobytes())
    last = {"queries": int(log["queries"].max()), "stopped": log["stopped"].iloc[0]}
    last["both"] = int((found & truth).sum())
    return ends.iloc[0].to_dict() | last | curves | {"cpu": cpu, "log": digest.hexdigest()[:16]}


def points(budget: int) -> np.ndarray:
    """Return the steps at which a stored curve has its points, (POINTS,) int64."""
    return np.arange(1, POINTS + 1) * budget // POINTS


def _stuck(steps: pd.DataFrame) -> pd.Series:
    """Return whether the `STUCK` pages of a step's domain before it were all without reward."""
    before = steps.groupby("domain")["reward"].cumsum() - steps["reward"]
    return before - before.groupby(steps["domain"]).shift(STUCK) == 0


def table_form(ends: pd.DataFrame, truth: bool = False) -> pd.DataFrame:
    """Return the two columns of Table 3, ``harvest rate %`` and ``domains``, as rows.

    They are by the web's ground truth with ``truth``, else by the classifier. Columns: ``topic``,
    ``crawler``, ``web_seed``, ``measure`` and ``value``.
    """
    chosen = ["by the truth", "true domains"] if truth else POINT
    names = dict(zip(chosen, ["harvest rate %", "domains"], strict=True))
    keys = ["topic", "crawler", "web_seed"]
    return ends[[*keys, *chosen]].rename(columns=names).melt(keys, var_name="measure")


def errors_by_kind(logs: pd.DataFrame) -> pd.DataFrame:
    """Count fetched pages by kind (rows), and by ground truth and classification (columns)."""
    steps = logs[logs["step"] > 0]
    truth = steps["relevant_true"].astype(bool)
    found = steps["reward"] > 0
    outcome = np.select(
        [found & truth, found & ~truth, ~found & truth],
        ["true positive", "false positive", "false negative"],
        "true negative",
    )
    table = pd.crosstab(steps["kind"], pd.Series(outcome, steps.index, name="outcome"))
    return table.assign(all=table.sum(axis=1)).sort_values("all", ascending=False)


def cold_starts(logs: pd.DataFrame, exploration: int) -> pd.DataFrame:
    """Count crawls of the policies that explore, and those that met no relevant page meanwhile."""
    first = logs[(logs["step"] > 0) & (logs["step"] <= exploration)]
    first = first[~first["policy"].isin(STRAIGHT)]
    failed = first.groupby(RUN, sort=False)["reward"].sum() == 0
    table = failed.groupby("policy", sort=False).agg(["size", "sum"])
    return table.set_axis(["crawls", "met no relevant page while exploring"], axis=1)


def frontier_growth(log: pd.DataFrame) -> tuple[float, float]:
    """Return the least and the largest net growth of the frontier in a step, e_d and D.

    The links of the seeds count as one step's growth for each seed.
    """
    sizes = log.loc[log["step"] > 0, "frontier"].to_numpy()
    grew = np.append(np.diff(sizes), sizes[0] / (log["step"] == 0).sum())
    return float(grew.min()), float(grew.max())


def tree_in_words(tree: TreeFrontier, depth: int = 3) -> pd.DataFrame:
    """Return the top of a tree, its splits in words.

    Indexed by node, parents first, left before right; columns ``parent`` (NaN at the root),
    ``text`` and ``mean`` (mean reward of the experiences below, 0 without any).
    """
    nodes = tree.nodes()
    top = nodes[nodes["depth"] <= depth].copy()
    cut = top["leaf"] | (top["depth"] == depth)
    top["text"] = [
        f"{FEATURES[f]}\n< {c:.2g}?" if not end else f"{n:,} links\nreward {r:.2f}"
        for f, c, end, n, r in zip(
            top["feature"], top["threshold"], cut, top["frontier"], top["mean_reward"], strict=True
        )
    ]
    top["mean"] = top["mean_reward"].fillna(0.0)
    top["parent"] = top["parent"].where(top["parent"] >= 0, np.nan)
    order = sorted(top.index, key=lambda node: (top.loc[node, "depth"], node))
    return top.loc[order, ["parent", "text", "mean"]]


def site_map(log: pd.DataFrame, most: int = 120) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a crawl's steps between the domains that it visited most, and these.

    Columns ``source``, ``target`` (domains) and ``steps`` (fetches that went this way); and by
    domain, ``pages`` fetched and ``harvest``, the share of them rewarded.
    """
    visits = log.groupby("domain")["reward"]
    sites = pd.DataFrame({"pages": visits.size(), "harvest": visits.mean()})
    sites = sites.sort_values("pages", ascending=False, kind="stable").head(most)
    source = log["parent"].map(dict(zip(log["url"], log["domain"], strict=True)))
    pairs = pd.DataFrame({"source": source, "target": log["domain"]})
    pairs = pairs[pairs["source"].isin(sites.index) & pairs["target"].isin(sites.index)]
    pairs = pairs[pairs["source"] != pairs["target"]]
    return pairs.value_counts().rename("steps").reset_index(), sites


def paper_table(name: str) -> pd.DataFrame:
    """Return a table of the TRES paper, "table 3" or "table 4", one row a topic, policy and limit.

    Columns ``topic``, ``policy``, ``limit``, ``crawler`` (see `crawler`), ``harvest rate %`` and
    ``domains``: means of ten crawls of 20,000 pages, nan where the paper has a blank.
    """
    tables = _tables()
    if name not in tables:
        raise ValueError(f"name={name!r}: use one of {', '.join(tables)}")
    rows = [
        (topic, policy, limit, crawler(policy, limit), *numbers)
        for policy, limits in tables[name].items()
        for limit, topics in limits.items()
        for topic, numbers in topics.items()
    ]
    columns = ["topic", "policy", "limit", "crawler", "harvest rate %", "domains"]
    return pd.DataFrame(rows, columns=columns).astype({"harvest rate %": float, "domains": float})


def beside_paper(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    """Put the numbers of `paper_table` to the left of our cells; "" where it has none.

    The cells are indexed by crawler, with columns (topic, measure); the measures are
    ``harvest rate %`` and ``domains``. Columns now: (topic, measure, "paper" or "here").
    """
    long = paper_table(name).melt(["topic", "crawler"], ["harvest rate %", "domains"], "measure")
    printed = long.pivot(index="crawler", columns=["topic", "measure"], values="value")
    printed = printed.reindex(index=cells.index, columns=cells.columns)
    printed = printed.map(lambda number: "" if pd.isna(number) else f"{number:g}")
    both = pd.concat({"paper": printed, "here": cells}, axis=1)
    order = [(source, *column) for column in cells.columns for source in ("paper", "here")]
    return both[order].reorder_levels([1, 2, 0], axis=1)


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, Any]]:
    return yaml.safe_load((DATA / "tres_tables.yaml").read_text(encoding="utf-8"))
