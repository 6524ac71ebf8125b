"""How far TRES is from its oracle, by what `trial_probe` measured, against Theorems 3.a-c.

Every function takes ``probed``, the rows of a sweep of `trial_probe`, in which the columns
``topic`` and ``web_seed`` name a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..focused.tres.bounds import (
    LIMIT_B,
    LIMIT_C,
    lemma_bound,
    regret_bound_a,
    regret_bound_b,
    regret_bound_c,
)
from .tres_probe import PATH

if TYPE_CHECKING:
    import pandas as pd

RUN = ["topic", "web_seed"]
LEAST, MOST = 1e-9, 0.999  # of a limit: what is put in for a lambda beyond it
SHARE = 0.95  # of the steps, for which the measured lambda holds


def splits_on_the_path(probed: pd.DataFrame) -> pd.DataFrame:
    """One row a split between the root and the best leaf, at each measurement.

    Columns: those of the run, ``step``, ``split`` (1 at the root), ``reward_ratio``, ``q_ratio``,
    ``correlation`` (see `probes`) and ``noise``, their e_i = q_ratio - reward_ratio.
    """
    rows = probed.loc[probed["height"] > 0, [*RUN, "step", *PATH]].explode(PATH, ignore_index=True)
    rows = rows.astype(dict.fromkeys(PATH, float))
    rows["split"] = rows.groupby([*RUN, "step"], sort=False).cumcount() + 1
    return rows.assign(noise=rows["q_ratio"] - rows["reward_ratio"])


def decay(probed: pd.DataFrame) -> pd.Series:
    """The lambda for which Proposition 2 is an equality, at each measurement.

    (V_q(L*) / V_q(root))^(1 / h), and 1 where L* is the root; NaN where all Q-values are equal.
    """
    ratio = probed["leaf_variance"] / probed["root_variance"]
    return (ratio ** (1 / probed["height"].clip(lower=1))).where(probed["root_variance"] > 0)


def run_constants(probed: pd.DataFrame) -> pd.DataFrame:
    """The constants of the theorems that each run shows, and its utilities.

    Returns
    -------
    DataFrame
        One row a run: ``T`` steps, ``D``; ``lambda``, the least for which Proposition 2 holds at
        95 % of the measurements; ``M_s``, the least, from 1 on, for which h(t) >= t / M_s - 1
        at all of them; ``above log2`` (share with h(t) >= log2 t), ``h_max``; ``J`` by its
        definition, ``J by Eq. 5``, ``J of the choices`` and ``J*``, sums over all steps, of
        which each measurement stands for the same number.
    """
    table = probed.assign(
        decay=decay(probed),
        M_s=(probed["step"] / (probed["height"] + 1)).clip(lower=1),
        above=probed["height"] >= np.log2(probed["step"]),
    )
    runs = table.groupby(RUN, sort=False)
    T = runs["steps"].first()
    means = runs[["mean_q", "expected_q", "chosen_q", "best_q"]].mean().mul(T, axis=0)
    means.columns = ["J", "J by Eq. 5", "J of the choices", "J*"]
    found = runs.agg(
        **{
            "T": ("steps", "first"),
            "D": ("largest_growth", "first"),
            "lambda": ("decay", lambda d: d.quantile(SHARE, interpolation="higher")),
            "M_s": ("M_s", "max"),
            "above log2": ("above", "mean"),
            "h_max": ("height", "max"),
        }
    )
    return found.join(means).reset_index()


def bounds_of_runs(probed: pd.DataFrame, eps: float, gamma: float) -> pd.DataFrame:
    """The bounds on J - J* with each run's constants, beside what was measured.

    Where the run's lambda is beyond a theorem's limit, a lambda just below it is put in.

    Parameters
    ----------
    probed : DataFrame
    eps : float
        The theorems hold with probability 1 - 3 eps.
    gamma : float
        Discount of the agent: Q-values lie between 0 and 1 / (1 - gamma).

    Returns
    -------
    DataFrame
        One row a run and bound: ``bound`` (its name), ``value``; ``J - J*`` and ``by Eq. 5``, the
        same with the J of that equation; ``lambda`` of the run and the ``limit`` it must be below.
        The last two need no theorem: no step loses more than the range of Q; and the best of n
        numbers is at most sqrt(n - 1) standard deviations above their mean (Samuelson), so by
        Eq. 5 a step cannot lose more than that in L*.
    """
    import pandas as pd

    tables = []
    for run, (_, rows) in zip(
        run_constants(probed).to_dict("records"), probed.groupby(RUN, sort=False), strict=True
    ):
        table = pd.DataFrame(_bounds(run, rows, eps, gamma), columns=["bound", "value", "limit"])
        losses = {"J - J*": run["J"] - run["J*"], "by Eq. 5": run["J by Eq. 5"] - run["J*"]}
        tables.append(table.assign(**{name: run[name] for name in (*RUN, "lambda")}, **losses))
    return pd.concat(tables, ignore_index=True)


def _bounds(
    run: dict[str, float], rows: pd.DataFrame, eps: float, gamma: float
) -> list[tuple[str, float, float]]:
    """Name, value and limit of lambda of each bound, for one run."""
    T, D = run["T"], run["D"]
    heights = np.interp(np.arange(1, T + 1), rows["step"], rows["height"])
    lam, lam_b, lam_c = (
        min(max(run["lambda"], LEAST), MOST * limit) for limit in (1, LIMIT_B, LIMIT_C)
    )
    return [
        ("Lemma 1, heights as measured", lemma_bound(heights, D, eps, lam), 1),
        ("Theorem 3.a", regret_bound_a(T, D, eps, lam, run["M_s"]), 1),
        ("Theorem 3.b", regret_bound_b(T, D, eps, lam_b), LIMIT_B),
        ("Theorem 3.c", regret_bound_c(T, D, eps, lam_c), LIMIT_C),
        ("range of Q", -T / (1 - gamma), np.inf),
        ("spread of Q in L*", -T * _spread(rows).mean(), np.inf),
    ]


def _spread(rows: pd.DataFrame) -> pd.Series:
    return np.sqrt((rows["leaf_size"] - 1) * rows["leaf_variance"])


def check_assumptions(probed: pd.DataFrame, eps: float) -> pd.DataFrame:
    """What each assumption asks for, and what all runs together show.

    Parameters
    ----------
    probed : DataFrame
    eps : float
        The theorems hold with probability 1 - 3 eps.

    Returns
    -------
    DataFrame
        Indexed by ``assumption``: ``asks for``, ``measured``, ``holds``. Of Assumption 2 the
        weakest form is shown, with lambda close to 1 and the greatest height.
    """
    import pandas as pd

    found, splits = run_constants(probed), splits_on_the_path(probed)
    rows = _on_variances(found, splits, eps) + _on_heights(found, probed)
    table = pd.DataFrame(rows, columns=["assumption", "asks for", "measured", "holds"])
    return table.replace({"holds": {True: "yes", False: "no"}}).set_index("assumption")


def _on_variances(found: pd.DataFrame, splits: pd.DataFrame, eps: float) -> list[tuple]:
    T, h_max, lam = found["T"].max(), found["h_max"].max(), found["lambda"].max()
    strong = 1 - eps / (T * h_max)
    rho, noise = splits["correlation"], splits["noise"]
    w = np.ptp(np.log1p(noise[noise > -1]))
    weakest = np.exp(-w * np.sqrt(np.log(T / eps) / (2 * h_max))) - 1
    mean_ratio = splits["reward_ratio"].mean()
    return [
        (
            "1: squared correlation of reward and split",
            f"> {strong:.7f} at every split",
            f"median {rho.median():.2g}",
            (rho > strong).all(),
        ),
        ("2: mean noise e", f"< {weakest:.4f}", f"{noise.mean():.3f}", noise.mean() < weakest),
        ("2: lambda", "< 1", f"{lam:.2f}", lam < 1),
        (
            "1 and 2 at once: mean ratio of V_R",
            f"< {1 - strong:.1g} and > 1 - lambda",
            f"{mean_ratio:.2f}",
            1 - lam < mean_ratio < 1 - strong,
        ),
        ("3.b: lambda", "< 1/8", f"{lam:.2f}", lam < LIMIT_B),
        ("3.c: lambda", "< 1/32", f"{lam:.2f}", lam < LIMIT_C),
    ]


def _on_heights(found: pd.DataFrame, probed: pd.DataFrame) -> list[tuple]:
    halfway = run_constants(probed[2 * probed["step"] <= probed["steps"]])
    grown = (found["M_s"] / halfway["M_s"]).max()
    splits = ((probed["leaves"] - 1) / probed["step"]).max()
    above = found["above log2"].min()
    return [
        ("3.a: M_s at the end over M_s halfway", "1", f"{grown:.2f}", grown <= 1),
        ("3.a: steps that split a leaf", "100 %", f"at most {splits:.0%}", splits >= 1),
        ("3.b: steps with height at least log2 t", "100 %", f"{above:.0%}", above == 1),
    ]
