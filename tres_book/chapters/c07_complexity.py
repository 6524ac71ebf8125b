"""Chapter 07: what a step costs. TRES's analysis (Section 2.7) measured along crawls.

`Probed` TRES measures the paper's quantities at the moment of a choice, over the whole frontier.
Chapter 08 rests on the same crawls.
"""

from functools import partial
from typing import Any, cast

import numpy as np
import pandas as pd

from tres_lib.focused.drivers import crawl
from tres_lib.focused.policy import Context
from tres_lib.focused.tres.crawlers import TRES, TresSettings
from tres_lib.focused.tres.tree_frontier import TreeFrontier

from ..crawls.sweeps import SECOND, TOPICS, WEBS
from ..crawls.trial import begin, open_web, trial
from ..intervals import summarise
from ..study import results
from ..study.study import Study, grid, studies_of

BUDGET = SECOND["budget"]
EVERY = 200  # fetches between two measurements
SHORT_BUDGET = 1_000


def studies() -> dict[str, Study]:
    """Return crawls by TRES that are ``second-probed``, and what short crawls ``second-scored``."""
    same = {"web_seed": WEBS[:3], "topic": TOPICS} | {name: [SECOND[name]] for name in SECOND}
    short = same | {"budget": [SHORT_BUDGET]}
    parts: dict[str, Any] = {
        "second-probed": (trial_probe, grid(**same, every=[EVERY])),
        "second-scored": (scored, grid(**short, policy=("sync", "tres", "tres-async"))),
    }
    return studies_of("theory", parts, ("topic", "web_seed"))


class Probed(TRES):
    """TRES that measures itself every so many steps, and chooses as it would without that."""

    def __init__(self, context: Context, settings: TresSettings | None = None, every: int = 50):
        super().__init__(context, settings)
        self.every = every
        self.rows: list[dict[str, Any]] = []  # a measurement each, as in `trial_probe`

    def pick(self, ids: np.ndarray, step: int) -> int:
        """Choose as TRES does, and measure at every `every`-th step."""
        due = step % self.every == 0
        row = self.measured() if due else {}  # before the choice, after which the agent trains
        chosen = super().pick(ids, step)
        if due:
            about = {"step": step, "explores": step <= self.learner.exploration, "chosen_q": self.q}
            self.rows.append(about | row)
        return chosen

    def measured(self) -> dict[str, Any]:
        """Return what the theorems speak of, at this step."""
        ids = self.tree.ids()
        q = self.agent.q(self.features(ids))
        leaf = self.tree.leaves_of(ids)
        return {
            "frontier": len(ids),
            "leaves": self.tree.n_leaves,
            "nonempty_leaves": self.tree.n_nonempty,
            "evaluations": self.evaluations,
            "least_q": q.min(),
            **_utilities(q, leaf),
            **_variances(q, leaf, self.tree),
        }


def trial_probe(
    topic: str,
    web_seed: int,
    budget: int,
    every: int,
    sites: int,
    epochs: int,
    web: str = "second",
    errors: str = "skip",
) -> pd.DataFrame:
    """Measure one single-seed crawl by TRES, with the options of `trial`; return `probes`."""
    place = open_web(web, web_seed, sites)
    how = begin(place, web, topic, web_seed, epochs, errors)
    result = crawl(place, policy=partial(Probed, every=every), budget=budget, **how)
    return probes(cast("Probed", result.policy), result.log)


def probes(policy: Probed, log: pd.DataFrame) -> pd.DataFrame:
    """Return the measurements of a crawl, a row every so many steps.

    ``inserted`` counts actions so far, ``evaluations`` those of Q in order to choose; a choice that
    ``explores`` is uniform. ``best_q`` is the Q-value of x*, ``leaf_size`` and ``height`` (splits
    above it) are of its leaf L*. ``mean_q`` is J's term by its definition, the mean over leaves of
    the leaf's mean Q, ``expected_q`` that by Eq. 5; ``chosen_q`` is the choice's.
    ``root_variance`` and ``leaf_variance`` are of Q, in the whole frontier and in L*. From the root
    to L*, a list each: ``reward_ratio`` and ``q_ratio``, a child's variance over its parent's, of
    rewards (experiences) and of Q-values (frontier); ``correlation``, squared, of reward and split.
    """
    least, largest = frontier_growth(log)
    inserted = log.drop_duplicates("step", keep="last").set_index("step")["inserted"]
    rows = pd.DataFrame(policy.rows).drop_duplicates("step", keep="last")  # after skipped errors
    table = rows.join(inserted, on="step").reset_index(drop=True)
    ends = {"steps": int(log["step"].max()), "least_growth": least, "largest_growth": largest}
    return table.assign(**ends)


