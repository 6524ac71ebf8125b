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

from tres_lib.code_hash import DATA
from tres_lib.focused.comparison import POINT, RUN, at_the_end, crawler, over_time as over_time
from tres_lib.focused.features import FEATURES
from tres_lib.focused.tres.crawlers import TresSettings
from tres_lib.focused.tres.tree_frontier import TreeFrontier

from .trial import trial

POINTS = 200  # of a stored curve
STUCK = 20  # irrelevant pages of a site in a row
STRAIGHT = (  # do not explore first
    *("oracle", "prospector", "best-first", "linear", "bfs", "ache", "seedfinder"),
)


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
