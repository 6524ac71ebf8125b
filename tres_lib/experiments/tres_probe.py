"""What TRES's analysis speaks of, measured along a crawl (Section 2.7): `Probed` TRES.

The paper's quantities at the moment of a choice, over the whole frontier: the best Q-value,
its leaf, the utilities J and J*, and the variances along the path from the root to that leaf.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..focused.arrays import grown
from ..focused.policy import Context
from ..focused.tres.policies import TRES, TresSettings

if TYPE_CHECKING:
    import pandas as pd

ROOT = 0
PATH = ["reward_ratio", "q_ratio", "correlation"]  # columns that hold a value a split of the path


class Probed(TRES):
    """TRES that measures itself at every so many steps, and chooses as it would without that.

    Parameters
    ----------
    context, settings : see `TRES`
    every : int
        Steps between measurements.

    Attributes
    ----------
    rows : list of dict, one a measurement
        See `probes` for what they hold.

    Raises
    ------
    ValueError
        If every < 1.
    """

    def __init__(self, context: Context, settings: TresSettings | None = None, every: int = 50):
        if every < 1:
            raise ValueError(f"every={every}: give a number of steps, at least 1")
        super().__init__(context, settings)
        self.every, self.rows = every, []
        self._is_live = np.zeros(0, bool)

    def add(self, ids: np.ndarray, x: np.ndarray) -> None:
        super().add(ids, x)
        if len(ids):
            self._is_live = grown(self._is_live, int(ids.max()) + 1)
            self._is_live[ids] = True

    def drop(self, ids: list[int]) -> None:
        super().drop(ids)
        self._is_live[ids] = False

    def _pick(self, ids: np.ndarray, x: np.ndarray, step: int) -> int:
        due = step % self.every == 0
        row = self._measure() if due else {}  # before the choice, after which the agent trains
        chosen = super()._pick(ids, x, step)
        if due:
            about = {"step": step, "explores": self.learner.explores(step), "chosen_q": self.q}
            self.rows.append(about | row)
        return chosen

    def _measure(self) -> dict[str, Any]:
        live = np.flatnonzero(self._is_live)
        q = self.agent.q(self._context.features(live))
        leaf, nodes = self.tree.leaves_of(live), self.tree.nodes()
        sizes = {
            "frontier": len(live),
            "leaves": self.n_leaves,
            "nonempty_leaves": self.n_nonempty,
            "evaluations": self.evaluations,
            "least_q": q.min(),
        }
        path = _path(nodes["parent"].to_numpy(), leaf[q.argmax()])
        return sizes | _utilities(q, leaf) | _variances(q, leaf, nodes, path)


def probes(policy: Probed, log: pd.DataFrame) -> pd.DataFrame:
    """One row a measurement of a crawl.

    Parameters
    ----------
    policy : Probed
    log : DataFrame
        Of its crawl.

    Returns
    -------
    DataFrame
        ``step``, ``explores`` (whether its choice was uniform); numbers of actions in the
        ``frontier``, of ``leaves`` and ``nonempty_leaves``; ``evaluations`` of Q so far in
        order to choose, those of the measurement left out; ``least_q``.
        ``best_q`` is the Q-value of x*, ``leaf_size`` and ``height`` (splits above it) are of
        its leaf L*. ``mean_q`` is J's term by its definition, the mean over leaves of the leaf's
        mean Q; ``other_q`` the largest mean Q of a leaf without x*; ``expected_q`` J's term by
        Eq. 5, best_q / leaf_size + (1 - 1 / leaf_size) other_q; ``chosen_q`` the choice's.
        ``root_variance`` and ``leaf_variance`` are of Q, in the whole frontier and in L*.
        From the root to L*, a list each: ``reward_ratio`` and ``q_ratio``, a child's variance over
        its parent's, of rewards (experiences) and of Q-values (frontier); ``correlation``,
        the squared correlation of reward and split.
        The same in each row: ``steps`` of the crawl, its ``least_growth`` and ``largest_growth``.
    """
    import pandas as pd

    least, largest = frontier_growth(log)
    return pd.DataFrame(policy.rows).assign(
        steps=int(log["step"].max()), least_growth=least, largest_growth=largest
    )


def trial_probe(
    topic: str,
    *,
    web_seed: int = 0,
    budget: int = 3_000,
    every: int = 50,
    sites: int = 20_000,
    epochs: int = 20,
) -> pd.DataFrame:
    """`probes` of one single-seed crawl by TRES on VitalWeb, otherwise as `trial`.

    Parameters
    ----------
    topic : str
    web_seed, budget, sites, epochs : see `trial`
    every : int
        Steps between measurements.

    Raises
    ------
    ValueError
        If nothing would be measured, or an argument is not as described.
    """
    from ..focused.tres.variants import Variant
    from .tres import judge_of, open_web, single_seed_crawl

    if every > budget:
        raise ValueError(f"every={every}: must be at most budget={budget}")
    place, judges = open_web("vital", web_seed, sites), judge_of(topic, epochs)
    probed = Variant(partial(Probed, every=every))
    result = single_seed_crawl(place, probed, topic, web_seed, judges, budget=budget)
    return probes(result.policy, result.log)


def frontier_growth(log: pd.DataFrame) -> tuple[float, float]:
    """The least and the largest growth of the frontier in a step, e_d and D of Theorem 1.

    Growth is net. The links of the seeds count as one step's growth for each seed.
    """
    sizes = log.loc[log["step"] > 0, "frontier"].to_numpy()
    first = sizes[0] / (log["step"] == 0).sum()
    grew = np.append(np.diff(sizes), first)
    return float(grew.min()), float(grew.max())


def _path(parent: np.ndarray, leaf: int) -> np.ndarray:
    """Nodes from the root to a leaf, both included."""
    path = [int(leaf)]
    while path[-1] != ROOT:
        path.append(int(parent[path[-1]]))
    return np.array(path[::-1])


def _utilities(q: np.ndarray, leaf: np.ndarray) -> dict[str, float]:
    """The terms of J, by both formulas, and of J*."""
    best = q.argmax()
    size, total = np.bincount(leaf), np.bincount(leaf, q)
    mean_q = (total[size > 0] / size[size > 0]).mean()
    best_q, leaf_size = q[best], size[leaf[best]]
    size[leaf[best]] -= 1
    total[leaf[best]] -= best_q
    others = size > 0
    other_q = (total[others] / size[others]).max() if others.any() else best_q
    expected_q = best_q / leaf_size + (1 - 1 / leaf_size) * other_q
    return {
        "best_q": best_q,
        "leaf_size": leaf_size,
        "mean_q": mean_q,
        "other_q": other_q,
        "expected_q": expected_q,
    }


def _variances(
    q: np.ndarray, leaf: np.ndarray, nodes: pd.DataFrame, path: np.ndarray
) -> dict[str, Any]:
    """Variances along the path: of Q over frontier samples, of rewards over experiences."""
    q_variance = _variance_below(q, leaf, nodes)[path]
    reward_variance = nodes["reward_variance"].to_numpy()
    experiences = nodes["experiences"].to_numpy()
    parents, lefts = path[:-1], nodes["left"].to_numpy()[path[:-1]]
    within = sum(experiences[c] * reward_variance[c] for c in (lefts, lefts + 1))
    return {
        "height": len(path) - 1,
        "root_variance": q_variance[0],
        "leaf_variance": q_variance[-1],
        "reward_ratio": _ratio(reward_variance[path[1:]], reward_variance[parents]),
        "q_ratio": _ratio(q_variance[1:], q_variance[:-1]),
        "correlation": 1 - _ratio(within / experiences[parents], reward_variance[parents]),
    }


def _variance_below(q: np.ndarray, leaf: np.ndarray, nodes: pd.DataFrame) -> np.ndarray:
    """Population variance of the Q-values below each node, (n_nodes,); NaN below none."""
    centred = q - q.mean()  # so that the small variance of a leaf does not drown
    sums = [np.bincount(leaf, w, len(nodes)) for w in (np.ones(len(q)), centred, centred**2)]
    totals = np.column_stack(sums)
    depth, parent = nodes["depth"].to_numpy(), nodes["parent"].to_numpy()
    for level in range(depth.max(), 0, -1):
        at = np.flatnonzero(depth == level)
        np.add.at(totals, parent[at], totals[at])
    n, total, squares = totals.T
    n = np.where(n, n, np.nan)
    return np.maximum(squares / n - (total / n) ** 2, 0.0)


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole; NaN where the whole is nothing."""
    return part / np.where(whole > 0, whole, np.nan)