def scored(**setting: Any) -> pd.DataFrame:
    """Return the steps of a crawl by `trial`: ``frontier`` and ``evaluations`` of Q so far."""
    return trial(**setting)[["step", "frontier", "evaluations"]]


def costs(logs: pd.DataFrame) -> pd.DataFrame:
    """Return by crawl of a sweep of `scored`: T choices, Q's evaluations, least e and largest D."""
    chosen = logs.assign(chosen=logs["step"] > 0)  # an error that is no step was chosen, too
    runs = chosen.groupby(["topic", "policy", "web_seed"], sort=False)
    table = runs.agg(T=("chosen", "sum"), evaluations=("evaluations", "last"))
    table[["e", "D"]] = [frontier_growth(log) for _, log in runs]
    return table.reset_index()


def links_a_leaf(probed: pd.DataFrame) -> pd.DataFrame:
    """Return by topic the links left for each leaf at the end of crawls, as `summarise` does.

    Logarithms are averaged over webs, for a ratio cannot be negative.
    """
    ends = probed.groupby(["topic", "web_seed"], sort=False).tail(1)
    table = summarise(ends.assign(log=np.log(ends["frontier"] / ends["leaves"])), "topic", "log")
    bounds = ["mean", "low", "high"]
    return table.assign(**np.exp(table[bounds]))


def figures() -> dict[str, Any]:
    """Return links a leaf of single crawls, and the largest e_d of synchronous ones."""
    plan = studies()
    far = results.rows(plan["second-probed"]).groupby(["topic", "web_seed"]).tail(1)
    a_leaf, short = far["frontier"] / far["leaves"], costs(results.rows(plan["second-scored"]))
    grew = short.loc[short["policy"] == "sync", "e"].max()
    return {"least_a_leaf": a_leaf.min(), "most_a_leaf": a_leaf.max(), "growth": grew}


def frontier_growth(log: pd.DataFrame) -> tuple[float, float]:
    """Return the least and the largest net growth of the frontier in a step, e_d and D.

    The links of the seeds count as one step's growth for each seed.
    """
    sizes = log.loc[log["step"] > 0, "frontier"].to_numpy()
    grew = np.append(np.diff(sizes), sizes[0] / (log["step"] == 0).sum())
    return float(grew.min()), float(grew.max())


def _utilities(q: np.ndarray, leaf: np.ndarray) -> dict[str, float]:
    """Return the terms of J, by both formulas, and of J*, from the frontier's Q and leaves."""
    best = q.argmax()
    values, size, best_q = pd.Series(q, dtype=float), (leaf == leaf[best]).sum(), q[best]
    others = values.drop(best).groupby(np.delete(leaf, best)).mean()
    other_q = others.max() if len(others) else best_q
    return {
        "best_q": best_q,
        "leaf_size": size,
        "mean_q": values.groupby(leaf).mean().mean(),
        "other_q": other_q,
        "expected_q": best_q / size + (1 - 1 / size) * other_q,
    }


def _variances(q: np.ndarray, leaf: np.ndarray, tree: TreeFrontier) -> dict[str, Any]:
    """Return variances from the root to L*: of Q over the frontier, of rewards over experiences."""
    nodes = tree.nodes()
    columns = ("parent", "left", "reward_variance", "experiences")
    parent, left, variance, n = (nodes[name].to_numpy() for name in columns)
    path = [int(leaf[q.argmax()])]
    while path[0] != 0:  # the root
        path.insert(0, int(parent[path[0]]))
    above = np.array(path[:-1], int)
    q_variance = _variance_below(q, leaf, nodes)[path]
    within = sum(n[c] * variance[c] for c in (left[above], left[above] + 1)) / n[above]
    whole, q_whole = (np.where(v > 0, v, np.nan) for v in (variance[above], q_variance[:-1]))
    return {
        "height": len(above),
        "root_variance": q_variance[0],
        "leaf_variance": q_variance[-1],
        "reward_ratio": variance[path[1:]] / whole,
        "q_ratio": q_variance[1:] / q_whole,
        "correlation": 1 - within / whole,
    }


def _variance_below(q: np.ndarray, leaf: np.ndarray, nodes: pd.DataFrame) -> np.ndarray:
    """Return the population variance of Q below each node, (n_nodes,); NaN below none."""
    centred = q - q.mean()  # so that the small variance of a leaf does not drown
    sums = [np.bincount(leaf, w, len(nodes)) for w in (np.ones(len(q)), centred, centred**2)]
    totals = np.column_stack(sums)
    depth, parent = nodes[["depth", "parent"]].to_numpy().T
    for level in range(depth.max(), 0, -1):
        at = np.flatnonzero(depth == level)
        np.add.at(totals, parent[at], totals[at])
    n, total, squares = totals.T
    n = np.where(n, n, np.nan)
    return np.maximum(squares / n - (total / n) ** 2, 0.0)
